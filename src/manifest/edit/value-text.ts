/** Data as the text of a new entry: lines of a block, or one line in braces. */
import { type Data, isDataMap } from '../emit/data.ts';
import { blockLines } from '../emit/scalar-text.ts';
import { isDataList } from './data.ts';
import { keyText, type ScalarStyle, scalarText } from './scalar-text.ts';

/** How new text is laid out. */
export interface Layout {
  /** Spaces that each nested level is indented by. */
  readonly step: number;
  /** How nested values are written where both are possible. */
  readonly nested: 'block' | 'flow';
  /** True where keys and texts are quoted, as in JSON. */
  readonly json?: boolean | undefined;
}

/** The longest line on which a value is written in braces. */
const maxFlowWidth = 100;

/** The lines of an entry of a block mapping, indented by `column`; without line ends. */
export function entryLines(key: string, value: Data, column: number, layout: Layout): readonly string[] {
  return prefixed(`${' '.repeat(column)}${keyText(key)}:`, value, column, layout);
}

/** The lines of an item of a block list. */
export function itemLines(value: Data, column: number, layout: Layout): readonly string[] {
  return prefixed(`${' '.repeat(column)}-`, value, column, layout);
}

/** The lines of a nested block that belong below its key. */
export function nestedLines(value: Data, column: number, layout: Layout): readonly string[] {
  if (isDataMap(value)) return [...value].flatMap(([key, inner]) => entryLines(key, inner, column, layout));
  return isDataList(value) ? value.flatMap((item) => itemLines(item, column, layout)) : [];
}

/** A value that follows a key: what goes on the line of the key, and the lines below it. */
export function valueLines(
  value: Data,
  column: number,
  layout: Layout,
): { readonly head: string; readonly below: readonly string[] } {
  const inner = column + layout.step;
  if (typeof value === 'string') {
    const block = layout.json === true ? undefined : blockLines(value);
    if (block === undefined) return { head: scalarText(value, jsonStyle(layout)), below: [] };
    return {
      head: block.mark,
      below: block.lines.map((line) => (line === '' ? '' : `${' '.repeat(inner)}${line}`)),
    };
  }
  if (!isDataMap(value) && !isDataList(value)) return { head: scalarText(value), below: [] };
  const flow = flowText(value, layout);
  if (
    sizeOf(value) === 0 ||
    (layout.nested === 'flow' && isShallow(value) && flow.length + column <= maxFlowWidth)
  )
    return { head: flow, below: [] };
  return { head: '', below: nestedLines(value, inner, layout) };
}

/** A value on one line. */
export function flowText(value: Data, layout: Pick<Layout, 'json'> = {}): string {
  if (isDataMap(value)) {
    const parts = [...value].map(([key, inner]) => flowEntry(key, inner, layout));
    return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
  }
  if (isDataList(value)) return `[${value.map((item) => flowText(item, layout)).join(', ')}]`;
  return scalarText(value, { ...jsonStyle(layout), inFlow: true });
}

/** An entry inside braces. */
export function flowEntry(key: string, value: Data, layout: Pick<Layout, 'json'> = {}): string {
  return `${keyText(key, { ...jsonStyle(layout), inFlow: true })}: ${flowText(value, layout)}`;
}

function prefixed(head: string, value: Data, column: number, layout: Layout): readonly string[] {
  const { head: own, below } = valueLines(value, column, layout);
  return [own === '' ? head : `${head} ${own}`, ...below];
}

function jsonStyle({ json }: Pick<Layout, 'json'>): ScalarStyle {
  return json === true ? { like: 'double' } : {};
}

function sizeOf(value: Data): number {
  return isDataMap(value) ? value.size : isDataList(value) ? value.length : 1;
}

function isShallow(value: Data): boolean {
  const inner = isDataMap(value) ? [...value.values()] : isDataList(value) ? value : [];
  return inner.every((one) => !isDataMap(one) && !isDataList(one) && !String(one).includes('\n'));
}
