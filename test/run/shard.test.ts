/** Shards: every organization is in exactly one, balanced, and the same on every machine. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inShard, mostShards, parseShard, planShard, shardText, splitTrees } from '../../src/run/shard.ts';
import { tries } from '../support/runs.ts';

/** Organizations by label and size. */
const organizations = fc
  .dictionary(fc.string({ minLength: 1, maxLength: 6 }), fc.nat(40))
  .map((sizes) => Object.entries(sizes).map(([label, size]) => ({ label, nodes: { size } })));

const counts = fc.integer({ min: 1, max: 12 });

function sizeOf(part: readonly { readonly nodes: { readonly size: number } }[]): number {
  return part.reduce((sum, { nodes }) => sum + nodes.size, 0);
}

test('puts every organization into exactly one shard, in the order of files', () => {
  fc.assert(
    fc.property(organizations, counts, (trees, count) => {
      const parts = splitTrees(trees, count);
      expect(parts).toHaveLength(count);
      expect(
        parts
          .flat()
          .map(({ label }) => label)
          .sort(),
      ).toEqual(trees.map(({ label }) => label).sort());
      for (const part of parts) expect(part).toEqual(trees.filter((tree) => part.includes(tree)));
    }),
    tries(200),
  );
});

test('splits independently of the order of files', () => {
  fc.assert(
    fc.property(organizations, counts, fc.nat(), (trees, count, turn) => {
      const turned = [
        ...trees.slice(turn % (trees.length || 1)),
        ...trees.slice(0, turn % (trees.length || 1)),
      ];
      const labels = (parts: ReturnType<typeof splitTrees>) =>
        parts.map((part) => part.map(({ label }) => label).sort());
      expect(labels(splitTrees(turned, count))).toEqual(labels(splitTrees(trees, count)));
      const shard = { index: 1, of: count };
      expect(planShard(turned, shard)).toEqual(planShard(trees, shard));
    }),
    tries(200),
  );
});

test('balances shards to within one organization', () => {
  fc.assert(
    fc.property(organizations, counts, (trees, count) => {
      const sizes = splitTrees(trees, count).map(sizeOf);
      const largest = Math.max(0, ...trees.map(({ nodes }) => nodes.size));
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(largest);
    }),
    tries(200),
  );
});

test('leaves shards empty only if there are more shards than organizations', () => {
  const trees = ['a', 'b', 'c'].map((label) => ({ label, nodes: { size: 1 } }));
  expect(splitTrees(trees, 3).map((part) => part.length)).toEqual([1, 1, 1]);
  expect(splitTrees(trees, 5).map((part) => part.length)).toEqual([1, 1, 1, 0, 0]);
  expect(inShard(trees, undefined)).toBe(trees);
  expect(inShard(trees, { index: 5, of: 5 })).toEqual([]);
});

test('identifies the split by its assignment', () => {
  const trees = ['a', 'b', 'c'].map((label) => ({ label, nodes: { size: 1 } }));
  const shard = { index: 1, of: 2 };
  const { split } = planShard(trees, shard);
  expect(planShard(trees.slice(1), shard).split).not.toBe(split);
  expect(planShard(trees, { index: 2, of: 2 }).split).toBe(split);
  const [first, ...others] = trees;
  const larger = [{ label: first?.label ?? '', nodes: { size: 9 } }, ...others];
  expect(planShard(larger, shard).split).not.toBe(split);
});

test.each([['1/1'], ['2/16'], [`${mostShards}/${mostShards}`]])('accepts %s', (text) => {
  const shard = parseShard(text);
  expect(shard && shardText(shard)).toBe(text);
});

test.each([
  '',
  '0/4',
  '5/4',
  '1/0',
  '1',
  '1/',
  '/4',
  ' 1/4',
  '1/4 ',
  '1.0/4',
  '01/4',
  '1/1001',
  '-1/4',
  '1/4/2',
])('rejects %j', (text) => expect(parseShard(text)).toBeUndefined());
