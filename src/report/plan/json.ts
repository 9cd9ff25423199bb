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
export const planJson: LongView<DigestedPlan> = ({ plan, digests, rehearsal }) =>
  jsonPieces({ ...planDocumentOf(plan, digests), ...defined({ rehearsal }) });

/** The JSON of a run for any outcome: its plan if it made one, its errors, and its result. */
export function runJson(
  planned: DigestedPlan | undefined,
  { run, diagnostics }: Pick<RunDocument, 'run' | 'diagnostics'>,
): Generator<string> {
  const plan = planned && {
    ...planDocumentOf(planned.plan, planned.digests),
    ...defined({ rehearsal: planned.rehearsal }),
  };
  return jsonPieces({ format: 1, ...plan, ...defined({ diagnostics }), run });
}

function* jsonPieces(document: object): Generator<string> {
  for (const piece of stablePieces(document, 2)) yield safeJson(piece);
  yield '\n';
}
