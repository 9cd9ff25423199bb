/** Plans one organization from a new look at its live state: the only place where reading and planning meet. */
import type { Api } from '../contract/api.ts';
import { type LiveOptions, type LiveReader, openLive } from '../live/live-reader.ts';
import { type Planned, type PlanOptions, planOrganization } from '../plan/make-plan.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { LiveTree } from '../tree/live.ts';
import { pinTree } from '../tree/pin-tree.ts';
import { defined } from '../util/defined.ts';

/** How to look, beside how to plan. */
export interface LookOptions extends PlanOptions, Pick<LiveOptions, 'memory' | 'isStale'> {
  /** Called once for each read. */
  readonly onRead?: (() => void) | undefined;
  /** Ids that addresses had when the plan was made: they still have them, or swapped names would be swapped back. */
  readonly ids?: ReadonlyMap<string, string> | undefined;
  /** What becomes of an id whose object is gone: an error, unless it is `forgotten` (then the object is made again). */
  readonly goneIds?: 'forgotten' | undefined;
}

/** A plan with all that was read for it. */
export interface PlannedTree extends Planned {
  readonly live: LiveTree;
  /** Reads more into the same live tree. */
  readonly reader: LiveReader;
  /** How often the plan had to wait for reads. */
  readonly rounds: number;
}

/**
 * Reads what the plan asks for, round by round, and gives the plan.
 *
 * @throws DiagnosticError when the organization is not found or found twice; ApiError when a request fails.
 */
export async function planTree(api: Api, tree: DesiredTree, options: LookOptions): Promise<PlannedTree> {
  const { onRead, ids, goneIds, memory, isStale, ...planning } = options;
  const desired = ids === undefined || goneIds === 'forgotten' ? tree : pinTree(tree, ids);
  const knownIds = new Map([
    ...(options.knownIds ?? []),
    ...(goneIds === 'forgotten' && ids !== undefined ? ids : []),
  ]);
  const { registry } = options;
  const reader = await openLive(api, desired, { registry, ...defined({ onRead, memory, isStale }) });
  const stage = planOrganization({ desired, live: reader.tree }, { ...planning, knownIds });
  for (let rounds = 0; ; rounds += 1) {
    const step = stage.next();
    if (step.done === true) return { ...step.value, live: reader.tree, reader, rounds };
    await reader.read(step.value);
  }
}
