/** Splits the organizations of a run into balanced shards, the same way on every machine. */
import type { PlanShard } from '../plan/plan.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { shortHash } from '../util/short-hash.ts';

/** `index` starts at 1. Written as `2/16`. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

export const mostShards = 1000;

export function parseShard(text: string): Shard | undefined {
  const [, first = '', second = ''] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? [];
  const [index, of] = [Number(first), Number(second)];
  return first === '' || index > of || of > mostShards ? undefined : { index, of };
}

export function shardText({ index, of }: Shard): string {
  return `${index}/${of}`;
}

type Splittable = Pick<DesiredTree, 'label'> & { readonly nodes: { readonly size: number } };

/**
 * Balanced by declared objects: each organization, largest first, is assigned to the shard with the fewest objects. Independent of
 * the order of files, which is kept within a shard. Shards are empty only if there are more shards than organizations.
 */
export function splitTrees<T extends Splittable>(
  trees: readonly T[],
  count: number,
): readonly (readonly T[])[] {
  const bySize = [...trees].sort(
    (left, right) => right.nodes.size - left.nodes.size || (left.label < right.label ? -1 : 1),
  );
  const shards = Array.from({ length: count }, () => ({ objects: 0, labels: new Set<string>() }));
  for (const { label, nodes } of bySize) {
    const lightest = shards.reduce((best, shard) => (shard.objects < best.objects ? shard : best));
    lightest.labels.add(label);
    lightest.objects += nodes.size;
  }
  return shards.map(({ labels }) => trees.filter(({ label }) => labels.has(label)));
}

export function planShard(trees: readonly Splittable[], shard: Shard): PlanShard {
  const split = splitTrees(trees, shard.of).map((part) => part.map(({ label }) => label).sort());
  return { ...shard, organizations: trees.length, split: shortHash(JSON.stringify(split)) };
}

export function inShard<T extends Splittable>(trees: readonly T[], shard: Shard | undefined): readonly T[] {
  return shard === undefined ? trees : (splitTrees(trees, shard.of)[shard.index - 1] ?? []);
}
