import type { Field } from '../kinds/parts/field.ts';
import { mapOf, type Payload, type Value } from '../kinds/parts/payload.ts';
import type { Step } from '../plan/plan.ts';
import { isOtherForm, lettersOf, sameField } from '../tree/difference.ts';
import { defined } from '../util/defined.ts';
import { sameJson } from '../util/json.ts';
import type { StoredValue } from './events.ts';

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
