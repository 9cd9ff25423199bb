/** The result of an apply as text: finished steps, failures with their cause, and the steps that were not run. Pure. */
import type { ApplyEvent, ApplyResult, OrganizationResult, Outcome } from '../../apply/events.ts';
import type { Twin } from '../../apply/twins.ts';
import { ApiError } from '../../contract/api.ts';
import type { Plan, Step } from '../../plan/plan.ts';
import { addressOfStep } from '../../plan/step-id.ts';
import { countOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { append } from '../../util/lists.ts';
import { placeText } from '../../util/places.ts';
import { requestText } from '../diagnostics/api-error.ts';
import { foldEqual, togetherFrom } from '../plan/dangers.ts';
import type { MarkedPlan } from '../plan/json.ts';
import { planGithub, planText } from '../plan/text.ts';
import { type Annotation, annotationLines, folded, noGithub } from '../text/github.ts';
import { safeText, wrap } from '../text/safe-text.ts';
import { makeStyle, type Style } from '../text/style.ts';
import type { LongView, TextOptions, View } from '../view.ts';
import { closing, type RunNotes } from './closing.ts';
import { phaseWords } from './outcome-line.ts';

type Failed = Extract<Outcome, { type: 'failed' }>;
type Skipped = Extract<Outcome, { type: 'skipped' }>;

export function renderApplyResult(
  result: ApplyResult,
  { notes = {}, ...options }: TextOptions & { readonly notes?: RunNotes },
): string {
  const style = makeStyle(options);
  const width = Math.min(200, Math.max(80, options.width));
  const lines = result.organizations.flatMap((organization) => organizationLines(organization, style, width));
  return `${[...lines, ...closing(result, { style, width, notes })].join('\n')}\n`;
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
  const pending = result.outcomes.filter(({ type }) => type === 'pending');
  if (pending.length > 0) {
    lines.push('Pending:', ...listed(pending.map(({ step }) => described(step))), '');
  }
  for (const group of groupFailures(failed)) append(lines, [...groupLines(group, style, width), '']);
  const waits = new Set(pending.map(({ step }) => step.id));
  for (const { because, steps } of groupByCause(skipped, waits)) {
    lines.push(`Skipped, because ${safeText(because)}:`);
    append(lines, [...listed(steps.map(({ step }) => described(step))), '']);
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
    const made = [...result.made].map(([address, id]) => `${address} (${id})`);
    lines.push('Created by this run:', ...listed(made), '');
  }
  for (const twin of result.twins) append(lines, [...twinLines(twin, style, width), '']);
  if (result.unread !== undefined) {
    const message = `Cannot re-read the live state: ${safeText(result.unread.message)}`;
    append(lines, [...wrap(message, width), '']);
  }
  return lines;
}

/** For example `sites/hub (update)`. */
function described({ address, phase }: Step): string {
  return `${address} (${phaseWords[phase].noun})`;
}

function twinLines({ address, noun, own, other }: Twin, style: Style, width: number): readonly string[] {
  const text = `${safeText(own)} (created by this run) and ${safeText(other)} (created by someone else meanwhile)`;
  return [
    `${style.removed('✗')} ${style.strong(safeText(address))} ${style.faint(`exists twice, as ${noun}s`)}`,
    ...wrap(text, width - 6).map((line) => `    ${line}`),
    ...wrap('Delete one of them, or pin the one to keep with id:.', width - 6).map((line) => `    ${line}`),
  ];
}

function failureLines({ step, error, uncertain }: Failed, style: Style, width: number): readonly string[] {
  const [sign, ending] = uncertain ? ['?', 'unknown'] : ['✗', 'failed'];
  const lines = [
    `${style.removed(sign)} ${style.strong(safeText(step.address))} ${style.faint(`${phaseWords[step.phase].noun} ${ending}`)}`,
  ];
  if (step.at !== undefined) lines.push(style.faint(`  --> ${safeText(placeText(step.at))}`));
  const indented = (text: string) => wrap(text, width - 6).map((line) => `    ${line}`);
  append(lines, indented(safeText(error.message)));
  if (error instanceof ApiError) append(lines, indented(requestText(error)).map(style.faint));
  if (uncertain) {
    append(
      lines,
      indented('It may still have taken effect; the next plan shows whether it did.').map(style.risk),
    );
  }
  return lines;
}

/** Failures with the same message together, for example of a service that stopped answering; in the order in which they began. */
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

/** By the failure that caused them; many causes become one group. */
function groupByCause(
  skipped: readonly Skipped[],
  pending: ReadonlySet<string>,
): readonly { readonly because: string; readonly steps: readonly Skipped[] }[] {
  const groups = grouped(skipped, ({ because }) => because);
  if (groups.size >= togetherFrom)
    return [{ because: `${groups.size} steps that they depend on were not done`, steps: skipped }];
  return [...groups].map(([cause, steps]) => ({
    because: `${addressOfStep(cause)} ${pending.has(cause) ? 'is pending' : 'failed'}`,
    steps,
  }));
}

function listed(texts: readonly string[]): readonly string[] {
  const shown = texts.slice(0, 20).map((text) => `    ${safeText(text)}`);
  return texts.length > 20 ? [...shown, `    and ${texts.length - 20} more`] : shown;
}

export interface AppliedPlan {
  readonly plan: Plan;
  readonly digest: string;
  readonly result: ApplyResult;
  readonly notes?: RunNotes;
}

export interface ApplyView {
  readonly plan?: LongView<MarkedPlan>;
  /** `time`: ISO 8601. Absent if the format only shows the end. */
  readonly event?: (event: ApplyEvent, time: string) => string;
  readonly result: View<AppliedPlan>;
}

/** Empty if there was nothing to apply; the plan reports that. */
const appliedText: View<AppliedPlan> = ({ result, notes = {} }, options) => {
  const isNothing = result.organizations.every(
    ({ outcomes, leftover }) => outcomes.length + leftover.length === 0,
  );
  return isNothing ? '' : `\n${renderApplyResult(result, { ...options, notes })}`;
};

export const applyAsText: ApplyView = { plan: planText, result: appliedText };

export const applyAsGithub: ApplyView = {
  plan: planGithub,
  result: (applied, options) => {
    const { github = noGithub } = options;
    const text = appliedText(applied, options);
    const lines = text === '' ? [] : [...folded('octavo apply', [text], github)];
    return lines.join('') + annotationLines(failuresOf(applied), github);
  },
};

function failuresOf({ result }: AppliedPlan): readonly Annotation[] {
  return result.organizations
    .flatMap(({ outcomes }) => outcomes)
    .flatMap((outcome): readonly Annotation[] => {
      if (outcome.type !== 'failed') return [];
      const { step, error, uncertain } = outcome;
      const title = `octavo: ${step.action} ${uncertain ? 'unknown' : 'failed'}`;
      return [{ level: 'error', title, message: `${step.address}: ${error.message}`, at: step.at }];
    });
}
