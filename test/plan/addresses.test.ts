/** Public addresses before and after a plan. */
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

test('reports a changed path of a section with its descendants and the redirects to add', async () => {
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

test('reports an address that another section takes over', async () => {
  const { guides, api } = both;
  const plan = await planAfter({ guides: { ...guides, path: 'api' }, api: { ...api, path: 'guides' } });
  expect(plan.review?.addresses?.map(({ from, to, takenBy }) => [from, to, takenBy])).toEqual([
    [`${base}/api`, `${base}/guides`, 'sites/hub/sections/guides'],
    [`${base}/guides`, `${base}/api`, 'sites/hub/sections/api'],
  ]);
});

test('reports the addresses of deleted sections and of a site taken offline as lost', async () => {
  const lost = await planAfter({ guides: both.guides });
  expect(lost.review?.addresses?.map(({ from, to, below }) => [from, to, below])).toEqual([
    [`${base}/api`, undefined, 1],
  ]);
  const offline = await harness.plan(await hub(both, { published: false }));
  expect(offline.review?.addresses?.map(({ from, to, below }) => [from, to, below])).toEqual([
    [`${base}/`, undefined, 4],
  ]);
});

test('reports the addresses of drafts and their contents as lost', async () => {
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

test('reports a changed path of the site once, and other changed paths below it separately', async () => {
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

test('reports the changed address of a site in the document form, too', async () => {
  const older = await startHarness();
  const site = (basename: string) =>
    treeOf({
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

test('does not predict addresses that are not made of the paths', async () => {
  harness.through = (api) => ({
    send: (operation, input) => api.send(operation, input).then(elsewhere),
    all: (operation, input) => api.all(operation, input).then((items) => items.map(elsewhere)),
  });
  const plan = await planAfter({ ...both, api: section('API', 'reference', 'sp_reference') });
  expect(plan.steps.map(({ id }) => id)).toContain('sites/hub/sections/api#update');
  expect(plan.review?.addresses).toBeUndefined();
  // Its links still stop working.
  expect(plan.review?.redirects?.[0]?.lines).toContain('/api: { to: api }');
});

/** Adds a version to each address, as another service may do. */
function elsewhere<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value ?? null).replaceAll('/docs/api', '/docs/v1/api'),
    (_key, one) => one,
  ) as T;
}
