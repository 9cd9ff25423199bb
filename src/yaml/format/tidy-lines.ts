/** Removes trailing whitespace and repeated empty lines, unifies line ends, and adds a final one. */

import { LineTable } from '../line-table.ts';
import { extentOf, hasBlankBefore, isBlankLine, lineEnd, type Replacement, replaceAll } from '../lines.ts';
import { entriesIn, nodesIn, type SourceDocument } from '../source.ts';
import type { SourceTexts } from '../source-texts.ts';

export function tidyLines(text: string, texts: SourceTexts): string | undefined {
  const documents = texts.read(text);
  if (documents === undefined) return undefined;
  const inside = linesInScalars(documents, new LineTable(text));
  const eol = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
  const kept: string[] = [];
  let blanks = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const isInside = inside.has(index + 1);
    const tidy = isInside || inside.has(index + 2) ? line.replace(/\r$/, '') : line.trimEnd();
    if (tidy === '' && !isInside) {
      blanks += 1;
      continue;
    }
    if (blanks > 0 && kept.length > 0) kept.push('');
    blanks = 0;
    kept.push(tidy);
  }
  return kept.map((line) => line + eol).join('');
}

/** Adds an empty line between top-level entries, unless both take one line. Existing empty lines are kept. */
export function spaceSections(text: string, texts: SourceTexts): string | undefined {
  const documents = texts.read(text);
  if (documents === undefined) return undefined;
  const eol = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
  const breaks: Replacement[] = [];
  for (const { root } of documents) {
    if (root?.type !== 'map' || root.flow) continue;
    let previous: { from: number; to: number; isLong: boolean } | undefined;
    for (const [index, entry] of root.entries.entries()) {
      const { from, to } = extentOf(text, root, index);
      const isLong = lineEnd(text, entry.from) < to;
      if (previous !== undefined && (isLong || previous.isLong) && !isSpacedBetween(text, previous.to, from))
        breaks.push({ from, to: from, text: eol });
      previous = { from, to, isLong };
    }
  }
  return replaceAll(text, breaks);
}

function isSpacedBetween(text: string, from: number, to: number): boolean {
  if (hasBlankBefore(text, to)) return true;
  for (let at = from; at < to; at = lineEnd(text, at)) if (isBlankLine(text, at)) return true;
  return false;
}

/** Line numbers, counted from 1. Spaces in lines that begin inside a scalar are not layout. */
function linesInScalars(documents: readonly SourceDocument[], lines: LineTable): ReadonlySet<number> {
  const inside = new Set<number>();
  const add = (from: number, to: number): void => {
    const last = lines.placeOf(to).line;
    for (let line = lines.placeOf(from).line + 1; line <= last; line += 1) inside.add(line);
  };
  for (const node of nodesIn(documents)) if (node.type === 'scalar') add(node.from, node.to);
  for (const { entry } of entriesIn(documents))
    if (entry.keyStyle !== undefined) add(entry.keyFrom, entry.keyTo);
  return inside;
}
