/**
 * Takes secrets out of texts that come from outside: a service may repeat what was sent to it, in its own spelling. To be
 * called before a text is shortened or reflowed. Hides a secret as it is, escaped for JSON, URLs and HTML, with its
 * whitespace changed or removed, each longer line of it, and a beginning that was cut off.
 *
 * Example: the certificate "abc def⏎ghi jkl m" is hidden in
 *   abc def ghi jkl m      "abc def\nghi jkl m"      abc%20def%0Aghi%20jkl%20m      ghi jkl m
 */
import { knownSecrets } from './secret.ts';

const shown = '(secret)';

/** A shorter line of a secret is not hidden by itself: it may be a common word. */
const shortestLine = 8;
/** A secret of this length is hidden inside words as well. */
const shortestInWords = 4;
const beginning = 12;

const gap = String.raw`(?:\s|\\+[nrt]|%0[adAD9]|%20|\+|&#(?:9|10|13|32);|<br ?/?>)*`;

const patterns = new Map<string, RegExp>();
/** Patterns are cached for so many secrets; further ones are made again each time. */
const patternsAtMost = 10_000;

export function hideKnownSecrets(text: string, more: readonly string[] = []): string {
  let safe = text;
  for (const value of [...knownSecrets(), ...more]) {
    if (value.trim() === '') continue;
    safe = hideBeginning(safe.replace(patternOf(value), shown), value);
  }
  return safe;
}

function patternOf(value: string): RegExp {
  const made = patterns.get(value);
  if (made !== undefined) return made;
  const lines = value
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line.length >= shortestLine);
  const source = [value, ...lines].map(spelled).join('|');
  const isWord = value.trim().length < shortestInWords;
  const pattern = new RegExp(isWord ? `(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])` : source, 'gu');
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

function hideBeginning(text: string, value: string): string {
  if (value.length < beginning + shortestInWords) return text;
  const head = value.slice(0, beginning);
  let safe = '';
  let rest = text;
  for (let at = rest.indexOf(head); at >= 0; at = rest.indexOf(head)) {
    let length = beginning;
    while (length < value.length && rest[at + length] === value[length]) length += 1;
    safe += rest.slice(0, at) + shown;
    rest = rest.slice(at + length);
  }
  return safe + rest;
}
