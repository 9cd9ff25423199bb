/** Plans contain the former navigation of changed sites only, without secrets. */
import { expect, test } from 'vitest';
import { type SiteView, siteViews } from '../../src/report/page/site-view.ts';
import { loadTexts, onlyTree } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const manifest = (guide: string, path: string) => `octavo: 1
organization: { id: org_acme }
sites:
  hub:
    title: Hub
    sections:
      guides: { title: '${guide}', path: ${path}, spaces: { main: { space: { id: sp_guide } } } }
      faq: { title: FAQ, path: faq, spaces: { main: { space: { id: sp_faq } } } }
  other:
    title: Other
    sections:
      guides: { title: Guides, path: guides, spaces: { main: { space: { id: sp_guide } } } }
`;

const treeOf = async (guide: string, path: string) =>
  onlyTree(await loadTexts({ 'manifest.yaml': manifest(guide, path) }, undefined, { NAME: 'Hidden guides' }));

test('contains only the sites that steps change, without secrets', async () => {
  const before = await treeOf('${secret:NAME}', 'guides');
  await harness.apply(before, await harness.plan(before));
  expect((await harness.plan(before)).review?.navigation).toBeUndefined();

  const plan = await harness.plan(await treeOf('${secret:NAME}', 'start'));
  expect(plan.review?.navigation?.map(({ address }) => address)).toEqual(['sites/hub']);
  const entries = plan.review?.navigation?.[0]?.entries ?? [];
  expect(entries.map(({ address, fields }) => [address, fields.title ?? '-', fields.path ?? '-'])).toEqual([
    ['sites/hub', 'Hub', '-'],
    ['sites/hub/sections/guides', '-', 'guides'],
    ['sites/hub/sections/guides/spaces/main', '-', expect.any(String)],
    ['sites/hub/sections/faq', 'FAQ', 'faq'],
    ['sites/hub/sections/faq/spaces/main', '-', expect.any(String)],
  ]);
  expect(JSON.stringify(plan)).not.toContain('Hidden');

  const [site] = siteViews(plan);
  const shown = (side: SiteView['before']) =>
    side?.children.map(({ title, path, states: marks, children }) => [
      title,
      path,
      marks,
      children[0]?.title,
    ]);
  expect(shown(site?.before)).toEqual([
    ['guides', 'guides', ['changed'], 'API guide'],
    ['FAQ', 'faq', [], 'FAQ'],
  ]);
  expect(shown(site?.after)).toEqual([
    ['guides', 'start', ['changed'], 'API guide'],
    ['FAQ', 'faq', [], 'FAQ'],
  ]);
});
