/** Collections that cannot both have entries, such as a site's own site-spaces and its sections. */
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { RefMap } from '../../tree/refs.ts';
import type { PlanContext } from '../context.ts';
import type { Drafted } from './draft.ts';

export interface Rivalry {
  readonly live: LiveNode;
  readonly key: string;
  /** Key of the collection that must be empty. */
  readonly rival: string;
  readonly children: readonly DesiredNode[];
}

export function rivalriesIn(context: PlanContext): readonly Rivalry[] {
  return [...context.desired.nodes.values()].flatMap(({ address, kind, declares }) => {
    const live = context.liveOf(address);
    return declares.flatMap((key) => {
      const rival = context.registry.at(kind, key).find(({ place }) => place.emptyWith !== undefined)
        ?.place.emptyWith;
      if (live === undefined || rival === undefined) return [];
      return [{ live, key, rival, children: context.desired.childrenOf(address, key) }];
    });
  });
}

export function rivalsOf(context: PlanContext, { live, rival }: Rivalry): readonly LiveNode[] {
  return context.registry.at(live.kind, rival).flatMap(({ kind }) => context.live.inScope(live, kind.name));
}

/** Creates in one wait until the other is empty. */
export function connectExclusiveCollections({ context, draft, deletions }: Drafted): void {
  const addressOfDeletion = new RefMap<string>();
  for (const { live, address } of deletions) addressOfDeletion.set(live, address);
  for (const rivalry of rivalriesIn(context)) {
    const deletes = rivalsOf(context, rivalry).map((one) =>
      draft.get(addressOfDeletion.get(one) ?? '', 'delete'),
    );
    for (const { address } of rivalry.children) {
      const create = draft.get(address, 'create');
      if (create !== undefined) for (const other of deletes) draft.need(create, other);
    }
  }
}
