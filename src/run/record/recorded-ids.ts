/**
 * From the last apply recorded here: ids of addresses, which recognise renamed objects, and digests of values that variables filled
 * in.
 */
import { GitError } from '../../manifest/files/git.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { findRepository } from '../base/repository.ts';
import type { UnfinishedRuns } from '../journal/unfinished.ts';
import type { PendingChanges } from '../pending.ts';
import type { RecordedIds, RecordedInputs } from '../planning.ts';
import type { ManifestSource } from '../workspace.ts';
import { appliedInputs } from './applied-inputs.ts';
import type { FoundRecord } from './applied-record.ts';
import { isOfOther, localRecords } from './find-record.ts';

export interface IdSources {
  readonly records?: ReadonlyMap<string, FoundRecord> | undefined;
  readonly unfinished?: UnfinishedRuns | undefined;
}

export async function recordedIds(
  source: ManifestSource,
  trees: readonly Pick<DesiredTree, 'label'>[],
  sources: IdSources = {},
): Promise<RecordedIds> {
  return (await recordedState(source, trees, sources)).ids;
}

export async function recordedState(
  source: ManifestSource,
  trees: readonly Pick<DesiredTree, 'label'>[],
  { records, unfinished }: IdSources,
): Promise<{
  readonly ids: RecordedIds;
  /** Without what unfinished runs say; only of organizations that have one. */
  readonly formerIds: RecordedIds;
  readonly inputs: RecordedInputs;
  readonly pending: PendingChanges;
}> {
  const all = records ?? (await recordsHere(source, trees));
  const known = new Map([...all].filter(([, record]) => !isOfOther(record, source)));
  const ids = new Map<string, ReadonlyMap<string, string>>();
  const formerIds = new Map<string, ReadonlyMap<string, string>>();
  for (const { label } of trees) {
    const { ids: own = new Map<string, string>(), content } = known.get(label) ?? {};
    const later = unfinished?.ids.get(label);
    const isLater = later !== undefined && later.time >= (content?.time ?? '');
    const merged = isLater ? new Map([...own, ...later.ids]) : own;
    if (merged.size > 0) ids.set(label, merged);
    if (isLater && own.size > 0) formerIds.set(label, own);
  }
  const inputs = [...known].map(([label, { content }]) => [label, appliedInputs(content)] as const);
  const pending = trees.map(({ label }) => {
    const content = known.get(label)?.content;
    const own = unfinished?.pending.get(label);
    const isLater = own !== undefined && own.time >= (content?.time ?? '');
    return [label, (isLater ? own.deletions : content?.pending) ?? []] as const;
  });
  return {
    ids,
    formerIds,
    inputs: new Map(inputs),
    pending: new Map(pending),
  };
}

async function recordsHere(
  source: ManifestSource,
  trees: readonly Pick<DesiredTree, 'label'>[],
): Promise<ReadonlyMap<string, FoundRecord>> {
  try {
    const repository = await findRepository(source);
    return repository === undefined ? new Map() : await localRecords(repository, trees);
  } catch (error) {
    if (error instanceof GitError) return new Map();
    throw error;
  }
}
