/** A kind added as one file and one line is validated, planned and applied. */
import { expect, test } from 'vitest';
import { kinds } from '../../src/kinds/index.ts';
import { createRegistry } from '../../src/kinds/registry.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { loadTexts, onlyTree, seed } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { changeRequest } from './change-request.ts';

const registry = createRegistry([...kinds, changeRequest]);

const harness = await sharedHarness(seed, registry);

const manifest = (subject: string, more = '') => `octavo: 1
organization: org_acme
spaces:
  guide:
    id: sp_guide
    changeRequests:
      rework: { subject: ${subject}${more} }
`;

test('is validated', async () => {
  const wrong = loadTexts({ 'a.yaml': manifest('x'.repeat(101), ', subjekt: y') }, registry);
  await expect(wrong).rejects.toBeInstanceOf(DiagnosticError);
  const { diagnostics } = (await wrong.catch((error: unknown) => error)) as DiagnosticError;
  expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'value: subject must be at most 100 characters, is 101',
    'unknown-key: unknown key "subjekt" in a change request',
  ]);
});

test('is planned and applied, and the next plan is empty', async () => {
  const tree = onlyTree(await loadTexts({ 'a.yaml': manifest('Rework') }, registry));
  const planned = await harness.plan(tree);
  expect(planned.steps.map(({ id }) => id)).toEqual(['spaces/guide/changeRequests/rework#create']);
  await harness.apply(tree, planned);
  expect((await harness.plan(tree)).steps).toEqual([]);

  const renamed = onlyTree(await loadTexts({ 'a.yaml': manifest('Rework it', ', was: Rework') }, registry));
  const again = await harness.plan(renamed);
  expect(again.steps.flatMap((step) => step.calls.map((call) => [call.operation, call.body]))).toEqual([
    ['changeRequests.update', { subject: 'Rework it' }],
  ]);
  await harness.apply(renamed, again);
  expect((await harness.plan(renamed)).steps).toEqual([]);
});
