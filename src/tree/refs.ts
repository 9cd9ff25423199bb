/** References to live objects: ids are unique only within a kind. */
import { rememberedIn } from '../util/remembered.ts';

export interface ObjectRef {
  readonly kind: string;
  readonly id: string;
}

export function isSameObject(left: ObjectRef, right: ObjectRef): boolean {
  return left.kind === right.kind && left.id === right.id;
}

export function refText({ kind, id }: ObjectRef): string {
  return `${kind} ${id}`;
}

/** The object that a step deletes, and those that are deleted along with it. */
export function deletedBy({
  kind,
  liveId = '',
  cascade = [],
}: {
  readonly kind: string;
  readonly liveId?: string | undefined;
  readonly cascade?: readonly ObjectRef[] | undefined;
}): readonly ObjectRef[] {
  return [{ kind, id: liveId }, ...cascade];
}

export class RefMap<T> {
  readonly #byKind = new Map<string, Map<string, T>>();

  get({ kind, id }: ObjectRef): T | undefined {
    return this.#byKind.get(kind)?.get(id);
  }

  has({ kind, id }: ObjectRef): boolean {
    return this.#byKind.get(kind)?.has(id) === true;
  }

  set({ kind, id }: ObjectRef, value: T): void {
    rememberedIn(this.#byKind, kind, () => new Map<string, T>()).set(id, value);
  }

  delete({ kind, id }: ObjectRef): void {
    this.#byKind.get(kind)?.delete(id);
  }

  ofKind(kind: string): readonly T[] {
    return [...(this.#byKind.get(kind)?.values() ?? [])];
  }
}

export class RefLists<T> {
  readonly #lists = new RefMap<T[]>();

  push(ref: ObjectRef, value: T): void {
    rememberedIn(this.#lists, ref, (): T[] => []).push(value);
  }

  get(ref: ObjectRef): readonly T[] {
    return this.#lists.get(ref) ?? [];
  }
}

export class RefSet {
  readonly #known = new RefMap<true>();

  constructor(refs: Iterable<ObjectRef> = []) {
    for (const ref of refs) this.#known.set(ref, true);
  }

  has(ref: ObjectRef): boolean {
    return this.#known.has(ref);
  }

  add(ref: ObjectRef): boolean {
    const isNew = !this.#known.has(ref);
    this.#known.set(ref, true);
    return isNew;
  }
}
