/** Accepts the drift of a session's plan, chosen by addresses. */
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { withSources } from '../../util/diagnostic.ts';
import { addressMatcher } from '../../util/glob.ts';
import type { PlanRun } from '../planning.ts';
import type { Session } from '../session.ts';
import { type AcceptRun, accept, type WriteBackOptions } from './accept.ts';

export interface AcceptDriftOptions extends WriteBackOptions {
  /** Globs of addresses of declared objects, or of unmanaged ones, which are then added. Empty: all declared objects. */
  readonly patterns: readonly string[];
  /** `only`: accepts no drift. */
  readonly pins?: 'also' | 'only' | undefined;
}

/** @throws DiagnosticError if the result is not sound. */
export async function acceptDrift(
  session: Session,
  planned: PlanRun,
  { patterns, pins, ...rest }: AcceptDriftOptions,
): Promise<AcceptRun> {
  const { workspace, source } = session;
  const organizations = planned.plan.organizations.flatMap((plan) => {
    const tree = planned.inputs.trees.find(({ label }) => label === plan.label);
    const live = planned.lives?.get(plan.label);
    const base = planned.inputs.bases?.get(plan.label);
    if (tree === undefined || live === undefined) return [];
    const asStored = planned.inputs.known?.get(plan.label)?.asStored;
    const isAdded = addressMatcher(patterns, plan.label);
    const isChosen = patterns.length === 0 ? () => true : isAdded;
    return [{ tree, plan, live, base, asStored, isChosen, isAdded, isPinned: () => pins !== undefined }];
  });
  const command = pins === 'only' ? 'drift --pin' : 'drift --accept';
  const planEdited = (trees: readonly DesiredTree[]) => session.planEdited(trees, planned);
  const run = accept({ organizations, pins, workspace, source }, { ...rest, command, planEdited });
  return withSources(workspace.sources, run);
}
