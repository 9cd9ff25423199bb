/** `apply --quiet` does not render the plan. */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true });
afterAll(() => session.disconnect());

/** Calls since the last count that rendered a plan, and that computed the input of its digest. */
async function counted() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const callsOf = (module: string, name: string) =>
    result
      .filter(({ url }) => url.endsWith(`/src/${module}.js`))
      .flatMap(({ functions }) => functions.filter(({ functionName }) => functionName === name))
      .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
  return {
    texts: callsOf('report/plan/text', 'planText'),
    effects: callsOf('plan/compare/effects', 'effectsOf'),
  };
}

const seed = JSON.stringify({ organizations: [{ id: 'org_acme', title: 'Acme' }] });

async function apply(organization: string, ...flags: readonly string[]) {
  const cwd = folder({
    'acme.yaml': `octavo: 1\norganization: ${organization}\nteams: { ada: { title: Ada } }\n`,
    'seed.json': seed,
  });
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '--message', 'The workspace');
  await counted();
  const env = { OCTAVO_BASE_URL: 'local:acme.db' };
  const ran = await octavo(['apply', '-f', 'acme.yaml', '--seed', 'seed.json', ...flags], { cwd, env });
  return { ...ran, ...(await counted()), cwd };
}

const plain = '{ id: org_acme }';

test('renders no plan, and computes its digest once, also for the record', async () => {
  const { code, stdout, texts, effects, cwd } = await apply(plain, '--auto-approve', '--quiet', '--record');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\nApplied: 1 created, [^\n]*\nUndo: octavo undo \S+\n$/);
  expect({ texts, effects }).toEqual({ texts: 0, effects: 1 });
  const [, run] = /undo (\S+)/.exec(stdout) ?? [];
  const record = git(cwd, 'show', 'refs/octavo/applied/org_acme:applied.json');
  const { digest } = JSON.parse(record) as { readonly digest: string };
  const { stdout: shown } = await octavo(['history', run ?? ''], { cwd });
  expect(shown).toContain(digest.slice(0, 16));
});

test('prints the plan without --quiet', async () => {
  const { stdout, texts, effects } = await apply(plain, '--auto-approve');
  expect(stdout).toContain('Plan: 1 to create');
  expect({ texts, effects }).toEqual({ texts: 1, effects: 1 });
});

test('writes the plan to a file', async () => {
  const files = ['--format', 'text', '--format', 'text=plan.txt'];
  const { cwd, stdout } = await apply(plain, '--auto-approve', '--quiet', ...files);
  expect(stdout).not.toContain('Plan:');
  expect(readFileSync(join(cwd, 'plan.txt'), 'utf8')).toContain('Plan: 1 to create');
});

test('prints a refused plan, which explains how to allow its changes', async () => {
  const { code, stdout } = await apply('{ id: org_acme, sso: true }', '--auto-approve', '--quiet');
  expect(code).toBe(1);
  expect(stdout).toContain('1 change is refused');
});

test('prints "No changes" with --quiet', async () => {
  const { cwd } = await apply(plain, '--auto-approve', '--quiet');
  const env = { OCTAVO_BASE_URL: 'local:acme.db' };
  const again = await octavo(['apply', '-f', 'acme.yaml', '--auto-approve', '--quiet'], { cwd, env });
  expect(again).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('No changes. Live state matches the manifests.\n'),
  });
});
