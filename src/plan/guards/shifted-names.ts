/**
 * Refuses an object that takes the name of one that the same plan deletes. The manifests may mean the deleted object, and only their
 * keys have shifted:
 *
 *   red: { title: Red }    blue: { title: Blue }    green: { title: Green }      before
 *   red: { title: Blue }   blue: { title: Green }                                after: the link called Red would continue as Blue
 */

import { type DesiredNode, idIn } from '../../tree/desired.ts';
import { desiredIdentity, identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { resolveField } from '../../tree/references.ts';
import type { PlanContext } from '../context.ts';
import { movedFrom } from '../matching.ts';
import type { DraftStep } from '../order/draft.ts';
import { isUpdate } from '../plan.ts';
import { titleOf } from '../title-of.ts';
import type { GuardedPlan, OwnRefusal, SentDeletion } from './guard.ts';

export function shiftedNames({ context, draft, deletions }: GuardedPlan): readonly OwnRefusal[] {
  const deleted = new Map<string, SentDeletion>();
  const recorded = new Set(context.pastIds.values());
  // An object with a successor is the rest of a replacement that was planned before.
  const isKnown = (live: LiveNode) =>
    context.successorOf(live) === undefined &&
    (recorded.has(live.id) || context.base?.matching.addressOf(live) !== undefined);
  // Objects outside the base and the record are identified only by name, so they cannot be confused.
  for (const one of deletions.filter(({ live }) => isKnown(live))) {
    for (const identity of context.kindOf(one.live).identity.by) {
      const name = identityValue(one.live.fields, identity);
      if (name !== undefined) deleted.set(nameIn(one.live, identity.field, name), one);
    }
  }
  if (deleted.size === 0) return [];
  const updates = [...draft.steps.values()].filter(isUpdate);
  return updates.flatMap((step) => shiftedBy(context, step, deleted) ?? []);
}

function shiftedBy(
  context: PlanContext,
  step: DraftStep,
  deleted: ReadonlyMap<string, SentDeletion>,
): OwnRefusal | undefined {
  const desired = context.desired.get(step.address);
  const own = desired && context.liveOf(desired.address);
  if (desired === undefined || own === undefined || idIn(desired) !== undefined || hasMoved(context, desired))
    return undefined;
  const { fields, identity, noun } = context.kindOf(desired);
  const changed = new Set(step.fields.map(({ field }) => field));
  for (const one of identity.by.filter(({ field }) => changed.has(field))) {
    const { field } = one;
    const target = resolveField(context.desired, desired, {
      field: fields[field],
      value: desired.fields[field],
    });
    const name = target === undefined ? desiredIdentity(desired.fields, one) : undefined;
    const other = deleted.get(nameIn(own, field, name ?? ''));
    if (name === undefined || other === undefined || other.live === own) continue;
    const [from, to] = [own, other.live].map((live) => JSON.stringify(titleOf(context, live)));
    return {
      address: desired.address,
      message: `the ${noun} ${from} would get the ${field} ${JSON.stringify(name)} of the ${noun} ${to}, which would be deleted`,
      suggestion: `pin the one that is meant:\n  id: ${other.live.id}   (it has this ${field} now)\n  id: ${own.id}   (it gets another ${field}, and the other one is deleted)`,
      steps: [step.id, other.by],
    };
  }
  return undefined;
}

/** True if a former name identifies the object. */
export function hasMoved({ desired: tree, base }: PlanContext, desired: DesiredNode): boolean {
  return movedFrom(desired, { tree, base: base?.tree }).length > 0;
}

function nameIn({ kind, scope }: LiveNode, field: string, name: string): string {
  return JSON.stringify([kind, scope.kind, scope.id, field, name]);
}
