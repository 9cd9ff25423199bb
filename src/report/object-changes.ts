/** A plan's steps gathered by object, as people think of them: what happens to each, and why. Pure. */
import type { Action, Cause, FieldChange, OrganizationPlan, Step } from '../plan/plan.ts';

/** Everything that a plan does to one object. */
export interface ObjectChange {
  readonly address: string;
  readonly noun: string;
  /** What people call it, where its address does not tell. */
  readonly title?: string;
  readonly cause?: Cause;
  readonly action: Action;
  readonly reasons: readonly string[];
  /** The last value of each field; without `before` where the object is new. */
  readonly fields: readonly FieldChange[];
  readonly risks: readonly string[];
  /** Where it goes, for example `from a into b, after c`. */
  readonly place?: string;
  /** What happens in between and is gone at the end. */
  readonly detours: readonly string[];
}

/** The objects that a plan changes, in the order of their first steps. */
export function objectChanges(plan: OrganizationPlan): readonly ObjectChange[] {
  const groups = new Map<string, Step[]>();
  for (const step of plan.steps) {
    const key = `${step.address} ${step.action}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [step]);
    else group.push(step);
  }
  return [...groups.values()].flatMap((steps) => {
    const [first] = steps;
    return first === undefined ? [] : [gather(first, steps)];
  });
}

/** True when the object does not exist before, or does not after, so that there is nothing to compare with. */
export function isWhole(action: Action): boolean {
  return action === 'create' || action === 'replace' || action === 'delete';
}

function gather(first: Step, steps: readonly Step[]): ObjectChange {
  const fields = new Map<string, FieldChange>();
  const reasons: string[] = [];
  const ways: string[] = [];
  const spots: string[] = [];
  const detours: string[] = [];
  for (const step of steps) {
    if (step.phase === 'free') {
      detours.push(step.reason);
      continue;
    }
    if (step.phase === 'move') spots.push(step.reason);
    else if (step.phase === 'leave' || step.phase === 'enter') {
      // A new object's address says already where it goes.
      if (!isWhole(first.action)) ways.push(step.reason);
    } else if (explains(step)) reasons.push(step.reason);
    // What is lost need not be read field by field: the name says it.
    if (step.phase === 'delete') continue;
    for (const change of step.fields) fields.set(change.field, change);
  }
  const title = steps.find((step) => step.title !== undefined)?.title;
  const cause = steps.find((step) => step.cause !== undefined)?.cause;
  const place = [ways.join(' '), ...spots].filter((text) => text !== '').join(', ');
  return {
    address: first.address,
    noun: first.noun,
    action: first.action,
    reasons: reasons.filter((reason) => reason !== ''),
    fields: [...fields.values()],
    risks: [...new Set(steps.flatMap(({ risks }) => risks))],
    ...(title === undefined ? {} : { title }),
    ...(cause === undefined ? {} : { cause }),
    ...(place === '' ? {} : { place }),
    detours,
  };
}

/** The update that completes a creation needs no explanation, nor does the delete within a replacement. */
function explains({ action, phase }: Step): boolean {
  return action === 'replace' || action === 'create'
    ? phase === 'create'
    : phase !== 'update' || action === 'update';
}
