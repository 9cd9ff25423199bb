/**
 * Aligns the base with the matches of the manifests: an address is one object, then and now. If a base is older than the
 * last apply, its names lead to other objects and to their contents.
 *
 * Example: in the base, site a is "Red" and b is "Blue"; the manifests swap the titles, and that was applied.
 *   by its title, the base's a is the live "Red", which is b now: b's share links would be taken as a's
 *   the manifests' a is the live "Blue": the base's a follows, and its share links are looked up there
 */

import type { Kind } from '../../kinds/kind.ts';
import { type DesiredNode, idIn } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode } from '../../tree/live.ts';
import { type ObjectRef, RefMap } from '../../tree/refs.ts';
import { formerAddresses, movedFrom } from '../matching.ts';

type MatchedTree = Pairs & { readonly tree: DesiredTree };

/** True if the record has the object under the address: then its names do not matter. */
type IsRecorded = (address: string, live: LiveNode) => boolean;

/**
 * If names were exchanged, exchanges the base's objects too. Any other object that was matched differently has no counterpart in
 * the base, because it may be another object now. An object that the manifests no longer use keeps its match by name if the names
 * are certain.
 */
export function follow(kind: Kind, then: MatchedTree, now: MatchedTree, isRecorded: IsRecorded): void {
  const followed = new Map<string, LiveNode>();
  const released: string[] = [];
  for (const desired of now.tree.ofKind(kind.name)) {
    const live = now.liveOf(desired.address);
    const was = formerNode(then.tree, desired, now.tree);
    if (live === undefined || was === undefined || isLeftBehind(was.address, then, now)) continue;
    if (isKnownById(was.address, live, then, isRecorded)) continue;
    released.push(was.address, then.addressOf(live) ?? was.address);
    if (!followed.has(was.address) && hasGoneRound({ address: was.address, live }, then, now))
      followed.set(was.address, live);
  }
  const uncertain = then.tree.ofKind(kind.name).filter(({ address }) => !then.isCertain(address));
  for (const address of [...released, ...uncertain.map((node) => node.address)]) then.remove(address);
  for (const [address, live] of followed) then.add(address, live);
  // Contents of objects of the same kind were matched before these followed.
  const misplaced = then.tree
    .ofKind(kind.name)
    .filter((node) => !followed.has(node.address) && isMisplaced(node, then));
  for (const { address } of misplaced) then.remove(address);
}

function isMisplaced(node: DesiredNode, then: MatchedTree): boolean {
  const live = then.liveOf(node.address);
  if (live === undefined || live.id === idIn(node) || then.tree.parentOf(node)?.kind !== node.kind)
    return false;
  return then.liveOf(node.parent ?? '')?.id !== live.container.id;
}

function formerNode(tree: DesiredTree, desired: DesiredNode, now: DesiredTree): DesiredNode | undefined {
  const moved = movedFrom(desired, { tree: now, base: tree });
  const [was] = [...moved, desired.address, ...formerAddresses(desired, now)].flatMap(
    (address) => tree.get(address) ?? [],
  );
  return was?.kind === desired.kind ? was : undefined;
}

/** True if the record has both objects: the base is not older than the last apply, so its addresses are right. */
function isKnownById(address: string, live: LiveNode, then: Pairs, isRecorded: IsRecorded): boolean {
  const [named, other] = [then.liveOf(address), then.addressOf(live)];
  return named !== undefined && isRecorded(address, named) && other !== undefined && isRecorded(other, live);
}

function isLeftBehind(address: string, then: MatchedTree, now: MatchedTree): boolean {
  const live = then.liveOf(address);
  return live !== undefined && then.isCertain(address) && now.addressOf(live) === undefined;
}

/** True if the object still has the base's names, or gave them to an object that is in the base as well. */
function hasGoneRound(
  { address, live }: { readonly address: string; readonly live: LiveNode },
  then: MatchedTree,
  now: MatchedTree,
): boolean {
  const named = then.liveOf(address);
  if (named === undefined || named === live) return named === live;
  const taker = now.tree.get(now.addressOf(named) ?? '');
  return taker !== undefined && formerNode(then.tree, taker, now.tree) !== undefined;
}

export class Pairs {
  readonly #liveOf = new Map<string, LiveNode>();
  readonly #addressOf = new RefMap<string>();
  readonly #uncertain = new Set<string>();

  get size(): number {
    return this.#liveOf.size;
  }

  liveOf(address: string): LiveNode | undefined {
    return this.#liveOf.get(address);
  }

  addressOf(ref: ObjectRef): string | undefined {
    return this.#addressOf.get(ref);
  }

  isCertain(address: string): boolean {
    return !this.#uncertain.has(address);
  }

  add(address: string, live: LiveNode): void {
    this.#liveOf.set(address, live);
    this.#addressOf.set(live, address);
  }

  addUncertain(address: string, live: LiveNode): void {
    this.add(address, live);
    this.#uncertain.add(address);
  }

  remove(address: string): void {
    const live = this.liveOf(address);
    if (live !== undefined) this.#addressOf.delete(live);
    this.#liveOf.delete(address);
    this.#uncertain.delete(address);
  }
}
