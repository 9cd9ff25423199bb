/** A site-space or section that shows a copied space gets its path from the title of the copy, regardless of timing. */
import { afterAll, expect, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import { startHarness, treeOf } from '../support/harness.ts';

const harness = await startHarness();
afterAll(() => harness.close());

test.each(['spaces', 'sections'] as const)(
  'derives the path of a copy shown in %s of a site from the title of the copy',
  async (where) => {
    harness.reset();
    const main = { main: { space: 'copy' } };
    const tree = await treeOf({
      spaces: { guide: { id: 'sp_guide' }, copy: { duplicateOf: 'guide', title: 'Beta guides' } },
      sites: {
        hub: {
          title: 'Hub',
          ...(where === 'spaces'
            ? { spaces: main }
            : { sections: { beta: { title: 'Beta', spaces: main } } }),
        },
      },
    });
    const plan = await harness.plan(tree);
    const at = (id: string) => plan.steps.findIndex((step) => step.id === id);
    const makes = where === 'spaces' ? 'sites/hub/spaces/main#create' : 'sites/hub/sections/beta#create';
    const titled = plan.steps[at('spaces/copy#update')];
    expect(titled?.fields.map(({ field }) => field)).toEqual(['title']);
    expect(plan.steps[at(makes)]?.after).toContain('spaces/copy#update');
    await harness.apply(tree, plan);
    const [site] = (await harness.api.all('sites.list', {
      params: { organizationId: 'org_acme' },
    })) as Awaited<ReturnType<Api['all']>> as readonly { readonly id: string }[];
    const params = { organizationId: 'org_acme', siteId: site?.id ?? '' };
    const shown = (await harness.api.all('siteSpaces.list', { params })) as readonly {
      readonly path: string;
    }[];
    expect(shown.map(({ path }) => path)).toEqual(['beta-guides']);
  },
);
