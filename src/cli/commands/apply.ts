import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Registry } from '../../kinds/registry.ts';
import { isEmptyPlan, type Plan } from '../../plan/plan.ts';
import type { PlanChoices } from '../../plan/scope/choices.ts';
import { driftSince, requireApproved, requireExpected } from '../../run/approval/approval.ts';
import { type Expectation, parseExpectation, planDigest } from '../../run/approval/digest.ts';
import { openSavedPlan } from '../../run/open-session.ts';
import { planRun } from '../../run/plan-run.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import { type OpenedApply, runApplyFlow } from '../apply/flow.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
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
  return saved === undefined ? applyManifests(invocation, settings) : applySaved(invocation, settings, saved);
}

async function applyManifests(invocation: ApplyInvocation, settings: RunSettings): Promise<number> {
  const { flags } = invocation;
  const approved =
    flags.approved === undefined ? undefined : await approvedPlan(invocation, settings, flags.approved);
  return runApplyFlow(invocation, settings, async (lock) => {
    const { session, read } = await openCommandSession(invocation, settings, {
      lock,
      shard: settings.shard,
    });
    const choices = choicesOf(flags);
    const { registry } = session.source;
    return {
      session,
      plan: async () => {
        const planned = await read(() => planRun(session, choices));
        const left = approved?.driftSince?.(planned.plan, registry);
        return left === undefined || left.size === 0
          ? planned
          : read(() => planRun(session, { ...choices, left }));
      },
      check: (made) => approved?.check(made, registry),
      ...defined({ expected: approved?.expected }),
      isApproved: false,
      record: { choices, prune: settings.prune },
    };
  });
}

interface NamedApproval {
  readonly expected?: OpenedApply['expected'];
  readonly driftSince?: (made: Plan, registry: Registry) => ReturnType<typeof driftSince>;
  readonly check: (made: Plan, registry: Registry) => void;
}

/** Accepts a digest, an approval, the file of a saved plan, or `merged`. Throws a DiagnosticError for anything else. */
async function approvedPlan(
  invocation: ApplyInvocation,
  settings: RunSettings,
  named: string,
): Promise<NamedApproval> {
  const { cwd } = invocation;
  const found = await mergedOr(invocation, settings, named);
  // A plan without changes needs no approval.
  if (found instanceof DiagnosticError)
    return {
      check: (made) => {
        if (!isEmptyPlan(made)) throw found;
      },
    };
  const expected = typeof found === 'string' ? parseExpectation(found) : found;
  if (expected !== undefined)
    return {
      expected: { digest: expected.digests[0] ?? '', isWhole: expected.parts === undefined },
      driftSince: (made, registry) => driftSince(made, expected, registry),
      check: (made) => requireExpected(made, expected),
    };
  if (named === '' || !existsSync(path.resolve(cwd, named))) {
    throw userError(
      'approved',
      `${JSON.stringify(named)} is not a digest, and as a file it does not exist`,
      'pass the digest that plan shows, at least 12 characters of it, the approval of plan --format json, or a file of plan --out',
    );
  }
  const { readPlanFile } = await import('../../run/plan-file/read-plan.ts');
  const reviewed = readPlanFile(cwd, named).plan;
  return {
    expected: { digest: planDigest(reviewed), isWhole: false },
    driftSince: (made, registry) => driftSince(made, reviewed, registry),
    check: (made, registry) => requireApproved(made, reviewed, registry),
  };
}

/** The plans that `merged` stands for, or why none is approved. `merged:production` uses the approval key `production`. */
async function mergedOr(
  invocation: ApplyInvocation,
  settings: RunSettings,
  named: string,
): Promise<string | Expectation | DiagnosticError> {
  const { defaultKey, approvalFile } = await import('../ci/pipeline.ts');
  const [isMerged, key = defaultKey] = /^merged(?::(.+))?$/.exec(named) ?? [];
  if (isMerged === undefined) return named;
  const { isNoApproval, mergedApprovals } = await import('../forge/merged.ts');
  const { githubApp } = await import('../../forge/approval.ts');
  const { boundSettings } = await import('../ci/base.ts');
  const { settings: bound, unapplied } = await boundSettings(invocation, settings);
  const { app = githubApp } = bound.ci;
  const place = { key, app, file: approvalFile(invocation, key), unapplied: await unapplied() };
  try {
    return await mergedApprovals(invocation, place);
  } catch (error) {
    if (isNoApproval(error)) return error;
    throw error;
  }
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
