/** Compares edited manifests with what they declared before: nothing but the new ids may differ. */

import { disk, withTexts } from '../../manifest/disk.ts';
import { loadWorkspace, type WorkspaceOptions } from '../../manifest/load-workspace.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { hasErrors } from '../../util/diagnostic.ts';
import { stableStringify } from '../../util/json.ts';
import type { FileEdit } from './edit-files.ts';

/** Parts edits into those that do just what they should, alone and together, and those that do more. */
export async function checkEdits(
  edits: readonly FileEdit[],
  trees: readonly DesiredTree[],
  options: WorkspaceOptions,
): Promise<{ readonly sound: readonly FileEdit[]; readonly unsound: readonly FileEdit[] }> {
  if (await isSound(edits, trees, options)) return { sound: edits, unsound: [] };
  const sound: FileEdit[] = [];
  for (const edit of edits) if (await isSound([edit], trees, options)) sound.push(edit);
  const isWhole = await isSound(sound, trees, options);
  const kept = isWhole ? sound : [];
  return { sound: kept, unsound: edits.filter((edit) => !kept.includes(edit)) };
}

async function isSound(
  edits: readonly FileEdit[],
  trees: readonly DesiredTree[],
  options: WorkspaceOptions,
): Promise<boolean> {
  if (edits.length === 0) return true;
  const files = withTexts(disk, new Map(edits.map((edit) => [edit.path, edit.text])));
  const after = await loadWorkspace({ ...options, files });
  if (hasErrors(after.diagnostics)) return false;
  const ids = new Map(
    edits.flatMap(({ inserted }) =>
      inserted.map(({ target }) => [`${target.label}\0${target.address}`, target.id] as const),
    ),
  );
  return meaningOf(after.trees, new Map()) === meaningOf(trees, ids);
}

/** Everything that trees declare, without places; `ids` fill in for absent pins. */
export function meaningOf(trees: readonly DesiredTree[], ids: ReadonlyMap<string, string>): string {
  return stableStringify(
    trees.map(({ data: { nodes, ...tree } }) => ({
      ...tree,
      nodes: [...nodes.values()].map(({ at: _at, fieldAt: _fieldAt, ...node }) => {
        const id = node.id ?? ids.get(`${tree.label}\0${node.address}`);
        return id === undefined ? node : { ...node, id };
      }),
    })),
  );
}
