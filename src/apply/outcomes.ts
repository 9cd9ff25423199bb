/** What outcomes of steps mean for what an apply does next. */
import { ApiError } from '../contract/api.ts';
import { operations } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import type { Step } from '../plan/plan.ts';
import type { Outcome } from './events.ts';

/** A step that failed. */
export type FailedStep = Extract<Outcome, { type: 'failed' }>;

/** After structural changes, changes whose answers say nothing, and lost answers, the state is read again. */
export function needsAnotherLook(outcome: Outcome): boolean {
  if (outcome.type === 'failed') return isWorthLooking(outcome);
  if (outcome.type !== 'done') return false;
  return (
    outcome.step.phase !== 'update' ||
    outcome.step.calls.some(({ operation }) => (operations[operation] as Operation).response === null)
  );
}

/**
 * A lost answer is looked up, not repeated, and so is what the service refuses as a conflict: the object may be there
 * already.
 */
export function isWorthLooking(outcome: FailedStep): boolean {
  const { step, uncertain } = outcome;
  if (uncertain || step.phase === 'delete') return uncertain;
  return (isConflict(outcome) || isRejected(outcome)) && !isBareCreate(step);
}

/** True for what the service refuses since something else has the place or the name. */
export function isConflict({ error }: FailedStep): boolean {
  return error instanceof ApiError && error.status === 409;
}

/** True for what the service calls wrong: some say so of a conflict. It is looked for, and sent again once. */
export function isRejected({ error }: FailedStep): boolean {
  return error instanceof ApiError && error.status === 400;
}

/** True for a create that gives its object nothing to be recognised by, such as a duplicate. */
export function isBareCreate({ phase, fields }: Step): boolean {
  return phase === 'create' && fields.length === 0;
}
