/** A replaced object keeps its unmanaged values as far as the API accepts them, and never widens access. */
import { expect, test } from 'vitest';
import { isComplete } from '../../src/apply/events.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const params = { organizationId: 'org_acme' };
const settings = { protect: ['!**'], limits: { deletes: null, deletePercent: null } };

async function apply(document: object) {
  const tree = await treeOf({ settings, ...document });
  const plan = await harness.plan(tree);
  expect(plan.refusals).toEqual([]);
  const result = await harness.apply(tree, plan);
  expect(isComplete(result)).toBe(true);
  expect((await harness.plan(tree)).steps).toEqual([]);
  return plan;
}

const spaces = { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' } };
const section = {
  title: 'Guides',
  path: 'guides',
  spaces: { one: { space: 'guide' }, two: { space: 'faq' } },
};

test('creates a replaced site with its visibility and other unmanaged fields', async () => {
  const site = { title: 'Hub', type: 'basic', sections: { g: section } };
  await apply({
    spaces,
    sites: {
      hub: {
        ...site,
        visibility: 'share-link',
        basename: 'portal',
        proxy: 'acme.example/docs/portal',
        adaptiveContent: { enabled: true },
        sections: { g: { ...section, icon: 'book', condition: 'visitor.claims.admin', description: 'All' } },
      },
    },
  });
  harness.sent.length = 0;
  const plan = await apply({ spaces, sites: { hub: { ...site, type: 'premium' } } });
  const created = harness.sent.find(({ operation }) => operation === 'sites.create');
  expect(created?.body).toMatchObject({ type: 'premium', visibility: 'share-link' });
  const [live] = (await harness.api.all('sites.list', { params })) as readonly Record<string, unknown>[];
  expect(live).toMatchObject({
    type: 'premium',
    visibility: 'share-link',
    basename: 'portal',
    adaptiveContent: { enabled: true },
  });
  const siteId = String(live?.id);
  const sections = await harness.api.all('sections.list', { params: { ...params, siteId } });
  expect(sections).toMatchObject([{ icon: 'book', condition: 'visitor.claims.admin', description: 'All' }]);
  const kept = plan.steps.flatMap(({ fields }) => fields.filter(({ carried }) => carried === true));
  expect(kept.map(({ field }) => field)).toContain('visibility');
});

test('keeps the title and options of a replaced custom field', async () => {
  await apply({ customFields: { audience: { type: 'select:single', title: 'Who', options: ['a', 'b'] } } });
  await apply({ customFields: { audience: { type: 'select:multi' } } });
  const [live] = await harness.api.all('customFields.list', { params });
  expect(live).toMatchObject({ type: 'select:multi', title: 'Who', options: ['a', 'b'] });
});

test('keeps the path and condition of a replaced site-space and updates references to a replaced site', async () => {
  const site = (space: string, more: object = {}) => ({
    spaces,
    sites: {
      hub: {
        title: 'Hub',
        sections: { g: { title: 'Guides', path: 'g', spaces: { one: { path: 'one', space, ...more } } } },
      },
    },
  });
  await apply(site('guide', { condition: 'visitor.claims.admin' }));
  await apply(site('faq'));
  const [hub] = (await harness.api.all('sites.list', { params })) as readonly { id: string }[];
  const list = await harness.api.all('siteSpaces.list', { params: { ...params, siteId: hub?.id ?? '' } });
  expect(list).toMatchObject([{ path: 'one', condition: 'visitor.claims.admin' }]);
});

test('updates references to a replaced object', async () => {
  const document = (type: string, own: object) => ({
    organization: { id: 'org_acme', ...own },
    sites: { hub: { title: 'Hub', type } },
  });
  await apply(document('basic', { defaultContent: { site: 'hub' } }));
  await apply(document('premium', {}));
  const [hub] = (await harness.api.all('sites.list', { params })) as readonly { id: string }[];
  expect(await harness.api.send('orgs.get', { params })).toMatchObject({ defaultContent: { site: hub?.id } });
});
