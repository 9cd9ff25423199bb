/** What addresses were when they were last applied here: a help where an object is called something else by now. */
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { findRepository } from '../base/repository.ts';
import type { UnfinishedRuns } from '../journal/unfinished.ts';
import type { RecordedIds } from '../planning.ts';
import type { ManifestSource } from '../workspace.ts';
import { localRecord } from './find-record.ts';

/** The ids of the last recorded apply, by address, and those of runs since then that were not completed. */
export async function recordedIds(
  source: ManifestSource,
  trees: readonly Pick<DesiredTree, 'label'>[],
  unfinished?: UnfinishedRuns,
): Promise<RecordedIds> {
  const repository = await findRepository(source).catch(() => undefined);
  const found = await Promise.all(
    trees.map(async (tree) => {
      const record = repository && (await localRecord(repository, tree));
      const later = unfinished?.ids.get(tree.label);
      const isOutdated = later !== undefined && (record?.content?.time ?? '') > later.time;
      const ids = [...(record?.ids ?? []), ...(isOutdated ? [] : (later?.ids ?? []))];
      return [tree.label, new Map(ids)] as const;
    }),
  );
  return new Map(found.filter(([, ids]) => ids.size > 0));
}
