/**
 * A plan's steps gathered by object, as people think of them: what happens to each, and why. With a base, what the
 * manifests ask for and what drifted are kept apart, also within one object. Pure.
 */
import type { Action, CascadedDelete, Cause, FieldChange, OrganizationPlan, Step } from '../plan/plan.ts';
import { defined } from '../util/defined.ts';
import { sameJson } from '../util/json.ts';
import { byAddress } from './natural-order.ts';

/** Who made a difference: `change` the manifests, also where the live state changed as well; `drift` the live state alone. */
export type CauseGroup = 'change' | 'drift';

/** Everything that a plan does to one object, or with a base, as much of it as has one group of causes. */
export interface ObjectChange {
  readonly address: string;
  readonly noun: string;
  /** What people call it, where its address does not tell. */
  readonly title?: string;
  /** Absent without a base. */
  readonly group?: CauseGroup;
  readonly cause?: Cause;
  /** What happens to the object as a whole, in both groups. */
  readonly action: Action;
  readonly reasons: readonly string[];
  /** The last value of each field; without `before` where the object is new. */
  readonly fields: readonly FieldChange[];
  readonly risks: readonly string[];
  /** What is deleted along with it. */
  readonly cascade: readonly CascadedDelete[];
  /** Where it goes, for example `from a into b, after c` (of a move). */
  readonly place?: string;
  /** What happens in between and is gone at the end. */
  readonly detours: readonly string[];
}

/**
 * The objects that a plan changes, by address: the organization first, parents before children. With a base, an object that both the manifests
 * and the live state changed appears once for each, with its own fields; nothing appears in both.
 */
export function objectChanges(plan: OrganizationPlan): readonly ObjectChange[] {
  const objects = new Map<string, Step[]>();
  for (const step of plan.steps) {
    const key = `${step.address} ${step.action}`;
    const steps = objects.get(key);
    if (steps === undefined) objects.set(key, [step]);
    else steps.push(step);
  }
  const sorted = [...objects.values()].sort(([left], [right]) =>
    byAddress(left?.address ?? '', right?.address ?? ''),
  );
  return sorted.flatMap((steps) => {
    if (plan.shows === 'drift') return gather(steps, 'drift');
    if (!plan.withBase) return gather(steps);
    return (['change', 'drift'] as const).flatMap((group) => gather(partOf(steps, group), group));
  });
}

/** True where something is lost for good. */
export function isLosing({ action }: { readonly action: Action }): boolean {
  return action === 'delete' || action === 'replace';
}

/** True when the object does not exist before, or does not after, so that there is nothing to compare with. */
export function isWhole(action: Action): boolean {
  return action === 'create' || action === 'replace' || action === 'delete';
}

/** A difference without a cause counts as a change: it must not pass for a mere repair. */
function groupOf(cause: Cause | undefined): CauseGroup {
  return cause === 'drift' ? 'drift' : 'change';
}

/** An object's steps with as much of them as has one group of causes. What is made, replaced or deleted stays whole. */
function partOf(steps: readonly Step[], group: CauseGroup): readonly Step[] {
  const [first] = steps;
  if (first === undefined) return [];
  if (isWhole(first.action)) return groupOf(causeOfWhole(steps)) === group ? steps : [];
  return steps.flatMap((step) => {
    if (step.phase === 'vacate') return detourGroup(step, steps) === group ? [step] : [];
    const part = narrow(step, group);
    return part === undefined ? [] : [part];
  });
}

/** A new object is there for the cause of its creation, whatever makes room for it. */
function causeOfWhole(steps: readonly Step[]): Cause | undefined {
  const creation = steps.find(({ phase }) => phase === 'create');
  return creation?.cause ?? steps.find(({ cause }) => cause !== undefined)?.cause;
}

/** An object makes way for the value that it gets in the end. */
function detourGroup({ fields }: Step, steps: readonly Step[]): CauseGroup {
  const names = fields.map(({ field }) => field);
  const updates = steps.filter(({ phase }) => phase === 'update').flatMap((step) => step.fields);
  return groupOf(updates.find(({ field }) => names.includes(field))?.cause);
}

/** The step with its fields of the group, and their risks; all else that it says goes with its own cause. */
function narrow(step: Step, group: CauseGroup): Step | undefined {
  const { cause, ...rest } = step;
  const groupOfField = (field: FieldChange) => groupOf(field.cause ?? cause);
  const fields = step.fields.filter((field) => groupOfField(field) === group);
  const onlyDrift = step.fields.length > 0 && step.fields.every((field) => groupOfField(field) === 'drift');
  const own = groupOf(cause ?? (onlyDrift ? 'drift' : undefined)) === group;
  if (!own && fields.length === 0) return undefined;
  const risks = step.risks.filter((text) => {
    const causers = step.fields.filter(({ risk }) => risk === text);
    return causers.length === 0 ? own : causers.some((field) => groupOfField(field) === group);
  });
  return { ...rest, ...defined({ cause: own ? cause : undefined }), fields, risks };
}

function gather(steps: readonly Step[], group?: CauseGroup): readonly ObjectChange[] {
  const [first] = steps;
  if (first === undefined) return [];
  const reasonsOf = (...roles: readonly ReasonRole[]) =>
    steps.filter((step) => roles.includes(roleOf(step))).map(({ reason }) => reason);
  // What is deleted need not be read field by field: the name identifies it.
  const shown = steps.filter(({ phase }) => phase !== 'vacate' && phase !== 'delete');
  const changed = new Map(shown.flatMap((step) => step.fields.map((change) => [change.field, change])));
  const fields = first.action === 'replace' ? withLost(steps, changed) : changed;
  const place = [reasonsOf('way').at(-1) ?? '', ...reasonsOf('spot')]
    .filter((text) => text !== '')
    .join(', ');
  const change: ObjectChange = {
    address: first.address,
    noun: first.noun,
    action: first.action,
    reasons: reasonsOf('reason').filter((reason) => reason !== ''),
    fields: [...fields.values()],
    risks: [...new Set(steps.flatMap(({ risks }) => risks))],
    cascade: steps.flatMap(({ cascade }) => cascade ?? []),
    ...defined({
      title: steps.find(({ title }) => title !== undefined)?.title,
      group,
      cause: steps.find(({ cause }) => cause !== undefined)?.cause,
      place: place === '' ? undefined : place,
    }),
    detours: reasonsOf('detour'),
  };
  return [change];
}

/** The fields of a replacement beside those of what it replaces: only what becomes another value, or is lost. */
function withLost(
  steps: readonly Step[],
  changed: ReadonlyMap<string, FieldChange>,
): ReadonlyMap<string, FieldChange> {
  const lost = steps.filter(({ phase }) => phase === 'delete').flatMap(({ fields }) => fields);
  const former = new Map(lost.map((change) => [change.field, change]));
  const names = [...new Set([...changed.keys(), ...former.keys()])];
  return new Map(
    names.flatMap((name) => {
      const [now, then] = [changed.get(name), former.get(name)];
      const value = then?.before;
      if (now === undefined) return then === undefined || isNothing(value) ? [] : [[name, then]];
      const called = { ...then?.called, ...now.called };
      const { before: _, ...rest } = now;
      const whole = { ...rest, ...defined({ before: value }), called };
      return value !== undefined && sameJson(value, now.after) ? [] : [[name, whole]];
    }),
  );
}

/** A value that nobody misses. */
function isNothing(value: FieldChange['before']): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/** What the reason of a step says about its object: why, where it goes, between which others, or what happens on the way. */
type ReasonRole = 'reason' | 'way' | 'spot' | 'detour' | 'nothing';

function roleOf(step: Step): ReasonRole {
  if (step.phase === 'vacate') return 'detour';
  if (step.phase === 'move') return 'spot';
  // The address of a new object shows where it goes.
  if (step.phase === 'detach' || step.phase === 'attach') return isWhole(step.action) ? 'nothing' : 'way';
  return explains(step) ? 'reason' : 'nothing';
}

/** The update that completes a creation needs no explanation, nor does the delete within a replacement. */
function explains({ action, phase }: Step): boolean {
  return action === 'replace' || action === 'create'
    ? phase === 'create'
    : phase !== 'update' || action === 'update';
}
