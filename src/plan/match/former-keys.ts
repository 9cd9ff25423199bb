/**
 * Entries whose key changed, and that still have their name: their contents have the places of the base below the former key.
 *
 *   base   sites/docs   title: Docs   …/spaces/main: { space: guide }
 *   now    sites/help   title: Docs   …/spaces/main: { space: faq }     main is the same site-space, whose space is replaced
 */

import type { Registry } from '../../kinds/registry.ts';
import { type DesiredNode, isIdentified } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity } from '../../tree/identity.ts';
import type { OwnWork } from '../../tree/own-work.ts';
import { push } from '../../util/group.ts';
import { formerAddresses } from '../matching.ts';

export function withFormerKeys(
  tree: DesiredTree,
  base: DesiredTree | undefined,
  registry: Registry,
): DesiredTree {
  if (base === undefined) return tree;
  const slotOf = ({ kind, fields }: DesiredNode, place = ''): string | undefined => {
    const [identity] = registry.byName(kind).identity.by;
    const name = identity && desiredIdentity(fields, identity);
    return name && JSON.stringify([place, kind, name]);
  };
  const named = [...tree.nodes.values()].filter(({ was }) => was.length > 0);
  const taken = new Set(named.flatMap((node) => formerAddresses(node, tree)));
  const gone = new Map<string | undefined, string[]>();
  for (const node of base.nodes.values())
    if (tree.get(node.address) === undefined && !taken.has(node.address))
      push(gone, slotOf(node, node.parent), node.address);
  gone.delete(undefined);
  if (gone.size === 0) return tree;
  const formerly = new Map<string, string>();
  const claims = new Map<string | undefined, string[]>();
  // Parents come first.
  for (const node of tree.nodes.values()) {
    const { address, parent = '', was } = node;
    const isNamed = was.length > 0 || node.formerly !== undefined || isIdentified(node);
    if (isNamed || base.get(address) !== undefined) continue;
    const slot = slotOf(node, formerly.get(parent) ?? tree.get(parent)?.formerly ?? parent);
    const [former, ...others] = gone.get(slot) ?? [];
    if (former === undefined || others.length > 0) continue;
    push(claims, slot, address);
    formerly.set(address, former);
  }
  for (const addresses of claims.values())
    if (addresses.length > 1) for (const address of addresses) formerly.delete(address);
  if (formerly.size === 0) return tree;
  return tree.mapped((node) => {
    const former = formerly.get(node.address);
    return former === undefined ? node : { ...node, formerly: former };
  });
}

/** The work of a run at a former address was at the present one. */
export function withCurrentAddresses(work: OwnWork, tree: DesiredTree): OwnWork {
  if (work.objects.length === 0 && work.uncertain.length === 0) return work;
  const current = new Map<string, string>();
  for (const node of tree.nodes.values())
    for (const former of formerAddresses(node, tree))
      if (tree.get(former) === undefined && !current.has(former)) current.set(former, node.address);
  if (current.size === 0) return work;
  const here = <T extends { readonly address: string }>(one: T): T => ({
    ...one,
    address: current.get(one.address) ?? one.address,
  });
  const byAddress = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(values).map(([address, value]) => [current.get(address) ?? address, value]),
    );
  return {
    ...work,
    ids: byAddress(work.ids),
    objects: work.objects.map(here),
    superseded: work.superseded.map(here),
    owed: byAddress(work.owed),
    uncertain: work.uncertain.map(here),
  };
}
