/** The number of moves is the lowest. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewestMoves as fewestMovesOf } from '../../src/plan/diff/fewest-moves.ts';
import { treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { combinations } from '../support/variants.ts';

const harness = await sharedHarness();

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

function isAnchor(kindOf: (key: string) => string, key: string, other: string | undefined): boolean {
  return other !== undefined && anchors[kindOf(key)]?.includes(kindOf(other)) === true;
}

/** The fewest moves to an order from each other order, by trying all of them backwards. */
function fewestMoves(to: readonly string[], kindOf: (key: string) => string): ReadonlyMap<string, number> {
  const moves = new Map([[to.join(' '), 0]]);
  for (const [order, count] of moves) {
    const after = order.split(' ');
    for (const [at, key] of after.entries()) {
      const others = after.toSpliced(at, 1);
      const isLast = at === others.length;
      if (!isLast && ![after[at - 1], after[at + 1]].some((other) => isAnchor(kindOf, key, other))) continue;
      for (const from of [...others.keys(), others.length]) {
        const before = others.toSpliced(from, 0, key).join(' ');
        if (!moves.has(before)) moves.set(before, count + 1);
      }
    }
  }
  return moves;
}

test('moves the fewest from each order of five sections and groups to each other one', () => {
  const to = ['a', 'b', 'c', 'd', 'e'];
  for (let groups = 0; groups < 2 ** to.length; groups += 1) {
    const kindOf = (key: string) => ((groups >> to.indexOf(key)) & 1 ? 'sectionGroup' : 'section');
    const hasGroups = groups !== 0;
    for (const [from, count] of fewestMoves(to, kindOf)) {
      let order = from.split(' ');
      const members = to.map((key) => ({
        place: order.indexOf(key),
        isChoosy: hasGroups && kindOf(key) === 'section',
      }));
      const moves = fewestMovesOf(members);
      for (const { index, anchor } of moves) {
        const [key = '', next] = [to[index], anchor && to[anchor.index]];
        order = order.filter((one) => one !== key);
        expect(next === undefined || isAnchor(kindOf, key, next)).toBe(true);
        const at = next === undefined ? order.length : order.indexOf(next) + Number(anchor?.side === 'after');
        order = order.toSpliced(at, 0, key);
      }
      expect(order, from).toEqual(to);
      expect(moves.length, `${from}, groups ${groups.toString(2)}`).toBe(count);
    }
  }
});

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
      expect(moves.length).toBe(fewestMoves(second, kindOf).get(arrived.join(' ')));
      await harness.apply(tree, planned);
      expect((await harness.plan(tree)).steps).toEqual([]);
    }),
    { ...tries(60) },
  );
});
