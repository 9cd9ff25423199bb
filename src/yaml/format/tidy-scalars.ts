/** Removes unneeded quotes, and evens spaces after colons and dashes and inside braces and brackets. */

import { type Replacement, replaceAll } from '../lines.ts';
import { isPlain, quoted } from '../print.ts';
import { entriesIn, nodesIn, type SourceCollection, type SourceEntry, type SourceScalar } from '../source.ts';
import type { SourceTexts } from '../source-texts.ts';

export function tidyScalars(text: string, texts: SourceTexts): string | undefined {
  const documents = texts.read(text);
  if (documents === undefined) return undefined;
  const edits: Replacement[] = [];
  for (const { entry, parent } of entriesIn(documents)) {
    if (entry.odd !== undefined) continue;
    addKey(edits, text, entry, parent);
    const { value } = entry;
    if (value?.type === 'scalar') addValue(edits, text, value, parent);
    if (!parent.flow) addGap(edits, text, entry);
  }
  for (const node of nodesIn(documents)) {
    if (node.type !== 'scalar' && node.type !== 'alias' && node.flow) addSpaces(edits, text, node);
  }
  return replaceAll(text, edits);
}

function addKey(edits: Replacement[], text: string, entry: SourceEntry, parent: SourceCollection): void {
  const { key, keyFrom, keyTo, keyStyle, valueAt } = entry;
  if (typeof key !== 'string' || (keyStyle !== 'single' && keyStyle !== 'double')) return;
  // A key that loses its quotes needs a space after its colon.
  const isApart = valueAt !== undefined && /\s/.test(text[valueAt] ?? '\n') && text[valueAt - 1] === ':';
  const tidy = key === '<<' || !isApart ? undefined : unquoted(key, keyStyle, parent);
  if (tidy !== undefined && !isJson(parent)) edits.push({ from: keyFrom, to: keyTo, text: tidy });
}

function addValue(edits: Replacement[], text: string, value: SourceScalar, parent: SourceCollection): void {
  const { from, to, style } = value;
  if ((style !== 'single' && style !== 'double') || text.slice(from, to).includes('\n') || isJson(parent))
    return;
  if (value.tag !== undefined) return;
  const tidy = unquoted(String(value.value), style, parent);
  if (tidy !== undefined && tidy !== text.slice(from, to)) edits.push({ from, to, text: tidy });
}

/** Replaces single quotes with double ones, unless that needs more backslashes. */
function unquoted(value: string, style: 'single' | 'double', { flow }: SourceCollection): string | undefined {
  if (isPlain(value, flow ? 'flow' : 'block')) return value;
  return style === 'single' && !/["\\]/.test(value) && !quoted(value).includes('\\')
    ? quoted(value)
    : undefined;
}

function addGap(edits: Replacement[], text: string, { keyTo, valueAt, value, key }: SourceEntry): void {
  if (valueAt === undefined) return;
  const colon = text.slice(keyTo, valueAt);
  if (typeof key === 'string' && /^[ \t]+:$/.test(colon)) edits.push({ from: keyTo, to: valueAt, text: ':' });
  if (value === undefined) return;
  const gap = text.slice(valueAt, value.from);
  if (/^[ \t]+$/.test(gap) && gap !== ' ') edits.push({ from: valueAt, to: value.from, text: ' ' });
}

function addSpaces(edits: Replacement[], text: string, { entries, from, to, type }: SourceCollection): void {
  if (text.slice(from, to).includes('\n')) return;
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) {
    if (to - from > 2) edits.push({ from: from + 1, to: to - 1, text: '' });
    return;
  }
  const pad = type === 'map' ? ' ' : '';
  even(edits, text, { from: from + 1, to: first.from, text: pad });
  entries.slice(1).forEach((entry, index) => {
    even(edits, text, { from: entries[index]?.to ?? entry.from, to: entry.from, text: ', ' });
  });
  // The range of a value that consists only of an anchor reaches to the brace.
  const end = last.from + text.slice(last.from, last.to).trimEnd().length;
  even(edits, text, { from: end, to: to - 1, text: pad });
  for (const { keyTo, valueAt, value } of entries) {
    if (value !== undefined && valueAt !== undefined && text[valueAt - 1] === ':' && valueAt > keyTo)
      even(edits, text, { from: valueAt, to: value.from, text: ' ' });
  }
}

function even(edits: Replacement[], text: string, edit: Replacement): void {
  const own = text.slice(edit.from, edit.to);
  if (own !== edit.text && /^[ \t,]*$/.test(own)) edits.push(edit);
}

/** In JSON style all texts are quoted, and their quotes are kept. */
function isJson({ flow, entries }: SourceCollection): boolean {
  return flow && entries.length > 0 && entries.every(({ keyStyle }) => keyStyle === 'double');
}
