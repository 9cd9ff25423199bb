/**
 * A value that requires objects of a kind, for example single sign-on, cannot become true without one, and the last one
 * cannot be deleted while it is true.
 */
import type { LiveNode } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { requiringFields, type Succession, successionsIn, unsucceeded } from '../order/successors.ts';
import { stepId } from '../step-id.ts';
import type { Guard, GuardedPlan, OwnRefusal, Situation } from './guard.ts';

export const requirements: Guard = {
  name: 'lockout',
  needs: ({ context }) => readsFor(context),
  check: (plan) => ({
    refusals: [
      ...requiredIn(plan.context).flatMap((one) => switchedOnWithout(plan, one)),
      ...successionsIn(plan).flatMap((one) => lastOnesDeleted(plan, one)),
    ],
  }),
};

interface Requiring {
  readonly live: LiveNode;
  readonly address: string;
  readonly field: string;
  readonly kind: string;
  readonly otherwise: string;
}

function requiredIn({ registry, live, matching }: Situation['context']): readonly Requiring[] {
  return requiringFields(registry).flatMap(({ of, ...requiring }) =>
    live.ofKind(of).flatMap((one) => {
      const address = matching.addressOf(one);
      return address === undefined ? [] : [{ ...requiring, live: one, address }];
    }),
  );
}

function readsFor(context: Situation['context']): readonly Read[] {
  return requiredIn(context)
    .filter(({ address, field, live }) => {
      const isDesired = context.desired.get(address)?.fields[field] === true;
      return isDesired && live.fields[field] !== true;
    })
    .map(({ kind, live }) => ({ type: 'list', kind, of: { kind: live.kind, id: live.id } }));
}

function switchedOnWithout(
  { context, draft, deletions }: GuardedPlan,
  one: Requiring,
): readonly OwnRefusal[] {
  const { address, field, kind, otherwise } = one;
  if (draft.get(address, 'update')?.sets[field] !== true) return [];
  const deleted = deletions.filter((each) => each.live.kind === kind).length;
  const coming = [...draft.steps.values()].filter((step) => step.kind === kind && step.phase === 'create');
  if (context.live.ofKind(kind).length - deleted + coming.length > 0) return [];
  const { noun } = context.registry.byName(kind);
  return [
    {
      address,
      message: `${field} would be switched on without any ${noun}: ${otherwise}`,
      suggestion: `declare the ${noun} in the same manifests`,
      steps: [stepId(address, 'update')],
    },
  ];
}

function lastOnesDeleted({ draft, deletions }: GuardedPlan, succession: Succession): readonly OwnRefusal[] {
  const { of, kind } = succession;
  if (of === undefined || draft.get(of.address, 'update')?.sets[of.field] === true) return [];
  return unsucceeded(draft, succession).map(({ live, step }) => ({
    address: deletions.find((each) => each.live === live)?.address ?? of.address,
    message: `the last ${kind.noun} would be deleted while ${of.field} remains on: ${of.otherwise}`,
    suggestion: `keep the ${kind.noun}, or set ${of.field}: false first`,
    steps: [step.id],
  }));
}
