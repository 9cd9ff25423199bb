/**
 * Knowledge about an organization from former runs: ids of addresses, which identify renamed objects, digests of values from
 * variables, pending deletions, and the work of unfinished runs.
 */
import { registry } from '../../kinds/index.ts';
import { roleName } from '../../kinds/parts/access.ts';
import { onGitError } from '../../manifest/files/repository.ts';
import type { PlanOptions } from '../../plan/make-plan.ts';
import type { PendingChange } from '../../plan/pending.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { joinOwnWork, type OwnWork } from '../../tree/own-work.ts';
import { defined } from '../../util/defined.ts';
import { ownWorkSince, type UnfinishedRuns } from '../journal/unfinished.ts';
import { storedForms } from '../pending.ts';
import type { ManifestSource } from '../workspace.ts';
import { appliedInputs } from './applied-inputs.ts';
import type { FoundRecord } from './applied-record.ts';
import { isOfOther, localRecords } from './find-record.ts';

/** Knowledge about an organization from former runs. */
export type KnownOrganization = Pick<
  PlanOptions,
  'knownIds' | 'own' | 'wasApplied' | 'asStored' | 'pending'
> & {
  /** Time of the last record, as ISO 8601. */
  readonly appliedAt?: string;
};

export async function knownOf(
  source: ManifestSource,
  trees: readonly Pick<DesiredTree, 'label'>[],
  records?: ReadonlyMap<string, FoundRecord>,
  unfinished?: UnfinishedRuns,
): Promise<ReadonlyMap<string, KnownOrganization>> {
  const none = () => new Map<string, FoundRecord>();
  const all = records ?? (await localRecords(source, trees).catch(onGitError(none)));
  return new Map(
    trees.map(({ label }) => {
      const record = all.get(label);
      const { ids = new Map<string, string>(), content } =
        record === undefined || isOfOther(record, source) ? {} : record;
      const since = <T extends { readonly time: string }>(one: T | undefined) =>
        one !== undefined && one.time >= (content?.time ?? '') ? one : undefined;
      const knownIds = new Map(ids);
      const own = unfinished && ownWorkSince(unfinished, label, content && record?.upTo);
      const known = since(unfinished?.pending.get(label))?.deletions ?? content?.pending ?? [];
      const pending = [...known, ...(own === undefined ? [] : invitationsOf(own, known))];
      // A normalized name does not match the declared one, so such an object needs its id.
      for (const { address, id, field } of pending)
        if (field !== undefined && id !== undefined && !knownIds.has(address)) knownIds.set(address, id);
      const knowledge = defined({
        knownIds: knownIds.size > 0 ? knownIds : undefined,
        own,
        wasApplied: content && appliedInputs(content),
        pending,
        asStored: storedForms(pending),
        appliedAt: content?.time,
      });
      return [label, knowledge];
    }),
  );
}

/** Knowledge that was enough for a run, and the work of that run, which has died. */
export function withWork(
  { pending = [], own, ...known }: KnownOrganization,
  work: OwnWork,
): KnownOrganization {
  return { ...known, own: joinOwnWork(work, own), pending: [...pending, ...invitationsOf(work, pending)] };
}

/** Invitations that a run sent before it died: no one is invited twice, unless the response was lost. */
function invitationsOf(work: OwnWork, known: readonly PendingChange[]): readonly PendingChange[] {
  return work.uncertain.flatMap(({ kind, address, response, fields, run, since }) => {
    // Only newer services invite people.
    const { noun, calls, fields: rules } = registry.byName(kind).newer?.() ?? registry.byName(kind);
    if (calls.createIsAsync !== true) return [];
    if (known.some((one) => one.address === address)) return [];
    const [name = ''] = Object.entries(rules).find(([, { reads }]) => reads === 'role') ?? [];
    const role = fields[name] === undefined ? undefined : roleName(fields[name], 'guest');
    const lost = response === 'without-id' ? undefined : (true as const);
    return [{ address, noun, kind, run, since, ...defined({ role, lost }) }];
  });
}
