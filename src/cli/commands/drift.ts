import { isEmptyPlan } from '../../plan/plan.ts';
import type { ReviewedPlan } from '../../review/reviewed-plan.ts';
import { digestsOf } from '../../run/approval/digest.ts';
import { acceptDrift, driftRun, planDrift } from '../../run/drift-run.ts';
import type { PlanRun } from '../../run/planning.ts';
import type { Session } from '../../run/session.ts';
import type { Acceptance } from '../../run/write-back/acceptance.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { accepting, comparing, display, flagTable, reading, toggle, writing } from '../line/flags.ts';
import { withSession } from '../service/session.ts';
import { chosenViews } from '../show/view-for.ts';
import { acceptanceViews, planViews, runViews } from '../show/views.ts';

const flags = {
  ...reading,
  ...comparing,
  ...flagTable('Other flags', {
    unmanaged: toggle('Count live objects that no manifest lists as drift'),
    ...display,
    ...accepting,
    pin: toggle('Write the ids of live objects into the manifests that declare them'),
  }),
  ...writing,
};

type DriftInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: { name: 'addresses', many: true },
  flags,
  views: planViews,
  makesPlan: true,
  run,
});

/**
 * Exit code 0; 2 for drift, or with --unmanaged for an unmanaged object. With --accept or --pin: 2 if something could not be
 * written; 130 if interrupted before the first write.
 */
async function run(given: DriftInvocation): Promise<number> {
  refuseSenseless(given);
  const show = ['unmanaged', ...(given.flags.show ?? [])] as const;
  const invocation = { ...given, flags: { ...given.flags, show } };
  const { words: patterns, world } = given;
  return withSession(invocation, { keepsReads: writesBack(given) }, async ({ session, read }) => {
    const planned = await read(() => planDrift(session, patterns));
    if (writesBack(given)) return writeBack(invocation, session, planned);
    const { unmanaged } = given.flags;
    const now = world.clock.now();
    return report(invocation, await driftRun(session, planned, { patterns, unmanaged, now }));
  });
}

function writesBack({ flags: { accept, pin } }: Pick<DriftInvocation, 'flags'>): boolean {
  return accept === true || pin === true;
}

function refuseSenseless({ flags }: DriftInvocation): void {
  const writes = writesBack({ flags });
  const { dryRun, format, unmanaged } = flags;
  if (!writes && dryRun === true)
    throw userError('usage', '--dry-run applies to --accept and --pin', 'add one of them, or leave it out');
  if (!writes) return;
  if (unmanaged !== undefined)
    throw userError('usage', '--unmanaged applies to the report', 'leave it out with --accept and --pin');
  const other = format?.find((one) => !/^(?:text|json|markdown)(?:=|$)/.test(one));
  if (other !== undefined)
    throw userError('usage', `--accept and --pin have no format ${other}`, 'use text, json or markdown');
}

async function report(invocation: DriftInvocation, plan: ReviewedPlan): Promise<number> {
  invocation.observe({ type: 'planned', plan });
  const digested = { plan, digests: digestsOf(plan) };
  (await chosenViews(invocation, runViews)).all((view, options) => view(digested, options));
  const hasLeftovers = plan.organizations.some(({ leftovers = [] }) => leftovers.length > 0);
  return hasLeftovers || !isEmptyPlan(plan) ? 2 : 0;
}

async function writeBack(invocation: DriftInvocation, session: Session, planned: PlanRun): Promise<number> {
  const { flags, interrupt, words, folder } = invocation;
  const { dryRun = false, accept, pin } = flags;
  const pins = pin !== true ? undefined : accept === true ? 'also' : 'only';
  const isInterrupted = () => interrupt.requested;
  const options = { patterns: words, pins, dryRun, folder, isInterrupted } as const;
  const run = await acceptDrift(session, planned, options);
  if (run.type === 'interrupted') return interrupt.wroteNothing();
  const { files, accepted, refused } = run;
  const { plan: reverting } = planned;
  const several = reverting.organizations.length > 1;
  const acceptance: Acceptance = { dryRun, several, pins, files, accepted, refused, reverting };
  invocation.observe({ type: 'accepted', acceptance });
  (await chosenViews(invocation, acceptanceViews)).all((view, options) => view(acceptance, options));
  return refused.length > 0 ? 2 : 0;
}
