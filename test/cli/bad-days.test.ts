/** Output of an apply with lost responses: recovered steps are not reported as failed, and counts match the plan. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../src/server/index.ts';
import { type Cut, startProxy } from '../support/cutting-proxy.ts';
import { folder, octavo } from './octavo.ts';

const manifest = `octavo: 1
organization: { id: org_acme }
teams:
  docs: { title: Docs, members: { ada@acme.dev: owner } }
  ops: { title: Ops }
sites:
  hub: { title: Hub }
`;

async function badDay(cut: (request: { readonly method: string; readonly body: string }) => Cut) {
  const service = await startService({
    data: ':memory:',
    seed: {
      organizations: [
        {
          id: 'org_acme',
          title: 'Acme',
          members: [{ id: 'user_ada', email: 'ada@acme.dev', role: 'admin' }],
        },
      ],
    },
  });
  const proxy = await startProxy(service.url);
  onTestFinished(async () => {
    await proxy.close();
    await service.close();
  });
  proxy.cut = cut;
  const cwd = folder({ 'acme.yaml': manifest });
  const run = (...args: readonly string[]) =>
    octavo(args, { cwd, env: { OCTAVO_BASE_URL: proxy.url, OCTAVO_TOKEN: service.token } });
  return { run, proxy, cwd };
}

/** True once for each text. */
function first(): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => !seen.has(text) && seen.add(text) !== undefined;
}

test('finds objects whose create response was lost, and reports no failure', async () => {
  const isFirst = first();
  const { run, cwd } = await badDay(({ method, body }) =>
    method === 'PUT' && isFirst(body) ? 'lost' : 'pass',
  );
  const ran = await run('apply', '--auto-approve', '--format', 'text', '--format', 'json=run.json');
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(/\? teams\/docs +create not confirmed/);
  expect(ran.stderr).toMatch(/✓ teams\/docs +created/);
  expect(ran.stderr).not.toMatch(/✗|skipped|unknown/);
  expect(ran.stdout).not.toMatch(/✗|skipped|unknown/);
  expect(ran.stdout).toContain('Applied: 3 created, 0 updated, 0 moved, 0 replaced, 0 deleted.');
  const { steps } = JSON.parse(readFileSync(join(cwd, 'run.json'), 'utf8')).run.organizations[0];
  const docs = steps.find(({ address }: { readonly address: string }) => address === 'teams/docs');
  expect(docs).toMatchObject({ outcome: 'done', id: expect.stringMatching(/./) });
  expect(docs).not.toHaveProperty('error');
});

test('reports a create as unknown if it cannot be verified, and the next apply completes it', async () => {
  let isDown = false;
  const { run, proxy } = await badDay(({ method, body }) => {
    if (method === 'PUT' && body.includes('Docs')) isDown = true;
    return isDown ? 'lost' : 'pass';
  });
  proxy.read = () => (isDown ? 'reset' : 'pass');
  const ran = await run('apply', '--auto-approve', '--parallelism', '1');
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('? teams/docs create unknown');
  expect(ran.stdout).toContain('It may still have taken effect; the next plan shows whether it did.');
  expect(ran.stdout).toMatch(/Apply is incomplete: .*\d steps? unknown/);
  isDown = false;
  proxy.cut = () => 'pass';
  const again = await run('apply', '--auto-approve');
  expect(again.code).toBe(0);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('reports a delete as done if its response was lost', async () => {
  const isFirst = first();
  const { run, proxy } = await badDay(() => 'pass');
  await run('apply', '--auto-approve');
  proxy.cut = ({ method, path }) => (method === 'DELETE' && isFirst(path) ? 'lost' : 'pass');
  const rest = manifest
    .replace('  ops: { title: Ops }\n', '')
    .replace('organization:', 'settings: { prune: unlisted }\norganization:');
  const cwd = folder({ 'acme.yaml': rest });
  const ran = await octavo(['apply', '--auto-approve'], {
    cwd,
    env: { OCTAVO_BASE_URL: proxy.url, OCTAVO_TOKEN: 'octavo-local-token' },
  });
  expect(ran.stderr).not.toContain('✗');
  expect(ran.stdout).toContain('1 deleted.');
  expect(ran.code).toBe(0);
});
