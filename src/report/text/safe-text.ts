/** Makes external text safe for terminals: it cannot move the cursor, or hide or reorder the text around it. */
import stringWidth from 'string-width';

/** Emoji, and scripts with joiners, keep characters that are invisible elsewhere. */
const visible =
  /\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F}|\p{ExtPict}[\uFE0E\uFE0F]?\p{EMod}?(?:\u200D\p{ExtPict}\uFE0F?\p{EMod}?)*|[\d#*]\uFE0F\u20E3|[\u0600-\u0DFF]\p{M}*[\u200C\u200D](?=[\u0600-\u0DFF])/u
    .source;
/** Controls, direction marks, invisible characters, line separators, stray surrogates. */
const unsafe = new RegExp(`(${visible})|[\\p{Cc}\\p{Cs}\\p{DI}\\u2028\\u2029\\u2800\\uFFF9-\\uFFFB]`, 'gu');

/** Unsafe characters become escapes, for example `\u{202e}`. */
export function safeText(text: string): string {
  if (isPlain(text)) return text;
  return text.replace(unsafe, (character, kept?: string) => {
    if (kept !== undefined) return kept;
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** Escapes unsafe characters without changing the meaning of the JSON. */
export function safeJson(json: string): string {
  return json.replace(unsafe, (character, kept?: string) => {
    // JSON has line breaks only between values.
    if (kept !== undefined || character === '\n') return character;
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

/** Quotes like JSON, and makes the text safe. */
export function quote(text: string): string {
  return `"${safeText(text.replace(/["\\]/g, '\\$&'))}"`;
}

/** Columns on a terminal: wide characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  if (isPlain(text)) return text.length;
  return segments(text).reduce((sum, segment) => sum + segmentWidth(segment), 0);
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/**
 * Splits a text into lines of a width, at spaces; at least one line. What readers copy is never broken, and may be longer: words, such
 * as addresses and URLs, lines of a manifest, such as `protect: ["!sites/hub"]`, and commands.
 */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(10, width);
  if (displayWidth(text) <= room) return [text];
  const lines: string[] = [];
  let line: string | undefined;
  let used = 0;
  const parts = unbroken(text);
  for (const [at, part] of parts.entries()) {
    const wide = displayWidth(part);
    const end = at === parts.length - 1 ? 0 : 1;
    if (line !== undefined && line.trim() !== '' && used + 1 + wide + end > room) {
      lines.push(line.trimEnd());
      line = undefined;
    }
    used = line === undefined ? wide : used + 1 + wide;
    line = line === undefined ? part : `${line} ${part}`;
  }
  return [...lines, line ?? ''];
}

/** The words of a text; those of one value or command together. */
function unbroken(text: string): readonly string[] {
  const parts: string[][] = [];
  let before = '';
  let isCommand = false;
  let open = 0;
  let isQuoted = false;
  for (const word of text.split(' ')) {
    const isOption = /^(?:-|r-|[<"'./\d])|[/@]/.test(word) || /^--[\w-]+$/.test(before);
    isCommand = before === 'octavo' || (isCommand && isOption);
    const isValue = before.endsWith(':') && /^["[{]/.test(word);
    if (isCommand || isValue || open > 0 || isQuoted) parts.at(-1)?.push(word);
    else parts.push([word]);
    if (isValue || open > 0) open += (word.match(/[[{]/g)?.length ?? 0) - (word.match(/[\]}]/g)?.length ?? 0);
    if (open === 0 && (isQuoted || (isValue && word.startsWith('"'))))
      isQuoted = !/"[;,.)]?$/.test(isQuoted ? word : word.slice(1));
    before = word;
  }
  return parts.map((words) => words.join(' '));
}

/** The longest beginning that fits. */
export function firstColumns(text: string, columns: number): string {
  return text.slice(0, lengthIn(segments(text), columns));
}

/** Cuts the end if the text does not fit. */
export function shorten(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${firstColumns(text, Math.max(0, width - 1))}…`;
}

/** The longest end that fits. */
export function lastColumns(text: string, columns: number): string {
  return text.slice(text.length - lengthIn(segments(text).toReversed(), columns));
}

/** Code units of the first segments that fit. */
function lengthIn(all: readonly string[], columns: number): number {
  let used = 0;
  let length = 0;
  for (const segment of all) {
    used += segmentWidth(segment);
    if (used > columns) break;
    length += segment.length;
  }
  return length;
}

/** Matches flags, emoji with joined parts, letters with their marks. Intl.Segmenter takes quadratic time. */
const cluster =
  /\p{RI}\p{RI}|\p{Emoji}(?:\p{EMod}|\uFE0F\u20E3?)?(?:\u200D\p{Emoji}(?:\p{EMod}|\uFE0F)?)*|\P{M}\p{M}*|\p{M}+/gsu;

/** User-perceived characters; joining them gives the text. */
function segments(text: string): readonly string[] {
  return isPlain(text) ? [...text] : (text.match(cluster) ?? []);
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Cached, because texts repeat few segments, and string-width is slow. */
const widths = new Map<string, number>();
const widthsAtMost = 10_000;

function segmentWidth(segment: string): number {
  if (isPlain(segment)) return segment.length;
  const known = widths.get(segment);
  if (known !== undefined) return known;
  const width = stringWidth(segment);
  if (widths.size < widthsAtMost) widths.set(segment, width);
  return width;
}
