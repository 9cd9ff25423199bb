import { type ApplyResult, isComplete, type Outcome } from '../../apply/events.ts';
import type { Plan, Step } from '../../plan/plan.ts';
import { defined } from '../../util/defined.ts';
import { stableStringify } from '../../util/json.ts';
import { safeJson } from '../text/safe-text.ts';
import type { ApplyView } from './text.ts';

export const applyAsJson: ApplyView = {
  result: ({ plan, digest, result }) => renderApplyJson(plan, digest, result),
};

function renderApplyJson(plan: Plan, digest: string, result: ApplyResult): string {
  const organizations = result.organizations.map(({ label, outcomes, made, leftover, twins, unread }) => ({
    label,
    outcomes: outcomes.map(outcomeJson),
    made: Object.fromEntries(made),
    leftover: leftover.map(stepJson),
    twins,
    ...defined({ unread: unread?.message }),
  }));
  const { interrupted, stopped } = result;
  const document = {
    format: 1,
    plan,
    digest,
    complete: isComplete(result),
    interrupted,
    organizations,
    ...defined({ stopped }),
  };
  return `${safeJson(stableStringify(document, 2))}\n`;
}

function outcomeJson(outcome: Outcome): Record<string, unknown> {
  const more =
    outcome.type === 'failed'
      ? { error: outcome.error.message, uncertain: outcome.uncertain, ...defined({ at: outcome.step.at }) }
      : outcome.type === 'skipped'
        ? { because: outcome.because }
        : {};
  return { outcome: outcome.type, ...stepJson(outcome.step), ...more };
}

function stepJson({ id, address, action, phase }: Step): Record<string, unknown> {
  return { id, address, action, phase };
}
