/**
 * Lays out the text of a manifest: the same way however often it is done, with all comments, anchors and aliases, and without a
 * change of what it means. Before a text is returned, it is compared with the one that was given.
 */
import { CST, Lexer } from 'yaml';
import type { Registry } from '../../kinds/registry.ts';
import { isDataList, sameData } from '../edit/data.ts';
import { readSource, type SourceDocument, sourceData } from '../edit/source.ts';
import { type Data, isDataMap } from '../emit/data.ts';
import { indent } from './indent.ts';
import { orderKeys } from './key-order.ts';
import { spaceSections, tidyLines } from './tidy-lines.ts';
import { tidyScalars } from './tidy-scalars.ts';
import { nodesIn } from './walk-source.ts';

/** A formatted text, or why there is none: `invalid` YAML, or a text whose meaning would `change`. */
export type Formatted = { readonly text: string } | { readonly problem: 'invalid' | 'change' };

/** Rounds after which a text has to be as it stays. */
const mostRounds = 4;

/** Formats a text. A byte-order mark is left out. */
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
      // A pass that cannot do its work leaves the text as it is.
      if (next !== undefined && next !== now && isSameMeaning(now, next)) now = next;
    }
    if (now === start) return isSameMeaning(text, now) ? { text: now } : { problem: 'change' };
  }
  return { problem: 'change' };
}

/** True where two texts mean the same to Octavo and to people: data, anchors, aliases and comments. */
function isSameMeaning(left: string, right: string): boolean {
  const [before, after] = [readSource(left), readSource(right)];
  if (before === undefined || after === undefined || before.length !== after.length) return false;
  return (
    before.every((document, index) => isSameDocument(document, after[index])) &&
    commentsOf(left) === commentsOf(right)
  );
}

function isSameDocument(left: SourceDocument, right: SourceDocument | undefined): boolean {
  if (right === undefined || anchorsOf(left) !== anchorsOf(right)) return false;
  return sameData(inOneOrder(sourceData(left.root)), inOneOrder(sourceData(right.root)));
}

const ordered = new WeakMap<object, Data>();

/** Keys of mappings in one order: what their order means is up to the pass that changes it. */
function inOneOrder(data: Data): Data {
  if (!isDataMap(data) && !isDataList(data)) return data;
  const known = ordered.get(data);
  if (known !== undefined) return known;
  const made = isDataMap(data)
    ? new Map(
        [...data]
          .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
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

/** All comments, sorted: they move with their entries. */
function commentsOf(text: string): string {
  const found: string[] = [];
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    if (type === 'comment' && !isScalar) found.push(token.trimEnd());
    isScalar = type === 'scalar';
  }
  return found.sort().join('\n');
}
