/**
 * Data → the text of a manifest. The layout, which formatting keeps: block style with two spaces a level, list items indented
 * below their key, no folded lines, empty lists and mappings as `[]` and `{}`, texts of several lines as literal blocks where
 * these are exact, and an empty line between two top-level keys of a document unless both take one line.
 */
import { type Data, type DataMap, isDataMap } from './data.ts';
import { keyText, literalLines, numberText, textScalar } from './scalar-text.ts';

/** Spaces of one level. */
const step = 2;

/** A document. */
export function documentText(data: DataMap): string {
  const parts = [...data].map(([key, value]) => entryText(key, value, 0));
  let text = '';
  parts.forEach((part, index) => {
    const isBelowLine = index > 0 && isOneLine(part) && isOneLine(parts[index - 1] ?? '');
    text += index === 0 || isBelowLine ? part : `\n${part}`;
  });
  return text;
}

/** The entries of a mapping, each line with the indentation and a line break; nothing for an empty one. */
export function entriesText(data: DataMap, indent: number): string {
  let text = '';
  for (const [key, value] of data) text += entryText(key, value, indent);
  return text;
}

/** One entry of a mapping, with its line break. `indent`: the column of its key, from 0. */
export function entryText(key: string, value: Data, indent: number): string {
  const written = keyText(key);
  const spaces = ' '.repeat(indent);
  // A key that is marked with `?` ends its line.
  const colon = written.endsWith('\n') ? `${written}${spaces}:` : `${written}:`;
  return `${spaces}${colon}${valueText(value, indent)}`;
}

/**
 * What comes after a colon: a space and the value on the same line, or the lines below. `indent`: the column of the key.
 */
export function valueText(value: Data, indent: number): string {
  const inline = inlineText(value);
  if (inline !== undefined) return ` ${inline}\n`;
  const below = indent + step;
  if (isDataMap(value)) return `\n${entriesText(value, below)}`;
  if (typeof value === 'string') return ` ${literalText(value, below)}`;
  return `\n${Array.isArray(value) ? itemsText(value, below) : ''}`;
}

/** A value that takes one line, without its line break; undefined for one that takes more. */
export function inlineText(value: Data): string | undefined {
  if (isDataMap(value)) return value.size === 0 ? '{}' : undefined;
  if (typeof value === 'string') return literalLines(value) === undefined ? textScalar(value) : undefined;
  if (typeof value === 'number') return numberText(value);
  if (value === null || typeof value === 'boolean') return String(value);
  return value.length === 0 ? '[]' : undefined;
}

function itemsText(items: readonly Data[], indent: number): string {
  return items.map((item) => `${' '.repeat(indent)}-${itemText(item, indent)}`).join('');
}

/** What comes after a dash; a mapping and a list begin on its line. */
function itemText(item: Data, indent: number): string {
  const isNested = inlineText(item) === undefined && typeof item !== 'string';
  if (!isNested) return valueText(item, indent);
  const below = indent + step;
  const lines = isDataMap(item) ? entriesText(item, below) : itemsText(item as readonly Data[], below);
  return ` ${lines.slice(below)}`;
}

function literalText(text: string, indent: number): string {
  const literal = literalLines(text);
  if (literal === undefined) return `${textScalar(text)}\n`;
  const lines = literal.lines.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`));
  return `${literal.mark}\n${lines.join('\n')}\n`;
}

function isOneLine(entry: string): boolean {
  return entry.indexOf('\n') === entry.length - 1;
}
