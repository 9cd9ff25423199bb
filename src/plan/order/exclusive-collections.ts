/**
 * Collections that cannot both have entries, such as a site's own site-spaces and its sections: creates in one wait
 * until the other is empty; if it will not become empty, that is a problem.
 */
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
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
  return rivalries(context).flatMap(({ desired, live, key, rival, children }) => {
    const arriving = children.flatMap(({ address }) => draft.get(address, 'create') ?? []);
    if (arriving.length === 0) return [];
    const rivals = context.registry
      .at(live.kind, rival)
      .flatMap(({ kind }) => context.live.inScope(live, kind.name));
    for (const create of arriving) {
      for (const other of rivals) draft.need(create, draft.get(addressOfDeletion.get(other) ?? '', 'delete'));
    }
    const remaining = rivals.filter((other) => !addressOfDeletion.has(other));
    return remaining.length === 0 ? [] : [ruledOut(context, desired, [key, rival], remaining)];
  });
}

/** The lists that rule a create out, which are read only for this. */
export function rivalReads(context: PlanContext): readonly Read[] {
  const isNew = ({ address }: DesiredNode) => context.liveOf(address) === undefined;
  return rivalries(context).flatMap(({ live: { kind, id }, rival, children }) =>
    children.some(isNew)
      ? context.registry
          .at(kind, rival)
          .map((one): Read => ({ type: 'list', kind: one.kind.name, of: { kind, id } }))
      : [],
  );
}

/** Declared collections of live objects that are empty while another one, the rival, has entries. */
function rivalries(context: PlanContext) {
  return [...context.desired.nodes.values()].flatMap((desired) => {
    const live = context.liveOf(desired.address);
    return desired.declares.flatMap((key) => {
      const rival = rivalOf(context, desired, key);
      if (live === undefined || rival === undefined) return [];
      const children = context.desired.childrenOf(desired.address, key);
      return [{ desired, live, key, rival, children }];
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
