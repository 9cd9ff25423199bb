/** What addresses were when they were last applied here: a help where an object is called something else by now. */
import { GitError } from '../../manifest/git.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { findRepository } from '../base/repository.ts';
import type { UnfinishedRuns } from '../journal/unfinished.ts';
import type { RecordedIds } from '../planning.ts';
import type { ManifestSource } from '../workspace.ts';
import type { FoundRecord } from './applied-record.ts';
import { localRecords } from './find-record.ts';

/** Where ids are written down. */
export interface IdSources {
  /** The last records by label, where they were read already. */
  readonly records?: ReadonlyMap<string, FoundRecord> | undefined;
  /** Runs since then that were not completed. */
  readonly unfinished?: UnfinishedRuns | undefined;
}

/** The ids of the last recorded apply, by address, and those of runs since then that were not completed. */
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

/** None where git is not there, or does not answer. */
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
