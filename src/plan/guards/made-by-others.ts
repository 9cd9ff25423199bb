/** An undo deletes only objects that the undone run created, not objects that others have since put inside them. */

import { idIn } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { someOf } from '../../util/count.ts';
import type { PlanContext } from '../context.ts';
import { addressOfStep } from '../step-id.ts';
import { namedObject } from '../title-of.ts';
import { deletedObjects, type Guard } from './guard.ts';

const namedAtMost = 5;

export const madeByOthers: Guard = {
  name: 'made-by-others',
  check: (plan) => {
    const { context } = plan;
    if (context.base?.undoes === undefined) return { refusals: [] };
    const strange = deletedObjects(plan).filter(({ live }) => !isMade(context, live));
    const steps = [...new Set(strange.flatMap((one) => one.steps))];
    return {
      refusals: steps.map((step) => {
        const taken = strange.filter((one) => one.steps.includes(step));
        return refusalOf(context, step, taken);
      }),
    };
  },
};

function refusalOf(context: PlanContext, step: string, taken: readonly { readonly live: LiveNode }[]) {
  const names = taken.map(({ live }) => namedObject(context, live));
  return {
    address: addressOfStep(step),
    message: `would also delete objects that the run did not create: ${someOf(names, namedAtMost)}`,
    suggestion: 'move or delete it in the app first',
    steps: [step],
  };
}

function isMade(context: PlanContext, live: LiveNode): boolean {
  const node = context.baseNodeOf(live);
  const hasId = context.kindOf(live).identity.idParam !== undefined;
  return node !== undefined && (idIn(node) === live.id || !hasId);
}
