import { type Plan, standingRefusals } from '../../plan/plan.ts';
import type { Cuts, Rehearsal, RehearsalFailure } from '../../plan/rehearsal.ts';
import { countOf } from '../../util/count.ts';
import type { NonEmpty } from '../../util/group.ts';
import { described } from '../apply/outcome-line.ts';
import { type Block, cross, line, list, listed, type Report, type Span, strong, tick } from '../blocks.ts';
import { foldEqual } from '../plan/dangers.ts';
import type { DigestedPlan } from '../plan/json.ts';

const shownAtMost = 20;

export const rehearsalReport: Report<DigestedPlan> = {
  document: ({ plan, rehearsal }) => [
    rehearsal === undefined ? [line(notRehearsed(plan))] : blocksOf(plan, rehearsal),
  ],
  data: ({ plan, digests: { digest }, rehearsal = { refusals: standingRefusals(plan) } }) => ({
    format: 1,
    digest,
    ...rehearsal,
  }),
};

function blocksOf(plan: Plan, rehearsal: Rehearsal): readonly Block[] {
  const { skipped, notIncluded, cuts } = rehearsal;
  const failures = rehearsal.failures.map((one) => placed(plan, one));
  const equal = foldEqual(failures, ({ message, operation }) => `${operation} ${message}`);
  const entry = (what: string, ...rest: readonly string[]) =>
    rest.length === 0 ? what : `${what}: ${rest.join(', ')}`;
  const different = rehearsal.leftover
    .map((one) => placed(plan, one))
    .map(({ address, action, fields }) => entry(`${address} (${action})`, ...fields));
  return [
    ...equal.flatMap(failureBlocks),
    ...(skipped > 0 ? [line(`${countOf(skipped, 'more step')} not tried because of that.`)] : []),
    // Failed changes still differ; only apparently successful ones are worth reporting.
    ...(failures.length === 0 ? listed('The next plan would still change', different, shownAtMost) : []),
    ...listed(
      'Not included',
      notIncluded.map(({ what, reason }) => entry(what, reason)),
      shownAtMost,
    ),
    ...(cuts === undefined ? [] : cutBlocks(plan, cuts)),
    line(...closing(rehearsal)),
  ];
}

function cutBlocks(plan: Plan, cuts: Cuts): readonly Block[] {
  const others = cuts.failures.map((one) => {
    const { address, operation, problems } = placed(plan, one);
    return `${operation} (${address}): ${problems.join('; ')}`;
  });
  if (others.length === 0) return [line(`${cutText(cuts)}.`)];
  const advice = 'If the apply is interrupted there, look at these objects before you apply again.';
  return [...listed(cutText(cuts), others, shownAtMost), line(advice)];
}

export function cutText({ requests, tried, failures }: Cuts): string {
  if (failures.length > 0) return 'Cut at these requests, the apply would end in another state';
  const all = requests === 1 ? 'its only request' : `each of its ${requests} requests`;
  const where = tried < requests ? `${tried} of its ${requests} requests` : all;
  return `Cut at ${where}, the apply continues to the same state`;
}

/** Adds the organization to the address if the plan has several. */
function placed<T extends { readonly organization: string; readonly address: string }>(
  { organizations }: Plan,
  one: T,
): T {
  const { organization, address } = one;
  if (address === '') return { ...one, address: organization };
  return organizations.length > 1 ? { ...one, address: `${organization}: ${address}` } : one;
}

function notRehearsed(plan: Plan): string {
  const refused = standingRefusals(plan).length;
  const changes = refused === 1 ? '1 change is' : `${countOf(refused, 'change')} are`;
  const how = 'octavo plan shows how to allow each. Pass --skip-refused to rehearse the rest.';
  return `Not rehearsed: ${changes} refused. ${how}`;
}

function failureBlocks([first, ...others]: NonEmpty<RehearsalFailure>): readonly Block[] {
  const item = { line: [cross, ' ', strong(describe(first))], below: [first.message] };
  if (others.length === 0) return [{ type: 'list', items: [item] }];
  const more = { line: `${countOf(others.length, 'more step')} would fail in the same way:` };
  return [{ type: 'list', items: [item, more] }, list(others.map(describe), shownAtMost)];
}

function describe({ address, phase }: RehearsalFailure): string {
  return phase === undefined ? address : described({ address, phase });
}

function closing({ converges, steps, failures, leftover }: Rehearsal): readonly Span[] {
  if (steps === 0 && converges) return ['Rehearsal: nothing to apply.'];
  const all = countOf(steps, 'step');
  if (converges) {
    const ending = steps === 1 ? 'succeeds' : 'succeed';
    return [tick, ` Rehearsal passed: ${all} ${ending} on a copy of the live state; the next plan is empty.`];
  }
  const failed = failures.filter(({ phase }) => phase !== undefined).length;
  const left = `${countOf(leftover.length, 'change')} would be left after ${all}`;
  const other = failures.length > 0 ? `there would be no next plan after ${all}` : left;
  const what = failed > 0 ? `${failed} of ${all} would fail` : other;
  return [cross, ` Rehearsal failed: ${what}.`];
}
