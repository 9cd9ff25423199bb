/** The journal of an apply: begins with the plan, has the events, and ends with the result. */

import { type ApplyResult, isComplete } from '../apply/events.ts';
import type { JournalEnding, JournalHeader } from '../past/journal/entry.ts';
import { type JournalTarget, JournalWriter } from '../past/journal/journal-writer.ts';
import { defined } from '../util/defined.ts';
import type { ApprovedPlan } from './approval/approval.ts';
import { planDigest } from './approval/digest.ts';

export interface JournalSettings
  extends JournalTarget,
    Pick<JournalHeader, 'run' | 'command' | 'version' | 'host' | 'process' | 'service'> {
  /** Keeps the plan in git before the first request, so that another machine knows of a run that is killed. */
  readonly keep?: (() => Promise<unknown>) | undefined;
}

/** @throws DiagnosticError (`journal`) if it cannot be written. */
export async function beginJournal(
  { store, now, print, keep, ...run }: JournalSettings,
  { plan, today, inputs }: ApprovedPlan,
  { undo, commit }: Pick<JournalHeader, 'undo'> & { readonly commit: string | undefined },
): Promise<JournalWriter> {
  const organizations = today.organizations.map(({ label, organizationId, ids, steps, unmanaged }) => ({
    ...{ label, organizationId, ids, steps },
    ...(unmanaged.length === 0 ? {} : { unmanaged: unmanaged.map(({ id }) => id) }),
  }));
  const [base, ...others] = new Set(plan.organizations.map((one) => one.base?.commit));
  const { choices, pasts } = inputs;
  const about = defined({ undoes: choices.undoes, commit, base: others.length === 0 ? base : undefined });
  const header = { ...run, ...about, digest: planDigest(plan), organizations, undo };
  const leftover = today.organizations.flatMap(({ label, leftOut, leftovers = [] }) => {
    // A part of a plan does not look for all that earlier runs did.
    const isPart = (leftOut.target ?? leftOut.exclude ?? leftOut.changed) !== undefined;
    const { objects = [], uncertain = [] } = (isPart ? pasts.get(label)?.own : undefined) ?? {};
    const runs = new Set([...leftovers, ...objects, ...uncertain].map((one) => one.run));
    return runs.size === 0 ? [] : [[label, [...runs]] as const];
  });
  const ending = leftover.length === 0 ? {} : { leftover: Object.fromEntries(leftover) };
  const writer = await JournalWriter.open({ store, now, print }, header, ending);
  if (store !== undefined) await keep?.();
  return writer;
}

/** An undefined result means that the run failed as a whole. */
export function endingOf(result: ApplyResult | undefined): Pick<JournalEnding, 'outcome' | 'stopped'> {
  if (result === undefined) return { outcome: 'failed' };
  const outcome = isComplete(result) ? 'complete' : 'incomplete';
  return {
    outcome: result.interrupted ? 'interrupted' : outcome,
    ...defined({ stopped: result.stopped?.message }),
  };
}
