/**
 * The smallest parts of a plan by meaning: wording, the order of steps or lists, and finished parts make no difference.
 * Digests and comparisons of plans use them.
 *
 * Example 1: the approved plan gives section api the path "b", by way of "b-swap" since guides still has "b". It breaks
 *   off after that. Today's plan says "b-swap" → "b"; the approved effect "a" → "b" approves it, because the temporary
 *   path is one of its intermediate values.
 * Example 2: the approved plan creates team docs and then sets its members. It breaks off after the create. Today's plan
 *   updates an existing team, whose id was not known before; the approved effect on the new team approves it.
 */
import { type Call, mapOf, type Payload, referredAddress } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { parentOf, prefixesOf } from '../../tree/addressing.ts';
import { deletedBy, RefSet } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import { isRecord, mapInside, sameJson, stableStringify } from '../../util/json.ts';
import { type FieldChange, isUpdate, type OrganizationPlan, type Step } from '../plan.ts';

export interface Effect {
  readonly step: Step;
  readonly subject: string;
  readonly text: string;
  /** Texts approved together with this effect: its own, and its forms after other parts of the plan are done. */
  readonly approves: readonly string[];
  /** An approval of any of these texts suffices: the effect itself, or its form before its object was created. */
  readonly approvedBy: readonly string[];
  /** The same for a new object whatever is created before it, which several approved plans together do not show. */
  readonly unordered?: readonly string[];
  readonly field?: FieldChange;
}

export function isApproved(texts: ReadonlySet<string>, { approvedBy }: Pick<Effect, 'approvedBy'>): boolean {
  return approvedBy.some((text) => texts.has(text));
}

export function effectsOf(plan: OrganizationPlan, registry: Registry): readonly Effect[] {
  if (plan.steps.length === 0) return [];
  const before = createdBefore(plan, registry);
  const intermediate = intermediateValuesOf(plan, registry);
  const lasting = withoutDeleted(plan, registry);
  return plan.steps.flatMap((step) => {
    const fields = isUpdate(step) ? step.fields : [];
    // A step that only changes fields is equivalent to its fields; other steps are represented by their calls.
    if (fields.length === 0) return [callEffect(plan, step, { follows: before.get(step), lasting })];
    return fields.map((change) => {
      const isSet = registry.byName(step.kind).fields[change.field]?.type === 'set';
      const own = { change, isSet, intermediate: intermediate(step, change.field) };
      return fieldEffect(plan, step, { ...own, lasting: lasting(step, change) });
    });
  });
}

/** The new object created before another one in the same order, because visitors may see the first one first. */
function createdBefore({ steps }: OrganizationPlan, registry: Registry): ReadonlyMap<Step, string> {
  const before = new Map<Step, string>();
  const last = new Map<string, string>();
  for (const step of steps) {
    const isOrdered = registry.byName(step.kind).manifest.places.some(({ ordered }) => ordered);
    if (step.phase !== 'create' || !isOrdered) continue;
    const parent = parentOf(step.address);
    const previous = last.get(parent);
    if (previous !== undefined) before.set(step, previous);
    last.set(parent, step.address);
  }
  return before;
}

function intermediateValuesOf({ steps }: OrganizationPlan, registry: Registry) {
  const freed = new Map(steps.filter(({ phase }) => phase === 'vacate').map((step) => [step.address, step]));
  return (step: Step, field: string): readonly unknown[] => {
    const values: unknown[] = (freed.get(step.address)?.fields ?? [])
      .filter((change) => change.field === field)
      .map(({ after }) => after);
    const reference = registry.byName(step.kind).fields[field];
    if (reference?.type !== 'reference' || reference.within !== 'descendants') return values;
    // The service chooses another default when the current one is deleted, or when the first object of a new kind arrives.
    const inside = steps.filter(({ address }) => address.startsWith(`${step.address}/`));
    if (inside.some(({ phase }) => phase === 'delete')) values.push(undefined);
    for (const { address, kind, phase } of inside) {
      if (phase === 'create' && reference.kinds.includes(kind)) values.push({ $id: address });
    }
    return values;
  };
}

type LastingChange = (step: Step, change: FieldChange) => FieldChange;

/** Removes from the value before a change the people and teams that the plan itself deletes, because either request may be sent first. */
function withoutDeleted({ steps }: OrganizationPlan, registry: Registry): LastingChange {
  const deleted = new RefSet(steps.filter(({ phase }) => phase === 'delete').flatMap(deletedBy));
  return ({ kind }, change) => {
    const { means = {}, ...rest } = change;
    const field = registry.byName(kind).fields[change.field];
    const entries = mapOf(change.before);
    if (field?.type !== 'members' || entries === undefined) return change;
    const isDeleted = (key: string) => deleted.has({ kind: field.of, id: means[key] ?? '' });
    if (!Object.keys(entries).some(isDeleted)) return change;
    const left = <T>(all: Readonly<Record<string, T>>) =>
      Object.fromEntries(Object.entries(all).filter(([key]) => !isDeleted(key)));
    const named = left(means);
    return { ...rest, before: left(entries), ...(Object.keys(named).length === 0 ? {} : { means: named }) };
  };
}

interface FieldContext {
  readonly change: FieldChange;
  readonly lasting: FieldChange;
  readonly isSet: boolean;
  readonly intermediate: readonly unknown[];
}

function fieldEffect(
  plan: OrganizationPlan,
  step: Step,
  { change, isSet, intermediate, lasting }: FieldContext,
): Effect {
  const { organizationId } = plan;
  const { address, kind, liveId } = step;
  // A rest of the plan may have only the values that it takes late.
  const phase = 'update';
  const { field, until } = change;
  const idsIn = (value: Payload | undefined) => withIds(plan, inOrder(value, isSet));
  const about = { organizationId, address, kind, phase, field, after: idsIn(change.after), until };
  const textOf = (more: object) => stableStringify(defined({ ...about, ...more }));
  const all = lasting === change ? [change] : [change, lasting];
  const values = all.map(({ means, before }) => ({ means, before: idsIn(before) }));
  const texts = values.map((one) => textOf({ liveId, ...one }));
  const [text = ''] = texts;
  const subject = subjectOf(organizationId, step, field);
  return {
    step,
    subject,
    text,
    field: change,
    get approves() {
      const others = intermediate.map((value) =>
        textOf({ liveId, means: change.means, before: withIds(plan, value) }),
      );
      return [...texts, ...others];
    },
    get approvedBy() {
      const former = newObjectsOf(plan, step).flatMap((made) =>
        values.flatMap(({ means, before }) => {
          const known = { ...about, ...madeBefore(made, step), means: knownOf(made, means) };
          // Before its creation, the object had the values of its create call, or the defaults of the service.
          const all = [{ ...known, before }, ...(isMade(plan.made, step) ? [known] : [])];
          return all.map((one) => stableStringify(defined(withoutMade(made, one) as object)));
        }),
      );
      return [...texts, ...former];
    },
  };
}

function callEffect(
  plan: OrganizationPlan,
  step: Step,
  { follows, lasting }: { readonly follows: string | undefined; readonly lasting: LastingChange },
): Effect {
  const { organizationId } = plan;
  const { address, kind, phase, liveId, fields, cascade, until } = step;
  // Look-ups before a call do not affect the request.
  const calls = step.calls.map(({ unlessPlaced: _, except: __, ...call }) => call);
  const subject = subjectOf(organizationId, step);
  if (phase === 'delete') {
    // The deleted object must be the reviewed one, even if other steps have moved it since.
    const textOf = (lost: readonly FieldChange[]) =>
      stableStringify({
        organizationId,
        kind,
        phase,
        calls,
        liveId,
        // The display of values does not affect the loss.
        fields: lost.map(({ field, before }) => ({ field, ...defined({ before: withIds(plan, before) }) })),
        cascade: cascade?.map((taken) => `${taken.kind} ${taken.id}`).sort(),
      });
    const text = textOf(fields);
    const rest = fields.map((one) => lasting(step, one));
    const isSame = rest.every((one, at) => one === fields[at]);
    // An empty value is not a loss.
    const texts = isSame ? [text] : [text, textOf(rest.filter(({ before }) => !sameJson(before, {})))];
    return { step, subject, text, approves: texts, approvedBy: texts };
  }
  const about = { organizationId, address, kind, phase, calls, liveId, until };
  const text = stableStringify(defined({ ...about, follows }));
  const approvedBy = (after: string | undefined) => {
    const former = newObjectsOf(plan, step).map((made) => {
      const one = withoutMade(made, { ...about, ...madeBefore(made, step) });
      return stableStringify(defined({ ...(one as object), follows: after }));
    });
    return [stableStringify(defined({ ...about, follows: after })), ...former];
  };
  return {
    step,
    subject,
    text,
    get approves() {
      // If the replaced object no longer exists, its undeclared fields are unknown.
      const carried = fields.flatMap(({ field, carried: isCarried }) => (isCarried === true ? [field] : []));
      const texts = [calls, withoutFields(calls, carried)].flatMap((some) =>
        [follows, undefined].map((order) =>
          stableStringify(defined({ ...about, calls: some, follows: order })),
        ),
      );
      return [...new Set(texts)];
    },
    get approvedBy() {
      return approvedBy(follows);
    },
    get unordered() {
      return approvedBy(undefined);
    },
  };
}

type Ids = Readonly<Record<string, string>>;

/** Objects that unfinished runs created; and with those of the step that another run may have created. */
function newObjectsOf({ made, adopted = {} }: OrganizationPlan, { address }: Step): readonly Ids[] {
  const own = prefixesOf(address).flatMap((at) => (adopted[at] === undefined ? [] : [[at, adopted[at]]]));
  const known = made === undefined ? [] : [made];
  return own.length === 0 ? known : [...known, { ...made, ...(Object.fromEntries(own) as Ids) }];
}

function isMade(made: Ids = {}, { address, liveId }: Step): boolean {
  // A kind with a single object per parent has the parent's id.
  const above = prefixesOf(address).at(-2) ?? '';
  return liveId !== undefined && (made[address] ?? made[above]) === liveId;
}

/** Drops names whose objects had no id yet. */
function knownOf(made: Ids, means: FieldChange['means']): FieldChange['means'] {
  const own = new Set(Object.values(made));
  const known = Object.entries(means ?? {}).filter(([, id]) => !own.has(id));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** The object had no id before its creation. */
function madeBefore(made: Ids, step: Step): { readonly liveId: string | undefined } {
  return { liveId: isMade(made, step) ? undefined : step.liveId };
}

function subjectOf(organizationId: string, step: Step, field?: string): string {
  const { address, kind, phase, liveId } = step;
  const object = phase === 'delete' ? [kind, liveId] : [address];
  return JSON.stringify([organizationId, phase, ...object, ...(field === undefined ? [] : [field])]);
}

/** Replaces references to live objects with their ids, because an address may mean another object later. */
function withIds({ ids }: OrganizationPlan, value: unknown): unknown {
  return replaced(value, (one) => {
    const address = referredAddress(one);
    return address !== undefined && Object.hasOwn(ids, address) ? ids[address] : undefined;
  });
}

/** Reverts to the state before an unfinished run created objects: their ids become addresses again. */
function withoutMade(made: Ids, value: unknown): unknown {
  // An id that is also a name may equal other text by chance.
  const ids = Object.entries(made).filter(([address, id]) => !address.endsWith(`/${id}`));
  const addressOf = new Map(ids.map(([address, id]) => [id, address]));
  return replaced(value, (one) => {
    const address = typeof one === 'string' ? addressOf.get(one) : undefined;
    return address === undefined ? undefined : { $id: address };
  });
}

function replaced(value: unknown, by: (value: unknown) => unknown): unknown {
  const other = by(value);
  if (other !== undefined) return other;
  if (isRecord(value) && typeof value.toJSON === 'function') return value;
  return mapInside(value, (inner) => replaced(inner, by));
}

export function inOrder(value: Payload | undefined, isSet: boolean): unknown {
  if (!isSet || !Array.isArray(value)) return value;
  return [...value].map((item: unknown) => stableStringify(item)).sort();
}

function withoutFields(calls: readonly Omit<Call, 'unlessPlaced' | 'except'>[], names: readonly string[]) {
  return calls.map(({ body, ...call }) =>
    body === undefined
      ? call
      : { ...call, body: Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name))) },
  );
}
