/** A live value that the API does not list is not an error if the manifests do not set it. */
import { afterAll, expect, test } from 'vitest';
import { startHarness, treeOf } from '../support/harness.ts';

const harness = await startHarness();
afterAll(() => harness.close());

const replaced = (more: object) =>
  treeOf({
    settings: { protect: [] },
    sites: { hub: { was: 'Hub', title: 'Hub', type: 'premium', ...more } },
  });

test('replaces a site with an unknown visibility', async () => {
  await harness.api.send('sites.create', {
    params: { organizationId: 'org_acme' },
    body: { title: 'Hub', type: 'basic' },
  });
  const other = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value ?? null).replaceAll('"visibility":"public"', '"visibility":"by-appointment"'),
    );
  harness.through = (api) => ({
    send: (operation, input) => api.send(operation, input).then(other),
    all: (operation, input) => api.all(operation, input).then(other),
  });
  const { steps } = await harness.plan(await replaced({}));
  expect(steps.map(({ action }) => action)).toContain('replace');
  expect(JSON.stringify(steps.flatMap(({ calls }) => calls))).toContain('by-appointment');
});
