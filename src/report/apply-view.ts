/** What an apply shows: its plan before approval, and what became of it. Pure. */
import type { ApplyEvent, ApplyResult } from '../apply/events.ts';
import type { Plan } from '../plan/plan.ts';
import type { RunNotes } from './apply-closing.ts';
import { renderApplyResult } from './apply-text.ts';
import { planText } from './plan-text.ts';
import type { MarkedPlan } from './plan-view.ts';
import type { LongView, View } from './view.ts';

/** An approved plan and its result. */
export interface AppliedPlan {
  readonly plan: Plan;
  readonly digest: string;
  readonly result: ApplyResult;
  readonly notes?: RunNotes;
}

/** `apply`: the plan before approval, absent where the format shows none, and the result. */
export interface ApplyView {
  readonly plan?: LongView<MarkedPlan>;
  /** What happens, while it happens; `time`: ISO 8601. Absent where the format only shows the end. */
  readonly event?: (event: ApplyEvent, time: string) => string;
  readonly result: View<AppliedPlan>;
}

/** Nothing where there was nothing to apply; the plan says so already. */
export const appliedText: View<AppliedPlan> = ({ result, notes = {} }, options) => {
  const isNothing = result.organizations.every(
    ({ outcomes, leftover }) => outcomes.length + leftover.length === 0,
  );
  return isNothing ? '' : `\n${renderApplyResult(result, { ...options, notes })}`;
};

/** The plan as text, and the result below. */
export const applyAsText: ApplyView = { plan: planText, result: appliedText };
