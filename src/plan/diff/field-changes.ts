/** The one differ: for each desired object, which fields differ from what is live, by the fields' own rules. */

import type { Field } from '../../kinds/kind.ts';
import type { Payload } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { sameField } from '../../tree/same-field.ts';
import { isRecord } from '../../util/json.ts';
import { Secret } from '../../util/secret.ts';
import type { Scene } from '../context.ts';
import type { FieldChange } from '../plan.ts';
import { baseValue, creationCause, fieldCause } from './cause.ts';

/** Names of the fields that must be brought from `before` (as requests hold it) to what is desiredValue. */
export function fieldsToChange(
  scene: Scene,
  desired: DesiredNode,
  before: Readonly<Record<string, Payload>>,
): readonly string[] {
  const kind = scene.kindOf(desired);
  const desiredValue = scene.payloadOf(desired);
  const fresh = scene.fresh.has(desired.address);
  return Object.keys(desiredValue).filter((name) => {
    const field = kind.fields[name];
    const value = desiredValue[name];
    if (field === undefined || value === undefined || field.change !== undefined) return false;
    if (desired.lifecycle.ignore.includes(name)) return false;
    if (!fresh && scene.base?.ignoreDrift === true) {
      if (fieldCause(scene, desired, name, before[name]) === 'drift') return false;
    }
    // What a new object has by default is not known, so a null that is a value of its own must be said.
    if (fresh && value === null && field.nullable === 'value') return before[name] !== null;
    return !samePayload(field, value, before[name]);
  });
}

function samePayload(field: Field, desired: Payload, before: Payload | undefined): boolean {
  if (isRecord(desired) && '$id' in desired)
    return isRecord(before) && '$id' in before && before.$id === desired.$id;
  if (isRecord(before) && '$id' in before) return false;
  return sameField(field, desired, before as Parameters<typeof sameField>[2]);
}

/** The live fields of a kept object as requests would hold them, with what the service left out filled in. */
export function liveFields(scene: Scene, live: LiveNode): Readonly<Record<string, Payload>> {
  const fields: Record<string, Payload> = {};
  for (const name of Object.keys(scene.kindOf(live).fields)) {
    const value = scene.liveField(live, name);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

/** How a change of these fields is shown. References read as addresses; what a secret replaces is hidden as well. */
export function describeChanges(
  scene: Scene,
  desired: DesiredNode,
  names: readonly string[],
  before: Readonly<Record<string, Payload>>,
): readonly FieldChange[] {
  const kind = scene.kindOf(desired);
  const desiredValue = scene.payloadOf(desired);
  return names.map((name) => {
    const field = kind.fields[name];
    const after = desiredValue[name];
    const former = before[name];
    const target = scene.targetOf(desired, name);
    const shownBefore = showBefore(scene, field, former, after);
    const change: FieldChange = {
      field: name,
      ...(shownBefore === undefined ? {} : { before: shownBefore }),
      ...(after === undefined ? {} : { after: target === undefined ? after : { $id: target } }),
      ...describeCause(scene, desired, name, former),
    };
    const risk = scene.fresh.has(desired.address) ? undefined : riskOf(field, change);
    return risk === undefined ? change : { ...change, risk };
  });
}

function describeCause(
  scene: Scene,
  desired: DesiredNode,
  name: string,
  before: Payload | undefined,
): Pick<FieldChange, 'cause' | 'base'> {
  const cause = scene.fresh.has(desired.address)
    ? creationCause(scene, desired)
    : fieldCause(scene, desired, name, before);
  if (cause === undefined) return {};
  const base = cause === 'conflict' ? baseValue(scene, desired, name) : undefined;
  return base === undefined ? { cause } : { cause, base };
}

function showBefore(
  scene: Scene,
  field: Field | undefined,
  before: Payload | undefined,
  after: Payload | undefined,
): Payload | undefined {
  if (before === undefined || before === null) return before;
  if (holdsSecret(after)) return new Secret('(hidden)', '');
  if (field?.reference?.of === 'value' && typeof before === 'string')
    return scene.showId(field.reference.kinds, before);
  if (field?.compare === 'entries' && isRecord(before) && isRecord(after)) {
    return Object.fromEntries(
      Object.entries(before as Record<string, Payload>).filter(([key]) => key in after),
    );
  }
  return before;
}

/** True when a secret stands anywhere in the value. */
export function holdsSecret(value: unknown): boolean {
  if (value instanceof Secret) return true;
  if (Array.isArray(value)) return value.some(holdsSecret);
  return isRecord(value) && Object.values(value).some(holdsSecret);
}

/** What a reviewer should weigh about this change of a kept object. */
function riskOf(field: Field | undefined, { before, after }: FieldChange): string | undefined {
  const risk = field?.risk;
  if (risk === undefined || after === undefined) return undefined;
  return risk(before as Parameters<typeof risk>[0], after as Parameters<typeof risk>[1]);
}
