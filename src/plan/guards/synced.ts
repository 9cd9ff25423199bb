/** A repository that is synchronized with a site also writes its title and structure: one writer may undo the other. */
import { grouped, type NonEmpty } from '../../util/group.ts';
import type { PlanContext } from '../context.ts';
import type { DraftStep } from '../order/draft.ts';
import { addressOfStep } from '../step-id.ts';
import { namedObject } from '../title-of.ts';
import { hasSynced, type Synced, syncedIn } from '../values/synced.ts';
import type { Guard, OwnRefusal } from './guard.ts';

export const synced: Guard = {
  name: 'synced',
  check: ({ context, draft, left }) => {
    if (!hasSynced(context)) return { refusals: [] };
    const steps = [...draft.steps.values()];
    const covered = steps.flatMap((step): SyncedStep | [] => {
      const by = syncedIn(context, step);
      return by === undefined ? [] : { step, by };
    });
    return {
      refusals: [
        ...[...grouped(covered, ({ step }) => step.address).values()].map((all) => refusalOf(context, all)),
        ...steps.flatMap((step) => withoutNeeded(step, left)),
      ],
    };
  },
};

interface SyncedStep {
  readonly step: DraftStep;
  readonly by: Synced;
}

function refusalOf(context: PlanContext, all: NonEmpty<SyncedStep>): OwnRefusal {
  const [{ step, by }] = all;
  const { live, address, writer } = by;
  return {
    address: step.address,
    message: `${namedObject(context, live)} is synchronized with ${writer.name}, which writes ${writer.what} as well: one may undo the other`,
    suggestion: `change ${writer.what} in the repository, and set lifecycle: { ignore: synced } at ${address} to manage the rest here`,
    steps: all.map((one) => one.step.id),
  };
}

function withoutNeeded({ id, address, needs }: DraftStep, left: ReadonlySet<string>): readonly OwnRefusal[] {
  const needed = [...needs].find((one) => left.has(one));
  if (needed === undefined) return [];
  return [
    {
      address,
      message: `needs a change of ${addressOfStep(needed)}, which is managed in the repository`,
      suggestion: `make that change in the repository first, or remove ${address} from the manifests`,
      steps: [id],
    },
  ];
}
