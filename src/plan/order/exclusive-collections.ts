/**
 * Collections that cannot both hold something, such as a site's own site-spaces and its sections: what is wanted in one
 * waits until the other is empty, and is a problem where it will not be.
 */

import type { DesiredNode } from '../../tree/desired.ts';
import { type LiveNode, liveKey } from '../../tree/live.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { Scene } from '../context.ts';
import type { Doomed } from '../diff/deletions.ts';
import { titleOf } from '../title-of.ts';
import type { PlanDraft } from './draft.ts';

/** Adds the edges, and a problem for each wanted collection that what stays on the other side rules out. */
export function connectRuledOut(
  scene: Scene,
  draft: PlanDraft,
  doomed: readonly Doomed[],
  problems: Diagnostic[],
): void {
  const addressOfDoomed = new Map(doomed.map(({ live, address }) => [live, address]));
  for (const desired of scene.tree.nodes.values()) {
    const live = scene.liveOf(desired.address);
    if (live === undefined) continue;
    for (const key of desired.declares) {
      const rival = scene.registry.at(desired.kind, key).find(({ place }) => place.emptyWith !== undefined)
        ?.place.emptyWith;
      const arriving = scene
        .childrenOf(desired.address, key)
        .filter(({ address }) => draft.get(address, 'create'));
      if (rival === undefined || arriving.length === 0) continue;
      const rivals = standing(scene, live, rival);
      const staying = rivals.filter((other) => !addressOfDoomed.has(other));
      if (staying.length > 0) problems.push(ruledOut(scene, desired, key, rival, staying));
      for (const child of arriving) {
        for (const other of rivals) {
          draft.need(
            draft.get(child.address, 'create'),
            draft.get(addressOfDoomed.get(other) ?? '', 'delete'),
          );
        }
      }
    }
  }
}

/** Live objects that stand in an object under a key. */
function standing(scene: Scene, container: LiveNode, key: string): readonly LiveNode[] {
  const kinds = new Set(scene.registry.at(container.kind, key).map(({ kind }) => kind.name));
  return [...scene.live.nodes.values()].filter(
    (live) =>
      kinds.has(live.kind) &&
      liveKey(live.scope.kind, live.scope.id) === liveKey(container.kind, container.id),
  );
}

function ruledOut(
  scene: Scene,
  desired: DesiredNode,
  key: string,
  rival: string,
  staying: readonly LiveNode[],
): Diagnostic {
  const names = staying.slice(0, 3).map((live) => JSON.stringify(titleOf(scene, live)));
  return {
    severity: 'error',
    code: 'ruled-out',
    message: `${key} cannot be added directly while there are ${rival}: ${names.join(', ')}${staying.length > 3 ? ', …' : ''}`,
    address: desired.address,
    at: desired.at,
    suggestion: `put them under ${rival}:, or have all ${rival} deleted first (${rival}: {} with prune: unlisted)`,
  };
}
