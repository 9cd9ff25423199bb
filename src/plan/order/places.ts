/** Where the manifests ask for a step, so that its failure can point there. */
import type { PlanContext } from '../context.ts';
import type { Step } from '../plan.ts';

/** The steps, each with the place of its object, or of the only field that it changes; none for what is not declared. */
export function withPlaces({ desired }: PlanContext, steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => {
    const node = desired.get(step.address);
    if (node === undefined) return step;
    const [field, ...others] = step.phase === 'update' ? step.fields : [];
    const place = field === undefined || others.length > 0 ? undefined : node.fieldAt[field.field];
    return { ...step, at: place ?? node.at };
  });
}
