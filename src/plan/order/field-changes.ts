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
    const [was, after] = [before[name], payload[name]];
    const target = context.targetOf(desired, name);
    const values = defined({
      before: was === undefined ? undefined : showBefore(context, field, was, after),
      after: target === undefined ? after : { $id: target },
    });
    const cause = describeCause(context, desired, { name, before: was });
    const shown = [values.before, values.after, cause.base];
    const reading = readingOf(context, desired, { name, values: shown });
    return {
      field: name,
      ...values,
      ...(isAdditive(desired, name) && { additive: true as const }),
      ...cause,
      ...reading,
    };
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
  before: Payload,
  after?: Payload,
): Payload {
  if (before === null) return before;
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
    return { field: name, after, ...(isAdditive(desired, name) && { additive: true as const }), ...reading };
  });
}

export function describeLost(context: PlanContext, live: LiveNode, address: string): readonly FieldChange[] {
  return Object.entries(context.kindOf(live).fields).flatMap(([name, field]) => {
    const value = context.names.named(field, live.fields[name]);
    if (value === undefined || sameJson(value, field.absent)) return [];
    const before = showBefore(context, field, value);
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
  const keys = new Set(values.flatMap((value) => (isRecord(value) ? Object.keys(value) : [])));
  const means = field?.type === 'members' ? meaningOf(context, field.of, keys) : {};
  const called = { ...titlesOf(context, field, values), ...titlesWithIds(context, field, means) };
  const endings = endingsOf(context.desired, address).filter(
    (one) => one.field === name && keys.has(one.key ?? ''),
  );
  const until = endings.flatMap((one) => (one.isOver ? [] : [[one.key, one.until]]));
  return defined({
    reads,
    called: unlessEmpty({ ...called, ...textsWithDays(endings, called) }),
    means: unlessEmpty(means),
    until: unlessEmpty(Object.fromEntries(until) as TextByName),
    ...(isCarried
      ? { carried: true as const }
      : isForcing === true
        ? { forcesReplacement: true as const }
        : {}),
  });
}

type TextByName = Readonly<Record<string, string>>;

function unlessEmpty(names: TextByName): TextByName | undefined {
  return Object.keys(names).length === 0 ? undefined : names;
}

/** Texts for people that contain the last days: `ada@acme.dev, until 2027-01-31`. */
function textsWithDays(endings: ReturnType<typeof endingsOf>, called: TextByName): TextByName {
  const texts = endings.map(({ key = '', until, isOver }) => [
    key,
    `${called[key] ?? key}, ${isOver ? 'ended on' : 'until'} ${until}`,
  ]);
  return Object.fromEntries(texts) as TextByName;
}

function titlesOf(
  context: PlanContext,
  field: Field | undefined,
  values: readonly (Payload | undefined)[],
): TextByName {
  if (field?.type !== 'reference') return {};
  const named = values.flatMap((id) => {
    if (typeof id !== 'string') return [];
    const live = field.kinds.map((kind) => context.live.get({ kind, id })).find((one) => one !== undefined);
    return live === undefined ? [] : [[id, namedObject(context, live)]];
  });
  return Object.fromEntries(named) as TextByName;
}

/** Two titles can be exchanged in the app; with its id, a name identifies one object permanently. */
function titlesWithIds(context: PlanContext, field: Field | undefined, means: TextByName): TextByName {
  if (field?.type !== 'members' || context.registry.byName(field.of).manifest.key !== undefined) return {};
  const titles = Object.entries(means).filter(
    ([name, id]) => name !== id && context.matching.addressOf({ kind: field.of, id }) === undefined,
  );
  return Object.fromEntries(titles.map(([name, id]) => [name, `${name} [${id}]`]));
}

function meaningOf(context: PlanContext, kind: string, names: Iterable<string>): TextByName {
  const ids = [...names].sort().flatMap((name) => {
    const id = context.names.idOf(kind, name);
    return typeof id === 'string' ? [[name, id] as const] : [];
  });
  return Object.fromEntries(ids);
}
