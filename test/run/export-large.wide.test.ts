import { expect, onTestFinished, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { exportOrganization } from '../../src/run/export/export.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import { loadTexts, onlyTree } from '../support/harness.ts';
import { memoryService } from '../support/memory-service.ts';

test('exports 10,000 objects, a third of them with the name of another one', {
  timeout: 120_000,
}, async () => {
  const spaces = Array.from({ length: 4000 }, (_none, at) => ({
    id: `sp_${at}`,
    title: `Guide ${at % 3000}`,
  }));
  const organization = {
    id: 'org_acme',
    title: 'Acme',
    members: [{ id: 'user_ada', email: 'ada@acme.dev', role: 'admin' as const }],
    teams: Array.from({ length: 2000 }, (_none, at) => ({ title: `Team ${at % 1500}` })),
    collections: Array.from({ length: 20 }, (_none, at) => ({
      type: 'collection' as const,
      title: `Collection ${at}`,
      spaces: spaces.slice(at * 200, at * 200 + 200),
    })),
    sites: Array.from({ length: 20 }, (_none, at) => ({
      title: `Site ${at}`,
      sections: Array.from({ length: 100 }, (_inner, section) => ({
        title: `Section ${section}`,
        spaces: [{ space: `sp_${at * 200 + section}` }],
      })),
    })),
  };
  const service = memoryService({ organizations: [organization] });
  onTestFinished(() => service.close());
  const result = await exportOrganization(service.api, { registry, pin: 'ambiguous', layout: 'one' });
  expect(result.objects).toBeGreaterThan(10_000);
  const tree = onlyTree(await loadTexts({ 'octavo.yaml': result.files[0]?.text ?? '' }));
  const { plan, problems } = await planTree(service.api, tree, { registry });
  expect([problems, plan.steps, plan.refusals, plan.unmanaged]).toEqual([[], [], [], []]);
});
