/** `octavo apply`: plans, asks, and makes exactly the requests that were shown; or does so for a plan that was saved. */
import { type Plan, standingRefusals } from '../../plan/plan.ts';
import { applyAndTell } from '../applying.ts';
import { askForApproval } from '../approval.ts';
import { type Confirmed, confirm, requireApproved, requireExpected } from '../approved.ts';
import { loadBases } from '../base.ts';
import { manifests, planning } from '../command-table.ts';
import { connect } from '../connection.ts';
import { type Flags, flagName } from '../flags.ts';
import type { Invocation } from '../invocation.ts';
import { readPlanFile } from '../plan-file/read-plan.ts';
import { Planner } from '../planner.ts';
import { prepareRecording } from '../record.ts';
import { type RunSettings, readSettings } from '../settings.ts';
import { showNotes } from '../show-notes.ts';
import { userError } from '../user-error.ts';
import { loadTrees } from '../workspace.ts';
import { planText } from './plan.ts';

/** Exit code 0 when everything was done, 1 when something failed or was refused, 130 when interrupted. */
export async function run(invocation: Invocation): Promise<number> {
  const settings = readSettings(invocation);
  return invocation.argument === undefined
    ? applyManifests(invocation, settings)
    : applySaved(invocation, settings, invocation.argument);
}

async function applyManifests(invocation: Invocation, settings: RunSettings): Promise<number> {
  const { flags, output } = invocation;
  const approved =
    flags.approved === undefined ? undefined : readPlanFile(invocation.cwd, flags.approved).plan;
  const trees = await loadTrees(invocation, settings);
  const bases = await loadBases(invocation, settings, trees);
  const recording = await prepareRecording(invocation, settings, trees);
  const { client: api, close } = await connect(invocation, settings, trees);
  try {
    const planner = new Planner({ api, trees, bases, flags, output });
    const plan = await planner.plan();
    showNotes(invocation, plan);
    if (flags.format !== 'json') output.result(planText(plan, output));
    if (flags.expect !== undefined) requireExpected(plan, flags.expect);
    if (approved !== undefined) requireApproved(plan, approved);
    refuseRefused(plan);
    const confirmed = await approve(invocation, planner, plan);
    if (confirmed === undefined) {
      output.error('Not applied.');
      return 1;
    }
    const { parallelism } = settings;
    const code = await applyAndTell(invocation, { ...confirmed, approved: plan, planner, api, parallelism });
    if (code === 0) await recording?.record(plan);
    return code;
  } finally {
    await close();
  }
}

/** A saved plan was approved when it was handed over; the live state must still be the one that it was made for. */
async function applySaved(invocation: Invocation, settings: RunSettings, file: string): Promise<number> {
  const { output, flags, cwd, env } = invocation;
  refuseFlags(flags);
  const saved = readPlanFile(cwd, file);
  const inputs = saved.inputs(env);
  if (inputs === undefined) {
    throw userError(
      'plan-file',
      `${file} shows a plan, and does not hold what it was made from`,
      'save it with octavo plan --out, or give this one with --approved',
    );
  }
  const { trees, bases } = inputs;
  const recording = await prepareRecording(invocation, settings, trees, inputs);
  const { client: api, close } = await connect(invocation, settings, trees);
  try {
    const planner = new Planner({ api, trees, bases, flags: inputs.flags, output });
    if (flags.format !== 'json') output.result(planText(saved.plan, output));
    refuseRefused(saved.plan);
    const confirmed = await confirm(planner, saved.plan);
    const { parallelism } = settings;
    const applying = { ...confirmed, approved: saved.plan, planner, api, parallelism };
    const code = await applyAndTell(invocation, applying);
    if (code === 0) await recording?.record(saved.plan);
    return code;
  } finally {
    await close();
  }
}

/** What a saved plan says already cannot be said again. */
function refuseFlags(flags: Flags): void {
  const settled = [...manifests, ...planning, 'expect', 'approved'] as const;
  const given = settled.find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  throw userError(
    'plan-file',
    `--${flagName(given)} cannot change a plan that was saved`,
    'leave it out, or plan again with it',
  );
}

/** What stands in the way before anybody is asked. */
function refuseRefused(plan: Plan): void {
  const refused = standingRefusals(plan);
  if (refused.length === 0) return;
  const addresses = [...new Set(refused.map(({ address }) => address))].join(', ');
  throw userError(
    'refused',
    `nothing was applied: the plan holds refused changes (${addresses})`,
    'what would allow each is said with it; to apply all that does not need them: --skip-refused',
  );
}

/** Asks on a terminal, and looks again when the answer comes. Undefined where the answer is no. */
async function approve(invocation: Invocation, planner: Planner, plan: Plan): Promise<Confirmed | undefined> {
  const { flags, interrupt, world } = invocation;
  const isNothing = plan.organizations.every(({ steps }) => steps.length === 0);
  if (isNothing || flags.autoApprove === true) return { plan, satisfied: new Map() };
  if (flags.format === 'json') {
    throw userError(
      'not-approved',
      'nobody can approve a plan that is not shown',
      'add --auto-approve to --format json',
    );
  }
  if (world.stdin.isTTY !== true || world.stdout.isTTY !== true) {
    throw userError(
      'not-approved',
      'there is no terminal to ask for approval on',
      'review the plan, then run apply with --auto-approve',
    );
  }
  return (await askForApproval(world, interrupt)) ? confirm(planner, plan) : undefined;
}
