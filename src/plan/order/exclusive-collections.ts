/**
 * Collections that cannot both have entries, such as a site's own site-spaces and its sections: creates in one wait
 * until the other is empty; if it will not become empty, that is a problem.
 */
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { RefMap } from '../../tree/refs.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { PlanContext } from '../context.ts';
import { problemOf } from '../problem.ts';
import type { Deletion } from '../removals.ts';
import { titleOf } from '../title-of.ts';
import type { PlanDraft } from './draft.ts';

export function connectExclusiveCollections(
  context: PlanContext,
  draft: PlanDraft,
  deletions: readonly Deletion[],
): readonly Diagnostic[] {
  const addressOfDeletion = new RefMap<string>();
  for (const { live, address } of deletions) addressOfDeletion.set(live, address);
  return [...context.desired.nodes.values()].flatMap((desired) => {
    const live = context.liveOf(desired.address);
    if (live === undefined) return [];
    return desired.declares.flatMap((key) => {
      const rival = rivalOf(context, desired, key);
      if (rival === undefined) return [];
      const arriving = context.desired
        .childrenOf(desired.address, key)
        .flatMap(({ address }) => draft.get(address, 'create') ?? []);
      if (arriving.length === 0) return [];
      const rivals = context.registry
        .at(live.kind, rival)
        .flatMap(({ kind }) => context.live.inScope(live, kind.name));
      for (const create of arriving) {
        for (const other of rivals)
          draft.need(create, draft.get(addressOfDeletion.get(other) ?? '', 'delete'));
      }
      const remaining = rivals.filter((other) => !addressOfDeletion.has(other));
      return remaining.length === 0 ? [] : [ruledOut(context, desired, [key, rival], remaining)];
    });
  });
}

function rivalOf(context: PlanContext, { kind }: DesiredNode, key: string): string | undefined {
  return context.registry.at(kind, key).find(({ place }) => place.emptyWith !== undefined)?.place.emptyWith;
}

function ruledOut(
  context: PlanContext,
  desired: DesiredNode,
  [key, rival]: readonly [string, string],
  remaining: readonly LiveNode[],
): Diagnostic {
  const names = remaining.slice(0, 3).map((live) => JSON.stringify(titleOf(context, live)));
  const message = `${key} cannot be added directly while there are ${rival}: ${names.join(', ')}${remaining.length > 3 ? ', …' : ''}`;
  const suggestion = `put them under ${rival}:, or have all ${rival} deleted first (${rival}: {} with prune: unlisted)`;
  return problemOf(desired, { code: 'ruled-out', message, suggestion });
}
