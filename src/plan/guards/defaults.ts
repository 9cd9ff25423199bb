/** Refuses to delete a default before another one is named, unless no candidate remains. */
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject } from '../../tree/refs.ts';
import type { DraftStep } from '../order/draft.ts';
import { titleOf } from '../title-of.ts';
import type { Guard, GuardedPlan, OwnRefusal } from './guard.ts';

export const defaults: Guard = {
  name: 'default',
  check: (plan) => ({
    refusals: [...plan.draft.steps.values()].flatMap((step) => {
      const live = plan.context.liveOfStep(step);
      return step.phase === 'delete' && live !== undefined ? refusalsOf(plan, step, live) : [];
    }),
  }),
};

function refusalsOf(plan: GuardedPlan, step: DraftStep, live: LiveNode): readonly OwnRefusal[] {
  const { context, draft, gone } = plan;
  const holders = holdersOf(plan, live);
  // Looks at all other objects only if the object is a default, which is rare.
  const others = holders.length === 0 ? [] : context.live.inScope(live.scope, live.kind);
  if (others.every((other) => other === live || gone.has(other))) return [];
  return holders
    .filter(({ address }) => {
      const update = draft.get(address, 'update');
      return update?.dereferences.some((ref) => isSameObject(ref, live)) !== true;
    })
    .map(({ address, field }) => ({
      address: step.address,
      message: `${step.noun} ${JSON.stringify(titleOf(context, live))} is the ${field} of ${address} and would be deleted`,
      suggestion: `name another one first: ${field}: … at ${address}`,
      steps: [step.id],
    }));
}

function holdersOf({ context, gone }: GuardedPlan, live: LiveNode) {
  const above = isSameObject(live.scope, live.container) ? [live.scope] : [live.scope, live.container];
  return above.flatMap((ref) => {
    const holder = context.live.get(ref);
    const address = context.matching.addressOf(ref);
    if (holder === undefined || address === undefined || gone.has(holder)) return [];
    const [field] = context.isReplaced(ref) ? [] : context.defaultFields(holder, live);
    return field === undefined ? [] : [{ address, field }];
  });
}
