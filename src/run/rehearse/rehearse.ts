/**
 * Rehearses a plan: applies it to a copy of the service, and plans again there. Sends no request to the real service.
 * The caller makes the copy from the reads and requests.
 */
import { isFailed, type OrganizationResult } from '../../apply/events.ts';
import { type Api, ApiError, type PlannedCall, type ServiceRead } from '../../contract/api.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { Past, Pasts } from '../../plan/past.ts';
import { type Plan, standingRefusals } from '../../plan/plan.ts';
import type { Rehearsal, RehearsalFailure } from '../../plan/rehearsal.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import type { ApprovedPlan } from '../approval/approval.ts';
import type { LiveSource } from '../plan-tree.ts';
import { type PlanInputs, planAll } from '../planning.ts';
import { type SendOptions, sendPlan } from '../send-plan.ts';

export interface RehearsalStage {
  readonly api: Api;
  readonly assumptions: Rehearsal['notIncluded'];
  readonly now: () => Date;
  readonly close: () => Promise<void>;
}

export type StageMaker = (source: {
  readonly reads: readonly ServiceRead[];
  readonly calls: readonly PlannedCall[];
}) => Promise<RehearsalStage>;

export interface RehearsalRequest {
  readonly approved: ApprovedPlan;
  readonly reads: readonly ServiceRead[];
  readonly registry: Registry;
  readonly makeStage: StageMaker;
  readonly isInterrupted?: (() => boolean) | undefined;
  /** Without ids, as the apply after a cut reads them. Default: those of the plan. */
  readonly pasts?: Pasts;
}

/** No other writer is active on a stage, and the time is constant; the same requests in the same order each time. */
export const stagedRun = { locked: { now: () => 0 }, parallelism: 1 } as const;

export type Rehearsed = Awaited<ReturnType<typeof rehearse>>;

/**
 * `before`: happens on the stage first, and returns what is applied then. `again`: the plan after the apply, if there is one.
 * @throws DiagnosticError if the plan has refused changes; an AbortError if it is interrupted.
 */
export async function rehearse(
  request: RehearsalRequest,
  before?: (stage: RehearsalStage, source: LiveSource, approved: ApprovedPlan) => Promise<ApprovedPlan>,
) {
  const { reads, registry, makeStage, isInterrupted } = request;
  const stage = await makeStage({
    reads,
    calls: request.approved.today.organizations.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls)),
  });
  try {
    const source = { api: stage.api, registry, sleep: () => Promise.resolve() };
    const run: SendOptions = { ...stagedRun, ...defined({ isInterrupted }) };
    // Reads of the service must not be mixed with reads of its copy.
    const { memory: _memory, ...forgetful } = request.approved;
    const approved = before === undefined ? forgetful : await before(stage, source, forgetful);
    const result = await sendPlan(source, approved, run, () => Promise.resolve(undefined));
    if (result.interrupted) throw new DOMException('the rehearsal was interrupted', 'AbortError');
    const made = new Map(result.organizations.map((one) => [one.label, one.made]));
    // As a record has them: equal names do not distinguish objects.
    const inputs = inputsThen(approved, (label, { ids = [], ...known }) => ({
      ...known,
      ids: new Map([...ids, ...(made.get(label) ?? [])]),
      tree: forgetful.inputs.pasts.get(label)?.tree,
    }));
    // With the same base, all ends read the same lists, so that they can be compared.
    const { again, ...then } = await planAgain(source, inputs);
    const failures = [...result.organizations.flatMap(failuresOf), ...then.failures];
    const leftover = again === undefined ? [] : leftoverOf(again.plan);
    const outcomes = result.organizations.flatMap((one) => one.outcomes);
    const rehearsal: Rehearsal = {
      converges: failures.length === 0 && leftover.length === 0,
      steps: approved.today.organizations.reduce((sum, { steps }) => sum + steps.length, 0),
      failures,
      skipped: outcomes.filter(({ type }) => type === 'skipped' || type === 'notStarted').length,
      leftover,
      notIncluded: stage.assumptions,
    };
    return { rehearsal, ...defined({ again }) };
  } finally {
    await stage.close();
  }
}

/** For the same organizations, with what is known of each until then. */
export function inputsThen(
  { inputs, plan }: ApprovedPlan,
  pastThen: (label: string, before: Past) => Past,
): PlanInputs {
  const ids = new Map(plan.organizations.map(({ label, organizationId }) => [label, organizationId]));
  return {
    ...inputs,
    pasts: new Map([...ids.keys()].map((label) => [label, pastThen(label, inputs.pasts.get(label) ?? {})])),
    trees: inputs.trees
      .filter(({ label }) => ids.has(label))
      .map((tree) => tree.with(defined({ id: ids.get(tree.label) }))),
  };
}

async function planAgain(source: LiveSource, inputs: PlanInputs) {
  try {
    const again = await planAll(source, inputs);
    const failures = again.plan.organizations.flatMap((organization) =>
      standingRefusals({ organizations: [organization] }).map(({ address, message }) => ({
        organization: organization.label,
        address,
        message: `then refused: ${message}`,
      })),
    );
    return { again, failures };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return {
      failures: error.diagnostics.map(({ address = '', message }) => ({
        organization: '',
        address,
        message: `cannot be planned again: ${message}`,
      })),
    };
  }
}

function failuresOf({ label, outcomes, unread }: OrganizationResult): readonly RehearsalFailure[] {
  const failed = outcomes.filter(isFailed);
  return [
    ...failed.map(({ step, error }) => ({
      organization: label,
      address: step.address,
      phase: step.phase,
      message: error.message,
      ...defined({ operation: error instanceof ApiError ? error.operation : undefined }),
    })),
    ...(unread === undefined
      ? []
      : [{ organization: label, address: '', message: `cannot be read again: ${unread.message}` }]),
  ];
}

function leftoverOf({ organizations }: Plan): Rehearsal['leftover'] {
  return organizations.flatMap(({ label, steps }) =>
    steps.map(({ address, action, fields }) => ({
      organization: label,
      address,
      action,
      fields: action === 'update' ? fields.map(({ field }) => field) : [],
    })),
  );
}
