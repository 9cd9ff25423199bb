/** Compares today's plan with the approved one, so that every request was seen by someone. */
import type { Registry } from '../../kinds/registry.ts';
import { ReadMemory } from '../../live/read-memory.ts';
import { planAgain, requireSameService } from '../../past/same-service.ts';
import { comparePlans, concerns, type PlanDifference } from '../../plan/compare/compare-plans.ts';
import { type Effect, effectsOf } from '../../plan/compare/effects.ts';
import {
  isDrift,
  isEmptyPlan,
  type OrganizationPlan,
  type Plan,
  type Refusal,
  type Step,
} from '../../plan/plan.ts';
import { isOnlyDrift } from '../../plan/scope/scope.ts';
import { shortDigest } from '../../review/plan-document.ts';
import { dayOf, entryName } from '../../tree/endings.ts';
import type { LiveTree } from '../../tree/live.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError, withSources } from '../../util/diagnostic.ts';
import type { DiagnosticCode } from '../../util/diagnostic-codes.ts';
import { append } from '../../util/lists.ts';
import { userError } from '../../util/user-error.ts';
import type { LiveSource } from '../plan-tree.ts';
import { type PlanInputs, type PlanRun, treeOf } from '../planning.ts';
import { readsOf, type Session } from '../session.ts';
import { coveredBy, type Expectation, isExpected, notCovered, planDigest, withoutRefused } from './digest.ts';

export interface ApprovedPlan extends PlanRun {
  readonly today: Plan;
  /** Approved steps that are already done, by the label of their organization. */
  readonly satisfied: ReadonlyMap<string, readonly Step[]>;
  /** Ids of steps outside of the plan that differed before anything was sent, by label. */
  readonly elsewhere: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Approved before the run: a digest or an approval, a reviewed plan, or the reason why nothing is. */
export type Approval = Expectation | Plan | DiagnosticError;

/** Undefined if nothing is approved. */
export function approvedDigest(approval: Approval | undefined): string | undefined {
  if (approval === undefined || approval instanceof DiagnosticError) return undefined;
  return 'digests' in approval ? (approval.digests[0] ?? '') : planDigest(approval);
}

export function asApproved(planned: PlanRun | ApprovedPlan): ApprovedPlan {
  if ('today' in planned) return planned;
  return { ...planned, today: planned.plan, satisfied: new Map(), elsewhere: new Map() };
}

/**
 * Reads the live state again for a plan that was approved some time after it was made, before anything is sent. Ignores changes elsewhere.
 * @throws DiagnosticError (`plan-stale`) with the changes of objects that the plan touches, or if access ended since.
 */
export async function recheckApproval(
  session: Session,
  planned: PlanRun,
  now = session.source.now,
): Promise<ApprovedPlan> {
  requireSameEndings(planned.inputs, now);
  return withSources(session.workspace.sources, recheck(await readsOf(session), session, planned));
}

async function recheck(source: LiveSource, { reads }: Session, planned: PlanRun): Promise<ApprovedPlan> {
  const { memory, lives } = planned;
  // A rehearsal needs all reads of the plan.
  if (memory === undefined || reads !== undefined)
    return recheckWith({ ...source, memory: new ReadMemory() }, planned);
  try {
    return await recheckWith({ ...source, memory }, planned, lives);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    // An error from state that was read before approval may be outdated: read everything again.
    return recheckWith({ ...source, memory }, planned);
  }
}

/** A plan is valid until the next last day of an entry; an undo has the trees of an earlier day. `now`: in milliseconds. */
function requireSameEndings({ trees, choices }: PlanInputs, now: number | undefined): void {
  const today = now === undefined || choices.undoes !== undefined ? '' : dayOf(now);
  const ended = trees
    .flatMap(({ data: { endings } }) => endings?.entries ?? [])
    .find(({ isOver, until }) => !isOver && until < today);
  if (ended === undefined) return;
  const what = [ended.address, entryName(ended)].filter(Boolean).join('.');
  throw userError(
    'plan-stale',
    `nothing was applied: ${what} ended on ${ended.until}, after the plan was made`,
    'plan and review again',
  );
}

/** `known`: only objects that the steps touch are read again. */
async function recheckWith(
  source: LiveSource,
  { plan, inputs }: PlanRun,
  known?: PlanRun['lives'],
): Promise<ApprovedPlan> {
  const { SeenState } = await import('../reads/seen-state.ts');
  const seen = new SeenState(source, { inputs, ...defined({ lives: known }) });
  const organizations: OrganizationPlan[] = [];
  const satisfied = new Map<string, readonly Step[]>();
  const elsewhere = new Map<string, ReadonlySet<string>>();
  const lives = new Map<string, LiveTree>();
  const problems: Diagnostic[] = [];
  for (const organization of plan.organizations) {
    const { plan: today, live, comparison } = await seen.recheck(organization);
    lives.set(organization.label, live);
    if (today.profile !== organization.profile) problems.push(otherService(organization, today));
    const stale = comparison.differences.filter(({ elsewhere }) => !elsewhere);
    for (const difference of stale) problems.push(diagnostic('plan-stale', difference));
    satisfied.set(organization.label, comparison.satisfied);
    const chosen = new Set(comparison.steps.map(({ id }) => id));
    const others = today.steps.filter(({ id }) => !chosen.has(id));
    elsewhere.set(organization.label, new Set(others.map(({ id }) => id)));
    if (stale.length === 0) {
      let refusals = refusalsOf(today, chosen);
      if (refusals.length > 0 && others.length > 0) {
        // Plan only these steps: new refusals of other steps do not matter.
        const only = new Set(comparison.steps.map(({ address }) => address));
        refusals = refusalsOf((await seen.recheck(organization, { only })).plan, chosen);
      }
      append(problems, refusals.map(refusedNow));
    }
    // A saved plan does not have the declarations of objects that it does not need.
    const declared = treeOf(inputs, organization);
    const undeclared = organization.pending?.filter(
      ({ address, field }) => field !== undefined && declared.get(address)?.fields[field] === undefined,
    );
    organizations.push({
      ...today,
      pending: [...(today.pending ?? []), ...(undeclared ?? [])],
      steps: comparison.steps.map((step) => ({ ...step, after: step.after.filter((id) => chosen.has(id)) })),
      refusals: organization.refusals,
    });
  }
  if (problems.length > 0) throw new DiagnosticError(withSuggestion(problems));
  const today: Plan = { format: 1, organizations };
  return { plan, inputs, lives, today, satisfied, elsewhere, ...defined({ memory: source.memory }) };
}

/** The requests may mean something else for another version of the service. */
function otherService(
  { label, profile: planned = 'document' }: OrganizationPlan,
  { profile: now = 'document' }: OrganizationPlan,
): Diagnostic {
  const message = `${label}: the plan was made for a service of the form ${planned}, and this one is ${now}`;
  return { severity: 'error', code: 'plan-stale', message };
}

function refusalsOf({ refusals }: OrganizationPlan, chosen: ReadonlySet<string>): readonly Refusal[] {
  return refusals.filter(
    ({ steps, skipped }) => skipped !== true && (steps.length === 0 || steps.some((id) => chosen.has(id))),
  );
}

/**
 * Drift since the approval, by organization: objects that changed only in the live state, and that the approved plan neither touches
 * nor needs. The apply skips them. If only a digest is known, it must match that of the plan without them.
 */
export function driftSince(
  plan: Plan,
  approved: Approval,
  registry: Registry,
): ReadonlyMap<string, ReadonlySet<string>> {
  if (approved instanceof DiagnosticError) return new Map();
  if ('digests' in approved && isExpected(planDigest(plan), approved)) return new Map();
  const all = 'organizations' in approved ? withoutRefused(approved).organizations : [];
  const isCovered = 'digests' in approved ? coveredBy(plan, approved) : () => false;
  const drifted = plan.organizations.map((today) => {
    const reviewed = all.find(({ organizationId }) => organizationId === today.organizationId)?.steps ?? [];
    const covered = effectsOf(today, registry).flatMap((effect) => (isCovered(effect) ? [effect.step] : []));
    const others = today.steps.filter((step) => !isOnlyDrift(step));
    const isOwn = concerns([...reviewed, ...covered, ...others]);
    const needed = new Set<string>();
    const left = [...today.steps].reverse().filter((step) => {
      if (!isOwn(step) && !needed.has(step.id)) return true;
      for (const id of step.needs) needed.add(id);
      return false;
    });
    return [today.label, new Set(left.map(({ address }) => address).sort())] as const;
  });
  return new Map(drifted.filter(([, addresses]) => addresses.size > 0));
}

/** Refuses a plan that does more than was approved. An empty plan is within every approval. */
export function requireApproved(plan: Plan, approval: Approval, registry: Registry): void {
  if (approval instanceof DiagnosticError) {
    if (!isEmptyPlan(plan)) throw approval;
  } else if ('digests' in approval) requireExpected(plan, approval);
  else requireReviewed(plan, approval, registry);
}

function requireExpected(plan: Plan, expected: Expectation): void {
  const digest = planDigest(plan);
  if (isExpected(digest, expected) || plan.organizations.every(({ steps }) => steps.length === 0)) return;
  const { digests, parts, ways } = expected;
  if (parts === undefined) {
    throw userError(
      'unexpected-plan',
      `the plan is not the expected one: its digest is ${shortDigest(digest)}, not ${digests.join(' or ')}`,
      `the manifests, or objects of the plan, have changed since; to see the differences, or to apply the rest of the reviewed plan, pass the plan itself (--approved, a file of plan --out) or its approval (plan --format json). Otherwise ${reviewAgain}`,
    );
  }
  const more = notCovered(plan, expected);
  if (more.length === 0) return;
  const inApp = more.some(({ step, field }) => isDrift((field ?? step).cause));
  const after = [
    'or open another request: its plan includes what is left, and its merge approves it',
    ...(inApp ? ['or undo the changes of the app, and run this again'] : []),
  ];
  const suggestion = ways === undefined ? reviewAgain : [...ways, ...after].join('\n');
  throw new DiagnosticError(withSuggestion(more.map(notApproved), `nothing was applied: ${suggestion}`));
}

function requireReviewed(plan: Plan, approved: Plan, registry: Registry): void {
  requireSameService('the approved plan', approved.service, { here: plan, wayOut: planAgain });
  const allowed = withoutRefused(approved).organizations;
  const problems = plan.organizations.flatMap((today) => {
    const known = allowed.find(({ organizationId }) => organizationId === today.organizationId);
    const before = known ?? { ...today, steps: [] };
    return comparePlans(before, today, { registry, sameDesired: false }).differences.map((difference) =>
      diagnostic('unexpected-plan', difference),
    );
  });
  if (problems.length > 0)
    throw new DiagnosticError(withSuggestion(problems, `nothing was applied: ${reviewAgain}`));
}

/** A merged pull request cannot be planned again. */
const reviewAgain =
  'revert those changes in the app, and run this again; or review the plan as it is now: after a merge, open another pull request, whose plan and approval include it';

function diagnostic(code: DiagnosticCode, { address, message }: PlanDifference): Diagnostic {
  const since = code === 'plan-stale' ? 'changed since the plan was made' : 'not as approved';
  return { severity: 'error', code, message: `${since}: ${message}`, address };
}

function notApproved({ step: { action, phase, address, cause }, field }: Effect): Diagnostic {
  const what = field === undefined ? `${action} (${phase})` : `the change of ${field.field}`;
  const why = isDrift((field ?? { cause }).cause) ? ': it was changed in the app' : '';
  return { severity: 'error', code: 'unexpected-plan', message: `${what} was not approved${why}`, address };
}

function refusedNow({ address, message, suggestion }: Refusal): Diagnostic {
  return { severity: 'error', code: 'plan-stale', message: `now refused: ${message}`, address, suggestion };
}

/** Adds the suggestion to the last problem only. */
function withSuggestion(
  problems: readonly Diagnostic[],
  suggestion = 'nothing was applied: plan and review again',
): readonly Diagnostic[] {
  return problems.map((problem, index) =>
    index === problems.length - 1 && problem.suggestion === undefined ? { ...problem, suggestion } : problem,
  );
}
