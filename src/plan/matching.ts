import type { Kind } from '../kinds/kind.ts';
import type { DesiredNode } from '../tree/desired.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { pinnedId } from '../tree/identity.ts';
import type { LiveNode, LiveTree } from '../tree/live.ts';
import type { ObjectRef } from '../tree/refs.ts';
import type { Diagnostic } from '../util/diagnostic.ts';

export interface Matching {
  liveOf(address: string): LiveNode | undefined;
  addressOf(ref: ObjectRef): string | undefined;
  /** False if the object was found outside its declared place or by a weaker name: it may be another one. */
  isCertain(address: string): boolean;
  readonly unclear: readonly UnclearSwap[];
  readonly problems: readonly Diagnostic[];
  readonly notes: readonly Diagnostic[];
}

/** Objects that have exchanged names according to a base that may be older than the last apply. */
export type UnclearSwap = readonly {
  readonly desired: DesiredNode;
  readonly pending: LiveNode;
  readonly made: LiveNode;
}[];

export interface Base {
  readonly tree: DesiredTree;
  readonly matching: Matching;
  readonly ignoreDrift?: boolean;
  /**
   * The run that is undone: the base is its result, the desired tree the state before it. Both contain only a part of
   * their lists; objects in neither are not touched.
   */
  readonly undoes?: string;
}

interface IdSource {
  readonly tree: DesiredTree;
  readonly pastIds: ReadonlyMap<string, string>;
}

/** The pinned id; otherwise the past ids of the present and the former addresses. */
export function pastIdsOf(kind: Kind, desired: DesiredNode, { tree, pastIds }: IdSource): readonly string[] {
  const pinned = pinnedId(kind, desired);
  if (pinned !== undefined) return [pinned];
  if (pastIds.size === 0) return none;
  return [desired.address, ...formerAddresses(desired, tree)].flatMap((one) => pastIds.get(one) ?? []);
}

/** The pinned or recorded id of an object that may exist although no response contains it. */
export function unseenId(
  kind: Kind,
  desired: DesiredNode,
  { live, ...source }: IdSource & { readonly live: LiveTree },
): string | undefined {
  if (live.hidesNothing) return undefined;
  return pastIdsOf(kind, desired, source).find((id) => live.mayHide({ kind: kind.name, id }));
}

const none: readonly string[] = [];

/**
 * The addresses that `was` may mean: as written, or as a sibling of the object; if a container had another name, also the same
 * place in that container.
 *
 *   sites/bravo                          was: beta   →  sites/beta
 *   sites/bravo/shareLinks/reviewers     no was      →  sites/beta/shareLinks/reviewers
 */
export function formerAddresses(desired: DesiredNode, tree: DesiredTree): readonly string[] {
  const parent = tree.parentOf(desired);
  const isTop = parent === undefined || parent.parent === undefined;
  const formerParents = isTop ? none : formerAddresses(parent, tree);
  const { was, formerly } = desired;
  const renamed = formerly === undefined ? none : [formerly];
  if (was.length === 0 && formerParents.length === 0) return renamed;
  const own = isTop ? desired.address : desired.address.slice(parent.address.length + 1);
  const collection = own.slice(0, own.length - desired.key.length);
  const inside = (address: string | undefined, rest: string) =>
    address === undefined ? rest : `${address}/${rest}`;
  const parents = [isTop ? undefined : parent.address, ...formerParents];
  return [
    ...renamed,
    ...was.flatMap((name) => [name, ...parents.map((one) => inside(one, `${collection}${name}`))]),
    ...formerParents.map((one) => inside(one, own)),
  ];
}

/**
 * Former addresses that identify the object, regardless of its own address then: the base has them, and no entry declares them
 * now, unless that entry has a former address too, as in an exchange. A former address that is already in the base was
 * applied and no longer counts.
 */
export function movedFrom(
  desired: DesiredNode,
  {
    tree,
    base,
    knows = (address) => base?.get(address) !== undefined,
  }: {
    readonly tree: DesiredTree;
    readonly base: DesiredTree | undefined;
    /** Default: the base has an object at the address. */
    readonly knows?: (address: string) => boolean;
  },
): readonly string[] {
  const former = formerAddresses(desired, tree);
  if (former.length === 0) return none;
  const then = base?.get(desired.address);
  const applied = new Set(then === undefined || base === undefined ? none : formerAddresses(then, base));
  const isFree = (address: string, from: ReadonlySet<string>): boolean => {
    const entry = tree.get(address);
    if (entry === undefined || entry.address === desired.address) return true;
    if (base === undefined || from.has(address)) return from.has(address);
    const passed = new Set([...from, address]);
    return formerAddresses(entry, tree).some((one) => one !== address && knows(one) && isFree(one, passed));
  };
  return former.filter(
    (address) =>
      address !== desired.address && knows(address) && !applied.has(address) && isFree(address, new Set()),
  );
}
