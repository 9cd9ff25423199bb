/**
 * Formats a manifest. Idempotent; keeps comments, anchors, aliases and the meaning. The result is compared with the given text.
 */

import type { Registry } from '../../kinds/registry.ts';
import { compareTexts } from '../../util/lists.ts';
import { commentsIn } from '../../yaml/comments.ts';
import { type Data, isDataList, isDataMap, sameData } from '../../yaml/data.ts';
import { indent } from '../../yaml/format/indent.ts';
import { spaceSections, tidyLines } from '../../yaml/format/tidy-lines.ts';
import { tidyScalars } from '../../yaml/format/tidy-scalars.ts';
import { nodesIn } from '../../yaml/format/walk-source.ts';
import { readSource, type SourceDocument, sourceData } from '../../yaml/source.ts';
import { orderKeys } from './key-order.ts';

export type Formatted = { readonly text: string } | { readonly problem: 'invalid' | 'change' };

const mostRounds = 4;

export function formatText(given: string, registry: Registry): Formatted {
  const text = given.replace(/^\uFEFF/, '');
  const before = readSource(text);
  if (before === undefined) return { problem: 'invalid' };
  if (before.every(({ root }) => root === undefined)) return { text };
  const passes = [tidyScalars, indent, (one: string) => orderKeys(one, registry), tidyLines, spaceSections];
  let now = text;
  for (let round = 0; round < mostRounds; round += 1) {
    const start = now;
    for (const pass of passes) {
      const next = pass(now);
      // A pass that fails leaves the text as it is.
      if (next !== undefined && next !== now && isSameMeaning(now, next)) now = next;
    }
    if (now === start) return isSameMeaning(text, now) ? { text: now } : { problem: 'change' };
  }
  return { problem: 'change' };
}

function isSameMeaning(left: string, right: string): boolean {
  const [before, after] = [readSource(left), readSource(right)];
  if (before === undefined || after === undefined || before.length !== after.length) return false;
  return (
    before.every((document, index) => isSameDocument(document, after[index])) &&
    sortedComments(left) === sortedComments(right)
  );
}

function isSameDocument(left: SourceDocument, right: SourceDocument | undefined): boolean {
  if (right === undefined || anchorsOf(left) !== anchorsOf(right)) return false;
  return sameData(inOneOrder(sourceData(left.root)), inOneOrder(sourceData(right.root)));
}

const ordered = new WeakMap<object, Data>();

/** The order of keys is up to the pass that changes it. */
function inOneOrder(data: Data): Data {
  if (!isDataMap(data) && !isDataList(data)) return data;
  const known = ordered.get(data);
  if (known !== undefined) return known;
  const made = isDataMap(data)
    ? new Map(
        [...data]
          .sort(([left], [right]) => compareTexts(left, right))
          .map(([key, value]) => [key, inOneOrder(value)]),
      )
    : data.map(inOneOrder);
  ordered.set(data, made);
  return made;
}

function anchorsOf(document: SourceDocument): string {
  const names = nodesIn([document]).flatMap((node) => [
    ...(node.anchor === undefined ? [] : [`&${node.anchor}`]),
    ...(node.type === 'alias' ? [`*${node.name}`] : []),
    ...(node.tag === undefined ? [] : [`!${node.tag}`]),
  ]);
  return names.join(' ');
}

/** Sorted, since comments move with their entries. */
function sortedComments(text: string): string {
  return commentsIn(text)
    .map((one) => one.text)
    .sort()
    .join('\n');
}
