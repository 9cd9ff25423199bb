import { type Block, heading, type Line, line, list, type Report, table } from '../blocks.ts';

export interface ExplainedFact {
  readonly label: string;
  readonly texts: readonly string[];
}

export interface ExplainedPart {
  readonly name: string;
  /** Nesting level inside the topic; 0 for its own parts. */
  readonly depth: number;
  /** Empty if it has no value. */
  readonly value: string;
  readonly description: string;
  readonly required?: true;
}

export interface Explanation {
  readonly topic: string;
  /** For example `field of section`. */
  readonly what: string;
  readonly description: string;
  readonly facts: readonly ExplainedFact[];
  readonly parts?: { readonly title: string; readonly rows: readonly ExplainedPart[] };
  readonly example?: string;
  readonly reference?: string;
  /** Other topics that the same word names. */
  readonly also?: readonly string[];
}

export const explanationReport: Report<Explanation> = {
  document: ({ topic, what, description, facts, parts, example, reference, also = [] }) => [
    [line({ text: topic, as: 'strong' }, '  ', { text: what, as: 'faint' })],
    description.split('\n').map((text): Block => ({ type: 'paragraph', text })),
    [
      table(
        facts.map(({ label, texts }) => [{ text: label, as: 'faint' }, texts.join('\n')]),
        { wraps: true },
      ),
    ],
    parts === undefined || parts.rows.length === 0
      ? []
      : [heading(parts.title), table(parts.rows.map(partRow), { wraps: true, widest: 28 })],
    example === undefined ? [] : [heading('Example'), exampleOf(example)],
    also.length === 0 ? [] : [heading('Also of this name'), list(also.map((one) => `octavo explain ${one}`))],
    reference === undefined ? [] : [line(`Documentation: ${reference}`)],
  ],
  data: (explanation) => ({ format: 1, ...explanation }),
};

function partRow({ name, depth, value, description, required }: ExplainedPart): readonly Line[] {
  const limits = [value, required === true ? 'required' : ''].filter((part) => part !== '').join(', ');
  const text = [limits, description].filter((part) => part !== '').join('. ');
  return [{ text: `${'  '.repeat(depth)}${name}`, as: 'strong' }, text];
}

function exampleOf(example: string): Block {
  const lines = example
    .trimEnd()
    .split('\n')
    .map((text) => (text === '' ? '' : `  ${text}`));
  return { type: 'code', language: 'yaml', lines };
}
