/**
 * Lists that only add, with what is live: all later stages see the whole list.
 *
 *     base { ada: owner, cyd: member }   own { ada: owner }   live { cyd: member, dan: member }
 *     →  { ada: owner, dan: member }
 */

import { withAdded } from '../../tree/additive.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { pruneOf } from '../../tree/settings.ts';
import type { PlanContext } from '../context.ts';

export function addToLists(context: PlanContext): DesiredTree {
  const nodes = [...context.desired.nodes];
  if (nodes.every(([, node]) => node.additive === undefined)) return context.desired;
  return context.desired.with({
    nodes: new Map(nodes.map(([address, node]) => [address, withLists(context, node)])),
  });
}

function withLists(context: PlanContext, node: DesiredNode): DesiredNode {
  if (node.additive === undefined) return node;
  const live = context.liveOf(node.address) ?? context.replaced.get(node.address);
  const base = removesFormer(context, node) ? context.baseOf(node) : undefined;
  const lists = node.additive.flatMap((name) => {
    const [own, former] = [node.fields[name], base?.fields[name]];
    if (own === undefined) return [];
    const field = context.kindOf(node).fields[name];
    const present = live && context.liveField(live, name);
    const ours = former && context.renamed(field, former, context.base);
    return [[name, withAdded(present, context.renamed(field, own), ours)] as const];
  });
  return { ...node, fields: { ...node.fields, ...Object.fromEntries(lists) } };
}

/** As for objects that are no longer declared. */
function removesFormer({ base, desired }: PlanContext, { kind }: DesiredNode): boolean {
  return base?.undoes !== undefined || pruneOf(desired.settings, kind) !== 'never';
}
