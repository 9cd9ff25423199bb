/** An object is not added to a collection while another one, which excludes it, keeps entries: the service would place it there. */
import type { Read } from '../../tree/reads.ts';
import { type Rivalry, rivalriesIn, rivalsOf } from '../order/exclusive-collections.ts';
import { titleOf } from '../title-of.ts';
import type { Guard, GuardedPlan, OwnRefusal } from './guard.ts';

export const exclusive: Guard = {
  name: 'exclusive',
  needs: ({ context }) =>
    rivalriesIn(context).flatMap(({ live: { kind, id }, rival, children }) =>
      children.some(({ address }) => context.liveOf(address) === undefined)
        ? context.registry
            .at(kind, rival)
            .map((one): Read => ({ type: 'list', kind: one.kind.name, of: { kind, id } }))
        : [],
    ),
  check: (plan) => ({ refusals: rivalriesIn(plan.context).flatMap((one) => refusalsOf(plan, one)) }),
};

function refusalsOf({ context, draft, gone }: GuardedPlan, rivalry: Rivalry): readonly OwnRefusal[] {
  const { live, key, rival, children } = rivalry;
  const steps = children.flatMap(({ address }) => draft.get(address, 'create')?.id ?? []);
  if (steps.length === 0) return [];
  const remaining = rivalsOf(context, rivalry).filter((one) => !gone.has(one));
  if (remaining.length === 0) return [];
  const names = remaining.slice(0, 3).map((one) => JSON.stringify(titleOf(context, one)));
  return [
    {
      address: context.matching.addressOf(live) ?? live.id,
      message: `${key} cannot be added directly while there are ${rival}: ${names.join(', ')}${remaining.length > 3 ? ', …' : ''}`,
      suggestion: `put them under ${rival}:, or have all ${rival} deleted first (${rival}: {} with prune: unlisted)`,
      steps,
    },
  ];
}
