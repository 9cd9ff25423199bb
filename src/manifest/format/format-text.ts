/** Formats a manifest. Idempotent; preserves comments, anchors, aliases and the meaning, which it verifies against the given text. */

import type { Registry } from '../../kinds/registry.ts';
import type { YamlComment } from '../../yaml/comments.ts';
import { sameEntries } from '../../yaml/data.ts';
import { indent } from '../../yaml/format/indent.ts';
import { spaceSections, tidyLines } from '../../yaml/format/tidy-lines.ts';
import { tidyScalars } from '../../yaml/format/tidy-scalars.ts';
import { nodesIn, type SourceDocument } from '../../yaml/source.ts';
import { SourceTexts } from '../../yaml/source-texts.ts';
import { orderKeys } from './key-order.ts';

export type Formatted = { readonly text: string } | { readonly problem: 'invalid' | 'change' };

const mostRounds = 4;

export interface FormatOptions {
  readonly registry: Registry;
  /** `difference`: stops at the first change, so the result only shows whether the text is formatted. */
  readonly until?: 'done' | 'difference';
  readonly texts?: SourceTexts;
}

export function formatText(given: string, options: FormatOptions): Formatted {
  const { registry, until = 'done', texts = new SourceTexts() } = options;
  const bom = given.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = given.slice(bom.length);
  const before = texts.read(text);
  if (before === undefined) return { problem: 'invalid' };
  if (before.every(({ root }) => root === undefined)) return { text: given };
  const order: typeof indent = (one, known) => orderKeys(one, known, registry);
  const passes = [tidyScalars, indent, order, tidyLines, spaceSections];
  let now = text;
  for (let round = 0; round < mostRounds; round += 1) {
    const start = now;
    for (const pass of passes) {
      const next = pass(now, texts);
      // The result of a pass that fails is dropped.
      if (next === undefined || next === now || !isSameMeaning(now, next, texts)) continue;
      now = next;
      if (until === 'difference') return { text: bom + now };
    }
    // Each pass preserved the meaning, so the result does too.
    if (now === start) return { text: bom + now };
  }
  return { problem: 'change' };
}

function isSameMeaning(left: string, right: string, texts: SourceTexts): boolean {
  const [before, after] = [texts.read(left), texts.read(right)];
  if (before === undefined || after === undefined || before.length !== after.length) return false;
  const data = texts.dataIn(right);
  return (
    before.every((document, index) => anchorsOf(document) === anchorsOf(after[index])) &&
    // Key order is ignored, because a pass may change it.
    texts.dataIn(left).every((one, index) => sameEntries(one, data[index] ?? null)) &&
    sortedComments(texts.commentsIn(left)) === sortedComments(texts.commentsIn(right))
  );
}

function anchorsOf(document: SourceDocument | undefined): string {
  const names = nodesIn(document === undefined ? [] : [document]).flatMap((node) => [
    ...(node.anchor === undefined ? [] : [`&${node.anchor}`]),
    ...(node.type === 'alias' ? [`*${node.name}`] : []),
    ...(node.tag === undefined ? [] : [`!${node.tag}`]),
  ]);
  return names.join(' ');
}

/** Sorts comments, because they move with their entries. */
function sortedComments(comments: readonly YamlComment[]): string {
  return comments
    .map((one) => one.text)
    .sort()
    .join('\n');
}
