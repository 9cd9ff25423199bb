/** Protects pending work of others inside an object: a glob may lift other protections, but not this one. */
import { countOf } from '../../util/count.ts';
import { namedObject } from '../title-of.ts';
import {
  type DeletedObject,
  deletedObjects,
  type Guard,
  type GuardedPlan,
  type OwnRefusal,
} from './guard.ts';

export const openWork: Guard = {
  name: 'open-work',
  needs: ({ context, removals }) =>
    context.live
      .nodes()
      .filter((live) => context.kindOf(live).deletion.openWork !== undefined && removals.deletes(live))
      .map(({ kind, id }) => ({ type: 'openWork', of: { kind, id } })),
  check: (plan) => ({ refusals: deletedObjects(plan).flatMap((deleted) => refusalOf(plan, deleted) ?? []) }),
};

function refusalOf(
  { context }: GuardedPlan,
  { address, live, steps }: DeletedObject,
): OwnRefusal | undefined {
  const { openWork: work } = context.kindOf(live).deletion;
  const count = live.openWork ?? 0;
  const isNamed = context.desired.settings.protect.includes(`!${address}`);
  if (work === undefined || count === 0 || isNamed) return undefined;
  return {
    address,
    message: `${namedObject(context, live)} has ${countOf(count, work.noun)}, which would be lost with it`,
    suggestion: `merge or archive them first; to lose them, name it in the settings (no glob): protect: ["!${address}"]`,
    steps,
  };
}
