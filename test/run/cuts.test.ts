/** Plans that are cut after each of their requests, and continued, end as those that are not; all scenarios are cut, too. */
import { expect, onTestFinished, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { noOwnWork } from '../../src/tree/own-work.ts';
import { seed, startHarness, treeOf } from '../support/harness.ts';

const settings = { limits: { deletePercent: 100 }, protect: ['!**'] };
const head = { octavo: 1, organization: { id: 'org_acme' }, settings };
const newer = { ...head, settings: { ...settings, service: { profile: '2026' } } };
const guide = { space: { id: 'sp_guide' }, path: 'three' };
const faq = { space: { id: 'sp_faq' }, path: 'one' };

const upper = { title: 'Upper', description: 'Three' };
const lower = { title: 'Lower', description: 'Four' };

interface Story {
  readonly name: string;
  readonly form: 'document' | '2026';
  /** What is live at first, where `before` declares only a part of it. */
  readonly live?: object;
  readonly before: object;
  readonly after: object;
  /** Only the record tells the next apply what was there. */
  readonly forgets?: boolean;
  /** Only the base tells what the manifests no longer name. */
  readonly hasBase?: boolean;
}

const stories: readonly Story[] = [
  {
    name: 'the default is removed while the only other space is replaced, and the site has another key',
    form: 'document',
    before: { ...head, sites: { b: { title: 'Docs', spaces: { n: guide, m: faq } } } },
    after: {
      ...head,
      sites: {
        other: { was: 'b', title: 'Docs', spaces: { m: { space: { id: 'sp_reference' }, path: 'one' } } },
      },
    },
    forgets: true,
  },
  {
    name: 'the service moves the site-spaces of a site into its first section, and one of them is no longer declared',
    form: 'document',
    before: { ...head, sites: { hub: { title: 'Hub', spaces: { a: guide, b: faq } } } },
    after: {
      ...head,
      sites: {
        hub: {
          title: 'Hub',
          sections: {
            one: { title: 'One', path: 'one', spaces: { a: guide, c: { space: { id: 'sp_reference' } } } },
            two: { title: 'Two', path: 'two', spaces: { b: faq } },
          },
        },
      },
    },
    hasBase: true,
  },
  {
    name: 'containers exchange names, a space is deleted, and another one with its title is no one’s',
    form: 'document',
    live: {
      ...head,
      collections: {
        c: { ...upper, spaces: { start: { id: 'sp_start', title: 'Start' } } },
        d: { ...lower, spaces: { other: { id: 'sp_blog', title: 'Start' } } },
      },
    },
    before: { ...head, collections: { c: { ...upper, spaces: { start: { title: 'Start' } } }, d: lower } },
    after: {
      ...head,
      collections: { c: { ...upper, title: 'Lower', spaces: {} }, d: { ...lower, title: 'Upper' } },
    },
    hasBase: true,
  },
  {
    name: 'undeclared values of a customization move to the new site',
    form: '2026',
    before: {
      ...newer,
      sites: {
        hub: { title: 'Hub', customization: { styling: { theme: 'bold' }, feedback: { enabled: true } } },
      },
    },
    after: {
      ...newer,
      sites: { hub: { title: 'Hub', type: 'premium', customization: { pagination: { enabled: false } } } },
    },
  },
  {
    name: 'options that others added move to the field of another type',
    form: 'document',
    before: {
      ...head,
      customFields: { level: { type: 'select:single', title: 'Level', options: ['medium', 'low', 'high'] } },
    },
    after: {
      ...head,
      customFields: { level: { type: 'select:multi', title: 'Level', options: { add: ['high'] } } },
    },
  },
];

test.each(stories)(
  'continues to the same state: $name',
  async ({ form, live, before, after, forgets, hasBase }) => {
    const harness = await startHarness(seed, registry, form);
    onTestFinished(() => harness.close());
    const first = await treeOf(before);
    const all = live === undefined ? first : await treeOf(live);
    await harness.apply(all, await harness.plan(all));
    const { ids: recorded } = await harness.plan(first);
    // Without a base, what the manifests no longer name is kept.
    const record = forgets === true ? { recorded } : {};
    const options = { ...(forgets === true || hasBase === true ? { base: first } : {}), ...record };
    const planned = await harness.plan(await treeOf(after), options);
    expect([planned.refusals, planned.steps.length > 0]).toEqual([[], true]);
    expect(await harness.cut(planned, { forgets })).toEqual([]);
    if (hasBase === true) expect(await harness.cut(planned, { base: first })).toEqual([]);
  },
);

test('what a run was to carry over does not change an object that it did not replace', async () => {
  const harness = await startHarness();
  onTestFinished(() => harness.close());
  const level = { type: 'select:single', title: 'Level' };
  const first = await treeOf({ ...head, customFields: { level: { ...level, options: ['low', 'high'] } } });
  await harness.apply(first, await harness.plan(first));
  const tree = await treeOf({ ...head, customFields: { level: { ...level, options: { add: ['high'] } } } });
  const owed = {
    'customFields/level': { options: ['low', 'high', 'urgent'], description: 'Of a former day' },
  };
  expect((await harness.plan(tree, { own: { ...noOwnWork, owed } })).steps).toEqual([]);
});
