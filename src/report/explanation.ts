/** What `explain` says of a field, a kind, a setting, a diagnostic or an operation, as text and as JSON. Pure. */
import { stableStringify } from '../util/json.ts';
import { append, greatest } from '../util/lists.ts';
import type { TextOptions } from './plan-text.ts';
import { displayWidth, padEnd, wrap } from './safe-text.ts';
import { makeStyle, type Style } from './style.ts';

/** One thing that is known of a topic. */
export interface ExplainedFact {
  readonly label: string;
  readonly texts: readonly string[];
}

/** A part of a topic: a field, a setting, a parameter, another topic. */
export interface ExplainedPart {
  readonly name: string;
  /** How deep it is inside of the topic; 0 for its own parts. */
  readonly depth: number;
  /** What its value may be; empty where it has none. */
  readonly value: string;
  readonly description: string;
  readonly required?: true;
}

/** All that is known of a topic. */
export interface Explanation {
  /** As it is written on the command line. */
  readonly topic: string;
  /** For example `field of section`. */
  readonly what: string;
  readonly description: string;
  readonly facts: readonly ExplainedFact[];
  readonly parts?: { readonly title: string; readonly rows: readonly ExplainedPart[] };
  /** Lines to write. */
  readonly example?: string;
  /** Where more is said: a page and a heading. */
  readonly reference?: string;
  /** Other topics that the same word names. */
  readonly also?: readonly string[];
}

/** Paragraphs and columns; ends with a line break. */
export function explanationText(explanation: Explanation, { color, width }: TextOptions): string {
  const { topic, what, description, facts, parts, example, reference, also = [] } = explanation;
  const style = makeStyle({ color });
  const room = Math.min(Math.max(width, 80), 110);
  const lines = [`${style.strong(topic)}  ${style.faint(what)}`, ''];
  for (const paragraph of description.split('\n')) append(lines, wrap(paragraph, room));
  if (facts.length > 0) lines.push('', ...factLines(facts, room, style));
  if (parts !== undefined && parts.rows.length > 0) {
    lines.push('', style.strong(parts.title), ...partLines(parts.rows, room, style));
  }
  if (example !== undefined) {
    lines.push('', style.strong('Example'), ...example.trimEnd().split('\n').map(indent));
  }
  if (also.length > 0) {
    lines.push('', style.strong('Also of this name'), ...also.map((one) => indent(`octavo explain ${one}`)));
  }
  if (reference !== undefined) lines.push('', `Documentation: ${reference}`);
  return `${lines.join('\n')}\n`;
}

/** The same as one document. */
export function explanationJson(explanation: Explanation): string {
  return `${stableStringify({ format: 1, ...explanation }, 2)}\n`;
}

function factLines(facts: readonly ExplainedFact[], room: number, style: Style): readonly string[] {
  const width = greatest(facts.map(({ label }) => label.length));
  return facts.flatMap(({ label, texts }) => {
    const lines = texts.flatMap((text) => wrap(text, room - width - 4));
    return lines.map((line, at) => indent(`${style.faint((at === 0 ? label : '').padEnd(width))}  ${line}`));
  });
}

/** Names in a column; what does not fit beside one is below it. */
function partLines(rows: readonly ExplainedPart[], room: number, style: Style): readonly string[] {
  const names = rows.map(({ name, depth }) => `${'  '.repeat(depth)}${name}`);
  const width = Math.min(28, greatest(names.map(displayWidth)));
  return rows.flatMap(({ value, description, required }, at) => {
    const name = names[at] ?? '';
    const limits = [value, required === true ? 'required' : ''].filter((part) => part !== '').join(', ');
    const text = [limits, description].filter((part) => part !== '').join('. ');
    const lines = wrap(text, room - width - 4);
    const isLong = displayWidth(name) > width;
    const shown = style.strong(isLong ? name : padEnd(name, width));
    const rest = (isLong ? lines : lines.slice(1)).map((line) => indent(`${' '.repeat(width)}  ${line}`));
    return [indent(isLong ? shown : `${shown}  ${lines[0] ?? ''}`).trimEnd(), ...rest];
  });
}

function indent(line: string): string {
  return `  ${line}`.trimEnd();
}
