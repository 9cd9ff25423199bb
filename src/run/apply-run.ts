/** Runs what is left of an approved plan. Nothing is sent for objects that the approved plan does not touch. */
import { applyPlan } from '../apply/apply-plan.ts';
import type { ApplyEvent, ApplyResult } from '../apply/events.ts';
import type { OrganizationPlan, Plan, Step } from '../plan/plan.ts';
import { defined } from '../util/defined.ts';
import type { ApprovedPlan } from './approval.ts';
import { type Look, replan } from './planning.ts';

/** How to apply. */
export interface ApplyRun {
  /** Steps that may run at the same time; 8 by default. */
  readonly parallelism?: number | undefined;
  /** True as soon as nothing new may be started. */
  readonly isInterrupted?: (() => boolean) | undefined;
  readonly onEvent?: ((event: ApplyEvent) => void) | undefined;
}

/** Applies, and returns what became of each step; steps that needed nothing any more are among them. */
export async function runApply(
  look: Look & { readonly sleep: (milliseconds: number) => Promise<void> },
  approved: ApprovedPlan,
  { parallelism, isInterrupted, onEvent }: ApplyRun,
): Promise<ApplyResult> {
  const { plan, inputs, today } = approved;
  const { api, registry, sleep } = look;
  const result = await applyPlan(today, {
    api,
    registry,
    sleep,
    replan: async (organization, made) =>
      without(await replan(look, { inputs, approved: organization }, made), approved.elsewhere),
    isWithin: touchedBy(plan),
    ...defined({ parallelism, isInterrupted, onEvent }),
  });
  return withSatisfied(result, approved);
}

/** True for steps on objects that an approved plan touches, and on the objects inside them. */
function touchedBy({ organizations }: Plan): (organization: OrganizationPlan, step: Step) => boolean {
  const touched = new Map(
    organizations.map(({ label, steps }) => [label, new Set(steps.map(({ address }) => address))]),
  );
  return ({ label }, { address }) => {
    for (let end = address.length; end > 0; end = address.lastIndexOf('/', end - 1)) {
      if (touched.get(label)?.has(address.slice(0, end)) === true) return true;
    }
    return false;
  };
}

/** The plan without what differed elsewhere before anything was sent: nobody asked for it. */
function without(plan: OrganizationPlan, elsewhere: ApprovedPlan['elsewhere']): OrganizationPlan {
  const known = elsewhere.get(plan.label);
  return known === undefined ? plan : { ...plan, steps: plan.steps.filter(({ id }) => !known.has(id)) };
}

/** What was done already when apply began is listed before what was done now. */
function withSatisfied(result: ApplyResult, { satisfied }: ApprovedPlan): ApplyResult {
  return {
    ...result,
    organizations: result.organizations.map((organization) => ({
      ...organization,
      outcomes: [
        ...(satisfied.get(organization.label) ?? []).map((step) => ({ type: 'satisfied' as const, step })),
        ...organization.outcomes,
      ],
    })),
  };
}
