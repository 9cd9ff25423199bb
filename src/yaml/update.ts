/**
 * Updates the text of a YAML file to the desired data. Changes as few bytes as possible: kept entries keep their bytes and comments,
 * in the desired order; only new or different values are printed, in the style of their neighbors.
 *
 *     teams:                               teams:
 *       # the platform                       writers: { title: Writers }
 *       platform: { title: Platform }  →     # the platform
 *       writers: { title: Writers }          platform: { title: On call }
 *
 * The result is parsed again: it must have exactly the desired data, and every comment outside removed entries. Otherwise, or if
 * an anchor shares a value, the text is returned unchanged, and the refusals have reasons and places.
 */
import type { YamlComment } from './comments.ts';
import { type Data, type DataPath, isDataMap, sameData } from './data.ts';
import { DocumentUpdate, type Move, type UpdateRefusal } from './document-update.ts';
import { type Extent, lineBreakAt, replaceAll } from './lines.ts';
import { documentText, flowText } from './print.ts';
import { nodesIn, type SourceNode } from './source.ts';
import { SourceTexts } from './source-texts.ts';

export interface Updated {
  /** The given text if a change was refused. */
  readonly text: string;
  readonly refused: readonly UpdateRefusal[];
}

/** `wanted`: the data of each document, followed by documents to append. */
export function update(
  given: string,
  wanted: readonly Data[],
  moves: readonly Move[] = [],
  texts = new SourceTexts(),
): Updated {
  const bom = given.startsWith('\uFEFF') ? '\uFEFF' : '';
  const own = given.slice(bom.length);
  const refuse = (reason: string): Updated => ({ text: given, refused: [{ document: 0, path: [], reason }] });
  const before = texts.read(own);
  if (before === undefined) return refuse('the file is not valid YAML');
  if (isSame(texts.dataIn(own), wanted)) return { text: given, refused: [] };
  // Adds a missing last line break, which would otherwise be a special case everywhere. In some block scalars it changes the value.
  const ended = own === '' || own.endsWith('\n') ? own : own + lineBreakAt(own, own.length);
  const padded = ended === own ? before : (texts.read(ended) ?? []);
  const isPadded = ended !== own && isSame(texts.dataIn(ended), texts.dataIn(own));
  const [text, documents] = isPadded ? [ended, padded] : [own, before];
  const updates = documents.map((document, index) => new DocumentUpdate(text, document, index, moves));
  const changes = updates.flatMap((one, index) => one.replacements(wanted[index] ?? null));
  const refused = updates.flatMap((one) => one.refused);
  if (refused.length > 0) return { text: given, refused };
  const added = wanted.slice(documents.length);
  const whole = appended(replaceAll(text, changes), added);
  const result = isPadded && added.length === 0 ? whole.replace(/\r?\n$/, '') : whole;
  const after = texts.read(result);
  const refuseAt = (pathsIn: (one: DocumentUpdate) => readonly DataPath[], reason: string): Updated => {
    const near = updates.flatMap((one, document) => pathsIn(one).map((path) => ({ document, path, reason })));
    return near.length === 0 ? refuse(reason) : { text: given, refused: near };
  };
  const isWanted = after !== undefined && isSame(texts.dataIn(result), wanted);
  if (!isWanted || nodesIn(after).some(hasKeyTwice))
    return refuseAt((one) => one.partedLinks(), 'other values of the file would change too');
  const [dropped, moved] = [updates.flatMap((one) => one.dropped), updates.flatMap((one) => one.moved)];
  const sizeAround = ({ offset }: YamlComment, extents: readonly Extent[]) =>
    extents.reduce(
      (least, { from, to }) => (from <= offset && offset < to ? Math.min(least, to - from) : least),
      Number.POSITIVE_INFINITY,
    );
  // Entries may move out of dropped ones, and parts of moved entries may be dropped.
  const kept = texts.commentsIn(own).filter((one) => !(sizeAround(one, dropped) < sizeAround(one, moved)));
  const isMoved = (one: YamlComment) => Number(sizeAround(one, moved) < Number.POSITIVE_INFINITY);
  const ordered = kept.toSorted((left, right) => isMoved(left) - isMoved(right));
  const lost = lostComments(ordered, texts.commentsIn(result));
  if (lost.length > 0)
    return refuseAt(
      (one) => lost.map(({ offset }) => one.placeAt(offset)).filter((path) => path.length > 0),
      'a comment would be lost',
    );
  return { text: bom + result, refused: [] };
}

function isSame(left: readonly Data[], right: readonly Data[]): boolean {
  return left.length === right.length && left.every((data, index) => sameData(data, right[index] ?? null));
}

/** If a key is repeated, readers of data take the last value, and readers of manifests reject it. */
function hasKeyTwice(node: SourceNode): boolean {
  return 'entries' in node && new Set(node.entries.map(({ key }) => key)).size < node.entries.length;
}

function appended(text: string, added: readonly Data[]): string {
  return added.reduce<string>((before, data) => {
    const own = isDataMap(data) ? documentText(data) : `${flowText(data)}\n`;
    return before.trim() === '' ? before + own : `${before}${before.endsWith('\n') ? '' : '\n'}---\n${own}`;
  }, text);
}

function lostComments(before: readonly YamlComment[], after: readonly YamlComment[]): readonly YamlComment[] {
  const left = new Map<string, number>();
  for (const { text } of after) left.set(text, (left.get(text) ?? 0) + 1);
  return before.filter(({ text }) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}
