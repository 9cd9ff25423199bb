/** `octavo apply`: plans, asks, and makes exactly the requests that were shown; or does so for a saved plan. */
import { requireApproved, requireExpected } from '../../run/approval.ts';
import type { PlanChoices } from '../../run/choices.ts';
import { openSavedPlan } from '../../run/open-session.ts';
import { readPlanFile } from '../../run/plan-file/read-plan.ts';
import { userError } from '../../util/user-error.ts';
import { runApplyFlow } from '../apply-flow.ts';
import { manifests, planning } from '../flag-groups.ts';
import { type Flags, flagName } from '../flags.ts';
import type { Invocation } from '../invocation.ts';
import { choicesOf, openCommandSession, sessionOptions } from '../session.ts';
import { type RunSettings, readSettings } from '../settings.ts';

/** Exit code 0 when everything was done, 1 when something failed or was refused, 130 when interrupted. */
export async function run(invocation: Invocation): Promise<number> {
  const settings = await readSettings(invocation);
  return invocation.argument === undefined
    ? applyManifests(invocation, settings)
    : applySaved(invocation, settings, invocation.argument);
}

function applyManifests(invocation: Invocation, settings: RunSettings): Promise<number> {
  const { flags, cwd } = invocation;
  const reviewed = flags.approved === undefined ? undefined : readPlanFile(cwd, flags.approved).plan;
  return runApplyFlow(invocation, {
    settings,
    open: async (lock) => {
      const { session, plan } = await openCommandSession(invocation, settings, {
        lock,
        shard: settings.shard,
      });
      const choices = choicesOf(flags);
      return {
        session,
        plan: () => plan(choices),
        check: (made) => {
          if (flags.expect !== undefined) requireExpected(made, flags.expect);
          if (reviewed !== undefined) requireApproved(made, reviewed, session.source.registry);
        },
        isApproved: false,
        record: { choices, prune: settings.prune },
      };
    },
  });
}

/** A saved plan was approved when it was handed over; the live state must still be the one that it was made for. */
function applySaved(invocation: Invocation, settings: RunSettings, file: string): Promise<number> {
  const { flags, cwd, output } = invocation;
  refuseFlags(flags);
  const saved = readPlanFile(cwd, file);
  return runApplyFlow(invocation, {
    settings,
    open: async (lock) => {
      const { session, planned, isCheckedOut } = await openSavedPlan(
        saved,
        sessionOptions(invocation, settings),
      );
      await lock(async () =>
        saved.plan.organizations.map(({ label, organizationId: id }) => ({ label, id })),
      );
      const { choices, commit } = planned.inputs;
      refuseRecordOf(choices, flags);
      if (!isCheckedOut && choices.undoes === undefined)
        output.note('No manifests are checked out here: applying the plan as it was saved.');
      // The same manifests may be in another commit by now, as after a squash.
      const whose = isCheckedOut ? {} : { saved: { commit } };
      return {
        session,
        plan: () => Promise.resolve(planned),
        isApproved: true,
        record: { choices, plan: saved.plan, ...whose },
      };
    },
  });
}

/** No commit declares the live state after an undo. */
function refuseRecordOf({ undoes }: PlanChoices, { record, pushRecord }: Flags): void {
  if (undoes === undefined || (record !== true && pushRecord === undefined)) return;
  throw userError(
    'plan-file',
    `an undo (of run ${undoes}) cannot be recorded: no commit declares what it leads to`,
    'leave out --record; revert the commit in git, then run octavo apply --record',
  );
}

/** A saved plan holds these choices already. */
function refuseFlags(flags: Flags): void {
  const settled = [...manifests, ...planning, 'shard', 'expect', 'approved'] as const;
  const given = settled.find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  throw userError(
    'plan-file',
    `--${flagName(given)} cannot change a saved plan`,
    'leave it out, or plan again with it',
  );
}
