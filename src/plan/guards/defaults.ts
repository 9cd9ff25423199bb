/** A default is not deleted before another one is named, unless nothing is left to be the default. */
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject } from '../../tree/refs.ts';
import type { DraftStep } from '../order/draft.ts';
import type { Refusal } from '../plan.ts';
import { titleOf } from '../title-of.ts';
import { deletesIn, type Guard, type GuardedPlan } from './guard.ts';

export const defaults: Guard = {
  name: 'default',
  check: (plan) => ({
    refusals: deletesIn(plan).flatMap((step) => {
      const live = plan.context.live.get({ kind: step.kind, id: step.liveId ?? '' });
      return live === undefined ? [] : refusalsOf(plan, step, live);
    }),
  }),
};

interface Holder {
  readonly live: LiveNode;
  readonly address: string;
  readonly field: string;
}

function refusalsOf(plan: GuardedPlan, step: DraftStep, live: LiveNode): readonly Refusal[] {
  const { context, draft } = plan;
  if (!hasSuccessor(plan, live)) return [];
  return holdersOf(plan, live)
    .filter(({ address }) => {
      const update = draft.get(address, 'update');
      return update?.dereferences.some((ref) => isSameObject(ref, live)) !== true;
    })
    .map(({ address, field }) => ({
      guard: defaults.name,
      address: step.address,
      message: `${step.noun} ${JSON.stringify(titleOf(context, live))} is the ${field} of ${address} and would be deleted`,
      suggestion: `name another one first: ${field}: … at ${address}`,
      steps: [step.id],
    }));
}

function holdersOf({ context, deletions }: GuardedPlan, live: LiveNode): readonly Holder[] {
  const above = isSameObject(live.scope, live.container) ? [live.scope] : [live.scope, live.container];
  return above.flatMap((ref) => {
    const holder = context.live.get(ref);
    const address = context.matching.addressOf(ref);
    if (holder === undefined || address === undefined || context.replaced.has(address)) return [];
    if (deletions.some((deletion) => deletion.live === holder)) return [];
    const [field] = context.defaultFields(holder, live);
    return field === undefined ? [] : [{ live: holder, address, field }];
  });
}

function hasSuccessor({ context, deletions }: GuardedPlan, live: LiveNode): boolean {
  const gone = new Set(deletions.map((deletion) => deletion.live));
  return context.live.inScope(live.scope, live.kind).some((other) => other !== live && !gone.has(other));
}
