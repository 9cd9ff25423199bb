/** When a desired value and a live one are the same, by the rules of their field. */
import type { Field } from '../kinds/kind.ts';
import type { Payload, Value } from '../kinds/payload.ts';
import { isRecord } from '../util/json.ts';
import { Secret } from '../util/secret.ts';

/** True when a desired value and a live one are the same, by the field's rules. */
export function sameField(field: Field, desired: Payload, live: Value | undefined): boolean {
  if (desired === null) return live === null || live === undefined || live === '';
  if (live === undefined || live === null) return desired === '';
  const plain = desired instanceof Secret ? desired.reveal() : desired;
  if (isRecord(plain) && '$id' in plain) return false;
  if (field.same !== undefined) return field.same(plain as Value, live);
  return sameValue(plain as Value, live, field.compare ?? 'exact');
}

function sameValue(desired: Value, live: Value, compare: NonNullable<Field['compare']>): boolean {
  if (compare === 'set' && Array.isArray(desired) && Array.isArray(live)) {
    return canonical([...desired].map(canonical).sort()) === canonical([...live].map(canonical).sort());
  }
  if (compare === 'entries' && isRecord(desired) && isRecord(live)) {
    return Object.entries(desired).every(([key, value]) => canonical(value) === canonical(live[key]));
  }
  return canonical(desired) === canonical(live);
}

function canonical(value: unknown): string {
  if (value instanceof Secret) return JSON.stringify(value.reveal());
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}
