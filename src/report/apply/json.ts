import { type ApplyEvent, type ApplyResult, isComplete, type Outcome } from '../../apply/events.ts';
import type { EventLine } from '../../plan/event-schema.ts';
import type { Plan, Step } from '../../plan/plan.ts';
import { defined } from '../../util/defined.ts';
import { stableStringify } from '../../util/json.ts';
import { unreachable } from '../../util/unreachable.ts';
import { eventLine, planNdjson } from '../plan/ndjson.ts';
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

export const applyAsNdjson: ApplyView = {
  plan: planNdjson,
  event: (event, time) => eventLine(lineOf(event, time)),
  result: ({ result }) => eventLine(appliedLine(result)),
};

function lineOf(event: ApplyEvent, time: string): EventLine {
  const { organization, type } = event;
  switch (type) {
    case 'stepStarted':
      return { type, time, organization, ...stepOf(event.step) };
    case 'stepEnded': {
      const { outcome, isFinal: final } = event;
      return { type, time, organization, ...stepOf(outcome.step), ...outcomeOf(outcome), final };
    }
    case 'otherWriter':
      return { type, time, organization, address: event.other.address, id: event.other.id };
    case 'round':
      return { type, time, organization, round: event.round, steps: event.steps.map(({ id }) => id) };
    default:
      return unreachable(type);
  }
}

function stepOf({ id: step, address, action, phase }: Step) {
  return { step, address, action, phase };
}

function outcomeOf(outcome: Outcome) {
  if (outcome.type === 'failed') return { outcome: nameOf(outcome), error: outcome.error.message };
  if (outcome.type === 'skipped') return { outcome: outcome.type, because: outcome.because };
  return { outcome: outcome.type };
}

function nameOf(outcome: Outcome): Outcome['type'] | 'unknown' {
  return outcome.type === 'failed' && outcome.uncertain ? 'unknown' : outcome.type;
}

function appliedLine(result: ApplyResult): EventLine {
  const outcomes: Record<string, number> = {};
  for (const outcome of result.organizations.flatMap((organization) => organization.outcomes)) {
    const name = nameOf(outcome);
    outcomes[name] = (outcomes[name] ?? 0) + 1;
  }
  return {
    type: 'applied',
    complete: isComplete(result),
    interrupted: result.interrupted,
    ...defined({ stopped: result.stopped?.message }),
    outcomes,
    leftover: result.organizations.reduce((sum, { leftover }) => sum + leftover.length, 0),
  };
}
