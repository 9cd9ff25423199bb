import type { Field } from '../kinds/parts/field.ts';
import type { Payload } from '../kinds/parts/payload.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { OwnWork } from '../tree/own-work.ts';
import type { AsStored, PendingChange } from './pending.ts';

/** Returns whether the last recorded apply filled in that value; undefined if unknown. */
export type WasApplied = (
  one: { readonly address: string; readonly name: string; readonly field: Field },
  value: Payload,
) => boolean | undefined;

/**
 * The past of one organization. A value that decides nothing, the same in plans, saved plans, rehearsals and tests. Parts are absent if
 * nothing is known.
 */
export interface Past {
  /** The applied manifests, or others that the plan is compared with. */
  readonly tree?: DesiredTree | undefined;
  /** Time of the last record, as ISO 8601. */
  readonly time?: string | undefined;
  /**
   * Ids by address, from the last record or from an earlier plan. An id counts if its object still exists and no manifest pins it
   * elsewhere.
   */
  readonly ids?: ReadonlyMap<string, string> | undefined;
  /** Work of runs since the record, whose ids have precedence. */
  readonly own?: OwnWork | undefined;
  /** The values of variables that were applied. */
  readonly wasApplied?: WasApplied | undefined;
  /** Changes that the service has already accepted; they are not sent again. */
  readonly pending?: readonly PendingChange[] | undefined;
  /** The forms in which the service stores values. */
  readonly asStored?: AsStored | undefined;
}

/** Keyed by the label of the organization. */
export type Pasts = ReadonlyMap<string, Past>;

export function withTrees(
  pasts: Pasts,
  treeOf: (label: string, before: DesiredTree) => DesiredTree | undefined,
): Pasts {
  return new Map(
    [...pasts].map(([label, past]) => [label, { ...past, tree: past.tree && treeOf(label, past.tree) }]),
  );
}
