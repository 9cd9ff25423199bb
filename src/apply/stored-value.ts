import type { Field } from '../kinds/field.ts';
import type { Payload, Value } from '../kinds/payload.ts';
import type { Step } from '../plan/plan.ts';
import { isOtherForm, lettersOf } from '../tree/difference.ts';
import { defined } from '../util/defined.ts';
import type { StoredValue } from './events.ts';

interface Told {
  readonly step: Step;
  readonly name: string;
  readonly sent: Payload;
  readonly stored: Payload;
  readonly before: Payload | undefined;
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
