/** Creates that look like a live object under another name: said in the plan, with the line that would make it a rename. */
import { type LiveNode, liveKey } from '../graph/live.ts';
import type { WantNode } from '../graph/want.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import { nearest } from '../util/nearest.ts';
import type { Doomed } from './deletes.ts';
import type { PlanDraft } from './draft.ts';
import type { Unmanaged } from './plan.ts';
import type { Scene } from './scene.ts';
import { titleOf } from './title-of.ts';

/** One note for each new object with a name near that of an unlisted one of its kind in the same place. */
export function probableRenames(
  scene: Scene,
  draft: PlanDraft,
  doomed: readonly Doomed[],
  unmanaged: readonly Unmanaged[],
): readonly Diagnostic[] {
  const unlisted = new Map<string, LiveNode[]>();
  const going = new Set(doomed.map(({ live }) => live));
  const left = unmanaged.flatMap(({ kind, id }) => scene.live.nodes.get(liveKey(kind, id)) ?? []);
  for (const live of [...going, ...left]) {
    const slot = `${live.kind} ${live.container.id}`;
    const list = unlisted.get(slot);
    if (list === undefined) unlisted.set(slot, [live]);
    else list.push(live);
  }
  return [...scene.tree.nodes.values()].flatMap((want) => {
    if (draft.get(want.address, 'create') === undefined || scene.replaced.has(want.address)) return [];
    const container = scene.containerOf(want).id;
    const candidates = typeof container === 'string' ? (unlisted.get(`${want.kind} ${container}`) ?? []) : [];
    const title = want.fields.title;
    if (candidates.length === 0 || typeof title !== 'string') return [];
    const name = nearest(
      title,
      candidates.map((live) => titleOf(scene, live)),
    );
    const live = candidates.find((candidate) => titleOf(scene, candidate) === name);
    return name === undefined || live === undefined ? [] : [note(scene, want, name, going.has(live))];
  });
}

function note(scene: Scene, want: WantNode, name: string, isGoing: boolean): Diagnostic {
  const { noun } = scene.kindOf(want);
  const fate = isGoing ? 'would be deleted' : 'would stay beside it';
  return {
    severity: 'warning',
    code: 'probable-rename',
    message: `this ${noun} would be new, and the live ${noun} ${JSON.stringify(name)}, which looks like it, ${fate}`,
    address: want.address,
    at: want.at,
    suggestion: `if it is the same one under a new name, add the line\nwas: ${JSON.stringify(name)}`,
  };
}
