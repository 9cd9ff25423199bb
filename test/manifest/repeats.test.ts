/** Repeated entries of a list, and domains that differ in case. */
import { afterAll, expect, test } from 'vitest';
import { loadTexts, startHarness, treeOf } from '../support/harness.ts';

const harness = await startHarness();
afterAll(() => harness.close());

const head = 'octavo: 1\norganization: { id: org_acme, emailDomains: [acme.dev, Acme.Dev] }\n';

test('warns about a repeated list entry at its place and names the first one', async () => {
  const fields =
    'customFields: { stage: { type: "select:single", title: Stage, options: [alpha, beta, alpha] } }\n';
  const { diagnostics } = await loadTexts({ 'acme.yaml': `${head}${fields}` });
  expect(
    diagnostics.map(({ severity, message, at, related }) => [
      severity,
      message,
      at?.line,
      at?.column,
      related?.[0]?.at?.column,
    ]),
  ).toEqual([
    ['warning', 'emailDomains has "Acme.Dev" twice', 2, 56, 46],
    ['warning', 'options has "alpha" twice', 3, 86, 73],
  ]);
});

test('treats domains that differ in case as one and sends it once', async () => {
  harness.reset();
  const of = (...emailDomains: readonly string[]) =>
    treeOf({ octavo: 1, organization: { id: 'org_acme', emailDomains } });
  const first = await of('Acme.Dev', 'acme.dev');
  await harness.apply(first, await harness.plan(first));
  expect(harness.sent.map(({ body }) => body)).toEqual([{ emailDomains: ['acme.dev'] }]);
  for (const other of [['acme.dev'], ['ACME.DEV']])
    expect((await harness.plan(await of(...other))).steps).toEqual([]);
});
