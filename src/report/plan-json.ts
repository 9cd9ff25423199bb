/** A plan as a JSON document: the plan itself, its counts and what it can be recognised by. Pure. */
import { countActions, isEmptyPlan, type Plan } from '../plan/plan.ts';
import type { Rehearsal } from '../plan/rehearsal.ts';
import { defined } from '../util/defined.ts';
import { stablePieces } from '../util/json.ts';
import { countByCause } from './cause-counts.ts';
import { isPartial } from './left-out.ts';
import type { MarkedPlan } from './plan-view.ts';
import { safeJson } from './safe-text.ts';
import type { LongView } from './view.ts';

/** What a plan is recognised by, and what made it. */
export interface PlanMarks {
  readonly digest: string;
  /** Covers the plan and every part of it. */
  readonly approval: string;
  /** Version of Octavo. */
  readonly version: string;
}

/** The document as a value, secrets still wrapped. */
export function planDocumentOf(plan: Plan, marks: PlanMarks) {
  const countsByCause = countByCause(plan);
  return {
    ...plan,
    ...marks,
    counts: countActions(plan),
    ...defined({ countsByCause }),
    empty: isEmptyPlan(plan),
    partial: isPartial(plan),
  };
}

/** The document, with keys in a fixed order, in pieces; ends with a line break. The same plan gives the same bytes. */
export function* planJsonPieces(plan: Plan, marks: PlanMarks, rehearsal?: Rehearsal): Generator<string> {
  yield* stablePieces({ ...planDocumentOf(plan, marks), ...defined({ rehearsal }) }, 2);
  yield '\n';
}

/** A marked plan as a document. */
export const planJson: LongView<MarkedPlan> = function* ({ plan, marks, rehearsal }) {
  for (const piece of planJsonPieces(plan, marks, rehearsal)) yield safeJson(piece);
};

/** The digest as people copy it. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 16);
}
