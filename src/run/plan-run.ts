/** Plans the workspace of a session. */
import { ReadMemory } from '../live/read-memory.ts';
import { changedSince } from '../plan/scope/changed.ts';
import { nothingToCompare, type PlanChoices } from '../plan/scope/choices.ts';
import { canonicalTree } from '../tree/canonical-tree.ts';
import { withSources } from '../util/diagnostic.ts';
import { userError } from '../util/user-error.ts';
import type { LiveSource } from './plan-tree.ts';
import { type PlanRun, planAll } from './planning.ts';
import { readsOf, type Session } from './session.ts';
import { mayMatchUnlisted, refuseUnmatched, targetsIn } from './targets.ts';

/**
 * Reads the live state and plans. Warnings and hints are passed to `onNote`.
 * @throws DiagnosticError with all problems; ApiError if a request fails.
 */
export async function planRun(session: Session, choices: PlanChoices = {}): Promise<PlanRun> {
  const { pasts, workspace, about, rules, split, keepsReads } = session;
  const { trees } = workspace;
  const missing = trees.filter(({ label }) => pasts.get(label)?.tree === undefined);
  if (choices.ignoreDrift === true && missing.length > 0) {
    throw userError(
      'base',
      'cannot tell drift from changes without a base',
      'name what was applied before, for example --base origin/main',
    );
  }
  if (choices.changed === true) {
    if (missing.length > 0) throw nothingToCompare(missing);
    if (choices.target !== undefined)
      throw userError('usage', '--changed and --target exclude each other', 'pass one of them');
  }
  // Others' changes since the merge base are live, but are not changes of this branch.
  const ownOnly = about?.behind === 'own' ? { ...choices, ignoreDrift: true } : choices;
  const inputs = { trees, pasts, rules, about, choices: ownOnly };
  // A pattern without a match in this shard may match in another one.
  const all = { trees: split?.declared ?? trees, pasts };
  const given = { '--target ': choices.target, '--exclude ': choices.exclude };
  const onlyListed = !mayMatchUnlisted(all.trees);
  if (onlyListed) refuseUnmatched(given, targetsIn(all));
  const memory = keepsReads === false ? undefined : new ReadMemory();
  return planWith(session, async (source) => {
    const planned = await planAll({ ...source, memory }, inputs);
    if (!onlyListed && split === undefined) refuseUnmatched(given, targetsIn(all, planned.plan));
    return planned;
  });
}

/** Reports reads and notes of a plan, and adds what identifies its manifests. */
export async function planWith(
  session: Session,
  make: (source: LiveSource) => Promise<PlanRun>,
): Promise<PlanRun> {
  const { workspace, split, source, onProgress, onNote, binding = [] } = session;
  const { sources, overlays: { selected: overlays = [] } = {} } = workspace;
  let requests = 0;
  const onRead = () => {
    requests += 1;
    onProgress?.({ type: 'read', requests });
  };
  const reads = { ...(await readsOf(session)), onRead, withReview: true } as const;
  const planned = await withSources(sources, make(reads));
  const notes = planned.plan.organizations.flatMap((organization) => organization.notes);
  if (notes.length > 0) onNote?.(notes, sources);
  const identities = {
    ...source.identity,
    ...(split && { shard: split.part }),
    ...(overlays.length > 0 && { overlays }),
    ...(binding.length > 0 && { binding }),
  };
  return { ...planned, plan: { ...planned.plan, ...identities } };
}

/**
 * Labels of organizations that the manifests changed since the base; calls no service. An organization without a record counts as
 * changed.
 * @throws DiagnosticError without any base.
 */
export function changedOrganizations({ pasts, workspace, source }: Session): ReadonlySet<string> {
  const { trees } = workspace;
  if ([...pasts.values()].every((past) => past.tree === undefined)) throw nothingToCompare(trees);
  const { registry } = source;
  const own = trees.filter((tree) => {
    const { tree: base, wasApplied } = pasts.get(tree.label) ?? {};
    if (base === undefined) return true;
    const [desired, former] = [canonicalTree(tree, registry), canonicalTree(base, registry)];
    return changedSince({ desired, base: former, registry, wasApplied })?.isNothing !== true;
  });
  return new Set(own.map(({ label }) => label));
}
