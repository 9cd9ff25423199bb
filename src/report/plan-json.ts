/** A plan as a JSON document: the plan itself, its counts (with a base also by cause) and its digest. Pure. */
import { countActions, isEmptyPlan, type Plan } from '../plan/plan.ts';
import { stableStringify } from '../util/json.ts';
import { countByCause } from './cause-counts.ts';

/** The document, with keys in a fixed order; ends with a line break. The same plan gives the same bytes. */
export function renderPlanJson(plan: Plan, digest: string): string {
  const countsByCause = countByCause(plan);
  const document = {
    ...plan,
    counts: countActions(plan),
    ...(countsByCause === undefined ? {} : { countsByCause }),
    empty: isEmptyPlan(plan),
    digest,
  };
  return `${stableStringify(document, 2)}\n`;
}
