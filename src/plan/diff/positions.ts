/**
 * Computes moves inside ordered containers: the fewest that lead from the order after all new objects have been added
 * at the end to the written order.
 *
 * Example: live a b c d, desired d a n c (b is deleted, n is new). After n has arrived: a c d n.
 *   The longest part in the right order is a c; d and n are placed:
 *   d before a, then n after a. Two moves; a and c keep their place.
 *
 * A section that changes its group is always placed, because the API does not define its arrival position. Apply omits the
 * move if the section is already in the right place.
 */

import type { ContainerRef } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { PlanContext } from '../context.ts';
import type { Cause } from '../plan.ts';
import { orderCause } from './cause.ts';
import type { Placement } from './change.ts';
import { keepers, type Sequenced } from './keepers.ts';

export interface Ordering {
  readonly parent: string;
  readonly collection: string;
  readonly arrivals: readonly string[];
  readonly placements: readonly Placement[];
  readonly cause: Cause | undefined;
}

export function planOrderings(context: PlanContext): readonly Ordering[] {
  const orderings: Ordering[] = [];
  for (const parent of context.desired.nodes.values()) {
    for (const collection of parent.declares) {
      const ordered = context.registry.at(parent.kind, collection).some(({ place }) => place.ordered);
      const children = ordered
        ? context.desired
            .childrenOf(parent.address, collection)
            .filter(({ address }) => !context.isReleased(address) && !context.unseen.has(address))
        : [];
      if (children.length > 0) orderings.push(planOrdering(context, parent, collection, children));
    }
  }
  return orderings;
}

/** True for an object that moves here from another container: only a move determines its position. */
export function arrivesAnywhere(context: PlanContext, desired: DesiredNode): boolean {
  const { attach, attachedAnywhere = false, createdOutside } = context.kindOf(desired).calls;
  const isNew = context.liveOf(desired.address) === undefined;
  if (!context.changesContainer(desired) && !(isNew && createdOutside === true)) return false;
  const isAttached = attach?.(context.callContext(desired), undefined) !== undefined;
  if (!isAttached) return !isNew;
  // A new container adopts the objects that move into it, in its order.
  const isAdopted =
    createdOutside === true && desired.parent !== undefined && context.toCreate.has(desired.parent);
  return attachedAnywhere && !isAdopted;
}

function planOrdering(
  context: PlanContext,
  parent: DesiredNode,
  collection: string,
  children: readonly DesiredNode[],
): Ordering {
  const kept: { address: string; rank: number }[] = [];
  const arrivals: string[] = [];
  const anywhere = new Set<string>();
  for (const child of children) {
    const live = context.liveOf(child.address);
    if (arrivesAnywhere(context, child)) anywhere.add(child.address);
    if (live === undefined || live.deleted === true || context.changesContainer(child))
      arrivals.push(child.address);
    else if (live.rank !== undefined) kept.push({ address: child.address, rank: live.rank });
  }
  kept.sort((left, right) => left.rank - right.rank);
  arrivals.sort((left, right) => Number(arrivesLast(context, left)) - Number(arrivesLast(context, right)));
  const known = arrivals.filter((address) => !anywhere.has(address));
  const before = [...kept.map(({ address }) => address), ...known];
  const placeBefore = new Map(before.map((address, index) => [address, index]));
  const members = children.filter(({ address }) => placeBefore.has(address) || anywhere.has(address));
  const isInOrder = members.every(({ address }, at) => placeBefore.get(address) === at);
  const placements = isInOrder
    ? []
    : place(context, members, new Set(keepers(sequenceOf(context, members, placeBefore))));
  return {
    parent: parent.address,
    collection,
    arrivals,
    placements: placements.map((one) => (anywhere.has(one.address) ? { ...one, mayBeThere: true } : one)),
    cause: placements.length === 0 ? undefined : orderCause(context, members),
  };
}

function sequenceOf(
  context: PlanContext,
  members: readonly DesiredNode[],
  placeBefore: ReadonlyMap<string, number>,
): readonly Sequenced[] {
  return members.map((member) => ({
    place: placeBefore.get(member.address),
    kind: member.kind,
    anchors: context.kindOf(member).calls.anchors ?? [],
  }));
}

/** A new group takes sections when it is created, and other objects afterwards. */
function arrivesLast(context: PlanContext, address: string): boolean {
  const desired = context.desired.get(address);
  if (desired === undefined) return false;
  const isNested = context.desired.parentOf(desired)?.kind === desired.kind;
  return isNested || context.kindOf(desired).calls.arrivesLast === true;
}

function place(
  context: PlanContext,
  members: readonly DesiredNode[],
  kept: ReadonlySet<number>,
): readonly Placement[] {
  const nextKept = followingIndexes(members.length, kept);
  const placements: Placement[] = [];
  let nothingKept = false;
  members.forEach((member, index) => {
    if (kept.has(index) && !nothingKept) return;
    const anchors = context.kindOf(member).calls.anchors ?? [];
    const reference = (node: DesiredNode): ContainerRef => ({
      kind: node.kind,
      id: context.idOf(node.address),
    });
    const previous = members[index - 1];
    const following = nothingKept ? undefined : members[nextKept[index] ?? members.length];
    if (previous !== undefined && anchors.includes(previous.kind)) {
      placements.push({
        address: member.address,
        anchor: { after: reference(previous) },
        next: previous.address,
      });
    } else if (following !== undefined && anchors.includes(following.kind)) {
      placements.push({
        address: member.address,
        anchor: { before: reference(following) },
        next: following.address,
      });
    } else {
      // If no neighbor can be an anchor, the object moves to the end, and all later ones follow.
      placements.push({ address: member.address, anchor: undefined });
      nothingKept = true;
    }
  });
  return placements;
}

function followingIndexes(length: number, kept: ReadonlySet<number>): readonly number[] {
  const following = new Array<number>(length).fill(length);
  for (let index = length - 2; index >= 0; index -= 1) {
    following[index] = kept.has(index + 1) ? index + 1 : (following[index + 1] ?? length);
  }
  return following;
}
