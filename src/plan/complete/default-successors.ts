/**
 * Chooses a new object as the successor of a deleted default, even if the manifests do not name one: services refuse to delete a
 * default while another object could become it.
 *
 * Example: the only section of a site is replaced with another one.
 *   live      guides, the default    desired  help
 *   planned   create help, then default guides → help, then delete guides
 */
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject } from '../../tree/refs.ts';
import { defaultFieldsOf, type PlanContext } from '../context.ts';
import { isOwn } from '../own/begun.ts';
import { Removals } from '../removals.ts';
import { syncedContainer } from '../values/synced.ts';
import type { Addition } from './addition.ts';

/** The user must choose the default if other objects remain: see `guards/defaults.ts`. */
export function* successorsOfDefaults(context: PlanContext): Iterable<Addition> {
  const removals = new Removals(context);
  for (const holder of context.desired.nodes.values()) {
    const live = context.liveOf(holder.address);
    if (live === undefined) continue;
    for (const [name, gone] of defaultsOf(context, live)) {
      if (holder.fields[name] !== undefined || removals.of(gone).type !== 'deleted') continue;
      // A repository that writes the structure chooses its own default.
      if (syncedContainer(context, gone.kind, gone) !== undefined) continue;
      const isAlone = context.live
        .inScope(gone.scope, gone.kind)
        .filter(({ container }) => isSameObject(gone.scope, live) || isSameObject(container, gone.container))
        .every((one) => one === gone || removals.deletes(one) || isOwn(context, one));
      const next = isAlone ? arrivalIn(context, holder, gone.kind) : undefined;
      if (next !== undefined) yield { to: holder, fields: { [name]: next.address } };
    }
  }
}

function defaultsOf(context: PlanContext, live: LiveNode): readonly (readonly [name: string, LiveNode])[] {
  return defaultFieldsOf(context.kindOf(live)).flatMap(({ name, kinds }) => {
    const id = live.fields[name];
    const named = typeof id === 'string' ? kinds.flatMap((kind) => context.live.get({ kind, id }) ?? []) : [];
    return named.map((one) => [name, one] as const);
  });
}

/** The first new object as written. An object inside a section is never the default of the site. */
function arrivalIn(context: PlanContext, holder: DesiredNode, kind: string): DesiredNode | undefined {
  const { desired } = context;
  const isBelow = (node: DesiredNode): boolean => {
    const above = desired.parentOf(node);
    if (above === undefined || above.address === holder.address) return above !== undefined;
    return (
      !defaultFieldsOf(context.kindOf(above)).some(({ kinds }) => kinds.includes(kind)) && isBelow(above)
    );
  };
  // Also if an unfinished run created it.
  const isNew = ({ address }: DesiredNode) =>
    context.toCreate.has(address) || isOwn(context, context.liveOf(address));
  return desired.ofKind(kind).find((one) => isNew(one) && !context.isReleased(one.address) && isBelow(one));
}
