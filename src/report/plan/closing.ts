/** The end of a plan's report: unknown parts, counts, refusals, omitted parts. Pure. */

import {
  type Action,
  type Counts,
  countActions,
  type Plan,
  type PlanShard,
  standingRefusals,
} from '../../plan/plan.ts';
import { countByCause, isPartial } from '../../review/plan-document.ts';
import {
  type ReviewedOrganization,
  type ReviewedPlan,
  unmanagedByDanger,
} from '../../review/reviewed-plan.ts';
import { countEach, countOf, someOf } from '../../util/count.ts';
import { grouped, push } from '../../util/group.ts';

/** Undefined if every organization has a base, or no organization has differences. */
export function missingBaseNote(plan: ReviewedPlan): string | undefined {
  const reports = plan.organizations.some(({ steps, unmanaged }) => steps.length + unmanaged.length > 0);
  if (!reports || plan.organizations.every(({ withBase }) => withBase)) return undefined;
  if (isDrift(plan))
    return 'No base: every difference from the manifests counts as drift. Record each apply (octavo apply --record), or pass --base <ref>.';
  return 'No base: cannot tell your changes from drift or detect removals. Record each apply (octavo apply --record): from then on, removals from the manifests are detected. Or pass --base <ref>.';
}

/** Sentences. `does` begins with the counts, for example `Plan: 3 to create, 0 to update, …`. */
export function closingOf(plan: ReviewedPlan) {
  if (isDrift(plan)) return driftClosing(plan);
  const counts = countActions(plan);
  const refused = plan.organizations.reduce((sum, { refusals }) => sum + refusals.length, 0);
  const changes = Object.values(counts).some((count) => count > 0);
  const total = actionCounts(counts, (action) => `to ${action}`);
  const sentences = changes ? [`Plan: ${total}.`, ...causeSentences(plan)] : [];
  if (refused > 0) {
    const all = `${countOf(refused, 'change')} ${refused === 1 ? 'is' : 'are'} refused`;
    const effect = standingRefusals(plan).length > 0 ? '; nothing will be applied' : ' and left out';
    sentences.push(`${all}${effect}.`);
  }
  const leftOut = leftOutText(plan);
  const isWhole =
    leftOut.length === 0 &&
    !isUndo(plan) &&
    !isPartial(plan) &&
    !plan.organizations.some(({ review }) => review?.policy !== undefined);
  const earlier = earlierSentences(plan);
  const incomplete = earlier.length > 0 ? 'Nothing to apply.' : 'No changes to apply.';
  const isMerged = plan.organizations.some(({ base }) => base?.behind === 'merge');
  const manifests = isMerged ? 'merged manifests' : 'manifests';
  const none =
    isWhole && earlier.length === 0 ? `No changes. Live state matches the ${manifests}.` : incomplete;
  return { does: sentences.length > 0 ? sentences : [none], earlier, leftOut };
}

function earlierSentences(plan: ReviewedPlan): readonly string[] {
  return [...leftoverSentences(plan), ...pendingSentences(plan)];
}

function pendingSentences({ organizations }: Plan): readonly string[] {
  const open = organizations
    .flatMap(({ pending = [] }) => pending)
    .filter(({ field }) => field === undefined);
  const groups = grouped(open, ({ run, id, wanted, lost }) => `${run} ${id === undefined} ${wanted} ${lost}`);
  return [...groups.values()].map((all) => {
    const [{ run, since, id, wanted, lost }] = all;
    const addresses = all.map(({ address, role }) => (role === undefined ? address : `${address} (${role})`));
    const [what, state] =
      id === undefined
        ? ['invitation', invitationText(wanted)]
        : ['deletion', 'The service accepted it and has not carried it out; it is not sent again.'];
    const begin = lost === true ? 'Perhaps pending since' : 'Pending since';
    return `${begin} ${since.slice(0, 16).replace('T', ' ')} UTC (run ${run}): ${what} of ${someOf(addresses, 5)}. ${state}`;
  });
}

function invitationText(wanted: string | undefined): string {
  const state = 'Not live yet; it is not sent again, and the API cannot withdraw it.';
  if (wanted === undefined) return `${state} To repeat it, invite in the app.`;
  if (wanted === 'none')
    return (
      `${state} The manifests no longer declare it, and the person who accepts it becomes a member. Withdraw it in the ` +
      'app, and declare the entry with lifecycle: { release: true } until the next apply --record: then it is no longer shown.'
    );
  return `${state} The manifests now declare ${wanted}: the role changes with the first apply after it is accepted.`;
}

/** Objects and fields of failed runs that no manifest declares: reverting a commit does not revert them. */
function leftoverSentences({ organizations }: Plan): readonly string[] {
  const byRun = new Map<string, string[]>();
  for (const { run, address, fields } of organizations.flatMap(({ leftovers = [] }) => leftovers))
    push(byRun, run, fields === undefined ? address : `${fields.join(', ')} of ${address}`);
  return [...byRun].map(
    ([run, left]) =>
      `Left over from run ${run}, which is not recorded: ${someOf(left, 5)}. Revert it with octavo undo ${run}.`,
  );
}

/** A plan of drift alone is not applied. */
export function isDrift({ organizations }: Plan): boolean {
  return organizations.some(({ shows }) => shows === 'drift');
}

/** Changes outside of the manifests: the reverse of the plan's changes. */
function driftClosing(plan: ReviewedPlan) {
  const { create, update, move, replace, restore, delete: added } = countActions(plan);
  const changed = update + replace;
  const gone = create + restore;
  const isKnown = plan.organizations.every(({ withBase }) => withBase);
  const parts = [
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(move > 0 ? [`${move} moved`] : []),
    ...(gone > 0 ? [`${gone} ${isKnown ? 'deleted' : 'not live'}`] : []),
    ...(added > 0 ? [`${added} added`] : []),
  ];
  const unmanaged = unmanagedText(plan.organizations);
  const leftOut = leftOutText(plan);
  const former = earlierSentences(plan);
  const isWhole = leftOut.length + former.length === 0 && unmanaged === '' && !isPartial(plan);
  const isBlind = plan.organizations.some(({ leftOut: out }) => out.unseen !== undefined);
  const partly = isBlind ? 'No drift in the objects that this token sees.' : 'No drift in declared objects.';
  const none = isWhole ? 'No drift.' : partly;
  const drift = parts.length === 0 ? none : `Drift: ${parts.join(', ')}.`;
  const does = unmanaged === '' ? [drift] : [drift, `Also: ${unmanaged}.`];
  const authors = plan.organizations.flatMap(({ review }) => review?.authors?.note ?? []);
  return { does, earlier: [...former, ...new Set(authors)], leftOut };
}

const actions = ['create', 'update', 'move', 'replace', 'restore', 'delete'] as const;

/** Example: `1 to create, 0 to update`; restores only if there are any. */
export function actionCounts(counts: Partial<Counts>, word: (action: Action) => string): string {
  const shown = actions.filter((action) => action !== 'restore' || (counts.restore ?? 0) > 0);
  return shown.map((action) => `${counts[action] ?? 0} ${word(action)}`).join(', ');
}

/** Empty if the commit causes all changes. */
function causeSentences(plan: ReviewedPlan): readonly string[] {
  const counts = countByCause(plan);
  if (counts === undefined) return [];
  if (counts.conflicts === 0 && presentText(counts.drift) === '') return [];
  const [own, drift] = [isUndo(plan) ? '' : presentText(counts.change), presentText(counts.drift)];
  const parts = [
    ...(own === '' ? [] : [`This commit: ${own}.`]),
    ...(drift === '' ? [] : [`Drift: ${drift}.`]),
    ...(counts.conflicts > 0 ? [`Conflicts: ${counts.conflicts}.`] : []),
  ];
  return [parts.join(' ')];
}

function isUndo({ organizations }: Plan): boolean {
  return organizations.some(({ undoes }) => undoes !== undefined);
}

function presentText(counts: Counts): string {
  const present = actions.filter((action) => counts[action] > 0);
  return present.map((action) => `${counts[action]} to ${action}`).join(', ');
}

type LeftOutCount = 'objects' | 'changes' | 'drift' | 'ignoredFields' | 'pending';

function countLeftOut({ organizations }: Plan, what: LeftOutCount): number {
  return organizations.reduce((sum, { leftOut }) => sum + (leftOut[what] ?? 0), 0);
}

/** Example: `Partial plan: only teams/writers and its dependencies (72 declared objects left out).` */
export function partialText(plan: ReviewedPlan): string | undefined {
  if (!isPartial(plan)) return undefined;
  const { leftOut, shows } = plan.organizations[0] ?? {};
  const { target, exclude, changed } = leftOut ?? {};
  if (shows === 'drift' && target !== undefined) {
    const shard = plan.shard === undefined ? '' : `, ${shardText(plan.shard, plan.organizations.length)}`;
    return `Partial report: only ${target.join(', ')}${shard}.`;
  }
  const objects = countLeftOut(plan, 'objects');
  const parts = [
    ...(plan.shard === undefined ? [] : [shardText(plan.shard, plan.organizations.length)]),
    ...(target === undefined ? [] : [`only ${target.join(', ')} and dependencies`]),
    ...(changed === undefined ? [] : ['only what changed since the base; drift elsewhere: not checked']),
    ...(exclude === undefined ? [] : [`without ${exclude.join(', ')} and dependents`]),
  ];
  const rest = objects === 0 ? '' : ` (${countOf(objects, 'declared object')} left out)`;
  return `Partial plan: ${parts.join(', ')}${rest}.`;
}

/** Example: `shard 2/16 with 12 of 200 organizations`. */
function shardText({ index, of, organizations: all }: PlanShard, own: number): string {
  return `shard ${index}/${of} with ${own === 0 ? 'none' : own} of ${countOf(all, 'organization')}`;
}

/** Example: `Left out: 2 differences (drift), 3 unmanaged members (--show unmanaged).`; empty if the plan is complete. */
function leftOutText(plan: ReviewedPlan): readonly string[] {
  const count = (what: LeftOutCount) => countLeftOut(plan, what);
  const changes = count('changes');
  const drift = count('drift');
  const ignored = count('ignoredFields');
  const pending = count('pending');
  // Omitted objects are read less, so more of them may differ.
  const orMore = count('objects') > 0 ? ' or more' : '';
  // With drift, unmanaged objects are listed anyway.
  const unmanaged = isDrift(plan) ? '' : unmanagedText(plan.organizations);
  const storedIn = ({ pending = [] }: ReviewedOrganization) =>
    new Set(pending.flatMap(({ address, field }) => (field === undefined ? [] : `${address} ${field}`))).size;
  const stored = plan.organizations.reduce((sum, one) => sum + storedIn(one), 0);
  const unseen = countEach(
    plan.organizations.flatMap(({ leftOut }) => leftOut.unseen ?? []).map(({ noun }) => noun),
  );
  const parts = [
    ...(unseen === '' ? [] : [`not visible to this token: ${unseen}`]),
    ...(pending === 0 ? [] : [`changes of ${countOf(pending, 'object')} (not applied yet)`]),
    ...(changes === 0
      ? []
      : [`changes of ${countOf(changes, 'object')}${orMore} (${isDrift(plan) ? 'addresses' : 'targets'})`]),
    ...(drift === 0 ? [] : [`${countOf(drift, 'difference')} (drift)`]),
    ...(ignored === 0 ? [] : [`${countOf(ignored, 'difference')} (lifecycle.ignore)`]),
    ...(stored === 0 ? [] : [`${countOf(stored, 'value')} that the service stores in its own form`]),
    ...(unmanaged === '' ? [] : [`${unmanaged} (--show unmanaged)`]),
  ];
  return parts.length === 0 ? [] : [`Left out: ${parts.join(unseen === '' ? ', ' : '; ')}.`];
}

/** Unmanaged objects that count as drift; may be empty. */
export function countedUnmanaged(organizations: readonly ReviewedOrganization[]): string {
  return unmanagedText(organizations.filter(({ countsUnmanaged }) => countsUnmanaged === true));
}

/** Example: `2 unmanaged members, 1 unmanaged share link`: the most dangerous kinds first. */
function unmanagedText(organizations: readonly ReviewedOrganization[]): string {
  const all = organizations.flatMap(unmanagedByDanger);
  return countEach(all.map(({ noun, risk }) => `unmanaged ${risk === 'administrator' ? risk : noun}`));
}
