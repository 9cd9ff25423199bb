/** An apply as lines of JSON: the head of its plan, then each event as it happens. `--format json` has the plan itself. Pure. */
import {
  type ApplyEvent,
  type ApplyResult,
  isComplete,
  type Outcome,
  outcomeWord,
} from '../../apply/events.ts';
import { countActions, isEmptyPlan, type Step } from '../../plan/plan.ts';
import { isPartial } from '../../review/plan-document.ts';
import type { EventLine } from '../../run/results/event-schema.ts';
import { countsOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { stableStringify } from '../../util/json.ts';
import { unreachable } from '../../util/unreachable.ts';
import type { DigestedPlan } from '../plan/json.ts';
import { viewPlan } from '../plan/plan-view.ts';
import { safeJson } from '../text/safe-text.ts';
import type { LongView } from '../view.ts';
import type { ApplyView } from './text.ts';

const planLine: LongView<DigestedPlan> = function* ({ plan, digests: { digest, approval, version } }) {
  const { organizations } = viewPlan(plan);
  yield eventLine({
    type: 'plan',
    format: 1,
    version,
    digest,
    approval,
    empty: isEmptyPlan(plan),
    partial: isPartial(plan),
    counts: countActions(plan),
    organizations: organizations.map(({ plan: { label, organizationId: id }, base }) => ({
      label,
      id,
      ...defined({ base }),
    })),
  });
};

export const applyAsNdjson: ApplyView = {
  plan: planLine,
  event: (event, time) => eventLine(lineOf(event, time)),
  result: ({ result }) => eventLine(appliedLine(result)),
};

/** A single line with a line break. Secrets are templates, as in every document. */
function eventLine(line: EventLine): string {
  return `${safeJson(stableStringify(line))}\n`;
}

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
  if (outcome.type === 'failed') return { outcome: outcomeWord(outcome), error: outcome.error.message };
  if (outcome.type === 'skipped') return { outcome: outcome.type, because: outcome.because };
  return { outcome: outcome.type };
}

function appliedLine(result: ApplyResult): EventLine {
  const outcomes = result.organizations.flatMap((organization) => organization.outcomes);
  return {
    type: 'applied',
    complete: isComplete(result),
    interrupted: result.interrupted,
    ...defined({ stopped: result.stopped?.message }),
    outcomes: countsOf(outcomes.map(outcomeWord)),
    leftover: result.organizations.reduce((sum, { leftover }) => sum + leftover.length, 0),
  };
}
