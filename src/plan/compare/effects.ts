/**
 * The smallest parts of a plan by meaning: neither wording, nor the order of steps or lists, nor finished parts make
 * a difference. Digests and comparisons of plans use it.
 *
 * Example 1: the approved plan gives section api the path "b", by way of "b-swap" since guides still has "b". It breaks
 *   off after that. Today's plan says "b-swap" → "b"; the approved effect "a" → "b" approves it, because the temporary
 *   path is one of its intermediate values.
 * Example 2: the approved plan creates team docs and then sets its members. It breaks off after the create. Today's plan
 *   updates a team that exists, with an id that nobody knew; it is approved by the effect on the team still to be made.
 */
import type { Payload } from '../../kinds/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { defined } from '../../util/defined.ts';
import { isRecord, stableStringify } from '../../util/json.ts';
import type { FieldChange, OrganizationPlan, Step } from '../plan.ts';

export interface Effect {
  readonly step: Step;
  readonly subject: string;
  readonly text: string;
  /** Texts that approving this also approves: itself, and what it becomes once other parts of the plan are done. */
  readonly approves: readonly string[];
  /** One of these must be approved: the effect itself, or what it was while its object was still to be created. */
  readonly approvedBy: readonly string[];
  readonly field?: FieldChange;
}

export function effectsOf(plan: OrganizationPlan, registry: Registry): readonly Effect[] {
  if (plan.steps.length === 0) return [];
  const addressOf = addressesById(plan);
  const intermediate = intermediateValuesOf(plan, registry);
  return plan.steps.flatMap((step) => {
    const fields = step.phase === 'update' ? step.fields : [];
    // A step that changes nothing but fields is as good as its fields; any other is its calls.
    if (fields.length === 0) return [callEffect(plan, step, addressOf)];
    return fields.map((change) => {
      const isSet = registry.byName(step.kind).fields[change.field]?.type === 'set';
      return fieldEffect(plan, step, { change, isSet, intermediate: intermediate(step, change.field) });
    });
  });
}

/** Addresses by id, except ids that are names chosen by people: other text may be the same by chance. */
function addressesById({ ids }: OrganizationPlan): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(ids)
      .filter(([address, id]) => !address.endsWith(`/${id}`))
      .map(([address, id]) => [id, address]),
  );
}

type IntermediateValues = (step: Step, field: string) => readonly unknown[];

function intermediateValuesOf({ steps }: OrganizationPlan, registry: Registry): IntermediateValues {
  const freed = new Map(steps.filter(({ phase }) => phase === 'vacate').map((step) => [step.address, step]));
  return (step, field) => {
    const values: unknown[] = (freed.get(step.address)?.fields ?? [])
      .filter((change) => change.field === field)
      .map(({ after }) => after);
    const reference = registry.byName(step.kind).fields[field];
    if (reference?.type !== 'reference' || reference.within !== 'descendants') return values;
    // The service chooses another default when the former one is deleted, or when the first of a new sort arrives.
    const inside = steps.filter(({ address }) => address.startsWith(`${step.address}/`));
    if (inside.some(({ phase }) => phase === 'delete')) values.push(undefined);
    for (const { address, kind, phase } of inside) {
      if (phase === 'create' && reference.kinds.includes(kind)) values.push({ $id: address });
    }
    return values;
  };
}

interface FieldContext {
  readonly change: FieldChange;
  readonly isSet: boolean;
  readonly intermediate: readonly unknown[];
}

function fieldEffect(
  { organizationId }: OrganizationPlan,
  step: Step,
  { change, isSet, intermediate }: FieldContext,
): Effect {
  const { address, kind, phase, liveId } = step;
  const { field } = change;
  const about = { organizationId, address, kind, phase, field, after: inOrder(change.after, isSet) };
  const before = inOrder(change.before, isSet);
  const text = stableStringify({ ...about, liveId, before });
  const subject = subjectOf(organizationId, step, field);
  return {
    step,
    subject,
    text,
    field: change,
    get approves() {
      return [text, ...intermediate.map((value) => stableStringify({ ...about, liveId, before: value }))];
    },
    get approvedBy() {
      // A new object has the values of its creation, or those that the service gives all.
      return [text, stableStringify({ ...about, before }), stableStringify(about)];
    },
  };
}

function callEffect(
  { organizationId }: OrganizationPlan,
  step: Step,
  addressOf: ReadonlyMap<string, string>,
): Effect {
  const { address, kind, phase, liveId, fields, cascade } = step;
  // The look before a call makes no difference to what is sent.
  const calls = named(
    step.calls.map(({ unlessPlaced: _, except: __, ...call }) => call),
    addressOf,
  );
  const subject = subjectOf(organizationId, step);
  if (phase === 'delete') {
    // The deleted object must be the one that was reviewed, wherever other steps have moved it meanwhile.
    const text = stableStringify({
      organizationId,
      kind,
      phase,
      calls,
      liveId,
      // How values are displayed makes no difference to what is lost.
      fields: named(
        fields.map(({ field, before }) => ({ field, ...defined({ before }) })),
        addressOf,
      ),
      cascade: cascade?.map((taken) => `${taken.kind} ${taken.id}`).sort(),
    });
    return { step, subject, text, approves: [text], approvedBy: [text] };
  }
  const about = { organizationId, address, kind, phase, calls };
  const text = stableStringify({ ...about, liveId });
  // If the replaced object no longer exists, its undeclared fields are no longer known.
  const carried = fields.flatMap(({ field, carried: isCarried }) => (isCarried === true ? [field] : []));
  const bare = { ...about, calls: withoutFields(calls, carried) };
  return {
    step,
    subject,
    text,
    get approves() {
      return carried.length === 0 ? [text] : [text, stableStringify({ ...bare, liveId })];
    },
    get approvedBy() {
      return [text, stableStringify(about)];
    },
  };
}

function subjectOf(organizationId: string, step: Step, field?: string): string {
  const { address, kind, phase, liveId } = step;
  const object = phase === 'delete' ? [kind, liveId] : [address];
  return JSON.stringify([organizationId, phase, ...object, ...(field === undefined ? [] : [field])]);
}

/** Ids of declared objects become their addresses: an id that a run created means the same as its address. */
function named(value: unknown, addressOf: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    const address = addressOf.get(value);
    return address === undefined ? value : { $id: address };
  }
  if (Array.isArray(value)) return value.map((inner) => named(inner, addressOf));
  if (!isRecord(value) || typeof value.toJSON === 'function') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, named(inner, addressOf)]));
}

export function inOrder(value: Payload | undefined, isSet: boolean): unknown {
  if (!isSet || !Array.isArray(value)) return value;
  return [...value].map((item: unknown) => stableStringify(item)).sort();
}

function withoutFields(calls: unknown, names: readonly string[]): unknown {
  if (!Array.isArray(calls)) return calls;
  return calls.map((call: unknown) => {
    if (!isRecord(call) || !isRecord(call.body)) return call;
    return {
      ...call,
      body: Object.fromEntries(Object.entries(call.body).filter(([name]) => !names.includes(name))),
    };
  });
}
