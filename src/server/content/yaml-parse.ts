/** The parser for the YAML worker, in a separate file: the bundle has no packages. */
import { parse as parseText } from 'yaml';

export const parse = parseText;
