/** A plan as it is kept until the merge of its request, whose apply requires it. */
import { byRules, type KeptPlan } from '../../forge/approval.ts';
import { countActions } from '../../plan/plan.ts';
import type { ReviewedPlan } from '../../review/reviewed-plan.ts';
import { digestsOf } from '../../run/approval/digest.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import type { PipelineRequest } from '../forge/place.ts';
import { countChanges, type Pipeline } from './pipeline.ts';

export function keptPlan(
  { key }: Pipeline,
  { number, head }: PipelineRequest,
  plan: ReviewedPlan,
): { readonly plan: KeptPlan; readonly isEmpty: boolean } {
  const { digest, approval } = digestsOf(plan);
  const { organizations, binding } = plan;
  const refusals = organizations.flatMap((one) => one.refusals);
  const by = refusals.every(({ guard }) => guard === 'rules') ? byRules : '';
  const counts = countActions(plan);
  const changes = countChanges(counts);
  const title = `${countOf(changes, 'change')}${counts.delete === 0 ? '' : `, ${countOf(counts.delete, 'delete')}`}`;
  const refusal = refusals.length === 0 ? undefined : `${countOf(refusals.length, 'change')} refused${by}`;
  const objects = organizations.flatMap(({ organizationId, steps }) =>
    steps.map(({ address, action }) => {
      const below = action === 'delete' || action === 'replace' ? '/' : '';
      return `${organizationId} ${address}${below}`;
    }),
  );
  const kept = { request: number, commit: head, key, digest, approval, title, ...defined({ refusal }) };
  const isTold = organizations.some(({ review }) => review?.policy !== undefined);
  return {
    isEmpty: changes === 0 && binding === undefined && !isTold,
    plan: { ...kept, objects: [...new Set(objects)] },
  };
}
