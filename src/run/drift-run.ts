/** Changes that others made in the app since the last apply. */
import { driftOf } from '../review/drift.ts';
import type { ReviewedPlan } from '../review/reviewed-plan.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { withSources } from '../util/diagnostic.ts';
import { addressMatcher } from '../util/glob.ts';
import { withAuthors } from './facts/authors.ts';
import { planRun } from './plan-run.ts';
import { type PlanRun, planFromMemory } from './planning.ts';
import { liveSourceOf, readsOf, type Session } from './session.ts';
import { refuseUnmatched, targetsIn } from './targets.ts';
import { type AcceptRequest, type AcceptRun, accept, type WriteBackOptions } from './write-back/accept.ts';

/**
 * A plan that reverts drift, with its live state, so that it can be accepted instead. `patterns`: globs of addresses; all if empty.
 * @throws DiagnosticError if a pattern matches nothing; ApiError if a request fails.
 */
export async function planDrift(session: Session, patterns: readonly string[]): Promise<PlanRun> {
  const planned = await planRun(session, { asDrift: true });
  refuseUnmatched({ '': patterns }, targetsIn(planned.inputs, planned.plan));
  return planned;
}

export interface DriftChoices {
  readonly patterns: readonly string[];
  /** Live objects that no manifest lists are drift, too. */
  readonly unmanaged?: boolean | undefined;
  /** Unit: milliseconds. */
  readonly now: number;
}

/** The report of a plan of `planDrift`, with the people who caused it, if the service knows them. */
export async function driftRun(
  session: Session,
  planned: PlanRun,
  { patterns, unmanaged, now }: DriftChoices,
): Promise<ReviewedPlan> {
  const all = patterns.length === 0;
  const drift = driftOf(planned.plan, {
    ...(all ? {} : { patterns }),
    isChosen: (organization, address) => all || addressMatcher(patterns, organization.label)(address),
  });
  const organizations = drift.organizations.map((one) => ({ ...one, countsUnmanaged: true as const }));
  const report = unmanaged === true ? { ...drift, organizations } : drift;
  return withAuthors(report, { ...(await liveSourceOf(session)), pasts: planned.inputs.pasts, now });
}

export interface AcceptDriftOptions extends WriteBackOptions, Pick<AcceptRequest, 'pins'> {
  /** Globs of addresses of declared objects, or of unmanaged ones, which are then added. Empty: all declared objects. */
  readonly patterns: readonly string[];
}

/**
 * Accepts the drift of a session's plan, chosen by addresses.
 * @throws DiagnosticError if the result is not sound.
 */
export async function acceptDrift(
  session: Session,
  planned: PlanRun,
  { patterns, pins, ...rest }: AcceptDriftOptions,
): Promise<AcceptRun> {
  const { workspace, source } = session;
  const organizations = planned.plan.organizations.flatMap((plan) => {
    const tree = planned.inputs.trees.find(({ label }) => label === plan.label);
    const live = planned.lives?.get(plan.label);
    const past = planned.inputs.pasts.get(plan.label);
    if (tree === undefined || live === undefined) return [];
    const isNamed = addressMatcher(patterns, plan.label);
    const isChosen = patterns.length === 0 ? () => true : isNamed;
    const additions = plan.unmanaged.filter(({ address }) => isNamed(address));
    const isPinned = () => pins !== undefined;
    return [{ tree, plan, live, past, isChosen, additions, isPinned }];
  });
  const command = pins === 'only' ? 'drift --pin' : 'drift --accept';
  const planEdited = async (trees: readonly DesiredTree[]) => {
    const { inputs, memory } = planned;
    const settings = new Map(inputs.trees.map((tree) => [tree.label, tree.settings]));
    const own = trees.map((tree) => tree.with({ settings: settings.get(tree.label) ?? tree.settings }));
    return planFromMemory({ ...(await readsOf(session)), memory }, { ...inputs, trees: own, choices: {} });
  };
  const run = accept({ ...rest, organizations, pins, workspace, source, command, planEdited });
  return withSources(workspace.sources, run);
}
