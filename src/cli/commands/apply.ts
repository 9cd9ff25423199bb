import { existsSync } from 'node:fs';
import path from 'node:path';
import type { PlanChoices } from '../../plan/scope/choices.ts';
import { planWithin } from '../../run/apply-run.ts';
import type { Approval } from '../../run/approval/approval.ts';
import { parseExpectation } from '../../run/approval/digest.ts';
import { openSavedPlan } from '../../run/open-session.ts';
import { userError } from '../../util/user-error.ts';
import { type OpenedApply, runApplyFlow } from '../apply/flow.ts';
import { defineCommand, type Invocation, type InvocationWith } from '../line/command.ts';
import {
  approving,
  display,
  flagName,
  locking,
  manifests,
  organizations,
  planning,
  reading,
  recording,
} from '../line/flags.ts';
import { choicesOf, openCommandSession, sessionOptions } from '../service/session.ts';
import { type RunSettings, readSettings } from '../service/settings.ts';
import { applyViews } from '../show/views.ts';

const flags = {
  ...reading,
  ...planning,
  ...display,
  ...approving,
  ...recording,
  ...locking,
};

type ApplyInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: { name: 'plan', completes: 'files' },
  flags,
  views: applyViews,
  makesPlan: true,
  run,
});

async function run(invocation: ApplyInvocation): Promise<number> {
  const settings = await readSettings(invocation);
  const [saved] = invocation.words;
  if (saved !== undefined) return applySaved(invocation, settings, saved);
  const { approved } = invocation.flags;
  const approval = approved === undefined ? undefined : await approvalNamed(invocation.cwd, approved);
  return applyManifests(invocation, settings, { approval });
}

/** `next`: how to continue after a failure, in place of the same command. */
export async function applyManifests(
  invocation: Invocation,
  settings: RunSettings,
  { approval, next }: Pick<OpenedApply, 'approval' | 'next'>,
): Promise<number> {
  return runApplyFlow(invocation, settings, async (lock) => {
    const { shard, prune } = settings;
    const { session, read } = await openCommandSession(invocation, settings, { lock, shard });
    const choices = choicesOf(invocation.flags);
    return {
      session,
      plan: () => read(() => planWithin(session, choices, approval)),
      isApproved: false,
      record: { choices, prune },
      approval,
      next,
    };
  });
}

/** A digest, an approval, or the file of a saved plan. Throws a DiagnosticError for anything else. */
async function approvalNamed(cwd: string, named: string): Promise<Approval> {
  const expected = parseExpectation(named);
  if (expected !== undefined) return expected;
  if (named === '' || !existsSync(path.resolve(cwd, named))) {
    throw userError(
      'approved',
      `${JSON.stringify(named)} is not a digest, and as a file it does not exist`,
      'pass the digest that plan shows, at least 12 characters of it, the approval of plan --format json, or a file of plan --out',
    );
  }
  const { readPlanFile } = await import('../../run/plan-file/read-plan.ts');
  return readPlanFile(cwd, named).plan;
}

/** A saved plan is already approved; the live state must still match it. */
async function applySaved(invocation: ApplyInvocation, settings: RunSettings, file: string): Promise<number> {
  const { flags, cwd, output } = invocation;
  refuseFlags(flags);
  const { readPlanFile } = await import('../../run/plan-file/read-plan.ts');
  const saved = readPlanFile(cwd, file);
  return runApplyFlow(invocation, settings, async (lock) => {
    const { session, planned, isCheckedOut } = await openSavedPlan(
      saved,
      await sessionOptions(invocation, settings),
    );
    await lock(async () => saved.plan.organizations.map(({ label, organizationId: id }) => ({ label, id })));
    const { choices, commit } = planned.inputs;
    refuseRecordOf(choices, flags);
    if (!isCheckedOut && choices.undoes === undefined)
      output.note('No manifests are checked out here: applying the plan as it was saved.');
    // The same manifests may be in another commit now, for example after a squash.
    const whose = isCheckedOut ? {} : { saved: { commit } };
    return {
      session,
      plan: () => Promise.resolve(planned),
      isApproved: true,
      record: { choices, plan: saved.plan, ...whose },
    };
  });
}

/** Refuses because no commit declares the live state after an undo. */
function refuseRecordOf({ undoes }: PlanChoices, { record }: ApplyInvocation['flags']): void {
  if (undoes === undefined || record === undefined) return;
  throw userError(
    'plan-file',
    `an undo (of run ${undoes}) cannot be recorded: no commit declares what it leads to`,
    'leave out --record; revert the commit in git, then run octavo apply --record',
  );
}

function refuseFlags(given: ApplyInvocation['flags']): void {
  const { approved } = recording;
  const settled = Object.keys({ ...manifests, ...planning, ...organizations, approved });
  const flag = settled.find((name) => name in given);
  if (flag === undefined) return;
  throw userError(
    'plan-file',
    `--${flagName(flag)} cannot change a saved plan`,
    'leave it out, or plan again with it',
  );
}
