/** Why a run failed, as one word of a closed list, for later steps of a pipeline. */
import type { ApplyResult } from '../../apply/events.ts';
import { type Plan, standingRefusals } from '../../plan/plan.ts';
import type { RunEnd } from '../../run/run-event.ts';

/** Empty for a run that succeeded. */
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

export type FailureReason = (typeof failureReasons)[number];

const reasonsByCode: Readonly<Record<string, FailureReason>> = {
  'plan-stale': 'stale',
  'unexpected-plan': 'stale',
  refused: 'refused',
  'no-approval': 'refused',
  locked: 'locked',
  'lock-lost': 'locked',
  'base-ahead': 'base-ahead',
};

export interface RunFacts {
  readonly plan: Plan | undefined;
  readonly result: ApplyResult | undefined;
}

/**
 * `changes`: a plan has some, and --detailed-exitcode is set; `stale`: differs from the approved plan; `partial`: an apply did only a
 * part; `unknown`: a request may or may not have taken effect.
 */
export function failureReason(end: RunEnd, { plan, result }: RunFacts): FailureReason {
  if (end.interrupted || result?.interrupted === true) return 'interrupted';
  const [known] = end.diagnostics.flatMap(({ code }) => reasonsByCode[code] ?? []);
  if (known !== undefined) return known;
  if (end.exitCode === 0) return '';
  if (end.diagnostics.length > 0) return 'error';
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
