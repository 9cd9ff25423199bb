/**
 * What a plan does, in its smallest parts and in a form that depends on meaning alone: neither on wording, nor on the
 * order of steps or lists, nor on which part was done before. Digests and comparisons of plans work on it.
 */
import type { Payload } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { isRecord, stableStringify } from '../util/json.ts';
import type { FieldChange, OrganizationPlan, Step } from './plan.ts';

/** One thing that is done to one object: a field that gets a value, or the calls of a step of another sort. */
export interface Effect {
  /** The step that it is part of. */
  readonly step: Step;
  /** What it is about: effects of the same subject differ only in how it is done. */
  readonly subject: string;
  /** The whole meaning as text; equal for equal meaning. */
  readonly text: string;
  /** The same for an object that was still to be made when this was planned; absent where the object is to go. */
  readonly asNew?: string;
  readonly field?: FieldChange;
}

/** All effects of a plan, in the order of its steps. */
export function effectsOf(plan: OrganizationPlan, registry: Registry): readonly Effect[] {
  const addressOf = new Map(Object.entries(plan.ids).map(([address, id]) => [id, address]));
  return plan.steps.flatMap((step) => {
    const fields = step.phase === 'update' ? step.fields : [];
    // A step that changes nothing but fields is as good as its fields; any other is its calls.
    if (fields.length === 0) return [callEffect(plan, step, addressOf)];
    return fields.map((change) => fieldEffect(plan, step, change, registry));
  });
}

function fieldEffect(
  { organizationId }: OrganizationPlan,
  step: Step,
  change: FieldChange,
  registry: Registry,
): Effect {
  const { address, kind, phase, liveId } = step;
  const { field } = change;
  const order = registry.byName(kind).fields[field]?.compare === 'set';
  const after = inOrder(change.after, order);
  const about = { organizationId, address, kind, phase, field, after };
  const asNew = stableStringify(about);
  const before = inOrder(change.before, order);
  return {
    step,
    subject: subjectOf(organizationId, step, field),
    text: liveId === undefined ? asNew : stableStringify({ ...about, liveId, before }),
    asNew,
    field: change,
  };
}

function callEffect(
  { organizationId }: OrganizationPlan,
  step: Step,
  addressOf: ReadonlyMap<string, string>,
): Effect {
  const { address, kind, phase, liveId, fields } = step;
  const calls = named(step.calls, addressOf);
  const about = { organizationId, address, kind, phase, calls };
  if (phase === 'delete') {
    // What is deleted must be what was looked at.
    return {
      step,
      subject: subjectOf(organizationId, step),
      text: stableStringify({ ...about, liveId, fields: named(fields, addressOf) }),
    };
  }
  const asNew = stableStringify(about);
  return {
    step,
    subject: subjectOf(organizationId, step),
    text: liveId === undefined ? asNew : stableStringify({ ...about, liveId }),
    asNew,
  };
}

function subjectOf(organizationId: string, { address, phase }: Step, field?: string): string {
  return JSON.stringify([organizationId, address, phase, ...(field === undefined ? [] : [field])]);
}

/** The value with ids of declared objects as their addresses: an id that a run made means the same as its address. */
function named(value: unknown, addressOf: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    const address = addressOf.get(value);
    return address === undefined ? value : { $id: address };
  }
  if (Array.isArray(value)) return value.map((inner) => named(inner, addressOf));
  if (!isRecord(value) || typeof value.toJSON === 'function') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, named(inner, addressOf)]));
}

/** A list whose order has no meaning, in a fixed one. */
function inOrder(value: Payload | undefined, isSet: boolean): unknown {
  if (!isSet || !Array.isArray(value)) return value;
  return [...value].map((item: unknown) => stableStringify(item)).sort();
}
