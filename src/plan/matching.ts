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
  /** False if the object was found elsewhere than declared, or by a weaker name: it may be another one. */
  isCertain(address: string): boolean;
  pairs(): Iterable<readonly [address: string, live: LiveNode]>;
  readonly unclear: readonly UnclearSwap[];
  readonly problems: readonly Diagnostic[];
  readonly notes: readonly Diagnostic[];
}

/** Objects that have each other's names according to a base that may be older than the last apply. */
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
   * their lists; anything that neither contains is left alone.
   */
  readonly undoes?: string;
}

/** The id that a manifest pins or a record has, of an object that may be there although no response shows it. */
export function unseenId(
  kind: Kind,
  desired: DesiredNode,
  {
    tree,
    live,
    knownIds,
  }: {
    readonly tree: DesiredTree;
    readonly live: LiveTree;
    readonly knownIds: ReadonlyMap<string, string>;
  },
): string | undefined {
  if (live.hidesNothing) return undefined;
  const known = () =>
    [desired.address, ...formerAddresses(desired, tree)].flatMap((one) => knownIds.get(one) ?? []);
  const pinned = pinnedId(kind, desired);
  const ids = pinned === undefined ? known() : [pinned];
  return ids.find((id) => live.mayHide({ kind: kind.name, id }));
}

const none: readonly string[] = [];

/**
 * The addresses that `was` may mean: as written, or as a sibling of the object; and where a container had another name, the same
 * place in that container.
 *
 *   sites/bravo                          was: beta   →  sites/beta
 *   sites/bravo/shareLinks/reviewers     no was      →  sites/beta/shareLinks/reviewers
 */
export function formerAddresses(desired: DesiredNode, tree: DesiredTree): readonly string[] {
  const parent = tree.parentOf(desired);
  const isTop = parent === undefined || parent.parent === undefined;
  const formerParents = isTop ? none : formerAddresses(parent, tree);
  if (desired.was.length === 0 && formerParents.length === 0) return none;
  const own = isTop ? desired.address : desired.address.slice(parent.address.length + 1);
  const collection = own.slice(0, own.length - desired.key.length);
  const inside = (address: string | undefined, rest: string) =>
    address === undefined ? rest : `${address}/${rest}`;
  const parents = [isTop ? undefined : parent.address, ...formerParents];
  return [
    ...desired.was.flatMap((name) => [name, ...parents.map((one) => inside(one, `${collection}${name}`))]),
    ...formerParents.map((one) => inside(one, own)),
  ];
}

/**
 * Of its former addresses, those that say which object it is, whatever its own address was: the base has them, and no entry declares
 * them now, unless that entry has a former address as well, as in an exchange. One that the base has as a former address already
 * was applied, and says nothing more.
 */
export function movedFrom(
  desired: DesiredNode,
  {
    tree,
    base,
    knows,
  }: {
    readonly tree: DesiredTree;
    readonly base: DesiredTree | undefined;
    readonly knows: (address: string) => boolean;
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
