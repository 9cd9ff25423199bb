/** The one differ: for each desired object, which fields differ from the live ones, by the fields' own rules. */
import type { Field } from '../../kinds/field.ts';
import { mapOf, type Payload } from '../../kinds/payload.ts';
import { isAdditive } from '../../tree/additive.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { sameField } from '../../tree/difference.ts';
import { defined } from '../../util/defined.ts';
import { isRecord } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';
import type { FieldChange } from '../plan.ts';
import { isLeftToOther } from '../synced.ts';
import { titleOf } from '../title-of.ts';
import { baseValue, creationCause, fieldCause, undecidedBy } from './cause.ts';

type Values = Readonly<Record<string, Payload>>;

export function fieldsToChange(
  context: PlanContext,
  desired: DesiredNode,
  before: Values,
): readonly string[] {
  return differingFields(context, desired, before).filter(
    (name) => whyIgnored(context, desired, { name, before }) === undefined,
  );
}

export function ignoredFields(
  context: PlanContext,
  desired: DesiredNode,
  before: Values,
): readonly ('lifecycle' | 'drift')[] {
  return differingFields(context, desired, before).flatMap(
    (name) => whyIgnored(context, desired, { name, before }) ?? [],
  );
}

function differingFields(context: PlanContext, desired: DesiredNode, before: Values): readonly string[] {
  const { fields } = context.kindOf(desired);
  const payload = context.payloadOf(desired);
  return Object.keys(payload).filter((name) => {
    const field = fields[name];
    if (field === undefined || field.change !== undefined) return false;
    const value = payload[name] ?? null;
    // The defaults of a new object are not known, so a null that is a value of its own must be sent.
    if (value === null && field.nullable === 'value' && context.fresh.has(desired.address))
      return before[name] !== null;
    if (samePayload(field, value, before[name]) || context.isHiddenTarget(desired, name, before[name]))
      return false;
    if (context.isStored({ address: desired.address, name }, value, before[name])) return false;
    return !isOutOfSight(context, desired, { name, before: before[name] });
  });
}

/** What has a response of its own may not be visible to a token that sees the object. */
export function isOutOfSight(
  context: PlanContext,
  desired: DesiredNode,
  { name, before }: { readonly name: string; readonly before: Payload | undefined },
): boolean {
  if (context.live.seesAll || (before ?? null) !== null || context.fresh.has(desired.address)) return false;
  const isApart = context.kindOf(desired).fields[name]?.detail?.mayBeMissing === true;
  return isApart && (fieldCause(context, desired, { name, before }) ?? context.unexplained) === 'drift';
}

function whyIgnored(
  context: PlanContext,
  desired: DesiredNode,
  { name, before }: { readonly name: string; readonly before: Values },
): 'lifecycle' | 'drift' | undefined {
  // A new object begins as declared.
  const isThere = context.matching.liveOf(desired.address) !== undefined;
  if (isThere && desired.lifecycle.ignore.includes(name)) return 'lifecycle';
  if (isLeftToOther(context, desired, name)) return 'lifecycle';
  if (context.base?.ignoreDrift !== true || context.fresh.has(desired.address)) return undefined;
  return fieldCause(context, desired, { name, before: before[name] }) === 'drift' ? 'drift' : undefined;
}

function samePayload(field: Field, desired: Payload, before: Payload | undefined): boolean {
  if (isRecord(desired) && '$id' in desired)
    return isRecord(before) && '$id' in before && before.$id === desired.$id;
  if (isRecord(before) && '$id' in before) return false;
  return sameField(field, desired, before as Parameters<typeof sameField>[2]);
}

/** References are shown as addresses. */
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
      before: showBefore(context, { field, before: before[name], after }),
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
  if (context.fresh.has(desired.address)) return defined({ cause: creationCause(context, desired) });
  const cause = fieldCause(context, desired, one);
  // The base is filled in with the variables of today.
  const isFilled = desired.inputs?.[one.name] !== undefined;
  return defined({
    cause,
    base: cause === 'conflict' && !isFilled ? baseValue(context, desired, one.name) : undefined,
    undecided: cause === 'input' ? undecidedBy(context, desired, one.name) : undefined,
  });
}

function showBefore(
  context: PlanContext,
  {
    field,
    before,
    after,
  }: {
    readonly field: Field | undefined;
    readonly before: Payload | undefined;
    readonly after: Payload | undefined;
  },
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

export function readingOf(
  context: PlanContext,
  desired: Pick<DesiredNode, 'kind' | 'address'>,
  { name, values }: { readonly name: string; readonly values: readonly (Payload | undefined)[] },
): Pick<FieldChange, 'reads' | 'called' | 'means' | 'forcesReplacement' | 'carried'> {
  const field = context.kindOf(desired).fields[name];
  const reads: FieldChange['reads'] = field?.type === 'members' ? 'people' : field?.reads;
  return defined({
    reads,
    called: field && calledOf(context, field, values),
    means: meaningOf(context, field, values),
    ...forcesOf(context, desired, name),
  });
}

function forcesOf(
  context: PlanContext,
  { address }: Pick<DesiredNode, 'address'>,
  name: string,
): Pick<FieldChange, 'forcesReplacement' | 'carried'> {
  const [desired, former] = [context.desired.get(address), context.replaced.get(address)];
  if (desired?.carried?.includes(name) === true) return { carried: true };
  if (desired === undefined || former === undefined) return {};
  return context.replacingFields(desired, former).includes(name) ? { forcesReplacement: true } : {};
}

function calledOf(
  context: PlanContext,
  field: Field,
  values: readonly (Payload | undefined)[],
): FieldChange['called'] {
  if (field.type === 'members') return calledByTitle(context, field.of, meaningOf(context, field, values));
  if (field.type !== 'reference') return undefined;
  const named = values.flatMap((id) => {
    if (typeof id !== 'string') return [];
    const live = field.kinds.map((kind) => context.live.get({ kind, id })).find((one) => one !== undefined);
    return live === undefined
      ? []
      : [[id, `${context.kindOf(live).noun} ${JSON.stringify(titleOf(context, live))}`]];
  });
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

/** Two titles can be exchanged in the app: with its id, a name means one object for good. */
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
