/** Successors that an unfinished run created for an entry that has another object now, by live object, with the address of the entry. */
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject } from '../../tree/refs.ts';
import { remembered } from '../../util/remembered.ts';
import { mayBeReplaced, type PlanContext } from '../context.ts';

export const begunIn = remembered((context: PlanContext): ReadonlyMap<LiveNode, string> => {
  const { live, matching, recordedIds, replaced } = context;
  const found = context.own.work.objects.flatMap((one): (readonly [LiveNode, string])[] => {
    const [made, present] = [live.get(one), matching.liveOf(one.address)];
    if (one.made !== true || !one.isOver || made === undefined || made.deleted === true) return [];
    if (present?.kind !== one.kind || !isSameObject(present.container, made.container)) return [];
    if (!mayBeReplaced(context.kindOf(made)) || context.successorOf(made) !== undefined) return [];
    const isKnown = recordedIds.get(one.address) === present.id || replaced.has(one.address);
    return isKnown && matching.addressOf(made) === undefined ? [[made, one.address]] : [];
  });
  return new Map(found);
});
