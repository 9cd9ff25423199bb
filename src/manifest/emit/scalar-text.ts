/**
 * One value on one line: plain only where every reader of YAML, 1.1 or 1.2, sees the same text, in double quotes otherwise.
 * Quoted texts have the escapes of JSON, which all readers know.
 */

/** Where a value is written: on lines of its own, or between brackets or braces. */
export type ScalarPlace = 'block' | 'flow';

/** Characters that nobody sees, that change the direction of text, or that look like a space and are none. */
const hidden =
  /[\u007F-\u00A0\u00AD\u061C\u1680\u180E\u2000-\u200C\u200E\u200F\u2028-\u202F\u205F-\u206F\uFEFF\uFFF9-\uFFFF\u{E0000}-\u{E007F}]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D/gu;

/** What may stand without quotes, but for texts that mean something else. */
const unquoted =
  /^[\p{L}\d_/(](?:[\p{L}\p{M}\p{N}_./@+&()',!?%=;$*~^<>–—…-]|:(?=[^\s:,\]}])|(?<=\S) (?=[^\s#]))*$/u;

/** Words that some reader takes for a boolean, for null or for a number. */
const words = /^(?:y|n|yes|no|on|off|true|false|null|nil|none|nan|inf)$/i;

/** Numbers, times and dates in all their forms have other characters only than these letters. */
const wordy = /[g-np-su-wyG-NP-SU-WY]|\P{ASCII}/u;

/** Longer keys must be marked with `?`. */
const maxKeyLength = 1000;

/** A text as a value on one line: `Guides`, `"yes"`. `${` is escaped, so that nothing is filled in. */
export function textScalar(text: string, place: ScalarPlace = 'block'): string {
  const escaped = text.replaceAll('${', () => '$${');
  return isPlain(escaped, place) ? escaped : quoted(escaped);
}

/** A key without its colon. Manifests fill in nothing in keys: one with `${` cannot be written. */
export function keyText(key: string, place: ScalarPlace = 'block'): string {
  const text = isPlain(key, place) ? key : quoted(key);
  return text.length > maxKeyLength ? `? ${text}\n` : text;
}

/** A number as every reader understands it: those of YAML 1.1 want a point before an exponent. */
export function numberText(value: number): string {
  const text = JSON.stringify(value);
  return /^-?\d+e/.test(text) ? text.replace('e', '.0e') : text;
}

/** The lines of a text of several lines, as a literal block has them. */
interface LiteralLines {
  readonly mark: '|' | '|-';
  readonly lines: readonly string[];
}

/**
 * A text of several lines, where a literal block holds exactly this text, whoever reads or edits it: it has no spaces at the
 * ends of lines and no characters that must be escaped. Undefined for all other texts.
 */
export function literalLines(text: string): LiteralLines | undefined {
  return blockLines(text.replaceAll('${', () => '$${'));
}

/** The same for a text that is written as it is, with what it has filled in. */
export function blockLines(text: string): LiteralLines | undefined {
  const isPlainText = text.includes('\n') && !/^\s|[ \t]\n|[ \t]$|\n\n$|[^\P{Cc}\n]/u.test(text);
  if (!isPlainText || text.search(hidden) >= 0) return undefined;
  const isEnded = text.endsWith('\n');
  return { mark: isEnded ? '|' : '|-', lines: (isEnded ? text.slice(0, -1) : text).split('\n') };
}

/** True for a text that needs no quotes, whoever reads it. */
export function isPlain(text: string, place: ScalarPlace): boolean {
  if (!unquoted.test(text) || words.test(text)) return false;
  if (place === 'flow' && text.includes(',')) return false;
  return !/^\d/.test(text) || wordy.test(text);
}

/** A text in double quotes. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(hidden, escapes);
}

function escapes(character: string): string {
  const point = (character.codePointAt(0) ?? 0).toString(16);
  return point.length > 4 ? `\\U${point.padStart(8, '0')}` : `\\u${point.padStart(4, '0')}`;
}
