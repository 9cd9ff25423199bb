/** Opens sessions for commands: flags and settings in, progress and notes out to the terminal. */

import type { Behind } from '../run/base/load-base.ts';
import type { PlanChoices } from '../run/choices.ts';
import { planDigest } from '../run/digest.ts';
import { openSession, type SessionOptions } from '../run/open-session.ts';
import type { PlanRun } from '../run/planning.ts';
import { ReadLog } from '../run/rehearse/read-log.ts';
import type { Session } from '../run/session.ts';
import { defined } from '../util/defined.ts';
import { userError } from '../util/user-error.ts';
import { connect } from './connection.ts';
import { type Flags, flagName } from './flags.ts';
import type { Invocation } from './invocation.ts';
import { journalsFor } from './journaling.ts';
import type { LockOrganizations } from './locking.ts';
import type { ProgressLine } from './progress.ts';
import { type RunSettings, readSettings } from './settings.ts';
import { showNotes } from './show-notes.ts';

/** A session, and how to plan with it while a spinner shows how far it is. */
export interface CommandSession {
  readonly session: Session;
  readonly plan: (choices: PlanChoices) => Promise<PlanRun>;
  /** Only tells which live object is which. */
  readonly match: () => Promise<PlanRun>;
}

/** Which organizations a command is about, and how it locks them. */
interface CommandScope {
  /** Absent for commands that change nothing. */
  readonly lock?: LockOrganizations;
  /** Absent for all. */
  readonly shard?: RunSettings['shard'];
  /** In place of that of the settings. */
  readonly base?: 'none';
}

/** Opens what the flags and settings name, and locks it where it is to be changed. Throws a DiagnosticError where that is not possible. */
export async function openCommandSession(
  invocation: Invocation,
  settings: RunSettings,
  { lock, shard, base }: CommandScope = {},
): Promise<CommandSession> {
  const { output, flags, world } = invocation;
  world.saveMemory?.();
  let progress: ProgressLine | undefined;
  const session = await openSession({
    ...sessionOptions(invocation, settings),
    beforeReading: lock,
    base: base ?? settings.base,
    shard,
    behind: behindOf(flags),
    offline: flags.offline,
    prune: settings.prune,
    onNote: (notes, sources) => {
      progress?.stop();
      showNotes(invocation, notes, sources);
    },
  });
  const withProgress = async (work: () => Promise<PlanRun>) => {
    progress = await output.progress('Reading the live state');
    invocation.observe({ type: 'phaseStarted', phase: 'plan' });
    try {
      return await work();
    } finally {
      invocation.observe({ type: 'phaseEnded', phase: 'plan' });
      progress.stop();
    }
  };
  return {
    session,
    plan: (choices) => withProgress(() => session.plan(choices)),
    match: () => withProgress(() => session.match()),
  };
}

/** Plans what the flags and settings name, and ends the session when the work is done. Locks nothing. */
export async function withPlan(
  invocation: Invocation,
  work: (session: Session, planned: PlanRun) => Promise<number>,
): Promise<number> {
  const settings = await readSettings(invocation);
  const { shard } = settings;
  const { session, plan: makePlan } = await openCommandSession(invocation, settings, { shard });
  try {
    const planned = await makePlan(choicesOf(invocation.flags));
    invocation.observe({ type: 'planned', plan: planned.plan, digest: planDigest(planned.plan) });
    return await work(session, planned);
  } finally {
    await session.close();
  }
}

/** What every session of a command works with. */
export function sessionOptions(invocation: Invocation, settings: RunSettings): SessionOptions {
  const { cwd, env, world, interrupt, flags, commandName } = invocation;
  const { files, overlays } = settings;
  const isRehearsed = flags.rehearse === true || commandName === 'rehearse';
  return {
    cwd,
    env,
    files,
    overlays,
    service: (trees) => connect(invocation, settings, trees),
    journals: journalsFor(invocation, settings),
    reads: isRehearsed ? new ReadLog() : undefined,
    keepsReads: commandName === 'apply' || commandName === 'undo' || flags.accept === true,
    sleep: (milliseconds) => world.clock.sleep(milliseconds, interrupt.signal),
  };
}

/** What to do with a base that is ahead: one thing at most. */
function behindOf(flags: Flags): Behind | undefined {
  const choices = { merge: 'merge', mergeBase: 'merge-base', allowBehind: 'allow' } as const;
  const given = (['merge', 'mergeBase', 'allowBehind'] as const).filter((name) => flags[name] === true);
  const [first, second] = given;
  if (first !== undefined && second !== undefined) {
    throw userError('usage', `--${flagName(first)} and --${flagName(second)} exclude each other`, 'pass one');
  }
  return first === undefined ? undefined : choices[first];
}

/** What the flags choose of the plan. */
export function choicesOf({ target, exclude, ignoreDrift, allowDeletes, skipRefused }: Flags): PlanChoices {
  return defined({ target, exclude, ignoreDrift, allowDeletes, skipRefused });
}
