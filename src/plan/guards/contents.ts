/** Guards over what stands together: what is deleted holds nothing that stays, and is no default. */

import { type LiveNode, liveKey } from '../../tree/live.ts';
import { push } from '../../util/group.ts';
import type { Refusal } from '../plan.ts';
import { titleOf } from '../title-of.ts';
import { deletesIn, type Guarded } from './guarded.ts';

/** What is deleted holds nothing that stays. */
export function contents({ scene, draft, doomed }: Guarded): readonly Refusal[] {
  const gone = new Set(doomed.map(({ live }) => live));
  const byContainer = new Map<string, LiveNode[]>();
  for (const live of scene.live.nodes.values()) {
    const key = liveKey(live.container.kind, live.container.id);
    push(byContainer, key, live);
  }
  return doomed.flatMap(({ live, address, absorbed, by }) => {
    if (absorbed) return [];
    const kind = scene.kindOf(live);
    const staying = (byContainer.get(liveKey(live.kind, live.id)) ?? []).filter((child) => {
      if (gone.has(child) || child === live || child.deleted === true) return false;
      const claimed = scene.matching.addressOf.get(liveKey(child.kind, child.id));
      return (
        claimed === undefined ||
        (draft.get(claimed, 'detach') === undefined && draft.get(claimed, 'attach') === undefined)
      );
    });
    if (staying.length === 0) return [];
    const names = staying.map(
      (child) => `${scene.kindOf(child).noun} ${JSON.stringify(titleOf(scene, child))}`,
    );
    return [
      {
        guard: 'contents',
        address,
        message: `${kind.noun} ${JSON.stringify(titleOf(scene, live))} still holds ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`,
        suggestion: 'move them elsewhere first, or list what is to stay in the manifests',
        steps: by === undefined ? [] : [by],
      },
    ];
  });
}

/** A default is not deleted before another one is named, unless nothing is left to be the default. */
export function defaults(guarded: Guarded): readonly Refusal[] {
  const { scene, draft, doomed } = guarded;
  const gone = new Set(doomed.map(({ live }) => live));
  return deletesIn(guarded).flatMap((step) => {
    const key = liveKey(step.kind, step.liveId ?? '');
    const live = scene.live.nodes.get(key);
    if (live === undefined) return [];
    return [live.scope, live.container].flatMap((above, index, both) => {
      if (index === 1 && above.id === both[0]?.id) return [];
      const holder = scene.live.nodes.get(liveKey(above.kind, above.id));
      const address = scene.matching.addressOf.get(liveKey(above.kind, above.id));
      if (holder === undefined || address === undefined || gone.has(holder) || scene.replaced.has(address))
        return [];
      const field = Object.entries(scene.kindOf(holder).fields).find(
        ([name, { reference }]) =>
          reference?.within === 'descendants' &&
          reference.kinds.includes(live.kind) &&
          holder.fields[name] === live.id,
      )?.[0];
      if (field === undefined || draft.get(address, 'update')?.releases.includes(key) === true) return [];
      const others = [...scene.live.nodes.values()].some(
        (other) =>
          other !== live && other.kind === live.kind && other.scope.id === live.scope.id && !gone.has(other),
      );
      if (!others) return [];
      return [
        {
          guard: 'default',
          address: step.address,
          message: `${step.noun} ${JSON.stringify(titleOf(scene, live))} is the ${field} of ${address} and would be deleted`,
          suggestion: `name another one first: ${field}: … at ${address}`,
          steps: [step.id],
        },
      ];
    });
  });
}
