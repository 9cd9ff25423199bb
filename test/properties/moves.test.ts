/** The number of moves is minimal: all members outside a longest increasing subsequence. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { longestIncreasing } from '../../src/plan/diff/keepers.ts';
import { type Harness, startHarness, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';
import { combinations } from '../support/variants.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
const spaces = ['sp_guide', 'sp_reference', 'sp_blog', 'sp_faq', 'sp_notes', 'sp_start'];

/** Length of a longest increasing subsequence, by brute force. */
function longestByTrying(values: readonly number[]): number {
  let best = 0;
  for (let chosen = 0; chosen < 2 ** values.length; chosen += 1) {
    const picked = values.filter((_value, index) => chosen & (1 << index));
    if (picked.every((value, index) => index === 0 || value > (picked[index - 1] ?? 0)))
      best = Math.max(best, picked.length);
  }
  return best;
}

test('finds a longest increasing subsequence', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { maxLength: 9 }), (values) => {
      const kept = longestIncreasing(values).map((index) => values[index] ?? -1);
      expect(kept).toEqual([...kept].sort((a, b) => a - b));
      expect(kept.length).toBe(longestByTrying(values));
    }),
    tries(60),
  );
});

function document(order: readonly string[], what: 'sections' | 'siteSpaces' | 'spaces'): object {
  const space = (key: string) => spaces[keys.indexOf(key)] ?? '';
  const ids = Object.fromEntries(keys.map((key) => [key, { id: space(key) }]));
  const base = { octavo: 1, organization: 'org_acme' };
  if (what === 'spaces') {
    const ordered = Object.fromEntries(order.map((key) => [key, { id: space(key) }]));
    return { ...base, collections: { all: { title: 'All', spaces: ordered } } };
  }
  const own = Object.fromEntries(
    order.map((key) => [
      key,
      what === 'sections'
        ? { title: `S ${key}`, path: `s-${key}`, spaces: { main: { space: key } } }
        : { space: key },
    ]),
  );
  return {
    ...base,
    spaces: ids,
    sites: { hub: { title: 'Hub', [what === 'sections' ? 'sections' : 'spaces']: own } },
  };
}

test.each(['sections', 'siteSpaces', 'spaces'] as const)(
  'moves only %s outside of a longest increasing subsequence',
  { timeout: patience(120_000) },
  async (what) => {
    await fc.assert(
      fc.asyncProperty(
        combinations,
        fc.shuffledSubarray(keys, { minLength: 6 }),
        fc.shuffledSubarray(keys, { minLength: 6 }),
        async ({ variants }, first, second) => {
          harness.reset(variants);
          const before = await treeOf(document(first, what));
          await harness.apply(before, await harness.plan(before));
          const tree = await treeOf(document(second, what));
          const planned = await harness.plan(tree);
          const calls = planned.steps.flatMap((step) => step.calls);
          expect(calls.length).toBe(keys.length - longestByTrying(second.map((key) => first.indexOf(key))));
          await harness.apply(tree, planned);
          expect((await harness.plan(tree)).steps).toEqual([]);
        },
      ),
      { ...tries(8) },
    );
  },
);

/** Kinds next to which an object can be placed (API document, "Ordering"). */
const anchors: Readonly<Record<string, readonly string[]>> = {
  section: ['section'],
  sectionGroup: ['section', 'sectionGroup'],
};

/** The fewest moves from one order to another, by trying all of them. */
function fewestMoves(
  from: readonly string[],
  to: readonly string[],
  kindOf: (key: string) => string,
): number {
  let orders = new Set([from.join(' ')]);
  const seen = new Set(orders);
  for (let moves = 0; ; moves += 1) {
    if (orders.has(to.join(' '))) return moves;
    const next = new Set<string>();
    for (const order of orders) {
      for (const key of from) {
        const others = order.split(' ').filter((one) => one !== key);
        const places = others.flatMap((other, at) =>
          anchors[kindOf(key)]?.includes(kindOf(other)) === true ? [at, at + 1] : [],
        );
        for (const at of [...places, others.length]) {
          const moved = [...others.slice(0, at), key, ...others.slice(at)].join(' ');
          if (!seen.has(moved)) next.add(moved);
          seen.add(moved);
        }
      }
    }
    orders = next;
  }
}

test('moves the fewest where some neighbors cannot be anchors, and never the last one to the end', {
  timeout: patience(120_000),
}, async () => {
  const some = ['a', 'b', 'c', 'd', 'e'];
  const wanted = fc.record({
    groups: fc.subarray(some),
    first: fc.shuffledSubarray(some, { minLength: 1 }),
    second: fc.shuffledSubarray(some, { minLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(wanted, async ({ groups, first, second }) => {
      harness.reset();
      const section = (key: string) => ({
        title: `S ${key}`,
        path: `s-${key}`,
        spaces: { main: { space: { id: spaces[0] } } },
      });
      const documentOf = (order: readonly string[]) =>
        treeOf({
          octavo: 1,
          organization: 'org_acme',
          sites: {
            hub: {
              title: 'Hub',
              sections: Object.fromEntries(
                order.map((key) => [
                  key,
                  groups.includes(key)
                    ? { title: `G ${key}`, sections: { [`in-${key}`]: section(key) } }
                    : section(key),
                ]),
              ),
            },
          },
        });
      const before = await documentOf(first);
      await harness.apply(before, await harness.plan(before));
      const tree = await documentOf(second);
      const planned = await harness.plan(tree);
      const isHere = ({ address }: { readonly address: string }) => address.split('/').length === 4;
      const created = planned.steps.filter((step) => isHere(step) && step.phase === 'create');
      const arrived = [...first, ...created.map(({ address }) => address.at(-1) ?? '')];
      const moves = planned.steps.filter((step) => isHere(step) && step.phase === 'move');
      const kindOf = (key: string) => (groups.includes(key) ? 'sectionGroup' : 'section');
      expect(moves.length).toBe(fewestMoves(arrived, second, kindOf));
      await harness.apply(tree, planned);
      expect((await harness.plan(tree)).steps).toEqual([]);
    }),
    { ...tries(60) },
  );
});
