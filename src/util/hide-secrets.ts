/**
 * Takes secrets out of texts that come from outside: a service may repeat what was sent to it, in its own spelling. To be
 * called before a text is shortened or reflowed. Hides a secret as it is, escaped for JSON, URLs and HTML, with its
 * whitespace changed or removed, in upper or lower case, in Base64, each longer line of it, and its beginnings and ends.
 *
 * Example: the certificate "abc def⏎ghi jkl m" is hidden in
 *   abc def ghi jkl m      "abc def\nghi jkl m"      abc%20def%0Aghi%20jkl%20m      ghi jkl m
 */
import { type KnownSecret, knownSecrets } from './secret.ts';

const shown = '(secret)';

/** A shorter line of a secret is not hidden by itself: it may be a common word. */
const shortestLine = 8;
/** A secret of this length is hidden inside words as well. */
const shortestInWords = 4;
/** A piece of this length, from either end of a secret, is hidden: somebody cut the rest off. */
const piece = 8;
/** A beginning that others have too, such as that of a URL, is hidden from this length on. */
const commonPiece = 12;

const gap = String.raw`(?:\s|\\+[nrt]|%0[adAD9]|%20|\+|&#(?:9|10|13|32);|<br ?/?>)*`;

const patterns = new Map<string, RegExp>();
/** Patterns are cached for so many secrets; further ones are made again each time. */
const patternsAtMost = 10_000;

export function hideKnownSecrets(text: string, more: readonly string[] = []): string {
  const all = [...knownSecrets(), ...more.map((value) => ({ text: value }))]
    .filter((known) => known.text.trim() !== '')
    // One may begin with another, and its end would be left.
    .sort((left, right) => right.text.length - left.text.length);
  // Whole ones first: the beginning that two share must not be taken from the shorter one.
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
  // A short one may be a common word in another case.
  const flags = value.length < piece ? 'gu' : 'giu';
  const pattern = new RegExp(isWord ? `(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])` : source, flags);
  if (patterns.size < patternsAtMost) patterns.set(value, pattern);
  return pattern;
}

function spelled(text: string): string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.map((word) => [...word].map(spellings).join('')).join(gap);
}

/** As it is, and as JSON, URLs and HTML may have it. */
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

/**
 * Patterns of a text in Base64, wherever it begins in the text that was encoded: the first and the last characters
 * depend on what is beside it.
 */
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

/** Hides beginnings and ends of a secret, and of a text the beginnings that reach into its first secret. */
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
