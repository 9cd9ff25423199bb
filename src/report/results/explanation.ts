import { type Block, faint, heading, line, type Report, strong, table } from '../blocks.ts';

export interface ExplainedPart {
  readonly name: string;
  /** Empty without a value. */
  readonly value: string;
  readonly description: string;
}

export interface Explanation {
  readonly topic: string;
  /** Example: `field of section`. */
  readonly what: string;
  readonly description: string;
  readonly facts: readonly { readonly label: string; readonly texts: readonly string[] }[];
  readonly parts: readonly { readonly title: string; readonly rows: readonly ExplainedPart[] }[];
  readonly example?: string;
  readonly reference: string;
}

export const explanationReport: Report<Explanation> = {
  document: ({ topic, what, description, facts, parts, example, reference }) => [
    [line(strong(topic), '  ', faint(what))],
    description.split('\n').map((text): Block => ({ type: 'paragraph', text })),
    [
      table(
        facts.map(({ label, texts }) => [faint(label), texts.join('\n')]),
        { wraps: true },
      ),
    ],
    ...parts.map(({ title, rows }) => [
      heading(title),
      table(
        rows.map(({ name, value, description }) => [
          strong(name),
          [value, description].filter((part) => part !== '').join('. '),
        ]),
        { wraps: true, widest: 28 },
      ),
    ]),
    example === undefined ? [] : [heading('Example'), exampleOf(example)],
    [line(`Documentation: ${reference}`)],
  ],
  data: (explanation) => ({ format: 1, ...explanation }),
};

function exampleOf(example: string): Block {
  const lines = example
    .trimEnd()
    .split('\n')
    .map((text) => (text === '' ? '' : `  ${text}`));
  return { type: 'code', language: 'yaml', lines };
}
