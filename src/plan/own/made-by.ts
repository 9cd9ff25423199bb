/** Objects that new containers of a plan create along with themselves. */
import type { CallContext } from '../../kinds/kind.ts';
import type { Call, Id } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode } from '../../tree/live.ts';
import { madeWithIn } from '../../tree/made-with.ts';
import { remembered } from '../../util/remembered.ts';

/** See `PlanContext`. */
interface NewObjects {
  readonly desired: DesiredTree;
  readonly registry: Registry;
  readonly toCreate: ReadonlySet<string>;
  liveOf(address: string): LiveNode | undefined;
  idOf(address: string): Id;
  callContext(desired: DesiredNode): CallContext;
}

export const madeBy = remembered((context: NewObjects) =>
  madeWithIn(context.desired, context.registry).filter(
    ({ node, container }) =>
      context.toCreate.has(container.address) && context.liveOf(node.address) === undefined,
  ),
);

/** Returns the call that finds the object, or the entry that shows it, after its container was created. */
export function foundWith(
  context: NewObjects,
  desired: DesiredNode,
): { readonly container: DesiredNode; readonly find: Call } | undefined {
  const made = madeBy(context).find(({ node, entry }) => node === desired || entry === desired);
  const list = made && context.registry.byName(made.entry.kind).reads.list;
  if (made === undefined || list === undefined) return undefined;
  const { node, entry, field, container } = made;
  const call = { operation: list.operation, params: context.callContext(entry).params };
  const shows = { find: { [`${field}.id`]: context.idOf(node.address) } };
  return { container, find: { ...call, ...(desired === node ? { find: {}, part: field } : shows) } };
}
