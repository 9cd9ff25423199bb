/**
 * Computes moves inside ordered containers: the fewest that lead from the order after all new objects have been added
 * at the end to the written order.
 *
 * A section that changes its group is always placed, because the API does not define its arrival position. Apply omits the
 * move if the section is already in the right place.
 */

import type { DesiredNode } from '../../tree/desired.ts';
import type { PlanContext } from '../context.ts';
import type { Cause } from '../plan.ts';
import { orderCause } from './cause.ts';
import type { Placement } from './change.ts';
import { fewestMoves, type Moved, type Sequenced } from './fewest-moves.ts';

export interface Ordering {
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
      if (children.length > 0) orderings.push(planOrdering(context, children));
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

function planOrdering(context: PlanContext, children: readonly DesiredNode[]): Ordering {
  const kept: { address: string; rank: number }[] = [];
  const arrivals: DesiredNode[] = [];
  const anywhere = new Set<string>();
  for (const child of children) {
    const live = context.liveOf(child.address);
    if (arrivesAnywhere(context, child)) anywhere.add(child.address);
    if (live === undefined || live.deleted === true || context.changesContainer(child)) arrivals.push(child);
    else if (live.rank !== undefined) kept.push({ address: child.address, rank: live.rank });
  }
  kept.sort((left, right) => left.rank - right.rank);
  arrivals.sort((left, right) => Number(arrivesLast(context, left)) - Number(arrivesLast(context, right)));
  const known = arrivals.filter(({ address }) => !anywhere.has(address));
  const placeBefore = new Map([...kept, ...known].map(({ address }, index) => [address, index]));
  const members = children.filter(({ address }) => placeBefore.has(address) || anywhere.has(address));
  const isInOrder = members.every(({ address }, at) => placeBefore.get(address) === at);
  const placements = isInOrder
    ? []
    : fewestMoves(sequenceOf(context, members, placeBefore)).map((move) =>
        placementOf(context, members, move),
      );
  return {
    arrivals: arrivals.map(({ address }) => address),
    placements: placements.map((one) => (anywhere.has(one.address) ? { ...one, mayBeThere: true } : one)),
    cause: placements.length === 0 ? undefined : orderCause(context, members),
  };
}

function sequenceOf(
  context: PlanContext,
  members: readonly DesiredNode[],
  placeBefore: ReadonlyMap<string, number>,
): readonly Sequenced[] {
  const kinds = new Set(members.map(({ kind }) => kind));
  return members.map((member) => ({
    place: placeBefore.get(member.address),
    isChoosy: [...kinds].some((kind) => context.kindOf(member).calls.anchors?.includes(kind) !== true),
  }));
}

/** A new group takes sections when it is created, and other objects afterwards. */
function arrivesLast(context: PlanContext, desired: DesiredNode): boolean {
  const isNested = context.desired.parentOf(desired)?.kind === desired.kind;
  return isNested || context.kindOf(desired).calls.arrivesLast === true;
}

function placementOf(
  context: PlanContext,
  members: readonly DesiredNode[],
  { index, anchor }: Moved,
): Placement {
  const address = members[index]?.address ?? '';
  const next = anchor && members[anchor.index];
  if (anchor === undefined || next === undefined) return { address, anchor: undefined };
  const reference = { kind: next.kind, id: context.idOf(next.address) };
  return {
    address,
    anchor: anchor.side === 'after' ? { after: reference } : { before: reference },
    next: next.address,
  };
}
