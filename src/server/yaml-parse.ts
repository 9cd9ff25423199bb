/** The parser that the worker for YAML loads, as a file of its own in the bundle: an installed package has no other. */
import { parse as parseText } from 'yaml';

/** The value of a text in YAML. */
export const parse = parseText;
