import { operations } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import type { Field } from '../kinds/parts/field.ts';
import { type Call, type Fields, mapOf, type Payload, type Value } from '../kinds/parts/payload.ts';
import type { Step } from '../plan/plan.ts';
import { isOtherForm, lettersOf, sameField } from '../tree/difference.ts';
import { defined } from '../util/defined.ts';
import { hideKnownSecrets as hide } from '../util/hide-secrets.ts';
import { sameJson } from '../util/json.ts';
import { valueAt } from '../util/nested.ts';
import { holdsSecret } from '../util/secret.ts';
import type { StoredValue } from './events.ts';
import { NotStored } from './failures.ts';
import { fill, type Sending } from './send-call.ts';

interface Told {
  readonly step: Step;
  readonly name: string;
  readonly sent: Payload;
  readonly stored: Payload;
  readonly before: Payload | undefined;
}

/** Also if the live state lacks entries of a mapping that was sent. */
export function storedAndHidden(field: Field, told: Told): StoredValue | undefined {
  const { step, name, sent, stored } = told;
  const own = field.type === 'map' ? Object.entries(mapOf(sent) ?? {}) : [];
  const [seen, hidden] = [true, false].map((is) =>
    Object.fromEntries(own.filter(([key]) => Object.hasOwn(mapOf(stored) ?? {}, key) === is)),
  );
  if (seen === undefined || hidden === undefined || sameJson(hidden, {})) return storedIn(field, told);
  if (sameField(field, seen, stored)) return { step, field: name, sent: hidden, stored: undefined };
  const form = storedIn(field, { ...told, sent: seen });
  return form && { ...form, sent };
}

/** Undefined if the service did not accept the value. The plan could not show the risk of the stored one. */
export function storedIn(field: Field, { step, name, sent, stored, before }: Told): StoredValue | undefined {
  if (!isOtherForm(field, { sent, stored, before })) return undefined;
  const value = { step, field: name, sent, stored };
  if (lettersOf(sent) === lettersOf(stored)) return value;
  const risk = field.risk?.(before as Value | undefined, stored as Value, {
    isNew: step.phase === 'create',
    inherited: { before: undefined, after: undefined },
    container: 'its container',
    isSetBelow: () => false,
  });
  return { ...value, ...defined({ risk: typeof risk === 'string' ? risk : risk?.text }) };
}

export interface Storing extends Sending {
  readonly onStored?: ((value: StoredValue) => void) | undefined;
  /** Called for each sent field of a response: `isShown` is false if the response lacks it. */
  readonly onShown?: ((step: Step, field: string, isShown: boolean) => void) | undefined;
}

/** Compares the response to a call with what was sent. */
export function notStoredIn(
  context: Storing,
  step: Step,
  { call, taken }: { readonly call: Call; readonly taken: Fields },
): NotStored | undefined {
  const operation: Operation = operations[call.operation];
  if (call.body === undefined || operation.response === null) return undefined;
  const kind = context.registry.byName(step.kind);
  let flaw: NotStored | undefined;
  for (const { field: name, before } of step.fields) {
    const field = kind.fields[name];
    const sent = valueAt(call.body, name) as Payload | undefined;
    // The call replaces the whole object, so a field missing from the response does not exist.
    const got = taken[name] ?? (call.mergedInto === undefined ? undefined : null);
    if (field === undefined || sent === undefined) continue;
    const filled = fill(context, sent) as Value;
    const isExpected = field.detail === undefined && !sameField(field, filled, field.absent);
    if (got !== undefined || isExpected) context.onShown?.(step, name, got !== undefined);
    if (got === undefined) continue;
    const expected = filled === null || field.normalize === undefined ? filled : field.normalize(filled);
    if (sameField(field, expected, got)) continue;
    const stored = holdsSecret(sent)
      ? undefined
      : storedIn(field, { step, name, sent: filled, stored: got, before });
    if (stored !== undefined) {
      context.onStored?.({ ...stored, sent });
      continue;
    }
    flaw ??= notStored(name, sent, `sent ${JSON.stringify(filled)}, has ${JSON.stringify(got)}`);
  }
  return flaw;
}

function notStored(name: string, sent: Payload, values: string): NotStored {
  const ways = `write the stored value, or add lifecycle: { ignore: [${name}] }`;
  return new NotStored(
    hide(`the service did not store ${name}${holdsSecret(sent) ? '' : `: ${values}`}; ${ways}`),
  );
}
