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
  { live, knownIds }: { readonly live: LiveTree; readonly knownIds: ReadonlyMap<string, string> },
): string | undefined {
  if (live.hidesNothing) return undefined;
  const known = () =>
    [desired.address, ...formerAddresses(desired)].flatMap((one) => knownIds.get(one) ?? []);
  const id = pinnedId(kind, desired) ?? known()[0];
  return id !== undefined && live.mayHide({ kind: kind.name, id }) ? id : undefined;
}

/** The addresses that `was` may mean: as written, or as a sibling of the object. */
export function formerAddresses(desired: DesiredNode): readonly string[] {
  const beside = desired.address.slice(0, desired.address.length - desired.key.length);
  return desired.was.flatMap((name) => [name, `${beside}${name}`]);
}
