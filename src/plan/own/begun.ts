/** Objects that an unfinished run created, and the values that it owes to them. */
import type { Fields } from '../../kinds/parts/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject } from '../../tree/refs.ts';
import { remembered } from '../../util/remembered.ts';
import { mayBeReplaced, type PlanContext } from '../context.ts';

/** Successors for an entry that has another object now, by live object, with the address of the entry. */
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

/** True if a run created the object, also if no more is known than that it was to create one for the same entry. */
export function isOwn({ own, matching, superseded }: PlanContext, live: LiveNode | undefined): boolean {
  const at = live && matching.addressOf(live);
  const isMeant = own.work.uncertain.some(({ address }) => address === at);
  return own.made(live) || (at !== undefined && (isMeant || superseded.has(at)));
}

/** True if the object took the place of a replaced one: it may be older than the run, and was found by its name. */
export function isInPlace({ own, matching }: PlanContext, live: LiveNode | undefined): boolean {
  const at = live && matching.addressOf(live);
  const { ids, superseded } = own.work;
  return at !== undefined && ids[at] === live?.id && superseded.some(({ address }) => address === at);
}

/** Values for an object in place of a replaced one, or inside of it. */
export function owedTo(context: PlanContext, desired: DesiredNode): Fields | undefined {
  const owed = context.own.work.owed[desired.address];
  const isNew = ({ address }: DesiredNode) => {
    const live = context.liveOf(address);
    return context.toCreate.has(address) || isOwn(context, live) || isInPlace(context, live);
  };
  return owed && [desired, ...context.desired.ancestorsOf(desired)].some(isNew) ? owed : undefined;
}
