/** A plan as a JSON document: the plan itself, its counts and its digest. Pure. */
import { countActions, isEmptyPlan, type Plan } from '../plan/plan.ts';
import { stableStringify } from '../util/json.ts';

/** The document, with keys in a fixed order; ends with a line break. The same plan gives the same bytes. */
export function renderPlanJson(plan: Plan, digest: string): string {
  const document = { ...plan, counts: countActions(plan), empty: isEmptyPlan(plan), digest };
  return `${stableStringify(document, 2)}\n`;
}
