/** Text of others made safe for terminals: nothing that moves the cursor, hides or reorders what stands beside it. */

/** Controls, direction marks, invisible joiners outside emoji, line separators, stray surrogates. */
const unsafe =
  /[\p{Cc}\p{Cs}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu;

/** The text with everything unsafe shown as an escape, for example `\u{202e}`. */
export function safeText(text: string): string {
  return text.replace(unsafe, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** The text in double quotes, as JSON would write it, and safe. */
export function quote(text: string): string {
  return `"${safeText(text.replace(/["\\]/g, '\\$&'))}"`;
}

/** Columns that a text takes on a terminal: wide characters and emoji two, combining marks none. */
export function displayWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const segment of segments(text)) width += segmentWidth(segment);
  return width;
}

/** The text followed by blanks, up to a width. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Cuts a text into pieces that fit a width, at blanks where there are any; at least one piece. */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(10, width);
  if (displayWidth(text) <= room) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  let blank = -1;
  for (const segment of segments(text)) {
    const wide = segmentWidth(segment);
    if (used + wide > room) {
      const cut = blank > 0 ? blank : line.length;
      lines.push(line.slice(0, cut).trimEnd());
      line = line.slice(cut).trimStart();
      used = displayWidth(line);
      blank = -1;
    }
    if (segment === ' ') blank = line.length;
    line += segment;
    used += wide;
  }
  lines.push(line);
  return lines;
}

/** Flags, emoji with what is joined to them, letters with their marks. Intl.Segmenter takes quadratic time. */
const cluster =
  /\p{RI}\p{RI}|\p{Emoji}(?:\p{EMod}|\uFE0F\u20E3?)?(?:\u200D\p{Emoji}(?:\p{EMod}|\uFE0F)?)*|\P{M}\p{M}*|\p{M}+/gsu;

/** Characters as people see them. */
function segments(text: string): readonly string[] {
  return isPlain(text) ? [...text] : (text.match(cluster) ?? []);
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

const wide =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|\p{RI}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}])/u;

function segmentWidth(segment: string): number {
  if (/^[\x20-\x7e]$/.test(segment)) return 1;
  if (/^\p{M}+$/u.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}
