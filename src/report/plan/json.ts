import type { Rehearsal } from '../../plan/rehearsal.ts';
import { type PlanDigests, planDocumentOf } from '../../review/plan-document.ts';
import type { ReviewedPlan } from '../../review/reviewed-plan.ts';
import type { RunDocument } from '../../run/results/run-schema.ts';
import { defined } from '../../util/defined.ts';
import { stablePieces } from '../../util/json.ts';
import { safeJson } from '../text/safe-text.ts';
import type { LongView } from '../view.ts';

/** A plan with its digest, and its rehearsal if there was one. */
export interface DigestedPlan {
  readonly plan: ReviewedPlan;
  readonly digests: PlanDigests;
  readonly rehearsal?: Rehearsal;
}

/** Keys are in a fixed order; ends with a line break. The same plan produces the same bytes. */
export const planJson: LongView<DigestedPlan> = (planned) => jsonPieces(documentOf(planned));

/** The JSON of a run for any outcome: its plan if it made one, its errors, and its result. */
export function runJson(
  planned: DigestedPlan | undefined,
  { run, diagnostics }: Pick<RunDocument, 'run' | 'diagnostics'>,
): Generator<string> {
  return jsonPieces({ format: 1, ...(planned && documentOf(planned)), ...defined({ diagnostics }), run });
}

function documentOf({ plan, digests, rehearsal }: DigestedPlan): object {
  return { ...planDocumentOf(plan, digests), ...defined({ rehearsal }) };
}

function* jsonPieces(document: object): Generator<string> {
  for (const piece of stablePieces(document, 2)) yield safeJson(piece);
  yield '\n';
}
