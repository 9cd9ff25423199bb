/** The drift of a plan: of what it would change, only what somebody changed outside the manifests. A view, planned by nobody. */
import { push } from '../util/group.ts';
import type { Cause, OrganizationPlan, Plan, Step } from './plan.ts';

/** Which part of the drift is wanted; all of it by default. */
export interface DriftChoice {
  readonly isChosen?: ((plan: OrganizationPlan, address: string) => boolean) | undefined;
  /** The patterns by which it was chosen, for reports. */
  readonly patterns?: readonly string[] | undefined;
}

/**
 * The plan with only those steps that drift has caused; with a base, what the manifests ask for and nobody applied yet is
 * counted and left out. Without one, every difference counts as drift. It cannot be applied.
 */
export function driftOf(plan: Plan, choice: DriftChoice = {}): Plan {
  return { ...plan, organizations: plan.organizations.map((one) => driftIn(one, choice)) };
}

function driftIn(plan: OrganizationPlan, { isChosen = () => true, patterns }: DriftChoice): OrganizationPlan {
  const all = plan.withBase ? driftedSteps(plan.steps) : plan.steps.filter(({ phase }) => phase !== 'vacate');
  const steps = all.filter(({ address }) => isChosen(plan, address));
  const drifted = new Set(all.map(({ address }) => address));
  const pending = new Set(
    plan.steps.map(({ address }) => address).filter((address) => !drifted.has(address)),
  );
  const chosen = new Set(steps.map(({ id }) => id));
  const { navigation: _navigation, policy: _policy, ...rest } = plan;
  const { objects = 0, drift = 0, ignoredFields = 0 } = plan.leftOut ?? {};
  return {
    ...rest,
    shows: 'drift',
    steps: steps.map((step) => ({
      ...step,
      needs: step.needs.filter((id) => chosen.has(id)),
      after: step.after.filter((id) => chosen.has(id)),
    })),
    seen: {},
    unmanaged: plan.unmanaged.filter(({ address }) => isChosen(plan, address)),
    refusals: [],
    leftOut: {
      ...(patterns === undefined ? {} : { target: patterns }),
      objects,
      changes: drifted.size - new Set(steps.map(({ address }) => address)).size,
      drift,
      ignoredFields,
      ...(pending.size === 0 ? {} : { pending: pending.size }),
    },
  };
}

/** Whole objects by the cause of what happens to them, all others field by field. */
function driftedSteps(steps: readonly Step[]): readonly Step[] {
  const objects = new Map<string, Step[]>();
  for (const step of steps) push(objects, `${step.address} ${step.action}`, step);
  return steps.flatMap((step) => {
    if (step.phase === 'vacate') return [];
    const { action, cause } = step;
    if (action === 'create' || action === 'replace' || action === 'delete') {
      const own = objects.get(`${step.address} ${action}`) ?? [step];
      const creation = own.find(({ phase }) => phase === 'create');
      const why = creation?.cause ?? own.find((one) => one.cause !== undefined)?.cause;
      return isDrift(why) ? [step] : [];
    }
    const fields = step.fields.filter((field) => isDrift(field.cause ?? cause));
    if (!isDrift(cause) && fields.length === 0) return [];
    const told = step.fields.flatMap(({ risk }) => (risk === undefined ? [] : [risk]));
    const kept = fields.flatMap(({ risk }) => (risk === undefined ? [] : [risk]));
    return [
      { ...step, fields, risks: step.risks.filter((risk) => !told.includes(risk) || kept.includes(risk)) },
    ];
  });
}

/** Whether the live state was changed, whatever the manifests say by now. */
function isDrift(cause: Cause | undefined): boolean {
  return cause === 'drift' || cause === 'conflict';
}
