/** The sentences that close a plan's report: what cannot be known, the counts, and what is refused. Pure. */
import { type Counts, countActions, type Plan, standingRefusals } from '../plan/plan.ts';
import { countOf } from '../util/count.ts';
import { push } from '../util/group.ts';
import { countByCause } from './cause-counts.ts';
import { isPartial, leftOutText, unmanagedText } from './left-out.ts';

/** What a plan without a base cannot know; undefined where every organization has one, or there is nothing to report. */
export function missingBaseNote(plan: Plan): string | undefined {
  const reports = plan.organizations.some(({ steps, unmanaged }) => steps.length + unmanaged.length > 0);
  if (!reports || plan.organizations.every(({ withBase }) => withBase)) return undefined;
  if (isDrift(plan))
    return 'No base: every difference from the manifests counts as drift. Record each apply (octavo apply --record), or pass --base <ref>.';
  return 'No base: cannot tell your changes from drift or detect removals. Record each apply (octavo apply --record), or pass --base <ref>.';
}

/** The plan in a few sentences, one a line, for example `Plan: 3 to create, 0 to update, …`. */
export function closingSentences(plan: Plan): readonly string[] {
  if (isDrift(plan)) return driftSentences(plan);
  const counts = countActions(plan);
  const refused = plan.organizations.reduce((sum, { refusals }) => sum + refusals.length, 0);
  const changes = Object.values(counts).some((count) => count > 0);
  const sentences = changes ? [`Plan: ${totalText(counts)}.`, ...causeSentences(plan)] : [];
  if (refused > 0) {
    const all = `${countOf(refused, 'change')} ${refused === 1 ? 'is' : 'are'} refused`;
    const effect = standingRefusals(plan).length > 0 ? '; nothing will be applied' : ' and left out';
    sentences.push(`${all}${effect}.`);
  }
  const leftOut = leftOutText(plan);
  const isWhole =
    leftOut === undefined &&
    !isUndo(plan) &&
    !isPartial(plan) &&
    !plan.organizations.some(({ policy }) => policy !== undefined);
  const left = leftoverSentences(plan);
  const incomplete = left.length > 0 ? 'Nothing to apply.' : 'No changes to apply.';
  const none = isWhole && left.length === 0 ? 'No changes. Live state matches the manifests.' : incomplete;
  return [
    ...(sentences.length > 0 ? sentences : [none]),
    ...left,
    ...(leftOut === undefined ? [] : [leftOut]),
  ];
}

/** What runs created before they failed, and nothing declares: a run that was reverted is not undone by that. */
function leftoverSentences({ organizations }: Plan): readonly string[] {
  const byRun = new Map<string, string[]>();
  for (const { run, address } of organizations.flatMap(({ leftovers = [] }) => leftovers))
    push(byRun, run, address);
  return [...byRun].map(
    ([run, addresses]) =>
      `Left over from run ${run}, which was not completed: ${addresses.slice(0, 5).join(', ')}${addresses.length > 5 ? ` and ${addresses.length - 5} more` : ''}. Delete with octavo undo ${run}.`,
  );
}

/** True for drift alone, which is not applied. */
export function isDrift({ organizations }: Plan): boolean {
  return organizations.some(({ shows }) => shows === 'drift');
}

/** What happened outside the manifests, which is the reverse of what a plan would do about it. */
function driftSentences(plan: Plan): readonly string[] {
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
  const left = leftoverSentences(plan);
  const isWhole = leftOut === undefined && unmanaged === '' && left.length === 0 && !isPartial(plan);
  const none = isWhole ? 'No drift.' : 'No drift in declared objects.';
  return [
    parts.length === 0 ? none : `Drift: ${parts.join(', ')}.`,
    ...left,
    ...(unmanaged === '' ? [] : [`Beside it: ${unmanaged}.`]),
    ...(leftOut === undefined ? [] : [leftOut]),
  ];
}

/** Every action by name, zeros included. */
function totalText(counts: Counts): string {
  const { create, update, move, replace, restore } = counts;
  const parts = [`${create} to create`, `${update} to update`, `${move} to move`, `${replace} to replace`];
  if (restore > 0) parts.push(`${restore} to restore`);
  return [...parts, `${counts.delete} to delete`].join(', ');
}

/** For example `This commit: 1 to create. Drift: 1 to update. Conflicts: 1.`: only what there is. */
function causeSentences(plan: Plan): readonly string[] {
  const counts = countByCause(plan);
  if (counts === undefined) return [];
  const parts: string[] = [];
  if (!isUndo(plan) && hasAny(counts.change)) parts.push(`This commit: ${presentText(counts.change)}.`);
  if (hasAny(counts.drift)) parts.push(`Drift: ${presentText(counts.drift)}.`);
  if (counts.conflicts > 0) parts.push(`Conflicts: ${counts.conflicts}.`);
  return parts.length === 0 ? [] : [parts.join(' ')];
}

function isUndo({ organizations }: Plan): boolean {
  return organizations.some(({ undoes }) => undoes !== undefined);
}

function hasAny(counts: Counts): boolean {
  return Object.values(counts).some((count) => count > 0);
}

function presentText(counts: Counts): string {
  const actions = ['create', 'update', 'move', 'replace', 'restore', 'delete'] as const;
  return actions
    .filter((action) => counts[action] > 0)
    .map((action) => `${counts[action]} to ${action}`)
    .join(', ');
}
