/** The drift of a plan: only its changes that revert changes made outside the manifests. A view of a plan. */
import { push } from '../util/group.ts';
import type { Cause, FieldChange, OrganizationPlan, Plan, Step } from './plan.ts';

export interface DriftChoice {
  readonly isChosen?: ((plan: OrganizationPlan, address: string) => boolean) | undefined;
  readonly patterns?: readonly string[] | undefined;
}

/**
 * The plan with only the steps that drift caused. With a base, changes of the manifests that are not applied yet are
 * counted and left out; without one, every difference counts as drift. It cannot be applied.
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
  const { access: _access, addresses: _addresses, navigation: _navigation, policy: _policy, ...rest } = plan;
  const { objects, drift, ignoredFields } = plan.leftOut;
  const unseen = plan.leftOut.unseen?.filter(({ address }) => isChosen(plan, address)) ?? [];
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
    // An object that no request can bring back: all other refusals are about the plan as a whole.
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
    const fields = step.fields.filter((field) => mayHaveDrifted(field, cause));
    if (!isDrift(cause) && fields.length === 0) return [];
    const kept = new Set<string | undefined>([undefined, ...fields.map(({ field }) => field)]);
    return [{ ...step, fields, risks: step.risks.filter(({ field }) => kept.has(field)) }];
  });
}

export function isDrift(cause: Cause | undefined): boolean {
  return cause === 'drift' || cause === 'conflict';
}

/** True also if it is not known whether the live value or what fills the field in has changed. */
export function mayHaveDrifted(
  { cause, undecided }: Pick<FieldChange, 'cause' | 'undecided'>,
  ofStep?: Cause,
): boolean {
  return isDrift(cause ?? ofStep) || undecided !== undefined;
}
