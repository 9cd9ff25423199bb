/** The formats of each result, as `--format` offers them. Loaded with every command, and therefore nothing but names. */

/** By result; the first one is the default. */
export const formats = {
  plan: ['text', 'compact', 'json', 'ndjson', 'markdown', 'html', 'github', 'junit'],
  apply: ['text', 'compact', 'json', 'ndjson', 'markdown', 'github'],
  rehearsal: ['text', 'json'],
  adoption: ['text', 'json'],
  validation: ['text', 'json', 'github', 'sarif', 'junit'],
  export: ['text', 'json'],
  acceptance: ['text', 'json'],
  history: ['text', 'json'],
  report: ['text', 'json'],
  matrix: ['text', 'json', 'github', 'gitlab'],
  explanation: ['text', 'json'],
  list: ['text', 'json', 'names'],
  checkup: ['text', 'json'],
  graph: ['mermaid', 'dot', 'svg', 'html', 'json'],
} as const;

/** A result that has formats. */
export type FormattedResult = keyof typeof formats;

/** A format of a result. */
export type FormatOf<R extends FormattedResult> = (typeof formats)[R][number];
