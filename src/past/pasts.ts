/** The past of each organization, from records, journals and the base. */
import { registry } from '../kinds/index.ts';
import { roleName } from '../kinds/parts/access.ts';
import { onGitError } from '../manifest/files/repository.ts';
import type { Past, Pasts, PendingChange } from '../plan/past.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { joinOwnWork, type OwnWork } from '../tree/own-work.ts';
import { defined } from '../util/defined.ts';
import type { Bases } from './base/load-base.ts';
import { ownWorkSince, type UnfinishedRuns } from './journal/unfinished.ts';
import { storedForms } from './pending.ts';
import { appliedInputs } from './record/applied-inputs.ts';
import type { FoundRecord } from './record/applied-record.ts';
import { isOfOther, localRecords } from './record/find-record.ts';
import type { ManifestSource } from './workspace.ts';

interface PastSources {
  readonly bases?: Bases | undefined;
  /** Default: the local ones. */
  readonly records?: ReadonlyMap<string, FoundRecord> | undefined;
  readonly unfinished?: UnfinishedRuns | undefined;
}

export async function pastsOf(
  source: ManifestSource,
  trees: readonly Pick<DesiredTree, 'label'>[],
  { bases, records, unfinished }: PastSources = {},
): Promise<Pasts> {
  const none = () => new Map<string, FoundRecord>();
  const all = records ?? (await localRecords(source, trees).catch(onGitError(none)));
  return new Map(
    trees.map(({ label }) => {
      const record = all.get(label);
      const { ids = new Map<string, string>(), content } =
        record === undefined || isOfOther(record, source) ? {} : record;
      const since = <T extends { readonly time: string }>(one: T | undefined) =>
        one !== undefined && one.time >= (content?.time ?? '') ? one : undefined;
      const known = new Map(ids);
      const own = unfinished && ownWorkSince(unfinished, label, content && record?.upTo);
      const deletions = since(unfinished?.pending.get(label))?.deletions ?? content?.pending ?? [];
      const pending = [...deletions, ...(own === undefined ? [] : invitationsOf(own, deletions))];
      // A normalized name does not match the declared one, so such an object needs its id.
      for (const { address, id, field } of pending)
        if (field !== undefined && id !== undefined && !known.has(address)) known.set(address, id);
      const past = defined({
        tree: bases?.get(label),
        ids: known.size > 0 ? known : undefined,
        own,
        wasApplied: content && appliedInputs(content),
        pending,
        asStored: storedForms(pending),
        time: content?.time,
      });
      return [label, past];
    }),
  );
}

/** Knowledge that was enough for a run, and the work of that run, which has died. */
export function withWork({ pending = [], own, ...known }: Past, work: OwnWork): Past {
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
