/** Finds objects that exist twice after an apply: this run and another writer created them at the same time. */
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { identityValue } from '../tree/identity.ts';
import type { LiveNode, LiveTree } from '../tree/live.ts';
import { type ObjectRef, refText } from '../tree/refs.ts';
import { grouped } from '../util/group.ts';

/** Two live objects where the manifests declare one. */
export interface Duplicate {
  readonly address: string;
  readonly noun: string;
  readonly own: string;
  readonly other: string;
}

export interface DuplicateSearch {
  readonly registry: Registry;
  readonly live: LiveTree;
  /** Ids, by address, of the objects that the manifests declare, including the ones that this run created. */
  readonly ids: ReadonlyMap<string, string>;
  readonly made: ReadonlyMap<string, string>;
  readonly isKnown: (object: ObjectRef) => boolean;
}

/** Finds objects that appeared during the run and share an identity with an object that it created. */
export function findDuplicates(search: DuplicateSearch): readonly Duplicate[] {
  const { registry, live, ids, made, isKnown } = search;
  const declared = new Set(ids.values());
  // Usually empty: most runs have no other writer.
  const others = live.nodes().filter((node) => !declared.has(node.id) && !isKnown(node));
  const strange = grouped(others, slotOf);
  const own = new Map(live.nodes().map((node) => [node.id, node]));
  return [...made].flatMap(([address, id]) => {
    const node = own.get(id);
    if (node === undefined) return [];
    const kind = registry.byName(node.kind);
    return (strange.get(slotOf(node)) ?? [])
      .filter((one) => one.id !== id && isSimilar(kind, node, one))
      .map((other) => ({ address, noun: kind.noun, own: id, other: other.id }));
  });
}

function slotOf({ kind, scope }: LiveNode): string {
  return `${kind} ${refText(scope)}`;
}

/** True for the same path, or else the same title: a service may give the second object another path. */
function isSimilar(kind: Kind, one: LiveNode, other: LiveNode): boolean {
  return kind.identity.by.some((identity) => {
    const value = identityValue(one.fields, { field: identity.field });
    return value !== undefined && value === identityValue(other.fields, { field: identity.field });
  });
}
