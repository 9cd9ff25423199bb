/**
 * Changes that are not sent again, kept with the journal and the record: deletions that the service accepted but has not carried
 * out, open invitations, and values that it stores in a normalized form.
 */
import type { ApplyResult } from '../apply/events.ts';
import { roleName } from '../kinds/access.ts';
import type { Value } from '../kinds/payload.ts';
import type { IsStored } from '../plan/context.ts';
import type { PendingChange } from '../plan/pending.ts';
import type { OrganizationPlan } from '../plan/plan.ts';
import { defined } from '../util/defined.ts';
import { holdsSecret } from '../util/secret.ts';
import { digestOf } from './record/applied-inputs.ts';

/** Keyed by the label of the organization. */
export type PendingChanges = ReadonlyMap<string, readonly PendingChange[]>;

interface SentBy {
  readonly run: string;
  /** Format: ISO 8601. */
  readonly time: string;
}

/** Returns earlier changes that are still pending, and new ones of this run. */
export function pendingAfter(
  planned: readonly OrganizationPlan[],
  result: ApplyResult | undefined,
  { run, time }: SentBy,
): PendingChanges {
  const all = planned.map(({ label, organizationId, ids, pending: before = [] }) => {
    const {
      outcomes = [],
      stored = [],
      made,
    } = result?.organizations.find((one) => one.label === label) ?? {};
    const fresh = outcomes.flatMap(({ type, step: { phase, address, noun, kind, liveId, fields } }) => {
      if (type !== 'pending' || !(phase === 'create' || (phase === 'delete' && liveId !== undefined)))
        return [];
      const role = phase === 'create' ? fields.find(({ reads }) => reads === 'role') : undefined;
      const named = role && roleName(role.after as Value, 'guest');
      return [{ address, noun, kind, ...defined({ id: liveId, role: named }), run, since: time }];
    });
    const forms = stored.map(({ step: { address, noun, kind }, field, ...value }) => ({
      ...{ address, noun, kind, field, run, since: time },
      id: made?.get(address) ?? ids[address] ?? organizationId,
      sent: digestOf(run, value.sent),
      stored: digestOf(run, value.stored),
    }));
    const isOld = (one: PendingChange) =>
      !forms.some(({ address, field }) => address === one.address && field === one.field);
    return [label, [...before.filter(isOld), ...fresh, ...forms]] as const;
  });
  return new Map(all.filter(([, pending]) => pending.length > 0));
}

export function storedForms(pending: readonly PendingChange[]): IsStored {
  const forms = new Map(pending.map((one) => [`${one.address} ${one.field}`, one]));
  return ({ address, name }, wanted, live) => {
    const known = forms.get(`${address} ${name}`);
    if (known === undefined || holdsSecret(wanted)) return false;
    return digestOf(known.run, wanted) === known.sent && digestOf(known.run, live) === known.stored;
  };
}
