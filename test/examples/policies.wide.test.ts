/** The example policies, with real plans of the embedded service, as a pipeline runs them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, octavo, root } from '../cli/octavo.ts';

interface Policies {
  readonly denied: (plan: unknown, data?: object) => readonly string[];
}

const examples = join(root, 'examples/policies');
const { denied } = (await import(join(examples, 'policies.mjs'))) as Policies;

const env = { OCTAVO_BASE_URL: 'local:acme.db' };
const manifest = (sites: string) => `octavo: 1
organization: { id: org_acme, title: Acme }
settings: { protect: ['!sites/**'], limits: { deletes: null, deletePercent: null } }
teams:
  platform: { title: Platform }
sites:
${sites}`;

/** Plans `after` over a workspace in which `before` was applied. */
async function planBetween(before: string, after: string) {
  const cwd = folder({ 'acme.yaml': manifest(before) });
  const applied = await octavo(['apply', '--auto-approve'], { cwd, env });
  expect(applied.code, applied.stderr).toBe(0);
  writeFileSync(join(cwd, 'acme.yaml'), manifest(after));
  const planned = await octavo(['plan', '--prune', 'unlisted', '--format', 'json'], { cwd, env });
  expect([0, 3], planned.stderr).toContain(planned.code);
  return { cwd, plan: JSON.parse(planned.stdout) as unknown, text: planned.stdout };
}

const hub = '  hub: { title: Hub, type: basic, visibility: unlisted }\n';
const status = '  status: { title: Status, type: basic, visibility: unlisted }\n';

test('deny the deletion of a site without the label', async () => {
  const { plan } = await planBetween(hub + status, hub);
  expect(denied(plan)).toEqual([
    expect.stringMatching(/^org_acme: sites\/\S+ would be deleted; add the label allow-site-deletes/),
  ]);
  expect(denied(plan, { labels: ['docs'] })).toHaveLength(1);
  expect(denied(plan, { labels: ['docs', 'allow-site-deletes'] })).toEqual([]);
});

test('deny new and changed public sites, and allow changes of public ones', async () => {
  const open = (text: string) => text.replace('unlisted', 'public');
  const { plan } = await planBetween(hub, open(hub) + open(status));
  expect(denied(plan)).toEqual([
    'org_acme: sites/hub would become public',
    'org_acme: sites/status would become public',
  ]);
  const renamed = open(hub).replace('Hub,', 'Developer Hub, was: Hub,');
  expect(denied((await planBetween(open(hub), renamed)).plan)).toEqual([]);
});

test('deny more changes than maxChanges', async () => {
  const { cwd, plan, text } = await planBetween(
    hub,
    hub.replace('Hub,', 'Developer Hub, was: Hub,') + status,
  );
  expect(denied(plan)).toEqual([]);
  expect(denied(plan, { maxChanges: 1 })).toEqual(['2 changes at once; at most 1 are allowed']);
  writeFileSync(join(cwd, 'plan.json'), text);
  writeFileSync(join(cwd, 'data.json'), '{ "maxChanges": 1 }');
  const check = (...files: string[]) =>
    execFileSync(process.execPath, [join(examples, 'check.mjs'), ...files], { cwd, encoding: 'utf8' });
  expect(check('plan.json')).toBe('✓ all policies allow the plan\n');
  expect(() => check('plan.json', 'data.json')).toThrow(/Command failed/);
});

test('have a Rego version for conftest, with balanced brackets', () => {
  const files = readdirSync(examples).filter((name) => name.endsWith('.rego'));
  expect(files.sort()).toEqual(['becomes_public.rego', 'site_deletes.rego', 'too_much.rego']);
  for (const file of files) {
    const text = readFileSync(join(examples, file), 'utf8');
    expect(text).toMatch(/^package main\n\nimport rego\.v1\n/m);
    expect(text).toMatch(/^deny contains message if \{\n/m);
    for (const [open = '', close = ''] of ['{}', '()', '[]'])
      expect(text.split(open).length, file).toBe(text.split(close).length);
  }
});
