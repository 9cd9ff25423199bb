/** What a rehearsal showed as text and as JSON. Pure. */
import { type Plan, standingRefusals } from '../plan/plan.ts';
import type { Rehearsal, RehearsalFailure } from '../plan/rehearsal.ts';
import { countOf } from '../util/count.ts';
import { stableStringify } from '../util/json.ts';
import { append } from '../util/lists.ts';
import { foldEqual } from './fold.ts';
import { phaseWords } from './outcome-line.ts';
import type { TextOptions } from './plan-text.ts';
import type { MarkedPlan } from './plan-view.ts';
import { safeText, wrap } from './safe-text.ts';
import { makeStyle, type Style } from './style.ts';
import type { View } from './view.ts';

/** Lines of a list at most. */
const shownAtMost = 20;

/** A rehearsed plan as text. */
export const rehearsalText: View<MarkedPlan> = ({ plan, rehearsal }, options) =>
  rehearsal === undefined ? notRehearsed.text(plan) : renderRehearsal(plan, rehearsal, options);

/** A rehearsed plan as a document. */
export const rehearsalJson: View<MarkedPlan> = ({ plan, marks, rehearsal }) =>
  rehearsal === undefined
    ? notRehearsed.json(plan, marks.digest)
    : renderRehearsalJson(marks.digest, rehearsal);

/** What would fail, what would still differ, and what was taken for granted; ends with a line break. */
export function renderRehearsal(plan: Plan, rehearsal: Rehearsal, options: TextOptions): string {
  const { skipped, notIncluded } = rehearsal;
  const failures = rehearsal.failures.map((one) => placed(plan, one));
  const leftover = rehearsal.leftover.map((one) => placed(plan, one));
  const style = makeStyle(options);
  const width = Math.min(200, Math.max(80, options.width));
  const lines = foldEqual(failures, ({ message, operation }) => `${operation} ${message}`).flatMap((group) =>
    failureLines(group, style, width),
  );
  if (skipped > 0) lines.push(`${countOf(skipped, 'more step')} not tried because of that.`);
  // What failed still differs; only what seemed to succeed is news.
  if (failures.length === 0 && leftover.length > 0) {
    lines.push('The next plan would still change:');
    append(
      lines,
      shown(leftover.map(({ address, action, fields }) => [`${address} (${action})`, ...fields])),
    );
  }
  if (notIncluded.length > 0) {
    lines.push('Not included:');
    append(lines, shown(notIncluded.map(({ what, reason }) => [what, reason])));
  }
  return `${[...lines, closing(rehearsal, style)].join('\n')}\n`;
}

/** With the organization before the address, where the plan has several. */
function placed<T extends { readonly organization: string; readonly address: string }>(
  { organizations }: Plan,
  one: T,
): T {
  const { organization, address } = one;
  if (address === '') return { ...one, address: organization };
  return organizations.length > 1 ? { ...one, address: `${organization}: ${address}` } : one;
}

/** The rehearsal as a document, with the digest of its plan; ends with a line break. */
export function renderRehearsalJson(digest: string, rehearsal: Rehearsal): string {
  return `${stableStringify({ format: 1, digest, ...rehearsal }, 2)}\n`;
}

/** A plan that was not rehearsed, as text and as a document. */
export const notRehearsed = {
  text: (plan: Plan): string => {
    const refused = standingRefusals(plan).length;
    const changes = refused === 1 ? '1 change is' : `${countOf(refused, 'change')} are`;
    const how = 'octavo plan shows how to allow each. Pass --skip-refused to rehearse the rest.';
    return `Not rehearsed: ${changes} refused. ${how}\n`;
  },
  json: (plan: Plan, digest: string): string =>
    `${stableStringify({ format: 1, digest, refusals: standingRefusals(plan) }, 2)}\n`,
};

function failureLines(
  [first, ...others]: readonly RehearsalFailure[],
  style: Style,
  width: number,
): readonly string[] {
  if (first === undefined) return [];
  const message = wrap(safeText(first.message), width - 6).map((line) => `    ${line}`);
  const more =
    others.length === 0
      ? []
      : [
          `  ${countOf(others.length, 'more step')} would fail in the same way:`,
          ...shown(others.map((one) => [describe(one)])),
        ];
  return [`${style.removed('✗')} ${style.strong(safeText(describe(first)))}`, ...message, ...more];
}

/** For example `sites/hub (update)`. */
function describe({ address, phase }: RehearsalFailure): string {
  return phase === undefined ? address : `${address} (${phaseWords[phase].noun})`;
}

function shown(entries: readonly (readonly string[])[]): readonly string[] {
  const lines = entries
    .slice(0, shownAtMost)
    .map(
      ([what = '', ...rest]) =>
        `    ${safeText(what)}${rest.length === 0 ? '' : `: ${safeText(rest.join(', '))}`}`,
    );
  return entries.length > shownAtMost ? [...lines, `    and ${entries.length - shownAtMost} more`] : lines;
}

function closing({ converges, steps, failures, leftover }: Rehearsal, { added, removed }: Style): string {
  if (steps === 0 && converges) return 'Rehearsal: nothing to apply.';
  const all = countOf(steps, 'step');
  if (converges) {
    const ending = steps === 1 ? 'succeeds' : 'succeed';
    return `${added('✓')} Rehearsal passed: ${all} ${ending} on a copy of the live state; the next plan is empty.`;
  }
  const failed = failures.filter(({ phase }) => phase !== undefined).length;
  const left = `${countOf(leftover.length, 'change')} would be left after ${all}`;
  const other = failures.length > 0 ? `there would be no next plan after ${all}` : left;
  const what = failed > 0 ? `${failed} of ${all} would fail` : other;
  return `${removed('✗')} Rehearsal failed: ${what}.`;
}
