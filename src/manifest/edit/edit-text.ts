/**
 * Edits the text of a YAML file: values, entries, orders. Every other character stays as it is: comments, anchors, quotes,
 * blank lines, line ends. After each round the text is read again, and an edit that would mean anything else than what was asked
 * for is refused, with its reason and place.
 */

import { append } from '../../util/lists.ts';
import { type Data, isDataMap } from '../emit/data.ts';
import type { EntryChange, Replacement } from './block-edits.ts';
import { type DataPath, dataAt, sameData } from './data.ts';
import { expandSetting } from './expand.ts';
import { isChange } from './flow-edits.ts';
import { isAstray, locate } from './locate.ts';
import { changeFor, dataAfter, type EntryNeighbour, type Primitive } from './primitives.ts';
import { readSource, type SourceDocument, sourceData } from './source.ts';

/** One edit of a document, by its index in the file. Paths are those of the text as the edits before have left it. */
export type TextEdit = { readonly document: number } & DocumentEdit;

/** One edit, whatever the document. */
export type DocumentEdit =
  | {
      /** Gives a place a value. What stays the same inside it is not touched; an entry that is not there is made. */
      readonly type: 'set';
      readonly path: DataPath;
      readonly value: Data;
      /** All keys that its mapping may have: where a new one is written among them. */
      readonly among?: readonly string[] | undefined;
    }
  | { readonly type: 'remove'; readonly path: DataPath }
  | {
      /** Adds entries to a mapping, which is made where it is not there. */
      readonly type: 'insert';
      readonly path: DataPath;
      readonly entries: readonly (readonly [string, Data])[];
      readonly place?: EntryNeighbour;
      /** Where the mapping itself is written, if it has to be made. */
      readonly among?: readonly string[] | undefined;
    }
  | {
      /** Puts the named entries of a mapping into this order, in the places that they have together. */
      readonly type: 'order';
      readonly path: DataPath;
      readonly keys: readonly string[];
    }
  | {
      /** Moves an entry into another mapping of its document, with its comments. */
      readonly type: 'move';
      readonly path: DataPath;
      readonly into: DataPath;
      readonly place?: EntryNeighbour;
    };

/** An edit that was not made. */
export interface RefusedEdit<E extends TextEdit = TextEdit> {
  readonly edit: E;
  /** A clause without a final period. */
  readonly reason: string;
  /** The offset in the given text, behind its byte-order mark, of what is in the way. */
  readonly offset: number;
}

/** A text with the edits that could be made. */
export interface EditedText<E extends TextEdit = TextEdit> {
  readonly text: string;
  readonly refused: readonly RefusedEdit<E>[];
}

/** Makes edits in their order. An edit is made as a whole or not at all. */
export function editText<E extends TextEdit>(given: string, edits: readonly E[]): EditedText<E> {
  const mark = given.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = given.slice(mark.length);
  const refused: RefusedEdit<E>[] = [];
  let documents: readonly SourceDocument[] | undefined;
  for (let left = edits; ; ) {
    const result = new Editing(text, left).run();
    if (result.refused.length === 0) return { text: mark + result.text, refused };
    documents ??= readSource(text) ?? [];
    for (const one of result.refused) refused.push({ ...one, offset: offsetOf(documents, one.edit) });
    const gone = new Set<TextEdit>(refused.map(({ edit }) => edit));
    left = edits.filter((edit) => !gone.has(edit));
  }
}

interface Task<E extends TextEdit> {
  readonly edit: E;
  /** Undefined until the edit is broken into its parts. */
  readonly part: Primitive | undefined;
}

/** What a round of edits makes of the text. */
interface Round<E extends TextEdit> {
  readonly replacements: readonly Replacement[];
  readonly data: readonly Data[];
  readonly done: readonly Task<E>[];
  readonly left: readonly Task<E>[];
}

class Editing<E extends TextEdit> {
  readonly #refused: Omit<RefusedEdit<E>, 'offset'>[] = [];
  /** Edits of which a part is made. */
  readonly #begun = new Set<E>();
  #text: string;
  #isCareful = false;
  #tasks: readonly Task<E>[];

  constructor(text: string, edits: readonly E[]) {
    this.#text = text;
    this.#tasks = edits.map((edit) => ({ edit, part: undefined }));
  }

  run(): { readonly text: string; readonly refused: readonly Omit<RefusedEdit<E>, 'offset'>[] } {
    while (this.#tasks.length > 0) {
      const documents = readSource(this.#text);
      if (documents === undefined) {
        const edits = new Set(this.#tasks.map(({ edit }) => edit));
        for (const edit of edits) this.#refuse(edit, 'the file is not valid YAML');
      } else this.#step(documents);
    }
    return { text: this.#text, refused: this.#refused };
  }

  /** One round; after one that went wrong, a single edit, so that the one at fault is found. */
  #step(documents: readonly SourceDocument[]): void {
    const round = this.#round(documents, this.#isCareful ? 1 : Number.POSITIVE_INFINITY);
    if (round === undefined) return;
    const text = replaceAll(this.#text, round.replacements);
    const [culprit] = round.done;
    if (isExactly(text, round.data)) {
      this.#text = text;
      this.#tasks = round.left;
      this.#isCareful = false;
    } else if (round.done.length > 1) this.#isCareful = true;
    else if (culprit !== undefined) {
      this.#refuse(culprit.edit, 'the file would mean something else as well');
    }
  }

  /** As many edits as do not touch each other; undefined after a refusal. */
  #round(documents: readonly SourceDocument[], limit: number): Round<E> | undefined {
    const data = documents.map(({ root }) => sourceData(root));
    const taken = new Taken();
    const left: Task<E>[] = [];
    const done: Task<E>[] = [];
    for (const task of this.#tasks.flatMap((one) => parted(one, data))) {
      const { edit, part } = task;
      if (part === undefined) continue;
      const change =
        done.length < limit && taken.isFree(edit.document, part)
          ? this.#change(documents, edit, part)
          : undefined;
      if (change !== undefined && isChange(change) && taken.take(edit.document, part, change)) {
        data[edit.document] = dataAfter(data[edit.document] ?? null, part);
        done.push(task);
        continue;
      }
      if (change !== undefined && !isChange(change) && done.length + left.length === 0) {
        this.#refuse(edit, change.reason);
        return undefined;
      }
      left.push(task);
      taken.block(edit.document, part);
    }
    return { replacements: taken.replacements, data, done, left: this.#unbroken(left, done) };
  }

  #change(documents: readonly SourceDocument[], edit: E, part: Primitive): EntryChange {
    const document = documents[edit.document];
    if (document === undefined) return { reason: 'there is no such document' };
    return changeFor({ text: this.#text, document }, part);
  }

  /** Edits of which no part is made yet are broken into parts again, from what the text says then. */
  #unbroken(left: readonly Task<E>[], done: readonly Task<E>[]): readonly Task<E>[] {
    for (const { edit } of done) this.#begun.add(edit);
    const whole = new Set<E>();
    return left.flatMap((task) => {
      if (this.#begun.has(task.edit)) return [task];
      if (whole.has(task.edit)) return [];
      whole.add(task.edit);
      return [{ edit: task.edit, part: undefined }];
    });
  }

  #refuse(edit: E, reason: string): void {
    this.#refused.push({ edit, reason });
    this.#tasks = this.#tasks.filter((task) => task.edit !== edit);
  }
}

/** The parts of an edit, as the data is now. An edit whose parts were found before stays as it is. */
function parted<E extends TextEdit>(task: Task<E>, data: readonly Data[]): readonly Task<E>[] {
  const { edit, part } = task;
  if (part !== undefined) return [task];
  const own = data[edit.document] ?? null;
  return partsOf(own, edit).map((one) => ({ edit, part: one }));
}

function partsOf(data: Data, edit: TextEdit): readonly Primitive[] {
  if (edit.type === 'set') return expandSetting(data, edit);
  if (edit.type === 'insert') {
    if (dataAt(data, edit.path) !== undefined) return [edit];
    return expandSetting(data, { path: edit.path, value: new Map(edit.entries), among: edit.among });
  }
  if (edit.type === 'order') {
    const value = dataAt(data, edit.path);
    const keys =
      value !== undefined && isDataMap(value)
        ? [...value.keys()].filter((key) => edit.keys.includes(key))
        : [];
    const isThere = edit.keys.filter((key) => keys.includes(key)).every((key, index) => key === keys[index]);
    return isThere && keys.length > 0 ? [] : [edit];
  }
  return [edit];
}

/** What a round has changed so far, so that no two edits meet. */
class Taken {
  readonly replacements: Replacement[] = [];
  readonly #paths: { readonly document: number; readonly path: DataPath }[] = [];

  /** False where an edit has to wait for one before it. */
  isFree(document: number, part: Primitive): boolean {
    return !pathsOf(part).some((path) =>
      this.#paths.some(
        (other) =>
          other.document === document && (startsWith(path, other.path) || startsWith(other.path, path)),
      ),
    );
  }

  /** Notes an edit and its replacements; false where they meet others. */
  take(document: number, part: Primitive, change: readonly Replacement[]): boolean {
    const meets = change.some((one) =>
      this.replacements.some((other) => one.from <= other.to && other.from <= one.to),
    );
    if (meets) return false;
    append(this.replacements, change);
    if (part.type !== 'value') this.block(document, part);
    return true;
  }

  /** What others wait for. */
  block(document: number, part: Primitive): void {
    for (const path of pathsOf(part)) this.#paths.push({ document, path });
  }
}

/** The collections that an edit changes, or the value. */
function pathsOf(part: Primitive): readonly DataPath[] {
  if (part.type === 'remove') return [part.path.slice(0, -1)];
  if (part.type === 'move') return [part.path.slice(0, -1), part.into];
  return [part.path];
}

function startsWith(path: DataPath, start: DataPath): boolean {
  return start.length <= path.length && start.every((key, index) => key === path[index]);
}

function replaceAll(text: string, replacements: readonly Replacement[]): string {
  let [result, end] = ['', 0];
  for (const { from, to, text: own } of [...replacements].sort(
    (left, right) => left.from - right.from || left.to - right.to,
  )) {
    result += text.slice(end, from) + own;
    end = to;
  }
  return result + text.slice(end);
}

function isExactly(text: string, data: readonly Data[]): boolean {
  const documents = readSource(text);
  return (
    documents?.length === data.length &&
    documents.every(({ root }, index) => sameData(sourceData(root), data[index] ?? null))
  );
}

/** The offset of the entry at a path, or of the nearest one above it that is there. */
function offsetOf(documents: readonly SourceDocument[], { document, path }: TextEdit): number {
  const source = documents[document];
  if (source === undefined) return 0;
  for (let length = path.length; length >= 0; length -= 1) {
    const found = locate(source, path.slice(0, length));
    if (!isAstray(found) && (found.entry !== undefined || length === 0))
      return found.entry?.from ?? source.from;
  }
  return source.from;
}
