/** Ids of addresses from the last apply recorded here: they recognise renamed objects. */
import { GitError } from '../../manifest/files/git.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { findRepository } from '../base/repository.ts';
import type { UnfinishedRuns } from '../journal/unfinished.ts';
import type { RecordedIds } from '../planning.ts';
import type { ManifestSource } from '../workspace.ts';
import type { FoundRecord } from './applied-record.ts';
import { localRecords } from './find-record.ts';

export interface IdSources {
  readonly records?: ReadonlyMap<string, FoundRecord> | undefined;
  readonly unfinished?: UnfinishedRuns | undefined;
}

export async function recordedIds(
  source: ManifestSource,
  trees: readonly Pick<DesiredTree, 'label'>[],
  { records, unfinished }: IdSources = {},
): Promise<RecordedIds> {
  const known = records ?? (await recordsHere(source, trees));
  const found = trees.map(({ label }) => {
    const record = known.get(label);
    const later = unfinished?.ids.get(label);
    const isOutdated = later !== undefined && (record?.content?.time ?? '') > later.time;
    return [label, new Map([...(record?.ids ?? []), ...(isOutdated ? [] : (later?.ids ?? []))])] as const;
  });
  return new Map(found.filter(([, ids]) => ids.size > 0));
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
