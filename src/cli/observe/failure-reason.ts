/** Why a run did not succeed, as one word of a closed list, for the steps of a pipeline that come after it. */
import type { ApplyResult } from '../../apply/events.ts';
import { type Plan, standingRefusals } from '../../plan/plan.ts';
import type { RunEnd } from '../../run/run-report/run-event.ts';

/** All reasons; empty for a run that succeeded. */
export const failureReasons = [
  '',
  'error',
  'changes',
  'stale',
  'refused',
  'partial',
  'unknown',
  'interrupted',
  'locked',
  'base-ahead',
] as const;

/** Why a run did not succeed. */
export type FailureReason = (typeof failureReasons)[number];

/** Codes of errors that say why by themselves. */
const reasonsByCode: Readonly<Record<string, FailureReason>> = {
  'plan-stale': 'stale',
  'unexpected-plan': 'stale',
  refused: 'refused',
  locked: 'locked',
  'lock-lost': 'locked',
  'base-ahead': 'base-ahead',
};

/** What is known of a run at its end. */
interface RunFacts {
  readonly plan: Plan | undefined;
  readonly result: ApplyResult | undefined;
}

/**
 * `changes`: a plan has some, and was asked to say so; `stale`: not what was approved; `partial`: an apply did a part;
 * `unknown`: nobody knows whether a request took effect.
 */
export function failureReason(end: RunEnd, { plan, result }: RunFacts): FailureReason {
  if (end.interrupted || result?.interrupted === true) return 'interrupted';
  const [known] = end.errors.flatMap(({ code }) => reasonsByCode[code] ?? []);
  if (known !== undefined) return known;
  if (end.exitCode === 0) return '';
  if (end.errors.length > 0) return 'error';
  if (result !== undefined) return appliedReason(result);
  if (end.exitCode === 2) return 'changes';
  return end.exitCode === 3 || (plan !== undefined && standingRefusals(plan).length > 0)
    ? 'refused'
    : 'error';
}

function appliedReason({ organizations, stopped }: ApplyResult): FailureReason {
  if (stopped?.type === 'lock') return 'locked';
  const outcomes = organizations.flatMap((organization) => organization.outcomes);
  if (outcomes.some((outcome) => outcome.type === 'failed' && outcome.uncertain)) return 'unknown';
  return outcomes.some(({ type }) => type === 'done') ? 'partial' : 'error';
}
