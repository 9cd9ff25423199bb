/** When a wanted value and a live one are the same, by the rules of their field. */
import type { Field } from '../kinds/kind.ts';
import type { Payload, Value } from '../kinds/payload.ts';
import { isRecord } from '../util/json.ts';
import { Secret } from '../util/secret.ts';

/** True when a wanted value and a live one are the same, by the field's rules. */
export function sameField(field: Field, want: Payload, live: Value | undefined): boolean {
  if (want === null) return live === null || live === undefined || live === '';
  if (live === undefined || live === null) return want === '';
  const plain = want instanceof Secret ? want.reveal() : want;
  if (isRecord(plain) && '$id' in plain) return false;
  if (field.same !== undefined) return field.same(plain as Value, live);
  return sameValue(plain as Value, live, field.compare ?? 'exact');
}

function sameValue(want: Value, live: Value, compare: NonNullable<Field['compare']>): boolean {
  if (compare === 'set' && Array.isArray(want) && Array.isArray(live)) {
    return canonical([...want].map(canonical).sort()) === canonical([...live].map(canonical).sort());
  }
  if (compare === 'entries' && isRecord(want) && isRecord(live)) {
    return Object.entries(want).every(([key, value]) => canonical(value) === canonical(live[key]));
  }
  return canonical(want) === canonical(live);
}

function canonical(value: unknown): string {
  if (value instanceof Secret) return JSON.stringify(value.reveal());
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}
