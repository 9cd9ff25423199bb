/**
 * Text of others made safe for Markdown as GitHub and GitLab read it: it cannot end a fence or a table, become HTML, mention
 * people or name issues. Pure.
 */
import { safeText } from './safe-text.ts';

/** The text as a code span. */
export function code(text: string): string {
  const safe = safeText(text);
  const fence = '`'.repeat(longestRun(safe) + 1);
  // A space keeps backticks at the ends apart from the fence; one at each end is taken away again.
  const padded = /^`|`$|^ .* $/.test(safe) ? ` ${safe} ` : safe;
  return safe === '' ? '` `' : `${fence}${padded}${fence}`;
}

/** The text as a code span in a table. No escape keeps a bar after a backslash inside of its cell, so it is spelt out. */
export function cell(text: string): string {
  return code(text.replaceAll('\\|', '\\\\u{7c}')).replaceAll('|', '\\|');
}

/** The text as plain text, in which nothing has a meaning. */
export function plain(text: string): string {
  return (
    safeText(text)
      .replace(/[\\`*_{}[\]()<>#!|~&$]/g, '\\$&')
      // At the start of a line these would make a list, a heading or a line.
      .replace(/^\s*(?:[+=-]|\d+(?=[.)]))/, (start) =>
        /\d$/.test(start) ? `${start}\\` : `\\${start.trim()}`,
      )
      // Names and links are found in text whatever is escaped; a comment parts them.
      .replace(/@|#|\bgh(?=-)|\b(?:https?|ftp|mailto|xmpp)(?=:)|\bwww(?=\.)/gi, '$&<!-- -->')
  );
}

/** The text inside of HTML, as in a summary. */
export function htmlCode(text: string): string {
  const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return `<code>${safeText(text).replace(/[&<>"]/g, (character) => named[character] ?? '')}</code>`;
}

/** Lines in a fence that none of them can end. */
export function fenced(lines: readonly string[], language: string): readonly string[] {
  const fence = '`'.repeat(
    Math.max(
      3,
      lines.reduce((most, line) => Math.max(most, longestRun(line) + 1), 0),
    ),
  );
  return [`${fence}${language}`, ...lines, fence];
}

/** Bytes of a text as UTF-8, in which services count. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return longest;
}
