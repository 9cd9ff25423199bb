/** What an apply prints on a bad day: what was recovered is not told as failed, and counts are those of the plan. */
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
  return { run, proxy };
}

/** True once for each text. */
function first(): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => !seen.has(text) && seen.add(text) !== undefined;
}

test('creates whose answers were lost are found, and are not told as failed', async () => {
  const isFirst = first();
  const { run } = await badDay(({ method, body }) => (method === 'PUT' && isFirst(body) ? 'lost' : 'pass'));
  const ran = await run('apply', '--auto-approve');
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(/\? teams\/docs +create not confirmed/);
  expect(ran.stderr).toMatch(/✓ teams\/docs +created/);
  expect(ran.stderr).not.toMatch(/✗|skipped|unknown/);
  expect(ran.stdout).not.toMatch(/✗|skipped|unknown/);
  expect(ran.stdout).toContain('Applied: 3 created, 0 updated, 0 moved, 0 replaced, 0 deleted.');
});

test('what nobody can tell is unknown; the next run tells', async () => {
  let isGone = false;
  const { run, proxy } = await badDay(({ method, body }) => {
    if (method === 'PUT' && body.includes('Docs')) isGone = true;
    return isGone ? 'lost' : 'pass';
  });
  proxy.read = () => (isGone ? 'reset' : 'pass');
  const ran = await run('apply', '--auto-approve', '--parallelism', '1');
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('? teams/docs create unknown');
  expect(ran.stdout).toContain('It may still have taken effect; the next plan shows whether it did.');
  expect(ran.stdout).toMatch(/Apply is incomplete: .*\d steps? unknown/);
  isGone = false;
  proxy.cut = () => 'pass';
  const again = await run('apply', '--auto-approve');
  expect(again.code).toBe(0);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('a delete whose answer was lost is done, also where it is sent again', async () => {
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
