/** Refuses swaps of names that may already be done, because a wrong guess would exchange two objects. */
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject } from '../../tree/refs.ts';
import type { UnclearSwap } from '../matching.ts';
import type { Guard, GuardedPlan, OwnRefusal } from './guard.ts';

export const swaps: Guard = {
  name: 'swap-or-swapped',
  check: (plan) => ({
    refusals: plan.context.matching.unclear.flatMap((swap) => refusalOf(plan, swap)),
  }),
};

function refusalOf(plan: GuardedPlan, swap: UnclearSwap): readonly OwnRefusal[] {
  const steps = stepsOf(plan, swap);
  const [first] = swap;
  if (first === undefined || steps.length === 0) return [];
  const addresses = swap.map(({ desired }) => desired.address);
  const { noun } = plan.context.kindOf(first.desired);
  const ids = (idOf: (one: UnclearSwap[number]) => string) =>
    swap.map((one) => `  ${one.desired.address}: id: ${idOf(one)}`).join('\n');
  return [
    {
      address: first.desired.address,
      message: `cannot tell whether ${addresses.slice(0, -1).join(', ')} and ${addresses.at(-1)} have swapped names already: apart from the names, both ${noun}s fit what the base declares`,
      suggestion: [
        `if they have not, add these ids:\n${ids(({ pending }) => pending.id)}`,
        `if they have, add these instead:\n${ids(({ made }) => made.id)}`,
      ].join('\n'),
      steps,
    },
  ];
}

function stepsOf({ context, draft, deletions }: GuardedPlan, swap: UnclearSwap): readonly string[] {
  const addresses = new Set(swap.map(({ desired }) => desired.address));
  const isInside = (live: LiveNode) =>
    context.live.ancestorsOf(live).some((above) => swap.some(({ pending }) => isSameObject(pending, above)));
  const within = new Set(deletions.filter(({ live }) => isInside(live)).map(({ by }) => by));
  return [...draft.steps.values()]
    .filter(({ id, address }) => {
      const desired = context.desired.get(address);
      if (within.has(id)) return true;
      if (desired === undefined) return false;
      const above = [desired, ...context.desired.ancestorsOf(desired)].map((one) => one.address);
      const named = Object.keys(desired.fields).flatMap((name) => context.targetOf(desired, name) ?? []);
      return [...above, ...named].some((one) => addresses.has(one));
    })
    .map(({ id }) => id);
}
