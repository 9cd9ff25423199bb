/** From manifests to live state and back, on the embedded service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { some } from '../support/runs.ts';
import { folder, manifest, octavo } from './octavo.ts';

const local = { OCTAVO_BASE_URL: 'local:acme.db' };

test('validate, plan, apply and plan print the expected results', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  expect(await octavo(['validate'], { cwd })).toEqual({
    code: 0,
    stdout: 'Valid: 1 organization, 2 objects, 1 file.\n',
    stderr: '',
  });
  const first = await octavo(['plan', '--detailed-exitcode'], { cwd, env: local });
  expect(first).toMatchObject({ code: 2, stderr: '' });
  expect(first.stdout).toContain('Plan: 2 to create, 1 to update, 0 to move, 0 to replace, 0 to delete.\n');
  expect(first.stdout).toContain('No base: cannot tell');
  const applied = await octavo(['apply', '--auto-approve'], { cwd, env: local });
  expect(applied.code).toBe(0);
  expect(applied.stdout).toContain(first.stdout);
  expect(applied.stdout).toMatch(
    /\nApplied: 2 created, 1 updated, 0 moved, 0 replaced, 0 deleted\.\nUndo: octavo undo r-[0-9a-z]+-[0-9a-f]{8}\n$/,
  );
  expect(applied.stderr).toMatch(/^ {2}✓ teams\/platform {2}created +\d+\.\d s$/m);
  expect(await octavo(['plan', '--detailed-exitcode'], { cwd, env: local })).toEqual({
    code: 0,
    stdout: 'Acme (org_acme)   base none\n\nNo changes. Live state matches the manifests.\n',
    stderr: '',
  });
  const unchanged = await octavo(['apply'], { cwd, env: local });
  expect(unchanged).toMatchObject({
    code: 0,
    stdout: 'Acme (org_acme)   base none\n\nNo changes. Live state matches the manifests.\n',
  });
});

test('plan, apply and validate print JSON', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const planned = await octavo(['plan', '--format', 'json'], { cwd, env: local });
  const plan = JSON.parse(planned.stdout);
  expect(plan).toMatchObject({ format: 1, empty: false, counts: { create: 2, update: 1 } });
  expect(plan.digest).toMatch(/^[0-9a-f]{64}$/);
  const applied = await octavo(['apply', '--format', 'json', '--auto-approve'], { cwd, env: local });
  expect(JSON.parse(applied.stdout)).toMatchObject({
    run: { command: 'apply', outcome: 'complete' },
    digest: plan.digest,
  });
  const valid = await octavo(['validate', '--format', 'json'], { cwd });
  expect(JSON.parse(valid.stdout)).toEqual({ format: 1, valid: true, diagnostics: [] });
});

test('apply requires approval without a terminal', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const ran = await octavo(['apply'], { cwd, env: local, input: 'yes\n' });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/no terminal[\s\S]*--auto-approve/);
  const json = await octavo(['apply', '--format', 'json'], { cwd, env: local });
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({ diagnostics: [{ code: 'not-approved' }] });
  expect(json.stderr).toContain('--auto-approve');
  expect(await octavo(['plan', '--detailed-exitcode'], { cwd, env: local })).toMatchObject({ code: 2 });
});

test.each([
  ['yes\n', 0, /\nApply these changes\?.*\n?[\s\S]*✓/],
  ['y\n', 1, /Not applied\.\n$/],
  ['', 1, /Not applied\.\n$/],
])('apply prompts on a terminal: %j', async (input, code, stderr) => {
  const cwd = folder({ 'acme.yaml': manifest });
  const ran = await octavo(['apply'], { cwd, env: { ...local, CI: '1' }, input, isTerminal: true });
  expect(ran).toMatchObject({ code, stderr: expect.stringMatching(stderr) });
  const remaining = await octavo(['plan', '--detailed-exitcode'], { cwd, env: local });
  expect(remaining.code).toBe(code === 0 ? 0 : 2);
});

test('text typed before the prompt is not an answer', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const typed = { cwd, env: { ...local, CI: '1' }, typedAhead: 'yes\nye', isTerminal: true } as const;
  expect(await octavo(['apply'], { ...typed, input: '\n' })).toMatchObject({ code: 1 });
  expect(await octavo(['apply'], { ...typed, input: 'yes\n' })).toMatchObject({ code: 0 });
});

test('apply --approved accepts only the reviewed plan', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const { stdout } = await octavo(['plan'], { cwd, env: local });
  const digest = /Digest: (\w+)/.exec(stdout)?.[1] ?? '';
  const other = await octavo(['apply', '--auto-approve', '--approved', '0123456789ab'], { cwd, env: local });
  expect(other.code).toBe(1);
  expect(other.stderr).toMatch(/the plan is not the expected one/);
  const reviewed = await octavo(['apply', '--auto-approve', '--approved', digest], { cwd, env: local });
  expect(reviewed.code).toBe(0);
});

test('targets, overlays and several files apply, with a configuration', async () => {
  const cwd = folder({
    'manifests/acme.yaml': manifest,
    'manifests/more.yaml': 'octavo: 1\norganization: org_acme\ntranslations:\n  french: { title: French }\n',
    'prod.yaml':
      'octavo: 1\noverlay: prod\norganization: org_acme\nteams:\n  writers: null\n  platform: { title: Platform (prod) }\n',
    'octavo.config.yaml': 'baseUrl: local\nfile: manifests\noverlay: prod.yaml\nparallelism: 2\n',
  });
  const all = await octavo(['plan'], { cwd });
  expect(all.stdout).toContain('title "Platform (prod)"');
  expect(all.stdout).not.toContain('writers');
  expect(all.stdout).toContain('Plan: 2 to create, 1 to update');
  const some = await octavo(['plan', '--target', 'teams/*'], { cwd });
  expect(some.stdout).toContain('Plan: 1 to create, 0 to update');
  const rest = await octavo(['plan', '--exclude', 'teams/**', '--exclude', 'organization'], { cwd });
  expect(rest.stdout).toContain('Plan: 1 to create, 0 to update');
});

test('--prune decides whether unlisted live objects are deleted', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  await octavo(['apply', '--auto-approve'], { cwd, env: local });
  writeFileSync(join(cwd, 'acme.yaml'), manifest.replace(/ {2}writers.*\n/, ''));
  const kept = await octavo(['plan'], { cwd, env: local });
  expect(kept.stdout).toContain('Left out: 1 unmanaged team (--show unmanaged).');
  const deleted = await octavo(['apply', '--auto-approve', '--prune', 'unlisted'], { cwd, env: local });
  expect(deleted.stdout).toContain('Applied: 0 created, 0 updated, 0 moved, 0 replaced, 1 deleted.');
});

test('plan exits with 3 for refused changes, and apply rejects them', async () => {
  const text = manifest.replace('title: Acme', 'title: Acme, sso: true');
  const cwd = folder({ 'acme.yaml': text });
  const planned = await octavo(['plan'], { cwd, env: local });
  expect(planned.code).toBe(3);
  expect((await octavo(['plan', '--detailed-exitcode'], { cwd, env: local })).code).toBe(3);
  expect(planned.stdout).toMatch(/Refused:[\s\S]*nothing will be applied/);
  const applied = await octavo(['apply', '--auto-approve'], { cwd, env: local });
  expect(applied.code).toBe(1);
  expect(applied.stderr).toMatch(/nothing was applied: 1 change is refused/);
});

test('broken manifests are rejected with their position before any request', async () => {
  const cwd = folder({ 'acme.yaml': 'octavo: 1\norganization: { id: org_acme }\nteems: {}\n' });
  for (const args of [['validate'], ['plan'], ['apply']]) {
    const ran = await octavo(args, {
      cwd,
      env: { OCTAVO_BASE_URL: 'http://127.0.0.1:9', OCTAVO_TOKEN: 'x' },
    });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('acme.yaml:3:1');
  }
});

describe('output', () => {
  test('is colored only if requested', async () => {
    const cwd = folder({ 'acme.yaml': manifest });
    const colored = async (args: readonly string[], env: Record<string, string>) =>
      (await octavo(['plan', ...args], { cwd, env: { OCTAVO_BASE_URL: 'local', ...env } })).stdout.includes(
        '\u001b[',
      );
    expect(await colored([], {})).toBe(false);
    expect(await colored([], { FORCE_COLOR: '1' })).toBe(true);
    expect(await colored([], { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
    expect(await colored(['--no-color'], { FORCE_COLOR: '1' })).toBe(false);
    expect(await colored(['--color'], {})).toBe(true);
  });

  test('has no progress with --quiet', async () => {
    const cwd = folder({ 'acme.yaml': manifest });
    const ran = await octavo(['apply', '--auto-approve', '--quiet'], { cwd, env: local });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('examples', () => {
  const examples: readonly [string, readonly string[]][] = [
    ['minimal', []],
    ['acme', ['--seed', 'examples/acme/seed.json']],
    ['access', ['--seed', 'examples/access/seed.json']],
    ['multi', []],
    ['multi', ['--overlay', 'production']],
    ['multi/organizations', ['--overlay', 'examples/multi/environments/production.yaml']],
  ];
  test.each(some(examples))('%s %j can be applied, after which the plan is empty', async (name, more) => {
    const data = join(folder({}), 'state.db');
    const args = ['-f', `examples/${name}`, '--base-url', `local:${data}`, ...more];
    expect(await octavo(['apply', '--auto-approve', ...args])).toMatchObject({ code: 0 });
    expect(await octavo(['plan', '--detailed-exitcode', ...args])).toMatchObject({ code: 0 });
  });
});

test('schema prints JSON', async () => {
  const { code, stdout } = await octavo(['schema']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'object' });
});

test('an empty variable counts as not set', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const names = ['TOKEN', 'TOKEN_FILE', 'ALLOW_HTTP', 'MAX_RPS', 'SHARD', 'LOCK', 'LOCK_TIMEOUT'];
  const empty = Object.fromEntries(names.map((name) => [`OCTAVO_${name}`, '']));
  const plan = (env: Readonly<Record<string, string>>) => octavo(['plan'], { cwd, env });
  const usual = await plan({ OCTAVO_BASE_URL: 'local' });
  expect(await plan({ ...empty, OCTAVO_BASE_URL: 'local' })).toEqual(usual);
  expect((await plan({ ...empty, OCTAVO_BASE_URL: '' })).stderr).toContain('no service configured');
});
