/** Secrets stay hidden in plans and in failures, also when the service repeats them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import { type Api, ApiError } from '../../src/contract/api.ts';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { renderApplyResult } from '../../src/report/apply/text.ts';
import { renderPlan } from '../../src/report/plan/text.ts';
import { hideKnownSecrets } from '../../src/util/hide-secrets.ts';
import { asPlan, type Harness, startHarness } from '../support/harness.ts';

const secret = 'hush "hush" \\ value';
let harness: Harness;
let cwd = '';
beforeAll(async () => {
  harness = await startHarness();
  cwd = mkdtempSync(path.join(tmpdir(), 'octavo-secret-'));
  const text =
    'octavo: 1\norganization: org_acme\nsamlProviders:\n  okta: { label: Okta, certificate: "${secret:PEM}" }\n';
  writeFileSync(path.join(cwd, 'a.yaml'), text);
});
afterAll(async () => {
  rmSync(cwd, { recursive: true });
  await harness.close();
});

test('hides a secret inside a longer text that the service repeats', async () => {
  const file = path.join(cwd, 'inside.yaml');
  const url = 'https://a.example/openapi.json?key=${secret:SPEC_KEY}';
  writeFileSync(
    file,
    `octavo: 1\norganization: org_acme\nopenapi: { internal-api: { source: { url: "${url}" } } }\n`,
  );
  const { trees } = await loadWorkspace({
    paths: [file],
    overlays: [],
    env: { SPEC_KEY: 'do-not-show-1x' },
    cwd,
    registry,
  });
  rmSync(file);
  expect(trees.length).toBe(1);
  expect(hideKnownSecrets('the source answered 403: the key do-not-show-1x is not valid')).toBe(
    'the source answered 403: the key (secret) is not valid',
  );
});

test('hides a secret in the plan, in a failure that repeats it and after success', async () => {
  const { trees } = await loadWorkspace({ paths: [], overlays: [], env: { PEM: secret }, cwd, registry });
  const [tree] = trees;
  if (tree === undefined) throw new Error('no tree');
  const planned = await harness.plan(tree);
  expect(JSON.stringify(planned)).not.toContain('hush');
  const shown = renderPlan(asPlan(planned), { color: false, width: 80 });
  expect(shown).toContain('(secret)');
  expect(shown).not.toContain('hush');

  const repeating: Api = {
    all: (operation, input) => harness.api.all(operation, input),
    send: async (operation, input) => {
      throw new ApiError(`refused: ${JSON.stringify(input.body)}`, {
        type: 'status',
        operation,
        method: 'POST',
        path: '/v1/x',
        status: 400,
        serviceMessage: `no good: ${secret}`,
        attempt: 1,
        mayHaveHappened: false,
      });
    },
  };
  const options = { registry, replan: () => harness.plan(tree), sleep: async () => {} };
  const failed = await applyPlan(asPlan(planned), { ...options, api: repeating });
  const [outcome] = failed.organizations[0]?.outcomes ?? [];
  expect(outcome?.type).toBe('failed');
  expect(renderApplyResult(failed, { color: false, width: 80 })).not.toContain('hush');
  expect(
    JSON.stringify(
      outcome !== undefined && 'error' in outcome ? { ...outcome.error, text: outcome.error.message } : {},
    ),
  ).not.toContain('hush');

  await harness.apply(tree, planned);
  expect(harness.sent.at(-1)?.body).toMatchObject({ certificate: secret });
  expect((await harness.plan(tree)).steps).toEqual([]);
});
