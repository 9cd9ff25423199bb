/** The parser for the YAML worker, as a file of its own: the bundle has no packages. */
import { parse as parseText } from 'yaml';

export const parse = parseText;
