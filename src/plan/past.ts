import * as z from 'zod';
import { once } from '../contract/once.ts';
import type { Field } from '../kinds/parts/field.ts';
import type { Payload } from '../kinds/parts/payload.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { OwnWork } from '../tree/own-work.ts';
import { each, flag, object } from '../util/data-schema.ts';

const text = z.string();

export const pendingSchema = once(() =>
  object({
    ...each(text, 'address', 'noun', 'kind'),
    id: text.exactOptional().describe('Id of the object to delete; absent for an invitation'),
    lost: flag('True if it is not known whether an invitation was sent'),
    role: text.exactOptional().describe('Role of an invitation, if the request had one'),
    wanted: text
      .exactOptional()
      .describe(
        'The role that the manifests declare now, if it differs; none: they no longer name the person',
      ),
    field: text
      .exactOptional()
      .describe(
        'Field whose value the service stores in a form of its own; sent and stored are digests of both forms, salted with the run',
      ),
    ...each(text.exactOptional(), 'sent', 'stored'),
    run: text,
    since: text.describe('When the run sent it, as ISO 8601'),
  }).describe(
    'A deletion that the service accepted in an earlier run and has not carried out, an invitation that no one has accepted, or a value that the service stores in a form other than the one sent',
  ),
);

export type PendingChange = z.infer<ReturnType<typeof pendingSchema>>;

/** Returns the wanted value as the service stores it in the object with that id; undefined if no response shows the field. */
export type AsStored = (
  one: {
    readonly address: string;
    readonly name: string;
    readonly id: string | undefined;
    /** True if new objects have the wanted value. */
    readonly isDefault?: boolean;
  },
  wanted: Payload,
  live: Payload | undefined,
) => Payload | undefined;

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
