import { MinHeap } from '../../util/min-heap.ts';
import type { Step } from '../plan.ts';
import { type DraftStep, freeze, type PlanDraft } from './draft.ts';

/**
 * The steps in a stable order in which they could run one by one. `after` edges that contradict `needs` edges are
 * ignored. Throws if `needs` edges form a ring, which only a defect can cause.
 */
export function sortSteps(draft: PlanDraft): readonly Step[] {
  const steps = [...draft.steps.values()];
  const indexOf = new Map(steps.map((step, index) => [step.id, index]));
  const waiting = steps.map(
    (step) => new Set([...step.needs, ...step.after].filter((id) => indexOf.has(id))),
  );
  const dependents = steps.map(() => [] as number[]);
  const ready = new MinHeap();
  waiting.forEach((ids, index) => {
    for (const id of ids) dependents[indexOf.get(id) ?? 0]?.push(index);
    if (ids.size === 0) ready.push(index);
  });
  const done = new Set<string>();
  const sorted: Step[] = [];
  while (sorted.length < steps.length) {
    const index = ready.pop() ?? leastRunnable(steps, done);
    const step = steps[index];
    if (step === undefined) throw new Error(`Steps need each other: ${remaining(steps, done).join(', ')}`);
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

function leastRunnable(steps: readonly DraftStep[], done: ReadonlySet<string>): number {
  return steps.findIndex((step) => !done.has(step.id) && [...step.needs].every((id) => done.has(id)));
}

function remaining(steps: readonly DraftStep[], done: ReadonlySet<string>): readonly string[] {
  return steps.filter(({ id }) => !done.has(id)).map(({ id }) => id);
}
