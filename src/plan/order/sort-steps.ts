import TinyQueue from 'tinyqueue';
import type { Step } from '../plan.ts';
import { type DraftStep, freeze, type PlanDraft } from './draft.ts';

/**
 * Sorts steps in a stable order in which they could run one by one. `after` edges that contradict `needs` edges are
 * ignored. Throws if `needs` edges form a ring, which only a defect can cause.
 */
export function sortSteps(draft: PlanDraft): readonly Step[] {
  const steps = [...draft.steps.values()];
  const indexOf = new Map(steps.map((step, index) => [step.id, index]));
  const waiting = steps.map(
    (step) => new Set([...step.needs, ...step.after].filter((id) => indexOf.has(id))),
  );
  const dependents = steps.map(() => [] as number[]);
  const ready = new TinyQueue<number>();
  waiting.forEach((ids, index) => {
    for (const id of ids) dependents[indexOf.get(id) ?? 0]?.push(index);
    if (ids.size === 0) ready.push(index);
  });
  const done = new Set<string>();
  const sorted: Step[] = [];
  while (sorted.length < steps.length) {
    const index = ready.pop() ?? leastRunnable(draft, steps, done);
    const step = steps[index];
    if (step === undefined) {
      const rest = steps.map(({ id }) => id).filter((id) => !done.has(id));
      throw new Error(`Steps need each other: ${rest.join(', ')}`);
    }
    if (done.has(step.id)) continue;
    const after = [...step.after].filter((id) => done.has(id) && !step.needs.has(id));
    sorted.push(freeze(step, draft.actionOf(step.address), after));
    done.add(step.id);
    for (const dependent of dependents[index] ?? []) {
      waiting[dependent]?.delete(step.id);
      if (waiting[dependent]?.size === 0) ready.push(dependent);
    }
  }
  return sorted;
}

/**
 * Prefers a step that waits only for steps that need it.
 *
 * Example: a site removes its sections. A redirect to a new space needs all of these deletes.
 *   delete api   after the redirect, which needs it: runs now
 *   delete home  after the redirect and, as the default, after delete api: still waits
 */
function leastRunnable(draft: PlanDraft, steps: readonly DraftStep[], done: ReadonlySet<string>): number {
  const runnable = steps.filter(({ id, needs }) => !done.has(id) && [...needs].every((one) => done.has(one)));
  const isWaiting = (step: DraftStep) =>
    [...step.after].some((id) => {
      const earlier = done.has(id) ? undefined : draft.steps.get(id);
      return earlier !== undefined && !draft.reaches(earlier, step);
    });
  const step = runnable.find((one) => !isWaiting(one)) ?? runnable[0];
  return step === undefined ? -1 : steps.indexOf(step);
}
