/** An undo deletes what the undone run made, and nothing else: not even what others put inside of it since. */

import type { LiveNode } from '../../tree/live.ts';
import type { PlanContext } from '../context.ts';
import { addressOfStep } from '../step-id.ts';
import { titleOf } from '../title-of.ts';
import { type Guard, goingObjects } from './guard.ts';

/** How many objects a refusal names. */
const namedAtMost = 5;

/** What goes with an undo must be in its base by id: that is what the run made. */
export const madeByOthers: Guard = {
  name: 'made-by-others',
  check: (plan) => {
    const { context } = plan;
    if (context.base?.undoes === undefined) return { refusals: [] };
    const strange = goingObjects(plan).filter(({ live }) => !isMade(context, live));
    const steps = [...new Set(strange.flatMap((one) => one.steps))];
    return {
      refusals: steps.flatMap((step) => {
        const taken = strange.filter((one) => one.steps.includes(step));
        const [first] = taken;
        return first === undefined ? [] : [refusalOf(context, step, taken)];
      }),
    };
  },
};

function refusalOf(context: PlanContext, step: string, taken: readonly { readonly live: LiveNode }[]) {
  const names = taken.map(
    ({ live }) => `${context.kindOf(live).noun} ${JSON.stringify(titleOf(context, live))}`,
  );
  const more = names.length > namedAtMost ? ` and ${names.length - namedAtMost} more` : '';
  return {
    guard: madeByOthers.name,
    address: addressOfStep(step),
    message: `would also delete what the run did not make: ${names.slice(0, namedAtMost).join(', ')}${more}`,
    suggestion: 'move or delete it in the app first',
    steps: [step],
  };
}

/** True for an object that the base has by its id, and that the way back does not have. */
function isMade({ base, registry }: PlanContext, live: LiveNode): boolean {
  const address = base?.matching.addressOf(live);
  const node = address === undefined ? undefined : base?.tree.get(address);
  return node !== undefined && (node.id === live.id || registry.byName(live.kind).idParam === undefined);
}
