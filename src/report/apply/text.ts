/** The result of an apply as text: finished steps, failures with their cause, and the steps that were not run. Pure. */

import type { Duplicate } from '../../apply/duplicates.ts';
import {
  type ApplyResult,
  type FailedStep,
  isFailed,
  type OrganizationResult,
  type Outcome,
  type StoredValue,
} from '../../apply/events.ts';
import { ApiError, requestOf } from '../../contract/api.ts';
import type { Plan } from '../../plan/plan.ts';
import { addressOfStep } from '../../plan/step-id.ts';
import { countOf } from '../../util/count.ts';
import { grouped, type NonEmpty } from '../../util/group.ts';
import { placeText } from '../../util/places.ts';
import {
  type Block,
  type Document,
  faint,
  line,
  listed,
  note,
  paragraph,
  strong,
  textOf,
} from '../blocks.ts';
import { foldEqual, togetherFrom } from '../plan/dangers.ts';
import type { DigestedPlan } from '../plan/json.ts';
import { planGithub, planText } from '../plan/text.ts';
import { type Annotation, githubLog } from '../text/github.ts';
import { firstColumns } from '../text/safe-text.ts';
import type { LongView, TextOptions, View } from '../view.ts';
import { closing, type RunNotes } from './closing.ts';
import { described, endingText, outcomeWords } from './outcome-line.ts';

type Skipped = Extract<Outcome, { type: 'skipped' }>;

export function renderApplyResult(
  result: ApplyResult,
  { notes = {}, color, width }: TextOptions & { readonly notes?: RunNotes },
): string {
  const document = [...result.organizations.flatMap(sections), closing(result, notes)];
  return textOf(document, { color, room: Math.min(200, Math.max(80, width)) });
}

function sections(result: OrganizationResult): Document {
  const { outcomes, made, duplicates, unread } = result;
  const failed = outcomes.filter(isFailed);
  const skipped = outcomes.filter((outcome): outcome is Skipped => outcome.type === 'skipped');
  const stepsOf = (wanted: Outcome['type']) =>
    outcomes.filter(({ type }) => type === wanted).map(({ step }) => step);
  const part = (title: string, texts: readonly string[]) => listed(title, texts, 20, 4);
  const [pending, open] = [stepsOf('pending'), stepsOf('notStarted')];
  const leftover = result.leftover.map((step) => {
    const why = step.reason === '' ? step.fields.map(({ field }) => field).join(', ') : step.reason;
    return `${described(step)}${why === '' ? '' : `: ${why}`}`;
  });
  const isIncomplete = failed.length + skipped.length + open.length > 0;
  return [
    part('Already done', stepsOf('satisfied').map(described)),
    part('Pending', pending.map(described)),
    ...groupFailures(failed).map(failureBlocks),
    ...groupByCause(skipped, new Set(pending.map(({ id }) => id))).map(({ because, steps }) =>
      part(
        `Skipped, because ${because}`,
        steps.map(({ step }) => described(step)),
      ),
    ),
    part('Not started', open.map(described)),
    part('Still different after re-reading the live state', leftover),
    part('Created by this run', isIncomplete ? [...made].map(([address, id]) => `${address} (${id})`) : []),
    part('Stored in another form', result.stored.map(storedText)),
    ...duplicates.map(duplicateBlocks),
    unread === undefined ? [] : [paragraph(`Cannot re-read the live state: ${unread.message}`)],
  ];
}

/** Example: `teams/docs  title: sent "Docs  team", stored "Docs team"`. */
export function storedText({ step, field, sent, stored, risk }: StoredValue): string {
  const shown = (value: StoredValue['sent']) => firstColumns(JSON.stringify(value), 200);
  const is = stored === undefined ? 'not shown by this service' : `stored ${shown(stored)}`;
  return `${step.address}  ${field}: sent ${shown(sent)}, ${is}${risk === undefined ? '' : `: ${risk}`}`;
}

function headOf(sign: string, address: string, what: string): Block {
  return line({ text: sign, as: 'removed' }, ' ', strong(address), ' ', faint(what));
}

export function duplicateBlocks({ address, noun, own, other }: Duplicate): readonly Block[] {
  return [
    headOf('✗', address, `exists twice, as ${noun}s`),
    note(`${own} (created by this run) and ${other} (created by someone else at the same time)`, 4),
    note('Delete one of them, or pin the one to keep with id:.', 4),
  ];
}

function failureBlocks([first, ...others]: NonEmpty<FailedStep>): readonly Block[] {
  const { type, step, error } = first;
  const doubt = 'It may still have taken effect; the next plan shows whether it did.';
  return [
    headOf(outcomeWords[type][0], step.address, endingText(step, type)),
    ...(step.at === undefined ? [] : [line(faint(`  --> ${placeText(step.at)}`))]),
    note(error.message, 4),
    ...(error instanceof ApiError ? [note(requestOf(error), 4, 'faint')] : []),
    ...(type === 'unknown' ? [note(doubt, 4, 'risk')] : []),
    ...(others.length === 0
      ? []
      : [
          line(`  ${countOf(others.length, 'more step')} failed in the same way:`),
          ...others.map(({ step: other }) => line(`    ${described(other)}`)),
        ]),
  ];
}

/** Groups failures with the same message, for example of a service that stopped answering, in the order of their start. */
function groupFailures(failed: readonly FailedStep[]): readonly NonEmpty<FailedStep>[] {
  return foldEqual(failed, ({ type, error }) => {
    const what = error instanceof ApiError ? error.message.replaceAll(error.operation, '') : error.message;
    return JSON.stringify([what, type]);
  });
}

/** Groups by the failure that caused them; if there are many causes, makes one group. */
function groupByCause(skipped: readonly Skipped[], pending: ReadonlySet<string>) {
  const groups = grouped(skipped, ({ because }) => because);
  if (groups.size >= togetherFrom)
    return [{ because: `${groups.size} steps that they depend on were not done`, steps: skipped }];
  return [...groups].map(([cause, steps]) => ({
    because: `${addressOfStep(cause)} ${pending.has(cause) ? 'is pending' : 'failed'}`,
    steps,
  }));
}

export interface AppliedPlan {
  readonly plan: Plan;
  readonly digest: string;
  readonly result: ApplyResult;
  readonly notes?: RunNotes;
}

export interface ApplyView {
  readonly plan?: LongView<DigestedPlan>;
  /** A line of the journal. Absent if the format only shows the end. */
  readonly line?: (line: string) => string;
  readonly result?: View<AppliedPlan>;
}

/** Empty without changes, which the plan reports. */
const appliedText: View<AppliedPlan> = ({ result, notes = {} }, options) => {
  const isNothing = result.organizations.every(
    ({ outcomes, leftover }) => outcomes.length + leftover.length === 0,
  );
  return isNothing ? '' : `\n${renderApplyResult(result, { ...options, notes })}`;
};

export const applyAsText = { plan: planText, result: appliedText } satisfies ApplyView;

export const applyAsGithub = {
  plan: planGithub,
  result: (applied, options) => {
    const text = appliedText(applied, options);
    return text && [...githubLog('octavo apply', [text], annotationsOf(applied), options)].join('');
  },
} satisfies ApplyView;

function annotationsOf({ result }: AppliedPlan): readonly Annotation[] {
  const failures = result.organizations
    .flatMap(({ outcomes }) => outcomes)
    .flatMap((outcome): readonly Annotation[] => {
      if (!isFailed(outcome)) return [];
      const { type, step, error } = outcome;
      const title = `octavo: ${step.action} ${type}`;
      return [{ level: 'error', title, message: `${step.address}: ${error.message}`, at: step.at }];
    });
  const stored = result.organizations.flatMap((one) => one.stored);
  const forms = stored.map((value): Annotation => {
    const at = value.step.fields.find(({ field }) => field === value.field)?.at ?? value.step.at;
    return {
      level: 'warning',
      title: `octavo: ${value.stored === undefined ? 'not shown' : 'stored in another form'}`,
      message: storedText(value),
      at,
    };
  });
  return [...failures, ...forms];
}
