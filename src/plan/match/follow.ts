/**
 * Lets the objects of a base be those that the manifests' are: an address is one object, then and now. Where a base is older
 * than the last apply, its names lead to other objects, and what is inside those is not what was inside its own.
 *
 * Example: the base says site a is "Red" and b is "Blue"; the manifests swap the titles, and that was applied.
 *   by its title, the base's a is the live "Red", which is b now: b's share links would be taken for a's
 *   the manifests' a is the live "Blue": the base's a follows, and its share links are looked for there
 */

import type { Kind } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode } from '../../tree/live.ts';
import { formerAddresses } from './former-addresses.ts';
import type { Pairs } from './pairs.ts';

/** A tree and its live objects. */
interface MatchedTree {
  readonly tree: DesiredTree;
  readonly found: Pairs;
}

/**
 * Changes the base's pairs of one kind, whose objects are matched on both sides. Where names went round, the base's objects go
 * round as well. What else was matched otherwise has no object in the base: it may be another one than then. An object that the
 * manifests leave behind stays what it was by its names, where these are certain.
 */
export function follow(kind: Kind, then: MatchedTree, now: MatchedTree): void {
  const followed = new Map<string, LiveNode>();
  const released: string[] = [];
  for (const desired of now.tree.ofKind(kind.name)) {
    const live = now.found.liveOf(desired.address);
    const was = formerNode(then.tree, desired);
    if (live === undefined || was === undefined || isLeftBehind(was.address, then, now)) continue;
    released.push(was.address, then.found.addressOf(live) ?? was.address);
    if (!followed.has(was.address) && hasGoneRound({ address: was.address, live }, then, now))
      followed.set(was.address, live);
  }
  const uncertain = then.tree.ofKind(kind.name).filter(({ address }) => !then.found.isCertain(address));
  for (const address of [...released, ...uncertain.map((node) => node.address)]) then.found.remove(address);
  for (const [address, live] of followed) then.found.add(address, live);
  // What is inside objects of the same kind was looked for before these followed.
  const misplaced = then.tree
    .ofKind(kind.name)
    .filter((node) => !followed.has(node.address) && isMisplaced(node, then));
  for (const { address } of misplaced) then.found.remove(address);
}

/** True for an object inside one of its own kind that is another one by now; not for one with a pinned id. */
function isMisplaced(node: DesiredNode, { tree, found }: MatchedTree): boolean {
  const live = found.liveOf(node.address);
  if (live === undefined || live.id === node.id || tree.parentOf(node)?.kind !== node.kind) return false;
  return found.liveOf(node.parent ?? '')?.id !== live.container.id;
}

/** What the base says of the same address, or of one that the object had. */
function formerNode(tree: DesiredTree, desired: DesiredNode): DesiredNode | undefined {
  const [was] = [desired.address, ...formerAddresses(desired)].flatMap((address) => tree.get(address) ?? []);
  return was?.kind === desired.kind ? was : undefined;
}

/** True when the base's object is certain, and not declared any more: something else took its address. */
function isLeftBehind(address: string, then: MatchedTree, now: MatchedTree): boolean {
  const live = then.found.liveOf(address);
  return live !== undefined && then.found.isCertain(address) && now.found.addressOf(live) === undefined;
}

/** True when the object has the base's names still, or gave them to one that the base has as well. */
function hasGoneRound(
  { address, live }: { readonly address: string; readonly live: LiveNode },
  then: MatchedTree,
  now: MatchedTree,
): boolean {
  const named = then.found.liveOf(address);
  if (named === undefined || named === live) return named === live;
  const taker = now.tree.get(now.found.addressOf(named) ?? '');
  return taker !== undefined && formerNode(then.tree, taker) !== undefined;
}
