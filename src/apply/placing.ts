/** Decides whether a move is still needed: an object may have its place already, by another move or by the service itself. */

import { type ContainerRef, isListed } from '../kinds/kind.ts';
import type { Call } from '../kinds/parts/payload.ts';
import type { Step } from '../plan/plan.ts';
import { paramsOf } from './fresh-lists.ts';
import { fillId, fillParams, type Sending } from './send-call.ts';

/** False for calls that name no place. */
export async function isPlaced(context: Sending, step: Step, call: Call): Promise<boolean> {
  const { list: all } = context.registry.byName(step.kind).reads;
  const list = all?.places ?? all;
  if (list === undefined || call.unlessPlaced === undefined) return false;
  const params = fillParams(context, call.params);
  const items = await context.api.all(list.operation, { params: paramsOf(params, list.operation) });
  const { container, before, after } = call.unlessPlaced;
  const { idParam = '' } = context.registry.byName(list.per).identity;
  const top = { kind: list.per, id: params[idParam] ?? '' };
  const order = siblingsIn(context, step, { container, top, items });
  const own = context.ids.get(step.address) ?? step.liveId;
  const at = order.indexOf(nameOf(context, { kind: step.kind, id: own ?? '' }));
  if (at < 0) return false;
  if (before !== undefined) return order[at + 1] === nameOf(context, before);
  return after === undefined ? at === order.length - 1 : order[at - 1] === nameOf(context, after);
}

interface Siblings {
  readonly container: ContainerRef;
  readonly top: ContainerRef;
  readonly items: readonly unknown[];
}

/** Names of the listed objects directly inside a container, and of the containers of the others, in order. */
function siblingsIn(context: Sending, step: Step, { container, top, items }: Siblings): readonly string[] {
  const kind = context.registry.byName(step.kind);
  const here = nameOf(context, container);
  if (kind.reads.list?.object !== undefined) {
    return items.flatMap((item) => {
      const own = context.registry.kinds.find(
        ({ reads: { list } }) => list !== undefined && isListed(list, item),
      );
      if (own === undefined) return [];
      const { id, container: inside = top } = own.fromRemote(item);
      return nameOf(context, inside) === here ? [nameOf(context, { kind: own.name, id })] : [];
    });
  }
  const names = items.map((item) => {
    const { id, container: inside = top } = kind.fromRemote(item);
    return nameOf(context, nameOf(context, inside) === here ? { kind: step.kind, id } : inside);
  });
  return names.filter((name, index) => name !== names[index - 1]);
}

function nameOf(context: Sending, { kind, id }: ContainerRef): string {
  return `${kind} ${fillId(context, id)}`;
}
