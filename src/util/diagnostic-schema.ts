import * as z from 'zod';
import { list, object } from './data-schema.ts';
import type { DiagnosticCode } from './diagnostic-codes.ts';

const text = z.string();
const position = z.number();

const range = { file: text, line: position, column: position, endLine: position, endColumn: position };

/** Lines and columns start at 1; `endColumn` is the column after the last character. */
export const sourceRangeSchema = object({
  ...range,
  template: object({ ...range, name: text })
    .exactOptional()
    .describe('The line of a template that takes the value from here, from an input'),
  usedAt: object({ ...range, name: text })
    .exactOptional()
    .describe('The record, or the `use`, for which the template of this name made this'),
});

export const diagnosticSchema = object({
  severity: z.enum(['error', 'warning', 'hint']),
  code: z
    .custom<DiagnosticCode>((code) => typeof code === 'string')
    .meta({ type: 'string', description: 'Stable name of the problem in kebab-case' }),
  message: text.describe('One sentence without a final period, saying what is wrong'),
  address: text.exactOptional().describe('The object concerned'),
  at: sourceRangeSchema.exactOptional(),
  related: list(object({ message: text, at: sourceRangeSchema.exactOptional() }))
    .exactOptional()
    .describe('Other places that belong to the problem, for example the first of two equal keys'),
  suggestion: text.exactOptional().describe('What to do about it; may hold YAML lines to paste'),
});
