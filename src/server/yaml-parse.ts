/** The parser that the worker for YAML loads, as a file of its own in the bundle: an installed package has no other. */
export { parse } from 'yaml';
