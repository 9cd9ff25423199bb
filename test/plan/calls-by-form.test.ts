/** A value that only one form of the service accepts is refused in the plan for the other form, not by the service. */
import { expect, test } from 'vitest';
import { startHarness, treeOf } from '../support/harness.ts';

const spec = {
  openapi: { PetStore: { source: { url: 'https://acme.dev/a.json' } } },
};

test.each([
  ['document', /slug: .*must match pattern/],
  ['2026', undefined],
] as const)('sends or rejects a slug in upper case at a service of the form %s', async (form, refused) => {
  const harness = await startHarness(undefined, undefined, form);
  const tree = await treeOf(spec);
  const planned = harness.plan(tree);
  if (refused === undefined) await harness.apply(tree, await planned);
  else await expect(planned).rejects.toThrow(refused);
  expect(harness.sent.map(({ operation }) => operation)).toEqual(refused ? [] : ['openapi.create']);
  await harness.close();
});
