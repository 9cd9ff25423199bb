/** What happens during an apply, one line each, while it happens. Pure. */
import type { OtherObject } from '../apply/create-watch.ts';
import type { Outcome } from '../apply/events.ts';
import type { Phase } from '../plan/plan.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import type { TextOptions } from './plan-text.ts';
import { safeText } from './safe-text.ts';
import { makeStyle } from './style.ts';

/** Phases as people read them. */
export const phaseWords: Readonly<Record<Phase, { readonly noun: string; readonly done: string }>> = {
  create: { noun: 'create', done: 'created' },
  update: { noun: 'update', done: 'updated' },
  move: { noun: 'move', done: 'moved' },
  delete: { noun: 'delete', done: 'deleted' },
  restore: { noun: 'restore', done: 'restored' },
  vacate: { noun: 'temporary value', done: 'given a temporary value' },
  detach: { noun: 'removal from parent', done: 'removed from parent' },
  attach: { noun: 'move into parent', done: 'moved into parent' },
};

/** A line for a step that ended; undefined where nothing is known yet: the live state will be read again. */
export function outcomeLine(
  outcome: Outcome,
  { color, isFinal = true }: Pick<TextOptions, 'color'> & { readonly isFinal?: boolean },
): string | undefined {
  const { added, removed, faint } = makeStyle({ color });
  const { step } = outcome;
  const address = safeText(step.address);
  const { noun, done } = phaseWords[step.phase];
  if (outcome.type === 'done') return `${added('✓')} ${address} ${faint(done)}`;
  if (outcome.type === 'satisfied') return faint(`- ${address} ${noun} not needed`);
  if (outcome.type === 'failed') {
    const place = step.at === undefined ? '' : faint(` (${placeText(step.at)})`);
    const why = `${safeText(outcome.error.message)}${place}`;
    if (!isFinal) return `${faint('?')} ${address} ${faint(`${noun} not confirmed`)}: ${why}`;
    const [sign, ending] = outcome.uncertain ? [removed('?'), 'unknown'] : [removed('✗'), 'failed'];
    return `${sign} ${address} ${faint(`${noun} ${ending}`)}: ${why}`;
  }
  if (!isFinal) return undefined;
  return faint(`- ${address} ${noun} ${outcome.type === 'skipped' ? 'skipped' : 'not started'}`);
}

/** Somebody else did what the run was about to do. */
export function otherWriterLine({ address, id }: OtherObject): string {
  return `${safeText(address)} was created by someone else meanwhile (${safeText(id)}): re-reading the live state`;
}

/** For example `sites.yaml:12:3`. */
export function placeText({ file, line, column }: SourceRange): string {
  return safeText(`${file}:${line}:${column}`);
}
