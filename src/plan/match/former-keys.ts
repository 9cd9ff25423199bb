/**
 * Entries whose key changed, and that are still told by their name: their contents have the places of the base below the former key.
 *
 *   base   sites/docs   title: Docs   …/spaces/main: { space: guide }
 *   now    sites/help   title: Docs   …/spaces/main: { space: faq }     main is the same site-space, whose space is replaced
 */

import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity } from '../../tree/identity.ts';
import { push } from '../../util/group.ts';

export function withFormerKeys(
  tree: DesiredTree,
  base: DesiredTree | undefined,
  registry: Registry,
): DesiredTree {
  if (base === undefined) return tree;
  const slotOf = ({ kind, fields, address }: DesiredNode, place: string): string | undefined => {
    const [identity] = registry.byName(kind).identity.by;
    const name = identity && desiredIdentity(fields, identity);
    return name === undefined || address === '' ? undefined : JSON.stringify([place, kind, name]);
  };
  const gone = new Map<string, DesiredNode[]>();
  for (const node of base.nodes.values()) {
    const slot = tree.get(node.address) === undefined ? slotOf(node, node.parent ?? '') : undefined;
    if (slot !== undefined) push(gone, slot, node);
  }
  if (gone.size === 0) return tree;
  const former = new Map<string, DesiredNode[]>();
  const placeOf = (address = '') => former.get(address)?.[0]?.address ?? address;
  const claims = new Map<string, number>();
  const candidates: (readonly [DesiredNode, string])[] = [];
  // Parents come first.
  for (const node of tree.nodes.values()) {
    if (node.was.length > 0 || node.id !== undefined || base.get(node.address) !== undefined) continue;
    const slot = slotOf(node, placeOf(node.parent));
    const known = slot === undefined ? [] : (gone.get(slot) ?? []);
    if (slot === undefined || known.length !== 1) continue;
    claims.set(slot, (claims.get(slot) ?? 0) + 1);
    candidates.push([node, slot]);
    former.set(node.address, known);
  }
  const found = new Map(
    candidates.flatMap(([node, slot]) =>
      claims.get(slot) === 1 ? [[node.address, placeOf(node.address)]] : [],
    ),
  );
  if (found.size === 0) return tree;
  const nodes = [...tree.nodes].map(([address, node]) => {
    const formerly = found.get(address);
    return [address, formerly === undefined ? node : { ...node, formerly }] as const;
  });
  return tree.with({ nodes: new Map(nodes) });
}
