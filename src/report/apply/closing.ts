/** The last lines of an apply: how much was done, why it ended, and how to continue. Pure. */
import type { ApplyResult, Outcome, StopReason } from '../../apply/events.ts';
import type { Step } from '../../plan/plan.ts';
import { countOf, countsOf } from '../../util/count.ts';
import { type Block, line, paragraph, strong } from '../blocks.ts';
import { actionCounts } from '../plan/closing.ts';

export interface RunNotes {
  readonly next?: string | undefined;
  readonly undo?: string | undefined;
}

export function closing(result: ApplyResult, notes: RunNotes): readonly Block[] {
  const changes = changesOf(result);
  const done = changes.filter((change) => change.isDone);
  const counts = actionCounts(countsOf(done.map(({ action }) => action)), (action) => `${action}d`);
  const parts = openParts(result);
  const stopped = result.stopped === undefined ? [] : [stopText(result.stopped)];
  const remarks = [...pendingText(result), ...storedText(result)];
  // Command lines are not wrapped, so that they can be copied.
  const undo = notes.undo !== undefined && done.length > 0 ? [line(`Undo: ${notes.undo}`)] : [];
  if (parts.length + stopped.length === 0) return [line(strong(`Applied: ${counts}.`)), ...remarks, ...undo];
  const next = notes.next ?? 'Run apply again to continue';
  const head = line(strong(`Applied ${done.length} of ${countOf(changes.length, 'change')}: ${counts}.`));
  if (parts.length === 0)
    return [
      head,
      line(`${stopped.join('')} after the last step: the result was not checked.`),
      line(next),
      ...undo,
    ];
  return [
    head,
    ...stopped.map((text) => paragraph(`${text}.`)),
    ...helpFor(result.stopped),
    paragraph(`Apply is incomplete: ${parts.join(', ')}.`),
    ...remarks,
    line(`${next} (finished steps are not repeated)`),
    ...undo,
  ];
}

function pendingText({ organizations }: ApplyResult): readonly Block[] {
  const all = organizations.flatMap(({ outcomes }) => outcomes).filter(({ type }) => type === 'pending');
  if (all.length === 0) return [];
  const what = `${countOf(all.length, 'change')} ${all.length === 1 ? 'is' : 'are'} pending`;
  return [line(`${what}: accepted by the service, not carried out yet. The next plan shows the result.`)];
}

function storedText({ organizations }: ApplyResult): readonly Block[] {
  const all = organizations.flatMap(({ stored }) => stored);
  const told = (isHidden: boolean, what: string): readonly Block[] => {
    const count = all.filter(({ stored }) => (stored === undefined) === isHidden).length;
    const [many, them] = count === 1 ? ['value is', 'it'] : ['values are', 'them'];
    const known = `While the record or the journal of this run is known, no apply sends ${them} again.`;
    return count === 0 ? [] : [paragraph(`${count} ${many} ${what} ${known}`)];
  };
  const form =
    'Write the stored form into the manifests, or leave the field to the service with lifecycle: { ignore: […] }.';
  return [
    ...told(false, `stored in another form. ${form}`),
    ...told(true, 'not shown by this service, so drift in the field is not detected.'),
  ];
}

function stopText({ type, message }: StopReason): string {
  if (type === 'interrupted') return 'Interrupted';
  if (type === 'unavailable') return `Stopped, since the service is not available: ${message}`;
  if (type === 'token') return `Stopped, since the service does not accept the token: ${message}`;
  if (type === 'permission') return `Stopped, since the service forbids the changes: ${message}`;
  return `Stopped: ${message}`;
}

function helpFor(stopped: StopReason | undefined): readonly Block[] {
  if (stopped?.type === 'token') return [paragraph('help: check OCTAVO_TOKEN or the token file')];
  if (stopped?.type !== 'permission') return [];
  return [
    paragraph(
      'help: use a token that may change these objects (octavo doctor shows what this one may do); apply the others with --exclude',
    ),
  ];
}

function openParts({ organizations }: ApplyResult): readonly string[] {
  const outcomes = organizations.flatMap((organization) => organization.outcomes);
  const count = (wanted: Outcome['type']) => outcomes.filter(({ type }) => type === wanted).length;
  const parts = [
    [count('failed'), 'failed'],
    [count('unknown'), 'unknown'],
    [count('skipped'), 'skipped'],
    [count('notStarted'), 'not tried'],
    [organizations.flatMap(({ leftover }) => leftover).length, 'left'],
  ] as const;
  const { length: duplicates } = organizations.flatMap((one) => one.duplicates);
  return [
    ...parts.flatMap(([number, word]) => (number === 0 ? [] : [`${countOf(number, 'step')} ${word}`])),
    ...(duplicates === 0 ? [] : [`${countOf(duplicates, 'object')} also created by someone else`]),
    ...(organizations.some(({ unread }) => unread !== undefined) ? ['the outcome is not verified'] : []),
  ];
}

function changesOf({ organizations }: ApplyResult) {
  return organizations.flatMap(({ steps, outcomes, leftover }) => {
    const planned = new Map(steps.map((step) => [keyOf({ step }), step]));
    const ended = new Set(outcomes.map(keyOf));
    const open = [
      ...outcomes.filter(({ type }) => type !== 'done' && type !== 'satisfied'),
      ...leftover.map((step) => ({ step })),
    ];
    const openKeys = new Set(open.map(keyOf));
    // Steps added after a second read belong to the change of their object.
    const added = new Set(open.filter((one) => !planned.has(keyOf(one))).map(({ step }) => step.address));
    return [...planned].map(([key, { action, address }]) => ({
      action,
      // A created object exists, even if later steps failed.
      isDone: ended.has(key) && !openKeys.has(key) && (action === 'create' || !added.has(address)),
    }));
  });
}

function keyOf({ step: { address, action } }: { readonly step: Step }): string {
  return `${address} ${action}`;
}
