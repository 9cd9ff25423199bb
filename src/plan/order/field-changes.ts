/** Describes the fields of a step: values before and after, causes, and the objects behind names. */
import type { Field } from '../../kinds/parts/field.ts';
import { mapOf, type Payload } from '../../kinds/parts/payload.ts';
import { isAdditive } from '../../tree/additive.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { endingsOf } from '../../tree/endings.ts';
import type { LiveNode } from '../../tree/live.ts';
import { defined } from '../../util/defined.ts';
import { isRecord, sameJson } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';
import { creationCause, fieldCause } from '../diff/cause.ts';
import type { Values } from '../diff/changed-fields.ts';
import type { FieldChange } from '../plan.ts';
import { namedObject } from '../title-of.ts';

export function describeFields(
  context: PlanContext,
  desired: DesiredNode,
  { names, before }: { readonly names: readonly string[]; readonly before: Values },
): readonly FieldChange[] {
  const { fields } = context.kindOf(desired);
  const payload = context.payloadOf(desired);
  return names.map((name) => {
    const field = fields[name];
    const after = payload[name];
    const target = context.targetOf(desired, name);
    const values = defined({
      before: showBefore(context, field, before[name], after),
      after: target === undefined ? after : { $id: target },
    });
    const cause = describeCause(context, desired, { name, before: before[name] });
    const shown = [values.before, values.after, cause.base];
    const reading = readingOf(context, desired, { name, values: shown });
    return { field: name, ...values, ...additionOf(desired, name), ...cause, ...reading };
  });
}

function describeCause(
  context: PlanContext,
  desired: DesiredNode,
  one: { readonly name: string; readonly before: Payload | undefined },
): Pick<FieldChange, 'cause' | 'base' | 'undecided'> {
  if (context.toCreate.has(desired.address)) return defined({ cause: creationCause(context, desired) });
  const cause = fieldCause(context, desired, one);
  // The base is filled in with today's variables, so it would not show the applied value.
  const isFilled = desired.inputs?.[one.name] !== undefined;
  return defined({
    cause,
    base: cause === 'conflict' && !isFilled ? showBase(context, desired, one.name) : undefined,
    undecided: cause === 'input' ? undecidedBy(context, desired, one.name) : undefined,
  });
}

/** Why the plan cannot decide whether the input or the live value of a field changed. */
function undecidedBy(context: PlanContext, desired: DesiredNode, name: string): FieldChange['undecided'] {
  const value = context.declaredValue(desired, name);
  const [field, written] = [context.kindOf(desired).fields[name], desired.inputs?.[name]];
  if (field === undefined || written === undefined || value === undefined) return undefined;
  if (written.includes('${secret:')) return 'secret';
  const isKnown = context.wasApplied({ address: desired.address, name, field }, value) !== undefined;
  return isKnown && field.type !== 'reference' ? undefined : 'variable';
}

function showBase(context: PlanContext, desired: DesiredNode, name: string): Payload | undefined {
  const { formerTarget, applied } = context.threeWay(desired, name);
  return formerTarget === undefined ? applied : { $id: formerTarget };
}

function showBefore(
  context: PlanContext,
  field: Field | undefined,
  before: Payload | undefined,
  after: Payload | undefined,
): Payload | undefined {
  if (before === undefined || before === null) return before;
  if (field?.type === 'reference' && typeof before === 'string') return context.showId(field.kinds, before);
  const [were, are] = field?.type === 'map' ? [mapOf(before), mapOf(after)] : [];
  if (were === undefined || are === undefined) return before;
  return Object.fromEntries(Object.entries(were).filter(([key]) => key in are));
}

export function describeCreated(
  context: PlanContext,
  desired: DesiredNode,
  fields: Values,
): readonly FieldChange[] {
  return Object.entries(fields).map(([name, value]) => {
    const target = context.targetOf(desired, name);
    const after = target === undefined ? value : { $id: target };
    const reading = readingOf(context, desired, { name, values: [after] });
    return { field: name, after, ...additionOf(desired, name), ...reading };
  });
}

function additionOf(desired: DesiredNode, name: string): Pick<FieldChange, 'additive'> {
  return isAdditive(desired, name) ? { additive: true } : {};
}

export function describeLost(context: PlanContext, live: LiveNode, address: string): readonly FieldChange[] {
  return Object.entries(context.kindOf(live).fields).flatMap(([name, field]) => {
    const value = context.names.named(field, live.fields[name]);
    if (value === undefined || sameJson(value, field.absent)) return [];
    const isId = field.type === 'reference' && typeof value === 'string';
    const before = isId ? context.showId(field.kinds, value) : value;
    const reading = readingOf(context, { kind: live.kind, address }, { name, values: [before] });
    return [{ field: name, before, ...reading }];
  });
}

function readingOf(
  context: PlanContext,
  { kind, address }: Pick<DesiredNode, 'kind' | 'address'>,
  { name, values }: { readonly name: string; readonly values: readonly (Payload | undefined)[] },
): Pick<FieldChange, 'reads' | 'called' | 'means' | 'until' | 'forcesReplacement' | 'carried'> {
  const field = context.registry.byName(kind).fields[name];
  const reads: FieldChange['reads'] = field?.type === 'members' ? 'people' : field?.reads;
  const [desired, replaced] = [context.desired.get(address), context.replaced.get(address)];
  const isCarried = desired?.carried?.includes(name) === true;
  const isForcing = desired && replaced && context.replacingFields(desired, replaced).includes(name);
  const means = meaningOf(context, field, values);
  const called = field && calledOf(context, field, { values, means });
  return defined({
    reads,
    called,
    means,
    ...lastDays(context, { address, name, values, called }),
    ...(isCarried
      ? { carried: true as const }
      : isForcing === true
        ? { forcesReplacement: true as const }
        : {}),
  });
}

/** Last days of the entries, and texts for people that contain them: `ada@acme.dev, until 2027-01-31`. */
function lastDays(
  context: PlanContext,
  {
    address,
    name,
    values,
    called = {},
  }: {
    readonly address: string;
    readonly name: string;
    readonly values: readonly (Payload | undefined)[];
    readonly called: FieldChange['called'];
  },
): Pick<FieldChange, 'called' | 'until'> {
  const keys = new Set(values.flatMap((value) => (isRecord(value) ? Object.keys(value) : [])));
  const own = endingsOf(context.desired, address).filter(
    (one) => one.field === name && keys.has(one.key ?? ''),
  );
  if (own.length === 0) return {};
  const texts = own.map(({ key = '', until, isOver }) => [
    key,
    `${called[key] ?? key}, ${isOver ? 'ended on' : 'until'} ${until}`,
  ]);
  const until = own.flatMap((one) => (one.isOver ? [] : [[one.key, one.until]]));
  return {
    called: { ...called, ...Object.fromEntries(texts) },
    ...(until.length > 0 && { until: Object.fromEntries(until) }),
  };
}

function calledOf(
  context: PlanContext,
  field: Field,
  {
    values,
    means,
  }: { readonly values: readonly (Payload | undefined)[]; readonly means: FieldChange['means'] },
): FieldChange['called'] {
  if (field.type === 'members') return calledByTitle(context, field.of, means);
  if (field.type !== 'reference') return undefined;
  const named = values.flatMap((id) => {
    if (typeof id !== 'string') return [];
    const live = field.kinds.map((kind) => context.live.get({ kind, id })).find((one) => one !== undefined);
    return live === undefined ? [] : [[id, namedObject(context, live)]];
  });
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

/** Two titles can be exchanged in the app; with its id, a name identifies one object permanently. */
function calledByTitle(
  context: PlanContext,
  of: string,
  means: FieldChange['means'] = {},
): FieldChange['called'] {
  if (context.registry.byName(of).manifest.key !== undefined) return undefined;
  const titles = Object.entries(means).filter(
    ([name, id]) => name !== id && context.matching.addressOf({ kind: of, id }) === undefined,
  );
  return titles.length === 0
    ? undefined
    : Object.fromEntries(titles.map(([name, id]) => [name, `${name} [${id}]`]));
}

function meaningOf(
  context: PlanContext,
  field: Field | undefined,
  values: readonly (Payload | undefined)[],
): FieldChange['means'] {
  if (field?.type !== 'members') return undefined;
  const names = new Set(values.flatMap((value) => (isRecord(value) ? Object.keys(value) : [])));
  const ids = [...names].sort().flatMap((name) => {
    const id = context.names.idOf(field.of, name);
    return typeof id === 'string' ? [[name, id] as const] : [];
  });
  return ids.length === 0 ? undefined : Object.fromEntries(ids);
}
