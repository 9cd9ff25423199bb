/** Fits a Markdown report into what services take: whole objects are left out, the least dangerous first. Pure. */
import { byteLength } from './markdown-safe.ts';

/**
 * Most bytes of a report: GitHub takes 65,536 characters in a comment, no character is less than a byte, and `octavo comment` puts a
 * line before it.
 */
export const mostBytes = 65_536 - 136;

/** Something that is shown whole or not at all. */
export interface MarkdownBlock {
  /** Where it is shown. */
  readonly part: string;
  readonly text: string;
}

/** What fitted, by part, and how much of each part did not. */
export interface FittedBlocks {
  readonly shown: ReadonlyMap<string, readonly string[]>;
  readonly left: ReadonlyMap<string, number>;
}

/** Takes blocks in their order, the most important first, as long as there is room for the next one. */
export function fitBlocks(blocks: readonly MarkdownBlock[], room: number): FittedBlocks {
  const shown = new Map<string, string[]>();
  const left = new Map<string, number>();
  let used = 0;
  let isFull = false;
  for (const { part, text } of blocks) {
    const bytes = byteLength(text) + 1;
    // What comes later is less important, even where it is short.
    isFull ||= used + bytes > room;
    if (isFull) left.set(part, (left.get(part) ?? 0) + 1);
    else {
      used += bytes;
      const list = shown.get(part);
      if (list === undefined) shown.set(part, [text]);
      else list.push(text);
    }
  }
  return { shown, left };
}

/** Says what is missing, and where the whole is. */
export function cutNotice(missing: readonly string[], run: string | undefined): readonly string[] {
  const where =
    run === undefined ? 'the whole is in the text of the run' : `the whole is in [the run](${run})`;
  return [`> **Cut to fit a comment:** ${missing.join(', ')}; ${where}.`, ''];
}

/**
 * The addresses in as few lines as needed: each of them, or how many there are in each collection, or of each sort,
 * whichever fits first.
 */
export function countAddresses(
  addresses: readonly string[],
  lineOf: (address: string, count: number | undefined) => string,
  room: number,
): readonly string[] {
  const depths = [Number.POSITIVE_INFINITY, 3, 2, 1];
  for (const depth of depths) {
    const lines = linesAt(addresses, depth, lineOf);
    const bytes = lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
    if (bytes <= room || depth === 1) return lines;
  }
  return [];
}

function linesAt(
  addresses: readonly string[],
  depth: number,
  lineOf: (address: string, count: number | undefined) => string,
): readonly string[] {
  if (depth === Number.POSITIVE_INFINITY) return addresses.map((address) => lineOf(address, undefined));
  const counts = new Map<string, number>();
  for (const address of addresses) {
    const inside = address.split('/').slice(0, -1).slice(0, depth).join('/');
    counts.set(inside, (counts.get(inside) ?? 0) + 1);
  }
  return [...counts].map(([inside, count]) => lineOf(inside, count));
}
