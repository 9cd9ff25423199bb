/** The result of an apply as a comment on a pull request: every object with its outcome, failures first. Pure. */
import { isComplete, isFailed, type Outcome } from '../../apply/events.ts';
import { shortDigest } from '../../review/plan-document.ts';
import { grouped, type NonEmpty } from '../../util/group.ts';
import { list } from '../blocks.ts';
import { actionSigns } from '../plan/change-lines.ts';
import {
  bytesOf,
  cell,
  code,
  cutNotice,
  fitTexts,
  footLine,
  mostBytes,
  plain,
  tableOf,
} from '../text/markdown.ts';
import { markdownLines } from '../text/markdown-blocks.ts';
import type { TextOptions } from '../view.ts';
import { closing } from './closing.ts';
import { endingText, phaseWords } from './outcome-line.ts';
import { type AppliedPlan, type ApplyView, duplicateBlocks, storedText } from './text.ts';

export const applyAsMarkdown = { result: markdownOf } satisfies ApplyView;

/** Limit in characters: a command line with the approval of a large plan is useless in a comment. */
const longestNotice = 1000;
/** Size in bytes of everything except the rows. */
const frameBytes = 1500;

function markdownOf(applied: AppliedPlan, { context = {} }: TextOptions): string {
  const { plan, result, digest, notes = {} } = applied;
  const objects = result.organizations
    .flatMap(({ label, outcomes }) =>
      [...grouped(outcomes, ({ step }) => `${step.address} ${step.action}`).values()].map((of) => ({
        prefix: result.organizations.length > 1 ? `${label}/` : '',
        outcomes: of,
      })),
    )
    .sort((left, right) => rankOf(left.outcomes) - rankOf(right.outcomes));
  const names = result.organizations.map(({ label }) => plain(label)).join(', ');
  const isDone = isComplete(result);
  const isNothing = isDone && objects.length === 0;
  const how = isNothing ? 'nothing to apply' : isDone ? 'complete' : '✗ incomplete';
  const [counts = '', ...more] = closing(result, notes).flatMap(markdownLines);
  const notices = more.map((text) =>
    text.length <= longestNotice ? text : 'Run the same command again to continue',
  );
  const overlay = plan.overlays === undefined ? '' : ` · overlay ${plain(plan.overlays.join(', '))}`;
  const title = `### octavo apply · ${names}${overlay} · ${how}`;
  const head = [title, ...(isNothing ? [] : [counts]), ...notices].flatMap((text) => [text, '']);
  const stored = result.organizations.flatMap((one) => one.stored).map(storedText);
  const foot = [
    ...(stored.length > 0 ? [...markdownLines(list(stored, 20)), ''] : []),
    ...result.organizations
      .flatMap(({ duplicates }) => duplicates.flatMap(duplicateBlocks))
      .flatMap((block) => [...markdownLines(block), '']),
    footLine([`digest ${code(shortDigest(digest))}`], context),
  ];
  const all = objects.map(({ outcomes, prefix }) => rowOf(outcomes, prefix));
  const { shown: rows, left: cut } = fitTexts(all, mostBytes - bytesOf([...head, ...foot]) - frameBytes);
  const lines = [
    ...head,
    ...tableOf(['', 'address', 'outcome'], rows),
    ...(cut > 0 ? cutNotice([`${cut} objects not listed`], context.run) : []),
    ...foot,
  ];
  return `${lines.join('\n')}\n`;
}

/** Failures first, finished steps last. */
const order: readonly Outcome['type'][] = ['failed', 'skipped', 'notStarted', 'pending', 'done', 'satisfied'];

function rankOf(outcomes: NonEmpty<Outcome>): number {
  const types = new Set<Outcome['type']>(outcomes.map((one) => (isFailed(one) ? 'failed' : one.type)));
  return order.findIndex((type) => types.has(type));
}

function rowOf(outcomes: NonEmpty<Outcome>, prefix: string): string {
  const { address, action } = outcomes[0].step;
  const rank = rankOf(outcomes);
  const sign = rank < 3 ? '✗' : rank === 3 ? '…' : '✓';
  const texts = [...new Set(outcomes.map(outcomeText))];
  return `| ${sign} ${actionSigns[action].text} | ${cell(prefix + address)} | ${texts.join('<br>')} |`;
}

function outcomeText(outcome: Outcome): string {
  if (outcome.type === 'done') return phaseWords[outcome.step.phase].done;
  const ending = endingText(outcome.step, outcome.type);
  return isFailed(outcome) ? `${ending}: ${plain(outcome.error.message)}` : ending;
}
