/** The result of an apply as text: finished steps, failures with their cause, and the steps that were not run. Pure. */
import type { ApplyResult, OrganizationResult, Outcome } from '../apply/events.ts';
import { ApiError } from '../contract/api.ts';
import type { Action, Phase, Step } from '../plan/plan.ts';
import { countOf } from '../util/count.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import { grouped } from '../util/group.ts';
import { requestText } from './api-error.ts';
import { foldEqual, togetherFrom } from './fold.ts';
import type { TextOptions } from './plan-text.ts';
import { safeText, wrap } from './safe-text.ts';
import { makeStyle, type Style } from './style.ts';

type Failed = Extract<Outcome, { type: 'failed' }>;
type Skipped = Extract<Outcome, { type: 'skipped' }>;

/** Phases as people read them. */
const phaseWords: Readonly<Record<Phase, { readonly noun: string; readonly done: string }>> = {
  create: { noun: 'create', done: 'created' },
  update: { noun: 'update', done: 'updated' },
  move: { noun: 'move', done: 'moved' },
  delete: { noun: 'delete', done: 'deleted' },
  restore: { noun: 'restore', done: 'restored' },
  vacate: { noun: 'temporary value', done: 'given a temporary value' },
  detach: { noun: 'removal from parent', done: 'removed from parent' },
  attach: { noun: 'move into parent', done: 'moved into parent' },
};

/** The summary of an apply; ends with a line break. */
export function renderApplyResult(result: ApplyResult, options: TextOptions): string {
  const style = makeStyle(options);
  const width = Math.min(200, Math.max(80, options.width));
  const lines = result.organizations.flatMap((organization) => organizationLines(organization, style, width));
  return `${[...lines, ...closing(result, style)].join('\n')}\n`;
}

/** One line for a step that ended, for progress. */
export function outcomeLine(outcome: Outcome, options: Pick<TextOptions, 'color'>): string {
  const { added, removed, faint } = makeStyle(options);
  const { step } = outcome;
  const address = safeText(step.address);
  const { noun, done } = phaseWords[step.phase];
  if (outcome.type === 'done') return `${added('✓')} ${address} ${faint(done)}`;
  if (outcome.type === 'satisfied') return faint(`- ${address} ${noun} not needed`);
  if (outcome.type === 'failed') {
    const place = step.at === undefined ? '' : faint(` (${placeText(step.at)})`);
    // What nobody confirmed may be there: the live state is read again before the end, and tells.
    const [sign, ending] = outcome.uncertain ? [faint('?'), 'not confirmed'] : [removed('✗'), 'failed'];
    return `${sign} ${address} ${faint(`${noun} ${ending}`)}: ${safeText(outcome.error.message)}${place}`;
  }
  return faint(`- ${address} ${noun} ${outcome.type === 'skipped' ? 'skipped' : 'not started'}`);
}

function organizationLines(result: OrganizationResult, style: Style, width: number): readonly string[] {
  const failed = result.outcomes.filter((outcome): outcome is Failed => outcome.type === 'failed');
  const skipped = result.outcomes.filter((outcome): outcome is Skipped => outcome.type === 'skipped');
  const open = result.outcomes.filter(({ type }) => type === 'notStarted');
  const lines: string[] = [];
  const satisfied = result.outcomes.filter(({ type }) => type === 'satisfied');
  if (satisfied.length > 0) {
    lines.push('Already done:', ...listed(satisfied.map(({ step }) => described(step))), '');
  }
  for (const group of groupFailures(failed)) lines.push(...groupLines(group, style, width), '');
  for (const { because, steps } of groupByCause(skipped)) {
    lines.push(`Skipped, because ${safeText(because)} failed:`);
    lines.push(...listed(steps.map(({ step }) => described(step))), '');
  }
  if (open.length > 0) {
    lines.push('Not started:', ...listed(open.map(({ step }) => described(step))), '');
  }
  if (result.leftover.length > 0) {
    const leftover = result.leftover.map((step) => {
      const why = step.reason === '' ? step.fields.map(({ field }) => field).join(', ') : step.reason;
      return `${described(step)}${why === '' ? '' : `: ${why}`}`;
    });
    lines.push('Still different after re-reading the live state:', ...listed(leftover), '');
  }
  if (failed.length + skipped.length + open.length > 0 && result.made.size > 0) {
    const made = [...result.made].map(([address, id]) => `    ${safeText(`${address} (${id})`)}`);
    lines.push('Created by this run:', ...made, '');
  }
  if (result.unread !== undefined) {
    const message = `Cannot re-read the live state: ${safeText(result.unread.message)}`;
    lines.push(...wrap(message, width), '');
  }
  return lines;
}

/** For example `sites.yaml:12:3`. */
function placeText({ file, line, column }: SourceRange): string {
  return safeText(`${file}:${line}:${column}`);
}

/** For example `sites/hub (update)`. */
function described({ address, phase }: Step): string {
  return `${address} (${phaseWords[phase].noun})`;
}

function failureLines({ step, error, uncertain }: Failed, style: Style, width: number): readonly string[] {
  const lines = [
    `${style.removed('✗')} ${style.strong(safeText(step.address))} ${style.faint(`${phaseWords[step.phase].noun} failed`)}`,
  ];
  if (step.at !== undefined) lines.push(style.faint(`  --> ${placeText(step.at)}`));
  const indented = (text: string) => wrap(text, width - 6).map((line) => `    ${line}`);
  lines.push(...indented(safeText(error.message)));
  if (error instanceof ApiError) lines.push(...indented(requestText(error)).map(style.faint));
  if (uncertain) {
    lines.push(
      ...indented('It may still have taken effect; the next plan shows whether it did.').map(style.risk),
    );
  }
  return lines;
}

/** Failures that say the same, as of a service that stopped answering, together; in the order in which they began. */
function groupFailures(failed: readonly Failed[]): readonly (readonly Failed[])[] {
  return foldEqual(failed, ({ error, uncertain }) => {
    const what = error instanceof ApiError ? error.message.replaceAll(error.operation, '') : error.message;
    return JSON.stringify([what, uncertain]);
  });
}

function groupLines(group: readonly Failed[], style: Style, width: number): readonly string[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const lines = failureLines(first, style, width);
  if (others.length === 0) return lines;
  const rest = others.map(({ step }) => `    ${safeText(described(step))}`);
  return [...lines, `  ${countOf(others.length, 'more step')} failed in the same way:`, ...rest];
}

/** What could not be tried, by what failed before; many causes are one. */
function groupByCause(
  skipped: readonly Skipped[],
): readonly { readonly because: string; readonly steps: readonly Skipped[] }[] {
  const groups = grouped(skipped, ({ because }) => because);
  if (groups.size >= togetherFrom)
    return [{ because: `${groups.size} steps that they depend on`, steps: skipped }];
  return [...groups].map(([cause, steps]) => ({ because: addressOf(cause), steps }));
}

function listed(texts: readonly string[]): readonly string[] {
  const shown = texts.slice(0, 20).map((text) => `    ${safeText(text)}`);
  return texts.length > 20 ? [...shown, `    and ${texts.length - 20} more`] : shown;
}

/** The address in the id of a step. */
function addressOf(stepId: string): string {
  return stepId.slice(0, stepId.lastIndexOf('#'));
}

/** The counts, and what to do next. */
function closing(result: ApplyResult, style: Style): readonly string[] {
  const outcomes = result.organizations.flatMap((organization) => organization.outcomes);
  const count = (type: Outcome['type']) => outcomes.filter((outcome) => outcome.type === type).length;
  const [failed, skipped, open] = [count('failed'), count('skipped'), count('notStarted')];
  const left = result.organizations.reduce((sum, { leftover }) => sum + leftover.length, 0);
  const unread = result.organizations.some((organization) => organization.unread !== undefined);
  const done = style.strong(doneText(result));
  if (result.interrupted) {
    const rest = failed + skipped + open;
    return [
      done,
      rest === 0
        ? 'Interrupted after the last step: the result was not checked. Run apply again to check it.'
        : `Interrupted: ${countOf(rest, 'step')} not done. Run apply again to continue.`,
    ];
  }
  if (failed + skipped + left === 0 && !unread) return [done];
  const parts = [
    ...(failed > 0 ? [`${countOf(failed, 'step')} failed`] : []),
    ...(skipped > 0 ? [`${countOf(skipped, 'step')} skipped`] : []),
    ...(left > 0 ? [`${countOf(left, 'step')} left`] : []),
    ...(unread ? ['the outcome is not verified'] : []),
  ];
  return [
    done,
    `Apply is incomplete: ${parts.join(', ')}. Run it again to continue; finished steps are not repeated.`,
  ];
}

/** Counts objects of which all steps were done, by action. */
function doneText(result: ApplyResult): string {
  const counts: Record<Action, number> = { create: 0, update: 0, move: 0, replace: 0, delete: 0, restore: 0 };
  for (const { outcomes } of result.organizations) {
    const complete = new Map<string, { action: Action; done: boolean }>();
    for (const { step, type } of outcomes) {
      if (type === 'satisfied') continue;
      const key = `${step.address} ${step.action}`;
      const done = type === 'done' && (complete.get(key)?.done ?? true);
      complete.set(key, { action: step.action, done });
    }
    for (const { action, done } of complete.values()) if (done) counts[action] += 1;
  }
  const { create, update, move, replace, restore } = counts;
  const parts = [`${create} created`, `${update} updated`, `${move} moved`, `${replace} replaced`];
  if (restore > 0) parts.push(`${restore} restored`);
  return `Applied: ${[...parts, `${counts.delete} deleted`].join(', ')}.`;
}
