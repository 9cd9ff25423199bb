/**
 * Makes external text safe for Markdown of GitHub and GitLab: it cannot end a fence or a table, become HTML, mention people or link
 * issues. Pure.
 */

import { grouped, push } from '../../util/group.ts';
import { greatest } from '../../util/lists.ts';
import type { ReportContext } from '../view.ts';
import { safeText } from './safe-text.ts';

export function code(text: string): string {
  const safe = safeText(text);
  const fence = '`'.repeat(longestRun(safe) + 1);
  // A space separates backticks at the ends from the fence; Markdown removes one space at each end.
  const padded = /^`|`$|^ .* $/.test(safe) ? ` ${safe} ` : safe;
  return safe === '' ? '` `' : `${fence}${padded}${fence}`;
}

/** A code span in a table. No escape keeps a bar after a backslash inside its cell, so it is spelled out. */
export function cell(text: string): string {
  return code(text.replaceAll('\\|', '\\\\u{7c}')).replaceAll('|', '\\|');
}

export function plain(text: string): string {
  return (
    safeText(text)
      .replace(/[\\`*_{}[\]()<>#!|~&$]/g, '\\$&')
      // At the start of a line these would make a list, a heading or a line.
      .replace(/^\s*(?:[+=-]|\d+(?=[.)]))/, (start) =>
        /\d$/.test(start) ? `${start}\\` : `\\${start.trim()}`,
      )
      // Names and links are recognized even if escaped; a comment splits them.
      .replace(/@|#|\bgh(?=-)|\b(?:https?|ftp|mailto|xmpp)(?=:)|\bwww(?=\.)/gi, '$&<!-- -->')
  );
}

export function htmlCode(text: string): string {
  const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return `<code>${safeText(text).replace(/[&<>"]/g, (character) => named[character] ?? '')}</code>`;
}

/** A fence that no line can end. */
export function fenced(lines: readonly string[], language: string): readonly string[] {
  const longest = greatest(lines.map(longestRun), 2);
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${language}`, ...lines, fence];
}

const encoder = new TextEncoder();

/** Size as UTF-8, the unit of the services' limits. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** Includes line breaks. */
export function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
}

function longestRun(text: string): number {
  return greatest((text.match(/`+/g) ?? []).map(({ length }) => length));
}

/**
 * Maximum bytes of a report: GitHub allows 65,536 characters in a comment, every character has at least one byte, and `octavo ci`
 * adds two lines of up to 120 bytes, and keeps room for a notice.
 */
export const mostBytes = 65_536 - 320;

export interface MarkdownBlock {
  readonly part: string;
  readonly text: string;
  /** Number of items, if the block is omitted. */
  readonly count?: number;
}

/** Adds blocks in order, the most important first, until the next one does not fit. */
export function fitBlocks(blocks: readonly MarkdownBlock[], room: number) {
  const shown = new Map<string, string[]>();
  const left = new Map<string, number>();
  let used = 0;
  let isFull = false;
  for (const { part, text, count = 1 } of blocks) {
    const bytes = byteLength(text) + 1;
    // Later blocks are less important, even if they are short.
    isFull ||= used + bytes > room;
    if (isFull) left.set(part, (left.get(part) ?? 0) + count);
    else {
      used += bytes;
      push(shown, part, text);
    }
  }
  return { shown, left };
}

/** The first texts that fit, and the number of the others. */
export function fitTexts(texts: readonly string[], room: number) {
  const { shown, left } = fitBlocks(
    texts.map((text) => ({ part: '', text })),
    room,
  );
  return { shown: shown.get('') ?? [], left: left.get('') ?? 0 };
}

/** Cells must be safe. Empty without rows. */
export function tableOf(columns: readonly string[], rows: readonly string[]): readonly string[] {
  if (rows.length === 0) return [];
  const head = columns.map((name) => (name === '' ? ' |' : ` ${name} |`)).join('');
  return [`|${head}`, `|${'---|'.repeat(columns.length)}`, ...rows, ''];
}

/** Lines to unfold; the summary must be safe. Empty without lines. */
export function foldedLines(
  summary: string,
  lines: readonly string[],
  state: 'open' | 'closed' = 'closed',
): readonly string[] {
  const tag = state === 'open' ? 'details open' : 'details';
  return lines.length === 0 ? [] : [`<${tag}><summary>${summary}</summary>`, '', ...lines, '</details>', ''];
}

/** Names the missing parts, and links the full report. */
export function cutNotice(missing: readonly string[], run: string | undefined): readonly string[] {
  const where =
    run === undefined ? 'the whole is in the text of the run' : `the whole is in [the run](${run})`;
  return [`> **Cut to fit a comment:** ${missing.join(', ')}; ${where}.`, ''];
}

/** The small last line of a report: its subject, then its run and time. */
export function footLine(about: readonly string[], { head, run, time }: ReportContext): string {
  const parts = [
    ...(head === undefined ? [] : [`head ${code(head.slice(0, 7))}`]),
    ...about,
    ...(run === undefined ? [] : [`<a href="${run}">run</a>`]),
    ...(time === undefined ? [] : [`updated ${time}`]),
  ];
  return parts.length === 0 ? '' : `<sub>${parts.join(' · ')}</sub>`;
}

/** Addresses in as few lines as needed: each of them, or their number in each collection, or of each kind, whichever fits first. */
export function countAddresses(
  addresses: readonly string[],
  lineOf: (address: string, count: number | undefined) => string,
  room: number,
): readonly string[] {
  let lines = addresses.map((address) => lineOf(address, undefined));
  for (const depth of [3, 2, 1]) {
    if (bytesOf(lines) <= room) break;
    const groups = grouped(addresses, (address) => address.split('/').slice(0, -1).slice(0, depth).join('/'));
    lines = [...groups].map(([inside, { length }]) => lineOf(inside, length));
  }
  return lines;
}
