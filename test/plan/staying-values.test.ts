/** Values of objects whose delete is refused remain in use, even if the service moves such an object. */
import { expect, test } from 'vitest';
import type { Variants } from '../../src/server/variants.ts';
import type { Document } from '../support/arbitrary.ts';
import { type HarnessOptions, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const head = {
  spaces: { blog: { id: 'sp_blog' }, guide: { id: 'sp_guide' } },
};
/** A site that shows the blog itself, under the path `start`. */
const before = {
  ...head,
  sites: { docs: { title: 'Docs', spaces: { blog: { space: 'blog', path: 'start' } } } },
};

/** The site with two sections; the first shows the guide under a path. */
function after(path: string, settings: object = {}): Document {
  const sections = {
    one: { title: 'One', spaces: { guide: { space: 'guide', path } } },
    two: { title: 'Two', spaces: { guide: { space: 'guide', path: 'second' } } },
  };
  return {
    ...head,
    settings: { prune: 'unlisted', ...settings },
    sites: { docs: { title: 'Docs', sections } },
  };
}

const guarded = { protect: ['sites/docs/spaces/**'] };

/** Applies a site with site-spaces at its root, then plans the sections. */
async function planSections(document: Document, options: HarnessOptions, variants: Partial<Variants> = {}) {
  harness.reset(variants);
  const first = await treeOf(before);
  await harness.apply(first, await harness.plan(first));
  const tree = await treeOf(document);
  const chosen = options.exclude === undefined ? options : { ...options, base: first };
  const plan = await harness.plan(tree, chosen);
  return { plan, apply: async () => harness.apply(tree, plan, undefined, chosen), tree };
}

const skipping = { skipRefused: true };
const taking = 'sites/docs/sections/one/spaces/guide#update';

test.each([{ 'root-site-spaces': 'moved' }, { 'root-site-spaces': 'stay' }] as const)(
  'does not assign a path that a refused delete keeps in use: %o',
  async (variants) => {
    const { plan, apply } = await planSections(after('start', guarded), skipping, variants);
    expect(plan.refusals.map(({ guard, steps, skipped }) => ({ guard, steps, skipped }))).toEqual([
      {
        guard: 'protect',
        steps: [expect.stringMatching(/^sites\/docs\/spaces\/id=\w+#delete$/)],
        skipped: true,
      },
      { guard: 'kept-value', steps: [taking], skipped: true },
    ]);
    expect(plan.refusals[1]).toMatchObject({
      address: 'sites/docs/sections/one/spaces/guide',
      message: expect.stringMatching(
        /^path "start" may still be used by sites\/docs\/spaces\/id=\w+, which is not deleted: it may move into the new section$/,
      ),
    });
    const ids = plan.steps.map(({ id }) => id);
    expect(ids).toContain('sites/docs/sections/two/spaces/guide#update');
    expect(ids).not.toContain(taking);
    const result = await apply();
    const ends = result?.organizations.flatMap(({ outcomes }) => outcomes.map(({ type }) => type));
    expect(new Set(ends)).toEqual(new Set(['done']));
  },
);

test('assigns another path, as suggested', async () => {
  const { plan } = await planSections(after('first', guarded), skipping);
  expect(plan.refusals.map(({ guard }) => guard)).toEqual(['protect']);
  expect(plan.steps.map(({ id }) => id)).toContain(taking);
});

test('assigns the path together with the delete, as suggested', async () => {
  const { plan, apply, tree } = await planSections(after('start'), skipping);
  expect(plan.refusals).toEqual([]);
  await apply();
  expect((await harness.plan(tree))?.steps).toEqual([]);
});

test('refuses the path of an excluded delete and applies no change', async () => {
  const { plan, apply } = await planSections(after('start'), { exclude: ['sites/docs/spaces/**'] });
  expect(plan.refusals.map(({ guard, steps }) => ({ guard, steps }))).toEqual([
    { guard: 'kept-value', steps: [taking] },
  ]);
  await expect(apply()).rejects.toThrow('may still be used by');
});
