/** Addresses of visitors, before and after a plan. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { renderPlan } from '../../src/report/plan/text.ts';
import { asPlan, type Harness, startHarness, treeOf } from '../support/harness.ts';

const harness: Harness = await startHarness(undefined, undefined, '2026');
afterAll(() => harness.close());
beforeEach(() => {
  harness.reset();
  harness.through = undefined;
});

const section = (title: string, path: string, space: string) => ({
  title,
  path,
  spaces: { main: { space: { id: space }, path: 'main' } },
});

const both = { guides: section('Guides', 'guides', 'sp_guide'), api: section('API', 'api', 'sp_reference') };

const hub = (sections: object, more: object = {}) =>
  treeOf({
    octavo: 1,
    organization: 'org_acme',
    settings: { prune: 'unlisted', protect: [], limits: { deletes: null, deletePercent: null } },
    sites: {
      hub: {
        title: 'Hub',
        basename: 'docs',
        visibility: 'public',
        published: true,
        default: 'guides',
        sections,
        ...more,
      },
    },
  });

const base = 'https://org-acme.docs.example/docs';

async function planAfter(sections: object, more: object = {}) {
  const first = await hub(both);
  await harness.apply(first, await harness.plan(first));
  const { ids: recorded } = await harness.plan(first);
  return harness.plan(await hub(sections, more), { recorded });
}

test('another path of a section changes what is below it, and names the redirects to add', async () => {
  const plan = await planAfter({ ...both, api: section('API', 'reference', 'sp_reference') });
  expect(plan.review?.addresses).toEqual([
    {
      from: `${base}/api`,
      to: `${base}/reference`,
      address: 'sites/hub/sections/api',
      noun: 'section',
      title: 'API',
      below: 1,
    },
  ]);
  const lines = ['/api: { to: api }', '/api/*: { to: api, wildcard: true }'];
  expect(plan.review?.redirects).toEqual([{ in: 'sites/hub', key: 'redirects', lines }]);
  const text = renderPlan(asPlan(plan), { color: false, width: 140, full: true });
  expect(text).toContain(
    [
      '  Addresses  2 change · 2 lines to add',
      `    ${base}/api → ${base}/reference, with 1 below`,
      '    to keep former links working, add to redirects of sites/hub:',
      '      /api: { to: api }',
      '      /api/*: { to: api, wildcard: true }',
      '',
    ].join('\n'),
  );
});

test('an address may become that of another section', async () => {
  const { guides, api } = both;
  const plan = await planAfter({ guides: { ...guides, path: 'api' }, api: { ...api, path: 'guides' } });
  expect(plan.review?.addresses?.map(({ from, to, takenBy }) => [from, to, takenBy])).toEqual([
    [`${base}/api`, `${base}/guides`, 'sites/hub/sections/guides'],
    [`${base}/guides`, `${base}/api`, 'sites/hub/sections/api'],
  ]);
});

test('what is deleted is lost, and so is a whole site that goes offline', async () => {
  const lost = await planAfter({ guides: both.guides });
  expect(lost.review?.addresses?.map(({ from, to, below }) => [from, to, below])).toEqual([
    [`${base}/api`, undefined, 1],
  ]);
  const offline = await harness.plan(await hub(both, { published: false }));
  expect(offline.review?.addresses?.map(({ from, to, below }) => [from, to, below])).toEqual([
    [`${base}/`, undefined, 4],
  ]);
});

test('a draft has no address any more, nor has what is in it', async () => {
  const { guides, api } = both;
  const drafts = async (sections: object) =>
    (await planAfter(sections)).review?.addresses?.map(({ from, to, below }) => [from, to, below]);
  expect(await drafts({ guides, api: { ...api, draft: true } })).toEqual([[`${base}/api`, undefined, 1]]);
  expect(await drafts({ guides, more: { title: 'More', draft: true, sections: { api } } })).toEqual([
    [`${base}/api`, undefined, 1],
  ]);
  const hidden = { ...api.spaces.main, draft: true };
  expect(await drafts({ guides, api: { ...api, spaces: { main: hidden } } })).toEqual([
    [`${base}/api/main`, undefined, undefined],
  ]);
});

test('another path of the site changes all, and what has another path besides is named', async () => {
  const plan = await planAfter(both, { basename: 'help' });
  expect(plan.review?.addresses?.map(({ from, to, below }) => [from, to, below])).toEqual([
    [`${base}/`, 'https://org-acme.docs.example/help/', 4],
  ]);
  const { guides, api } = both;
  const more = await planAfter({ guides, api: { ...api, path: 'reference' } }, { basename: 'help' });
  expect(more.review?.addresses?.map(({ from, to, below }) => [from, to, below])).toEqual([
    [`${base}/`, 'https://org-acme.docs.example/help/', 2],
    [`${base}/api`, 'https://org-acme.docs.example/help/reference', 1],
  ]);
});

test('the own address of a site is told at a service of the document, too', async () => {
  const older = await startHarness();
  const site = (basename: string) =>
    treeOf({
      octavo: 1,
      organization: 'org_acme',
      sites: { hub: { id: 'site_hub', basename } },
    });
  older.service.reset({
    organizations: [
      {
        id: 'org_acme',
        title: 'Acme',
        sites: [{ id: 'site_hub', title: 'Hub', basename: 'docs', published: true }],
      },
    ],
  });
  const { review } = await older.plan(await site('help'));
  expect(review?.addresses?.map(({ from, to }) => [from, to])).toEqual([
    [`${base}/`, 'https://org-acme.docs.example/help/'],
  ]);
  await older.close();
});

test('addresses that are not made of the paths are not foretold', async () => {
  harness.through = (api) => ({
    send: (operation, input) => api.send(operation, input).then(elsewhere),
    all: (operation, input) => api.all(operation, input).then((items) => items.map(elsewhere)),
  });
  const plan = await planAfter({ ...both, api: section('API', 'reference', 'sp_reference') });
  expect(plan.steps.map(({ id }) => id)).toContain('sites/hub/sections/api#update');
  expect(plan.review?.addresses).toBeUndefined();
  // Its links stop working all the same.
  expect(plan.review?.redirects?.[0]?.lines).toContain('/api: { to: api }');
});

/** With a version in each address, as another service may have it. */
function elsewhere<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value ?? null).replaceAll('/docs/api', '/docs/v1/api'),
    (_key, one) => one,
  ) as T;
}
