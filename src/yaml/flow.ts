/** Edits mappings in braces and lists in brackets. */
import { type Data, isDataList, isDataMap } from './data.ts';
import { type Extent, isLineStart, lineBreakAt, lineEnd, lineStart, type Replacement } from './lines.ts';
import { flowText, type QuoteStyle, scalarText } from './print.ts';
import type { PlacedEntry, SourceCollection, SourceNode } from './source.ts';

export interface FlowLines {
  readonly lead: string;
  readonly entries: readonly {
    /** Comments above the entry, and its indentation. */
    readonly above: string;
    /** The rest of the entry's last line, without the comma. */
    readonly after: string;
    readonly extent: Extent;
  }[];
  readonly tail: string;
  readonly hasLastComma: boolean;
}

export function linesOfFlow(text: string, { entries, from, to }: SourceCollection): FlowLines | undefined {
  const close = to - 1;
  const found: FlowLines['entries'][number][] = [];
  let at = lineEnd(text, from);
  let hasLastComma = false;
  const lead = text.slice(from + 1, at);
  for (const [index, entry] of entries.entries()) {
    if (!isLineStart(text, entry.from) || lineStart(text, entry.from) < at) return undefined;
    const isLast = index === entries.length - 1;
    const rest = text.slice(entry.to, Math.min(lineEnd(text, entry.to), close));
    const match = /^([ \t]*)(,?)([ \t]*(?:#[^\r\n]*)?)\r?\n?$/.exec(rest);
    if (match === null || (match[2] === '' && !isLast)) return undefined;
    const [, space = '', comma = '', comment = ''] = match;
    const isClosed = isLast && close < lineEnd(text, entry.to);
    const after = isClosed ? '' : `${comma === '' ? space : ''}${comment}`;
    const next = isClosed ? entry.to + (comma === '' ? 0 : space.length + 1) : lineEnd(text, entry.to);
    found.push({ above: text.slice(at, entry.from), after, extent: { from: at, to: next } });
    at = next;
    hasLastComma = comma !== '';
  }
  const isOwnLine = text[at - 1] === '\n';
  return {
    lead,
    entries: found,
    tail: (isOwnLine ? lineBreakAt(text, from) : '') + text.slice(at, close),
    hasLastComma,
  };
}

export function hasCommentBetween(text: string, { entries, from, to }: SourceCollection): boolean {
  const ends = [from + 1, ...entries.map((entry) => entry.to)];
  return ends.some((end, index) => text.slice(end, entries[index]?.from ?? to - 1).includes('#'));
}

export function flowValue(
  text: string,
  { parent, entry }: PlacedEntry,
  wanted: Data,
): readonly Replacement[] {
  const { value: node, valueAt, keyTo } = entry;
  const json = isJson(parent);
  const like =
    node?.type === 'scalar' && typeof node.value === 'string' && typeof wanted === 'string'
      ? node.style
      : undefined;
  const written = isNested(wanted)
    ? flowText(wanted, { json })
    : scalarText(wanted as string, { inFlow: true, like: like ?? (json ? 'double' : undefined) });
  if (node !== undefined) return [{ from: node.from, to: node.to, text: written }];
  if (valueAt === undefined) return [{ from: keyTo, to: keyTo, text: `: ${written}` }];
  const space = /[\s,}\]]/.test(text[valueAt] ?? '') ? '' : ' ';
  return [{ from: valueAt, to: valueAt, text: ` ${written}${space}` }];
}

export function isJson({ entries }: SourceCollection): boolean {
  const styles = entries.flatMap(({ keyStyle, value }) => {
    if (keyStyle !== undefined) return [keyStyle];
    return value?.type === 'scalar' && typeof value.value === 'string' ? [value.style] : [];
  });
  return styles.length > 0 && styles.every((style) => style === 'double');
}

export function isNested(data: Data): boolean {
  return isDataMap(data) || isDataList(data);
}

/** Keeps the former quotes if the new value is also text on one line. */
export function keptStyle(node: SourceNode | undefined, wanted: Data): QuoteStyle | undefined {
  if (node?.type !== 'scalar' || typeof wanted !== 'string' || wanted.includes('\n')) return undefined;
  const isQuoted = node.style === 'single' || node.style === 'double';
  return typeof node.value === 'string' && isQuoted ? node.style : undefined;
}
