/** Plans one organization from a new look at its live state: the only place where reading and planning meet. */
import type { Api } from '../contract/api.ts';
import { readLive } from '../live/read-live.ts';
import { type Planned, type PlanOptions, planOrganization } from '../plan/make-plan.ts';
import type { DesiredTree } from '../tree/desired.ts';
import { type LiveTree, liveKey } from '../tree/live.ts';
import { pinTree } from '../tree/pin-tree.ts';
import { defined } from '../util/defined.ts';

/** How to look, beside how to plan. */
export interface LookOptions extends PlanOptions {
  /** Called once for each request. */
  readonly onRead?: (() => void) | undefined;
  /** Ids that addresses had when the plan was made: they still have them, or swapped names would be swapped back. */
  readonly ids?: ReadonlyMap<string, string> | undefined;
  /** What becomes of an id whose object is gone: an error, unless it is `forgotten` (then the object is made again). */
  readonly goneIds?: 'forgotten' | undefined;
}

/** Reads what the manifests declare and plans it. */
export async function planTree(api: Api, tree: DesiredTree, options: LookOptions): Promise<Planned> {
  const { onRead, ids, goneIds, ...planning } = options;
  const { registry, base } = planning;
  const pinned = ids === undefined ? tree : pinTree(tree, ids);
  const live = await readLive(api, pinned, { registry, ...defined({ base, onRead }) });
  const desired =
    goneIds === 'forgotten' && ids !== undefined ? pinTree(tree, existing(tree, live, ids)) : pinned;
  return planOrganization(desired, live, planning);
}

/** Of the ids, those of objects that the live state still holds. */
function existing(
  tree: DesiredTree,
  live: LiveTree,
  ids: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map(
    [...ids].filter(([address, id]) => live.nodes.has(liveKey(tree.nodes.get(address)?.kind ?? '', id))),
  );
}
