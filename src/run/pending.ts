/** Deletions that the service accepted and has not carried out, and invitations that were sent: kept with the journal and the record, and not sent again. */
import type { ApplyResult } from '../apply/events.ts';
import { roleName } from '../kinds/access.ts';
import type { Value } from '../kinds/payload.ts';
import type { PendingChange } from '../plan/pending.ts';
import type { OrganizationPlan } from '../plan/plan.ts';
import { defined } from '../util/defined.ts';

/** By the label of the organization. */
export type PendingChanges = ReadonlyMap<string, readonly PendingChange[]>;

interface SentBy {
  readonly run: string;
  /** ISO 8601. */
  readonly time: string;
}

/** Those that were pending before and still are, and those of this run. */
export function pendingAfter(
  planned: readonly OrganizationPlan[],
  result: ApplyResult | undefined,
  { run, time }: SentBy,
): PendingChanges {
  const all = planned.map(({ label, pending: before = [] }) => {
    const outcomes = result?.organizations.find((one) => one.label === label)?.outcomes ?? [];
    const fresh = outcomes.flatMap(({ type, step: { phase, address, noun, kind, liveId, fields } }) => {
      if (type !== 'pending' || !(phase === 'create' || (phase === 'delete' && liveId !== undefined)))
        return [];
      const role = phase === 'create' ? fields.find(({ reads }) => reads === 'role') : undefined;
      const named = role && roleName(role.after as Value, 'guest');
      return [{ address, noun, kind, ...defined({ id: liveId, role: named }), run, since: time }];
    });
    return [label, [...before, ...fresh]] as const;
  });
  return new Map(all.filter(([, pending]) => pending.length > 0));
}
