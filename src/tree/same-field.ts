/** When a desired value and a live one are the same, by the rules of their field. */
import type { Field } from '../kinds/field.ts';
import type { Payload, Value } from '../kinds/payload.ts';
import { isRecord, stableStringify } from '../util/json.ts';
import { revealSecrets, Secret } from '../util/secret.ts';

/** True when a desired value and a live one are the same, by the field's rules. */
export function sameField(field: Field, desired: Payload, live: Value | undefined): boolean {
  if (desired === null) return live === null || live === undefined || live === '';
  if (live === undefined || live === null) return desired === '';
  const plain = desired instanceof Secret ? desired.reveal() : desired;
  if (isRecord(plain) && '$id' in plain) return false;
  if (field.type === 'value' && field.same !== undefined) return field.same(plain as Value, live);
  if (plain === live) return true;
  return sameValue(field.type, plain as Value, live) || isTidied(field, plain as Value, live);
}

/** True when the live value is what a service that trims strings, or normalises them, makes of the desired one. */
function isTidied(field: Field, desired: Value, live: Value): boolean {
  return [trimmed, normalized, (text: string) => normalized(trimmed(text))].some((tidy) =>
    sameValue(field.type, withTexts(revealSecrets(desired) as Value, tidy), live),
  );
}

function trimmed(text: string): string {
  return text.trim();
}

function normalized(text: string): string {
  return text.normalize('NFC');
}

/** The value with every text in it, keys aside, changed. */
function withTexts(value: Value, change: (text: string) => string): Value {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((inner) => withTexts(inner, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withTexts(inner as Value, change)]),
  );
}

function sameValue(type: Field['type'], desired: Value, live: Value): boolean {
  if (type === 'set' && Array.isArray(desired) && Array.isArray(live)) {
    return canonical([...desired].map(canonical).sort()) === canonical([...live].map(canonical).sort());
  }
  if (type === 'map' && isRecord(desired) && isRecord(live)) {
    return Object.entries(desired).every(([key, value]) => canonical(value) === canonical(live[key]));
  }
  return canonical(desired) === canonical(live);
}

/** The value as text, the same whatever the order of keys; a secret is its text. */
function canonical(value: unknown): string {
  return stableStringify(revealSecrets(value));
}
