/** The drift of a plan: only changes that revert changes made outside the manifests. A view of a plan. */

import {
  causeOfWhole,
  isDrift,
  isWhole,
  mayHaveDrifted,
  type OrganizationPlan,
  type Step,
} from '../plan/plan.ts';
import { defined } from '../util/defined.ts';
import { push } from '../util/group.ts';
import type { Review, ReviewedOrganization, ReviewedPlan } from './reviewed-plan.ts';

export interface DriftChoice {
  readonly isChosen?: ((plan: OrganizationPlan, address: string) => boolean) | undefined;
  readonly patterns?: readonly string[] | undefined;
}

/**
 * The plan with only the steps that drift caused. With a base, changes of the manifests that are not applied yet are counted and
 * omitted; without one, every difference counts as drift. The result cannot be applied.
 */
export function driftOf(plan: ReviewedPlan, choice: DriftChoice = {}): ReviewedPlan {
  return { ...plan, organizations: plan.organizations.map((one) => driftIn(one, choice)) };
}

function driftIn(
  plan: ReviewedOrganization,
  { isChosen = () => true, patterns }: DriftChoice,
): ReviewedOrganization {
  const all = driftedSteps(plan);
  const steps = all.filter(({ address }) => isChosen(plan, address));
  const drifted = new Set(all.map(({ address }) => address));
  const pending = new Set(
    plan.steps.map(({ address }) => address).filter((address) => !drifted.has(address)),
  );
  const chosen = new Set(steps.map(({ id }) => id));
  const { objects, drift, ignoredFields } = plan.leftOut;
  const unseen = plan.leftOut.unseen?.filter(({ address }) => isChosen(plan, address)) ?? [];
  return {
    ...plan,
    shows: 'drift',
    ...defined({ review: plan.review && reviewOf(plan.review, steps) }),
    steps: steps.map((step) => ({
      ...step,
      needs: step.needs.filter((id) => chosen.has(id)),
      after: step.after.filter((id) => chosen.has(id)),
    })),
    seen: {},
    unmanaged: plan.unmanaged.filter(({ address }) => isChosen(plan, address)),
    // Keep refusals of objects that no request can restore; all others concern the whole plan.
    refusals: plan.refusals.filter(
      ({ guard, steps: refused }) => guard === 'missing' && refused.some((id) => chosen.has(id)),
    ),
    leftOut: {
      ...(patterns === undefined ? {} : { target: patterns }),
      objects,
      changes: drifted.size - new Set(steps.map(({ address }) => address)).size,
      drift,
      ignoredFields,
      ...(unseen.length === 0 ? {} : { unseen }),
      ...(pending.size === 0 ? {} : { pending: pending.size }),
    },
  };
}

/** Steps that revert changes made outside the manifests, without their other fields; without a base, all steps. */
export function driftedSteps({ withBase, steps }: OrganizationPlan): readonly Step[] {
  if (!withBase) return steps.filter(({ phase }) => phase !== 'vacate');
  const objects = new Map<string, Step[]>();
  for (const step of steps) push(objects, `${step.address} ${step.action}`, step);
  return steps.flatMap((step) => {
    if (step.phase === 'vacate') return [];
    const { action, cause } = step;
    if (isWhole(action)) {
      const own = objects.get(`${step.address} ${action}`) ?? [step];
      return isDrift(causeOfWhole(own)) ? [step] : [];
    }
    const fields = step.fields.filter((field) => mayHaveDrifted(field, cause));
    if (!isDrift(cause) && fields.length === 0) return [];
    return [{ ...step, fields }];
  });
}

/** Omits access and addresses, which only the reversal of drift changes. */
function reviewOf({ risks, exposed, expiring }: Review, steps: readonly Step[]): Review {
  const kept = steps.flatMap(({ id, fields }) => {
    const names = new Set<string | undefined>([undefined, ...fields.map(({ field }) => field)]);
    const own = (risks[id] ?? []).filter(({ field }) => names.has(field));
    return own.length === 0 ? [] : [[id, own] as const];
  });
  return { risks: Object.fromEntries(kept), ...defined({ exposed, expiring }) };
}
