/** `octavo drift`: what was changed outside the manifests; with --accept, writes it into them. Never changes the service. */

import { driftOf } from '../../plan/drift-plan.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Acceptance } from '../../report/acceptance.ts';
import { acceptDrift, refuseUnmatchedDrift } from '../../run/accept/accept-drift.ts';
import { matcherIn } from '../../run/choices.ts';
import { marksOf, planDigest } from '../../run/digest.ts';
import type { PlanRun } from '../../run/planning.ts';
import type { Session } from '../../run/session.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../invocation.ts';
import { openCommandSession } from '../session.ts';
import { readSettings } from '../settings.ts';
import { chosenViews, textOptions } from '../view-for.ts';
import { acceptanceViews, planViews } from '../views.ts';

/**
 * Exit code 0; 2 when there is drift, or with --unmanaged fail an unmanaged object. With --accept: 2 when something could not
 * be accepted; 130 when interrupted before anything was written.
 */
export async function run(given: Invocation): Promise<number> {
  refuseSenseless(given);
  const settings = await readSettings(given);
  const { unmanaged } = given.flags;
  const invocation = { ...given, flags: { ...given.flags, showUnmanaged: unmanaged !== 'hide' } };
  const { session, plan: makePlan } = await openCommandSession(invocation, settings, {
    shard: settings.shard,
  });
  try {
    const planned = await makePlan({});
    if (given.flags.accept === true) return await acceptAll(invocation, session, planned);
    refuseUnmatchedDrift(planned, given.words);
    return await report(invocation, driftPlan(invocation, planned.plan));
  } finally {
    await session.close();
  }
}

/** Flags that say nothing together with others. */
function refuseSenseless({ flags }: Invocation): void {
  const { accept, dryRun, format, unmanaged } = flags;
  if (accept !== true && dryRun === true)
    throw userError('usage', '--dry-run is about --accept', 'add --accept, or leave it out');
  if (accept !== true) return;
  if (unmanaged !== undefined)
    throw userError('usage', '--unmanaged is about the report', 'leave it out with --accept');
  const other = format?.find((one) => !/^(?:text|json)(?:=|$)/.test(one));
  if (other !== undefined) throw userError('usage', `--accept has no format ${other}`, 'use text or json');
}

function driftPlan({ words, flags }: Invocation, plan: Plan): Plan {
  const all = words.length === 0;
  const drift = driftOf(plan, {
    ...(all ? {} : { patterns: words }),
    isChosen: (organization, address) => all || matcherIn(organization, words)(address),
  });
  if (flags.unmanaged !== 'hide') return drift;
  return { ...drift, organizations: drift.organizations.map((one) => ({ ...one, unmanaged: [] })) };
}

async function report(invocation: Invocation, plan: Plan): Promise<number> {
  invocation.observe({ type: 'planned', plan, digest: planDigest(plan) });
  const marked = { plan, marks: marksOf(plan) };
  (await chosenViews(invocation, planViews)).all((view, options) => view(marked, options));
  const counted = invocation.flags.unmanaged === 'fail';
  const isDrifted = plan.organizations.some(
    ({ steps, unmanaged, leftovers = [] }) =>
      steps.length > 0 || leftovers.length > 0 || (counted && unmanaged.length > 0),
  );
  return isDrifted ? 2 : 0;
}

async function acceptAll(invocation: Invocation, session: Session, planned: PlanRun): Promise<number> {
  const { flags, interrupt, output, words } = invocation;
  const { dryRun = false } = flags;
  const isInterrupted = () => interrupt.requested;
  const run = await acceptDrift(session, planned, { patterns: words, dryRun, isInterrupted });
  if (run.type === 'interrupted') {
    output.error('Interrupted. Nothing was written.');
    return interrupt.exitCode;
  }
  const { files, accepted, refused } = run;
  const several = planned.plan.organizations.length > 1;
  const acceptance: Acceptance = { dryRun, several, files, accepted, refused };
  (await chosenViews(invocation, acceptanceViews)).all((view) => view(acceptance, textOptions(invocation)));
  return refused.length > 0 ? 2 : 0;
}
