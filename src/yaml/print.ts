/**
 * Prints data as YAML: block style with two spaces per level, list items indented below their key, no folded lines, `[]` and `{}` if
 * empty, literal blocks if exact. Scalars are plain only if every reader of YAML, 1.1 or 1.2, reads the same text; otherwise they
 * are quoted, with the escapes of JSON. Text is not escaped for manifests: `${` means interpolation, see `literal`.
 */
import { type Data, type DataMap, isDataList, isDataMap } from './data.ts';

export interface Layout {
  readonly step?: number | undefined;
  /** `flow`: nested values that fit on one line are printed in braces. */
  readonly nested?: 'block' | 'flow' | undefined;
  readonly json?: boolean | undefined;
}

const maxFlowWidth = 100;

/** Separates top-level keys with an empty line, unless both take one line. */
export function documentText(data: DataMap): string {
  const parts = [...data].map(([key, value]) => entryText(key, value, 0));
  const isOneLine = (entry = '') => entry.indexOf('\n') === entry.length - 1;
  return parts
    .map((part, index) =>
      index === 0 || (isOneLine(part) && isOneLine(parts[index - 1])) ? part : `\n${part}`,
    )
    .join('');
}

/** `indent`: the column of the keys, counted from 0. */
export function entriesText(data: DataMap, indent: number, layout: Layout = {}): string {
  return [...data].map(([key, value]) => entryText(key, value, indent, layout)).join('');
}

export function entryText(key: string, value: Data, indent: number, layout: Layout = {}): string {
  const spaces = ' '.repeat(indent);
  return `${spaces}${keyText(key).replace(/\n$/, `\n${spaces}`)}:${valueText(value, indent, layout)}`;
}

/** Includes the line break. A nested mapping or list begins on the line of its dash. */
export function itemText(item: Data, indent: number, layout: Layout = {}): string {
  const dash = `${' '.repeat(indent)}-`;
  const value = valueText(item, indent, layout);
  // A mapping or list on the line of its dash is indented by two.
  return value.startsWith('\n')
    ? `${dash} ${nested(item, indent + 2, layout).slice(indent + 2)}`
    : dash + value;
}

/** `indent`: the column of the key. */
export function valueText(value: Data, indent: number, layout: Layout = {}): string {
  const below = indent + (layout.step ?? 2);
  if (typeof value === 'string') {
    const block = layout.json === true ? undefined : blockText(value, below);
    return ` ${block ?? scalarText(value, jsonStyle(layout))}\n`;
  }
  if (!isDataMap(value) && !isDataList(value)) return ` ${scalarText(value)}\n`;
  const isEmpty = (isDataMap(value) ? value.size : value.length) === 0;
  const flow =
    isEmpty || (layout.nested === 'flow' && isShallow(value)) ? flowText(value, layout) : undefined;
  if (flow !== undefined && (isEmpty || flow.length + indent <= maxFlowWidth)) return ` ${flow}\n`;
  return `\n${nested(value, below, layout)}`;
}

function nested(value: Data, indent: number, layout: Layout): string {
  if (isDataMap(value)) return entriesText(value, indent, layout);
  return isDataList(value) ? value.map((item) => itemText(item, indent, layout)).join('') : '';
}

function isShallow(value: DataMap | readonly Data[]): boolean {
  const inner = isDataMap(value) ? [...value.values()] : value;
  return inner.every((one) => !isDataMap(one) && !isDataList(one) && !String(one).includes('\n'));
}

export function flowText(value: Data, layout: Layout = {}): string {
  if (isDataMap(value)) {
    const parts = [...value].map(([key, inner]) => flowEntry(key, inner, layout));
    return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
  }
  if (isDataList(value)) return `[${value.map((item) => flowText(item, layout)).join(', ')}]`;
  return scalarText(value, { ...jsonStyle(layout), inFlow: true });
}

export function flowEntry(key: string, value: Data, layout: Layout = {}): string {
  return `${keyText(key, { ...jsonStyle(layout), inFlow: true })}: ${flowText(value, layout)}`;
}

function jsonStyle({ json }: Layout): ScalarStyle {
  return json === true ? { like: 'double' } : {};
}

export type QuoteStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

export interface ScalarStyle {
  readonly like?: QuoteStyle | undefined;
  readonly inFlow?: boolean | undefined;
}

/** Invisible characters, characters that change the direction of text, and lookalikes of a space. */
const hidden =
  /[\u007F-\u00A0\u00AD\u061C\u1680\u180E\u2000-\u200C\u200E\u200F\u2028-\u202F\u205F-\u206F\uFEFF\uFFF9-\uFFFF\u{E0000}-\u{E007F}]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D/gu;

/** Texts that may be unquoted, unless they have another meaning. */
const unquoted =
  /^[\p{L}\d_/(](?:[\p{L}\p{M}\p{N}_./@+&()',!?%=;$*~^<>–—…-]|:(?=[^\s:,\]}])|(?<=\S) (?=[^\s#]))*$/u;

/** Some readers interpret these as a boolean, null or a number. */
const words = /^(?:y|n|yes|no|on|off|true|false|null|nil|none|nan|inf)$/i;

/** Letters that no number, time or date contains. */
const wordy = /[g-np-su-wyG-NP-SU-WY]|\P{ASCII}/u;

/** Longer keys need the form `? key`. */
const maxKeyLength = 1000;

export function scalarText(value: null | boolean | number | string, style: ScalarStyle = {}): string {
  if (typeof value === 'string') return textScalar(value, style);
  if (typeof value !== 'number') return String(value);
  // YAML 1.1 requires a decimal point before an exponent.
  const text = JSON.stringify(value);
  return /^-?\d+e/.test(text) ? text.replace('e', '.0e') : text;
}

/** Omits the colon. A very long key becomes `? key` and a line break. */
export function keyText(key: string, style: ScalarStyle = {}): string {
  const text = textScalar(key, style);
  return text.length > maxKeyLength && style.inFlow !== true ? `? ${text}\n` : text;
}

function textScalar(text: string, { like, inFlow }: ScalarStyle): string {
  const isQuoted = like === 'single' || like === 'double';
  if (!isQuoted && isPlain(text, inFlow === true ? 'flow' : 'block')) return text;
  const json = quoted(text);
  const hasEscapes = /\\[^"\\]/.test(json.replaceAll('\\\\', ''));
  return like === 'single' && !hasEscapes ? `'${text.replaceAll("'", "''")}'` : json;
}

/**
 * Uses a literal block only if it is exact for every reader and editor: several lines, no trailing spaces, no characters that need
 * escapes. Omits the last line break.
 */
function blockText(text: string, indent: number): string | undefined {
  const isPlainText = text.includes('\n') && !/^\s|[ \t]\n|[ \t]$|\n\n$|[^\P{Cc}\n]/u.test(text);
  if (!isPlainText || text.search(hidden) >= 0) return undefined;
  const lines = text.replace(/\n$/, '').split('\n');
  const body = lines.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`)).join('\n');
  return `${text.endsWith('\n') ? '|' : '|-'}\n${body}`;
}

export function isPlain(text: string, place: 'block' | 'flow'): boolean {
  if (!unquoted.test(text) || words.test(text)) return false;
  if (place === 'flow' && text.includes(',')) return false;
  return !/^\d/.test(text) || wordy.test(text);
}

export function quoted(text: string): string {
  return JSON.stringify(text).replace(hidden, (character) => {
    const point = (character.codePointAt(0) ?? 0).toString(16);
    return point.length > 4 ? `\\U${point.padStart(8, '0')}` : `\\u${point.padStart(4, '0')}`;
  });
}
