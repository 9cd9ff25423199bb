/**
 * Removes secrets from external texts: a service may repeat them, in another spelling. Call it before a text is shortened or reflowed.
 * Hides a secret unchanged, escaped for JSON, URLs and HTML, with its whitespace changed or removed, in upper or lower case, in Base64,
 * each longer line of it, and its beginnings and ends.
 *
 * Example: the certificate "abc def⏎ghi jkl m" is hidden in
 *   abc def ghi jkl m      "abc def\nghi jkl m"      abc%20def%0Aghi%20jkl%20m      ghi jkl m
 */
import { type KnownSecret, knownSecrets } from './secret.ts';

const shown = '(secret)';

/** Shorter lines of a secret are not hidden separately, because they may be common words. */
const shortestLine = 8;
/** Secrets of this length are hidden even inside words. */
const shortestInWords = 4;
/** Minimum length of a hidden piece from either end of a secret, the rest of which was cut off. */
const piece = 8;
/** Minimum length of a hidden beginning that is not unique, such as that of a URL. */
const commonPiece = 12;

const gap = String.raw`(?:\s|\\+[nrt]|%0[adAD9]|%20|\+|&#(?:9|10|13|32);|<br ?/?>)*`;

const patterns = new Map<string, RegExp>();
/** Maximum number of secrets with cached patterns; further patterns are created each time. */
const patternsAtMost = 10_000;

export function hideKnownSecrets(text: string): string {
  const all = knownSecrets()
    .filter((known) => known.text.trim() !== '')
    // A secret may begin with another one; hiding that first would reveal the rest.
    .sort((left, right) => right.text.length - left.text.length);
  // Hide whole secrets first: otherwise a shared beginning could be hidden first, and the shorter secret would remain in part.
  const without = all.reduce((safe, known) => safe.replace(patternOf(known.text), shown), text);
  return all.reduce(hidePieces, without);
}

function patternOf(value: string): RegExp {
  const made = patterns.get(value);
  if (made !== undefined) return made;
  const lines = value
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line.length >= shortestLine);
  const source = [...[value, ...lines].map(spelled), ...base64Of(value)].join('|');
  const isWord = value.trim().length < shortestInWords;
  // Short secrets may be common words in another case.
  const flags = value.length < piece ? 'gu' : 'giu';
  const pattern = new RegExp(isWord ? `(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])` : source, flags);
  if (patterns.size < patternsAtMost) patterns.set(value, pattern);
  return pattern;
}

function spelled(text: string): string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.map((word) => [...word].map(spellings).join('')).join(gap);
}

/** The character unchanged, and as escaped in JSON, URLs and HTML. */
function spellings(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  const inJson = JSON.stringify(character).slice(1, -1);
  const units = [...Array(character.length).keys()].map((at) => character.charCodeAt(at));
  const inAscii = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  const inUrl = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const inHtml = [...(entities[character] ?? []), `&#${character.codePointAt(0)};`];
  const all = [
    character,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    inAscii,
    inAscii.toUpperCase().replaceAll('\\U', '\\u'),
    inUrl,
    inUrl.toUpperCase(),
    ...inHtml,
  ];
  return `(?:${[...new Set(all)].map(literal).join('|')})`;
}

const entities: Readonly<Record<string, readonly string[]>> = {
  '&': ['&amp;'],
  '<': ['&lt;'],
  '>': ['&gt;'],
  '"': ['&quot;'],
  "'": ['&apos;'],
};

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Patterns of a text in Base64, at any position of the encoded text: the first and the last characters depend on the text around it. */
function base64Of(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  if (bytes.length < piece) return [];
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const end = (before + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    const own = encoded.slice(before === 0 ? 0 : before + 1, end);
    return own.replaceAll('+', '[-+]').replaceAll('/', '[/_]');
  });
}

/** Hides beginnings and ends of a secret; for a text with secrets inside, only beginnings that reach into the first secret. */
function hidePieces(text: string, { text: value, before }: KnownSecret): string {
  const isCommon = before !== undefined || /^[a-z][a-z\d+.-]*:\/\//i.test(value);
  const least = isCommon ? Math.max(commonPiece, (before ?? 0) + 1) : piece;
  const begun = hideBeginnings(text, { value, least, instead: shown });
  if (before !== undefined) return begun;
  const reversed = (one: string) => one.split('').reverse().join('');
  const end = { value: reversed(value), least: piece, instead: reversed(shown) };
  return reversed(hideBeginnings(reversed(begun), end));
}

function hideBeginnings(
  text: string,
  { value, least, instead }: { readonly value: string; readonly least: number; readonly instead: string },
): string {
  if (value.length <= least) return text;
  const head = value.slice(0, least);
  let safe = '';
  let begin = 0;
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, begin)) {
    let end = at + least;
    while (end < text.length && text[end] === value[end - at]) end += 1;
    safe += text.slice(begin, at) + instead;
    begin = end;
  }
  return safe + text.slice(begin);
}
