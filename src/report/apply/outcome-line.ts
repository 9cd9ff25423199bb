import type { ApplyEvent, StepOutcome } from '../../apply/events.ts';
import { isUpdate, type Phase, type Step } from '../../plan/plan.ts';
import { greatest } from '../../util/lists.ts';
import { placeText } from '../../util/places.ts';
import { displayWidth, lastColumns, padEnd, safeText, shorten } from '../text/safe-text.ts';
import { makeStyle } from '../text/style.ts';
import type { TextOptions } from '../view.ts';

export const phaseWords: Readonly<Record<Phase, { readonly noun: string; readonly done: string }>> = {
  create: { noun: 'create', done: 'created' },
  update: { noun: 'update', done: 'updated' },
  take: { noun: 'update', done: 'updated' },
  move: { noun: 'move', done: 'moved' },
  delete: { noun: 'delete', done: 'deleted' },
  restore: { noun: 'restore', done: 'restored' },
  vacate: { noun: 'temporary value', done: 'given a temporary value' },
  detach: { noun: 'removal from parent', done: 'removed from parent' },
  attach: { noun: 'move into parent', done: 'moved into parent' },
};

export interface OutcomeLayout extends Pick<TextOptions, 'color'> {
  /** Columns of addresses and outcomes, if lines are aligned. */
  readonly columns?: OutcomeColumns | undefined;
  readonly milliseconds?: number | undefined;
}

export type OutcomeColumns = ReturnType<typeof outcomeColumns>;

/** Maximum width of the address column: longer addresses are rare, and a single one must not shift all others. */
const widestAddress = 66;
const widestDone = 31;
/** Maximum share of a terminal's width for the outcome. */
const widestShare = 0.4;
/** The sign, the duration and the spaces between the columns. */
const besideColumns = 4 + 2 + 2 + 6;

/** `width`: columns of the terminal; unlimited if absent. `cuts`: longer texts are cut, on narrow terminals. */
export function outcomeColumns(steps: readonly Step[], width?: number) {
  const done = Math.min(widestDone, greatest(steps.map((step) => displayWidth(doneText(step)))));
  const address = Math.min(
    widestAddress,
    greatest(steps.map((step) => displayWidth(safeText(step.address)))),
  );
  if (width === undefined) return { address, done, cuts: false };
  const narrow = Math.min(done, Math.max(8, Math.floor(width * widestShare)));
  return {
    address: Math.max(8, Math.min(address, width - narrow - besideColumns)),
    done: narrow,
    cuts: true,
  };
}

/** Example: `sites/hub (update)`. */
export function described({ address, phase }: Pick<Step, 'address' | 'phase'>): string {
  return `${address} (${phaseWords[phase].noun})`;
}

/** A step that is done has the word of its phase. */
export const outcomeWords: Readonly<Record<StepOutcome, readonly [sign: string, word: string]>> = {
  done: ['✓', ''],
  pending: ['…', 'pending'],
  satisfied: ['-', 'not needed'],
  failed: ['✗', 'failed'],
  unknown: ['?', 'unknown'],
  skipped: ['-', 'skipped'],
  notStarted: ['-', 'not started'],
};

/** Ending of a step that is not done, for example `update failed`. */
export function endingText({ phase }: Pick<Step, 'phase'>, outcome: StepOutcome): string {
  return `${phaseWords[phase].noun} ${outcomeWords[outcome][1]}`;
}

/** Undefined if the outcome is unknown: the live state will be read again. */
export function outcomeLine(
  step: Step,
  { outcome, final, error }: Pick<Extract<ApplyEvent, { type: 'step' }>, 'outcome' | 'final' | 'error'>,
  layout: OutcomeLayout,
): string | undefined {
  const { columns, milliseconds } = layout;
  const { added, changed, removed, faint } = makeStyle(layout);
  const row = (sign: string, what: string, why = '') => {
    const address = fitted(safeText(step.address), 'address', columns);
    const time = milliseconds === undefined ? '' : `${(milliseconds / 1000).toFixed(1)} s`;
    // A reason may be long, so it is the last column.
    const rest =
      why === ''
        ? faint(`${fitted(what, 'done', columns)}  ${time.padStart(6)}`.trimEnd())
        : `${faint(what)}: ${why}`;
    return `  ${sign} ${address}  ${rest}`;
  };
  if (outcome === 'done') return row(added('✓'), doneText(step));
  const ending = endingText(step, outcome);
  if (error !== undefined) {
    const place = step.at === undefined ? '' : faint(` (${safeText(placeText(step.at))})`);
    const why = `${safeText(error.message)}${place}`;
    if (!final) return row(faint('?'), `${phaseWords[step.phase].noun} not confirmed`, why);
    return row(removed(outcomeWords[outcome][0]), ending, why);
  }
  if (outcome === 'pending') return row(changed('…'), ending);
  return final || outcome === 'satisfied' ? row(faint('-'), ending) : undefined;
}

function fitted(text: string, column: 'address' | 'done', columns: OutcomeColumns | undefined): string {
  if (columns === undefined) return text;
  const width = columns[column];
  if (!columns.cuts || displayWidth(text) <= width) return padEnd(text, width);
  // The end of an address matters more than its beginning.
  return column === 'done' ? shorten(text, width) : `…${lastColumns(text, width - 1)}`;
}

/** Example: `created`, or `title, path updated`. */
function doneText({ phase, fields }: Step): string {
  const { done } = phaseWords[phase];
  if (!isUpdate({ phase }) || fields.length === 0 || fields.length > 2) return done;
  return `${fields.map(({ field }) => safeText(field)).join(', ')} ${done}`;
}

export function otherWriterLine({ address, id }: { readonly address: string; readonly id: string }): string {
  return `${safeText(address)} was created by someone else during this run (${safeText(id)}): re-reading the live state`;
}
