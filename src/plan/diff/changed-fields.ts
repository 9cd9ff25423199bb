import type { Payload } from '../../kinds/parts/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { sameField } from '../../tree/difference.ts';
import type { PlanContext } from '../context.ts';
import { inStoredForm } from '../values/stored-form.ts';
import { isLeftToOther } from '../values/synced.ts';
import { fieldCause } from './cause.ts';

export type Values = Readonly<Record<string, Payload>>;

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
    // The defaults of a new object are not known, so a null with its own meaning must be sent.
    if (value === null && field.nullable === 'value' && context.toCreate.has(desired.address))
      return before[name] !== null;
    const live = before[name];
    const stored = inStoredForm(context, desired, name, { wanted: value, live });
    if (stored === undefined || sameField(field, stored, live)) return false;
    if (context.isHiddenTarget(desired, name, live)) return false;
    return !isOutOfSight(context, desired, { name, before: live });
  });
}

/** True if the value has a separate response, which may be invisible to a token that sees the object. */
export function isOutOfSight(
  context: PlanContext,
  desired: DesiredNode,
  { name, before }: { readonly name: string; readonly before: Payload | undefined },
): boolean {
  if (context.live.seesAll || (before ?? null) !== null || context.toCreate.has(desired.address))
    return false;
  const isApart = context.kindOf(desired).fields[name]?.detail?.mayBeMissing === true;
  return isApart && (fieldCause(context, desired, { name, before }) ?? context.unexplained) === 'drift';
}

function whyIgnored(
  context: PlanContext,
  desired: DesiredNode,
  { name, before }: { readonly name: string; readonly before: Values },
): 'lifecycle' | 'drift' | undefined {
  // A new object starts as declared.
  const isThere = context.matching.liveOf(desired.address) !== undefined;
  if (isThere && desired.lifecycle.ignore.includes(name)) return 'lifecycle';
  if (isLeftToOther(context, desired, name)) return 'lifecycle';
  if (context.base?.ignoreDrift !== true || context.toCreate.has(desired.address)) return undefined;
  return fieldCause(context, desired, { name, before: before[name] }) === 'drift' ? 'drift' : undefined;
}
