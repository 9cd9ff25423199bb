/** Deletions that the service accepted and has not carried out: kept with the journal and the record, and not sent again. */
import type { ApplyResult } from '../apply/events.ts';
import type { PendingDeletion } from '../plan/pending.ts';
import type { OrganizationPlan } from '../plan/plan.ts';

/** By the label of the organization. */
export type PendingDeletions = ReadonlyMap<string, readonly PendingDeletion[]>;

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
): PendingDeletions {
  const all = planned.map(({ label, pending: before = [] }) => {
    const outcomes = result?.organizations.find((one) => one.label === label)?.outcomes ?? [];
    const fresh = outcomes.flatMap(({ type, step: { phase, address, noun, kind, liveId } }) =>
      type === 'pending' && phase === 'delete' && liveId !== undefined
        ? [{ address, noun, kind, id: liveId, run, since: time }]
        : [],
    );
    return [label, [...before, ...fresh]] as const;
  });
  return new Map(all.filter(([, pending]) => pending.length > 0));
}
