/** Edits of manifests, made together in the data of their documents. Each change is made completely or refused with a reason. */

import type { Workspace } from '../../manifest/load-workspace.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { sameJson } from '../../util/json.ts';
import { rememberedByText, rememberedIn } from '../../util/remembered.ts';
import { type Data, type DataPath, dataAt } from '../../yaml/data.ts';
import type { UpdateRefusal } from '../../yaml/document-update.ts';
import {
  EditedDocument,
  Entry,
  NotPossible,
  type Order,
  type PlaceInDocument,
} from '../../yaml/edited-document.ts';
import { LineTable } from '../../yaml/line-table.ts';
import { pathAt, readSource, sourceData } from '../../yaml/source.ts';
import { update } from '../../yaml/update.ts';
import type { AcceptedChange, RefusedChange, WrittenChange } from './acceptance.ts';

export interface ManifestPlace extends PlaceInDocument {
  readonly file: string;
  readonly document: number;
}

export function placeIn(place: ManifestPlace, key: string): ManifestPlace {
  return { ...place, path: [...place.path, key] };
}

export const madeByTemplate = 'a template makes it';

/** Matches `[…, 3, 'key']`, which is never the path of an object in a manifest. */
export function isRecordKey(path: DataPath): boolean {
  return path.at(-1) === 'key' && typeof path.at(-2) === 'number';
}

/** May return the rest of the edit, which is made after all others. */
type Act = (document: EditedDocument) => undefined | (() => void);

interface Edit extends Omit<ManifestPlace, 'made'> {
  readonly change: AcceptedChange;
  readonly act: Act;
}

type OpenDocuments = Map<string, readonly EditedDocument[]>;

export class WantedManifests {
  readonly #workspace: Workspace;
  readonly #read = rememberedByText((file) => readSource(this.#textOf(file)) ?? []);
  readonly #data = rememberedByText((file) => this.#read(file).map(({ root }) => sourceData(root)));
  readonly #tableOf = rememberedByText((file) => new LineTable(this.#textOf(file)));
  readonly #edits: Edit[] = [];
  readonly #whole = new Map<string, string>();
  readonly #changes = new Set<AcceptedChange>();
  readonly #refused = new Map<string, RefusedChange>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** @throws NotPossible */
  placeOf(at: SourceRange): ManifestPlace {
    const found = this.findPlace(at);
    if (typeof found === 'string') throw new NotPossible(found);
    return found;
  }

  /** Returns the mapping, for a record; or why the place cannot be edited. */
  findPlace({ file, line, column, usedAt, template }: SourceRange): ManifestPlace | string {
    if (usedAt !== undefined) return madeByTemplate;
    const { files, recordFiles } = this.#workspace;
    if (!files.includes(file) && recordFiles?.has(file) !== true)
      return `it is written in ${file}, which is an included file, not a manifest`;
    const found = pathAt(this.#read(file), this.#tableOf(file).offsetOf({ line, column }));
    if (found === undefined) return 'its place in the file cannot be found';
    const isRecord = template !== undefined && isRecordKey(found.path);
    return { file, ...found, path: isRecord ? found.path.slice(0, -1) : found.path };
  }

  /** True next to a `use`, or in the `override` of a record: additions there are marked as new. */
  isOverride({ path: own, ...place }: ManifestPlace): boolean {
    const useAt = (depth: number) => this.writtenAt({ ...place, path: [...own.slice(0, depth), 'use'] });
    return own.some((_key, depth) => typeof useAt(depth) === 'string');
  }

  isOverlay(file: string): boolean {
    return this.#workspace.overlays?.files.has(file) === true;
  }

  writtenAt({ file, document, path }: ManifestPlace): Data | undefined {
    return dataAt(this.#data(file)[document], path);
  }

  /** Does not touch equal parts of the value. */
  set(place: ManifestPlace, value: Data, change: AcceptedChange, order: Order = {}): void {
    this.#edit(place, change, (document) => document.set(place, new Entry(value), order));
  }

  /** Replaces a text file except for its last line break. */
  setText(file: string, text: string, change: AcceptedChange): void {
    this.#whole.set(file, text);
    this.#changes.add(change);
  }

  /** `moves`: out of the entry, which cannot be removed without them. */
  remove(place: ManifestPlace, change: AcceptedChange, moves: readonly AcceptedChange[] = []): void {
    this.#edit(place, change, (document) => {
      const [stuck] = moves.flatMap((one) => this.whyRefused(one) ?? []);
      if (stuck !== undefined) throw new NotPossible(`what is inside cannot be moved: ${stuck}`);
      document.remove(place.path);
    });
  }

  /** Takes an entry out, and puts it in after others have made room. */
  move(from: ManifestPlace, into: ManifestPlace, change: AcceptedChange, order: Order = {}): void {
    this.#edit(from, change, (document) => {
      const entry = document.take(from.path);
      return () => document.set(into, entry, { ...order, isNew: true });
    });
  }

  /** The entries keep their places as a group. */
  order(place: ManifestPlace, keys: readonly string[], change: AcceptedChange): void {
    this.#edit(place, change, (document) => () => document.order(place.path, keys));
  }

  /** Refuses the change if it is not possible. */
  attempt(change: WrittenChange, act: () => void, help?: string): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof NotPossible)) throw error;
      this.refuse(change, error.message, error.help ?? help);
    }
  }

  refuse(
    { now: _now, ...change }: WrittenChange & { readonly now?: string },
    reason: string,
    help?: string,
  ): void {
    const name = nameOf(change);
    if (!this.#refused.has(name)) this.#refused.set(name, { ...change, reason, help });
  }

  whyRefused(change: WrittenChange): string | undefined {
    return this.#refused.get(nameOf(change))?.reason;
  }

  /** Makes all edits, and starts over without the changes that turn out to be impossible. */
  make(textOf: (file: string) => string) {
    for (;;) {
      const { size } = this.#refused;
      const documents = this.#edited();
      const texts = this.#refused.size > size ? undefined : this.#texts(documents, textOf);
      if (texts === undefined || this.#refused.size > size) continue;
      const accepted = [...this.#changes].filter((change) => this.whyRefused(change) === undefined);
      return { texts, accepted, refused: [...this.#refused.values()] };
    }
  }

  #edit(place: ManifestPlace, change: AcceptedChange, act: Act): void {
    this.#edits.push({ ...place, change, act });
    this.#changes.add(change);
  }

  #edited(): OpenDocuments {
    const documents: OpenDocuments = new Map();
    const rest: (() => void)[] = [];
    for (const { change, file, document: index, act } of this.#edits) {
      if (this.whyRefused(change) !== undefined) continue;
      const open = () => this.#data(file).map((data) => new EditedDocument(data, isInclusion));
      const document = rememberedIn(documents, file, open)[index];
      const attempt = (part: () => void) => this.attempt(change, part, editByHand);
      attempt(() => {
        const later = document && act(document);
        if (later !== undefined) rest.push(() => attempt(later));
      });
    }
    for (const act of rest) act();
    return documents;
  }

  #texts(documents: OpenDocuments, textOf: (file: string) => string): ReadonlyMap<string, string> {
    const texts = new Map<string, string>();
    for (const [file, text] of this.#whole)
      texts.set(file, text + (/(?:\r?\n)?$/.exec(textOf(file))?.[0] ?? ''));
    for (const [file, own] of documents) {
      const before = textOf(file);
      const moves = own.flatMap((one, document) => one.moves().map((move) => ({ ...move, document })));
      const data = own.map((one) => one.data());
      const { text, refused } = update(before, data, moves);
      if (refused.length > 0) this.#refuseNear(file, refused);
      if (text !== before) texts.set(file, text);
    }
    return texts;
  }

  /** Refuses all changes of the file if none is near. */
  #refuseNear(file: string, refusals: readonly UpdateRefusal[]): void {
    const edits = this.#edits.filter(
      (edit) => edit.file === file && this.whyRefused(edit.change) === undefined,
    );
    const near = refusals.map((refusal) => ({ ...refusal, edits: nearest(refusal, edits) }));
    const isAny = near.some((one) => one.edits.length > 0);
    for (const { reason, edits: own } of near)
      for (const { change } of isAny ? own : edits) this.refuse(change, reason, editByHand);
  }

  #textOf(file: string): string {
    return this.#workspace.sources.get(file) ?? '';
  }
}

const editByHand = 'edit the manifest by hand';

function isInclusion(text: string): boolean {
  return /^\$\{(?:json|yaml):[^{}]*\}$/.test(text);
}

function nameOf({ label, address, what }: WrittenChange): string {
  return JSON.stringify([label, address, what]);
}

/** Edits at or inside the place, else around it. */
function nearest({ document, path }: UpdateRefusal, edits: readonly Edit[]): readonly Edit[] {
  const own = edits.filter((edit) => edit.document === document && path.length > 0);
  const isWithin = (inner: DataPath, outer: DataPath) => sameJson(inner.slice(0, outer.length), outer);
  const inside = own.filter((edit) => isWithin(edit.path, path));
  const some = inside.length > 0 ? inside : own.filter((edit) => isWithin(path, edit.path));
  const distance = (edit: Edit) => Math.abs(edit.path.length - path.length);
  const least = some.reduce((most, edit) => Math.min(most, distance(edit)), Number.POSITIVE_INFINITY);
  return some.filter((edit) => distance(edit) === least);
}
