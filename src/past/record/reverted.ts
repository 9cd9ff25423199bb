/**
 * Entries that are at an address of an earlier record again, as after `git revert` of a rename or a move: the object is the one of
 * that record if the last record has it at an address that no entry has or names now.
 *
 *   earlier  teams/a: team_1        last  teams/b: team_1        now  teams/a      was teams/b
 */
import { formerAddresses } from '../../plan/matching.ts';
import { type DesiredNode, isIdentified } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { findRepository } from '../base/repository.ts';
import type { ManifestSource } from '../workspace.ts';
import type { FoundRecord } from './applied-record.ts';
import { isOfOther, recordsBefore } from './find-record.ts';

export async function withReverted(
  source: ManifestSource,
  tree: DesiredTree,
  record: FoundRecord,
): Promise<DesiredTree> {
  if (isOfOther(record, source)) return tree;
  const nodes = [...tree.nodes.values()];
  const isNamed = (node: DesiredNode) => node.was.length > 0 || isIdentified(node);
  const hasName = ({ kind }: DesiredNode) => source.registry.byName(kind).manifest.key !== undefined;
  const isKnown = ({ address, parent }: DesiredNode) => parent === undefined || record.ids.has(address);
  const fresh = nodes.filter((node) => !isKnown(node) && !isNamed(node) && !hasName(node));
  if (fresh.length === 0) return tree;
  const named = new Set(nodes.flatMap((node) => formerAddresses(node, tree)));
  const gone = new Map(
    [...record.ids].flatMap(([address, id]) =>
      tree.nodes.has(address) || named.has(address) ? [] : [[`${collectionOf(address)} ${id}`, address]],
    ),
  );
  const left = new Set([...gone.values()].map(collectionOf));
  const open = new Set(fresh.filter(({ address }) => left.has(collectionOf(address))));
  const repository = open.size === 0 ? undefined : await findRepository(source);
  if (repository === undefined) return tree;
  const found = new Map<string, DesiredNode>();
  for await (const { content } of recordsBefore(repository, record.oid)) {
    for (const node of open) {
      const { address } = node;
      const id = content.ids[address];
      if (id === undefined) continue;
      open.delete(node);
      const formerly = gone.get(`${collectionOf(address)} ${id}`);
      if (formerly !== undefined) found.set(address, { ...node, formerly });
    }
    if (open.size === 0) break;
  }
  return found.size === 0 ? tree : tree.with({ nodes: new Map([...tree.nodes, ...found]) });
}

/** Ids are unique only within a kind, and a part of an object may have its id. */
export function collectionOf(address: string): string | undefined {
  return address.split('/').at(-2);
}
