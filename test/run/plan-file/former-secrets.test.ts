/** A secret of the base is in no file of a run: not in a saved plan, a journal or a record. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, initRepository } from '../../cli/git.ts';
import { folder, octavo } from '../../cli/octavo.ts';

const text = 'never-print-8812';
const head = 'octavo: 1\norganization: org_acme\n';
const spec = (url: string) => `openapi: { api: { source: { url: "https://a.example/${url}" } } }\n`;

async function recorded() {
  const cwd = folder({ '.gitignore': '*.db*\n.octavo\n*.json\n' });
  initRepository(cwd);
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = { KEY: text }) =>
    octavo(args, { cwd, env: { OCTAVO_BASE_URL: 'local:x.db', ...more } });
  const write = (manifest: string) => {
    writeFileSync(join(cwd, 'm.yaml'), `${head}${manifest}`);
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '--quiet', '-m', 'x');
  };
  const link =
    'sites: { developer-hub: { title: Developer Hub, shareLinks: { p: { name: "${secret:KEY}" } } } }\n';
  write(`${spec('v1?${secret:KEY}')}${link}`);
  const applied = await run(['apply', '--seed', 'sample', '--record', '--auto-approve']);
  expect(applied).toMatchObject({ code: 0 });
  return { cwd, run, write };
}

const gone = 'sites: { developer-hub: { title: Developer Hub, shareLinks: {} } }\n';

test('saves, applies, records and undoes a plan that no longer uses a secret without its variable', async () => {
  const { cwd, run, write } = await recorded();
  write(`${spec('public')}${gone}`);
  const said = [
    await run(['plan', '--out', 'plan.json'], {}),
    await run(['apply', 'plan.json', '--record'], {}),
  ];
  expect(said.map(({ code }) => code)).toEqual([0, 0]);
  said.push(await run(['undo', '--out', 'undo.json']));
  const journals = join(cwd, '.octavo/journal');
  expect(existsSync(journals)).toBe(true);
  const files = ['plan.json', 'undo.json'].map((name) => readFileSync(join(cwd, name), 'utf8'));
  const kept = readdirSync(journals).map((name) => readFileSync(join(journals, name), 'utf8'));
  const record = git(cwd, 'show', 'refs/octavo/applied/org_acme:applied.json');
  expect(JSON.stringify([said, files, kept, record])).not.toContain(text);
});

test('refuses to save a plan with a variable in place of the secret', async () => {
  const { cwd, run, write } = await recorded();
  write(`${spec('v2?${env:KEY}')}${gone}`);
  const { code, stderr } = await run(['plan', '--out', 'plan.json']);
  expect(code).toBe(1);
  expect(stderr).toContain('error[out]');
  expect(existsSync(join(cwd, 'plan.json'))).toBe(false);
  const applied = await run(['apply', '--record', '--auto-approve', '--format', 'json']);
  expect(applied.code).toBe(0);
  expect(JSON.stringify(applied)).not.toContain(text);
});

test('does not write a removed but live secret into manifests with drift --accept', async () => {
  const { cwd, run, write } = await recorded();
  write(`settings: { prune: never }\n${spec('public')}${gone}`);
  const ran = await run(['drift', '--accept', 'sites/**']);
  expect(JSON.stringify(ran)).not.toContain(text);
  expect(readFileSync(join(cwd, 'm.yaml'), 'utf8')).not.toContain(text);
});
