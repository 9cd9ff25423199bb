/** Puts another value in place of the one that an entry has, in the style of what was there. */

import type { Data } from '../emit/data.ts';
import { blockExtent, type EntryChange, type Replacement } from './block-edits.ts';
import { columnOf, isLineStart, lineBreakAt, lineEnd } from './lines.ts';
import { scalarText } from './scalar-text.ts';
import type { SourceCollection, SourceEntry, SourceNode, SourceScalar } from './source.ts';
import { flowText, type Layout, valueLines } from './value-text.ts';

/** An entry and what it is in. */
export interface ValueScene {
  readonly text: string;
  readonly parent: SourceCollection;
  readonly entry: SourceEntry;
  readonly layout: Layout;
}

/** The replacements that give an entry a value. */
export function changeValue(scene: ValueScene, wanted: Data): EntryChange {
  const { text, parent, entry, layout } = scene;
  const { value: node } = entry;
  if (parent.flow) return inFlow(scene, wanted);
  const column = columnOf(text, parent.entries[0]?.from ?? entry.from);
  const like = keptStyle(node, wanted);
  const written =
    like === undefined
      ? valueLines(wanted, column, layout)
      : { head: scalarText(wanted as string, { like }), below: [] };
  if (node === undefined || isInline(node)) return besideKey(scene, written);
  if (node.type === 'scalar') return inPlaceOfBlockScalar(scene, node, written);
  return node.type === 'alias' ? besideKey(scene, written) : inPlaceOfBlock(scene, node, written);
}

interface ValueText {
  readonly head: string;
  readonly below: readonly string[];
}

/** The style of the former text, where the new one is a text on one line as well. */
function keptStyle(node: SourceNode | undefined, wanted: Data): SourceScalar['style'] | undefined {
  if (node?.type !== 'scalar' || typeof wanted !== 'string' || wanted.includes('\n')) return undefined;
  return typeof node.value === 'string' && (node.style === 'single' || node.style === 'double')
    ? node.style
    : undefined;
}

function inFlow({ text, entry, parent }: ValueScene, wanted: Data): EntryChange {
  const { value: node } = entry;
  const like =
    node?.type === 'scalar' && typeof node.value === 'string' && typeof wanted === 'string'
      ? node.style
      : undefined;
  const json = parent.entries.some(({ keyStyle }) => keyStyle === 'double');
  const isScalar = wanted === null || typeof wanted !== 'object';
  const written = isScalar
    ? scalarText(wanted, { inFlow: true, like: like ?? (json ? 'double' : undefined) })
    : flowText(wanted, { json });
  if (node !== undefined) return [{ from: node.from, to: node.to, text: written }];
  const { valueAt, keyTo } = entry;
  if (valueAt === undefined) return [{ from: keyTo, to: keyTo, text: `: ${written}` }];
  const space = /[\s,}\]]/.test(text[valueAt] ?? '') ? '' : ' ';
  return [{ from: valueAt, to: valueAt, text: ` ${written}${space}` }];
}

function isInline(node: SourceNode): boolean {
  if (node.type === 'alias') return true;
  if (node.type === 'scalar') return node.style !== 'literal' && node.style !== 'folded';
  return node.flow;
}

/** On the line of the key, where something on one line, or nothing, was before. */
function besideKey({ text, entry }: ValueScene, { head, below }: ValueText): EntryChange {
  const { value: node, valueAt, keyTo } = entry;
  if (valueAt === undefined) return { reason: `it has no value (at offset ${keyTo})` };
  const to = node?.to ?? valueAt;
  // An inline value may also begin on the line below its key.
  const isBelow = node !== undefined && text.slice(valueAt, node.from).includes('\n');
  if (isBelow && (head === '' || text.slice(valueAt, node.from).includes('#')))
    return { reason: 'its value is on another line than its key' };
  const from = node === undefined || head === '' ? valueAt : node.from;
  const lead = from === valueAt && head !== '' ? ' ' : '';
  const edit = { from, to, text: `${lead}${head}` };
  return below.length === 0 ? [edit] : [edit, linesAt(text, lineEnd(text, to), below)];
}

function inPlaceOfBlockScalar(
  { text, entry }: ValueScene,
  node: SourceScalar,
  written: ValueText,
): EntryChange {
  const headerLine = text.slice(node.from, Math.min(lineEnd(text, node.from), node.to)).trimEnd();
  const comment = /\s#.*$/.exec(headerLine)?.[0] ?? '';
  const eol = lineBreakAt(text, node.from);
  const isNothing = written.head === '';
  const from = isNothing ? (entry.valueAt ?? node.from) : node.from;
  return [{ from, to: node.to, text: [`${written.head}${comment}`, ...written.below].join(eol) }];
}

function inPlaceOfBlock(
  { text, entry }: ValueScene,
  node: SourceCollection,
  written: ValueText,
): EntryChange {
  const { valueAt } = entry;
  if (valueAt === undefined) return { reason: 'it has no colon' };
  const first = node.entries[0];
  if (first === undefined || !isLineStart(text, first.from))
    return { reason: 'its value shares a line with what it is in' };
  const { from, to } = blockExtent(text, node);
  const head = written.head === '' ? '' : ` ${written.head}`;
  const lines = written.below.length === 0 ? '' : linesAt(text, to, written.below).text;
  const isOpenEnd = to === text.length && !text.endsWith('\n');
  const edit = { from: valueAt, to: valueAt, text: head };
  if (isOpenEnd && lines === '')
    return [edit, { from: from - lineBreakAt(text, from - 1).length, to, text: '' }];
  return [edit, { from, to, text: isOpenEnd ? lines.replace(/^\r?\n/, '') : lines }];
}

/** Whole lines at the start of a line; at the end of the text without a last line end, below it. */
export function linesAt(text: string, at: number, lines: readonly string[]): Replacement {
  const eol = lineBreakAt(text, Math.max(0, at - 1));
  const isOpenEnd = at === text.length && at > 0 && !text.endsWith('\n');
  return {
    from: at,
    to: at,
    text: isOpenEnd ? eol + lines.join(eol) : lines.map((line) => line + eol).join(''),
  };
}
