/** A secret of the base is in no file of a run: not in a saved plan, a journal or a record. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleSeed } from '../../../src/server/index.ts';
import { type Place, World } from '../../sim/world.ts';

const text = 'never-print-8812';
const head = 'octavo: 1\norganization: org_acme\n';
const spec = (url: string) => `openapi: { api: { source: { url: "https://a.example/${url}" } } }\n`;
const withoutSecret = 'sites: { developer-hub: { title: Developer Hub, shareLinks: {} } }\n';
const by = { author: { name: 'ada', email: 'ada@acme.dev' }, time: '2026-03-02T09:00:00Z' };

let world: World;
let ada: Place;
/** What the commands printed, and their documents. */
const said: unknown[] = [];
const inFolder = (name: string) => join(ada.root, name);

async function run(args: readonly string[], env: Readonly<Record<string, string>> = { KEY: text }) {
  const ran = await world.run(ada, args, { env });
  said.push([ran.stdout, ran.stderr, ran.json]);
  return ran;
}

function write(manifest: string): void {
  ada.repository.write(new Map([['m.yaml', `${head}${manifest}`]]));
  ada.repository.commit('Edit', by);
}

beforeEach(async () => {
  world = new World(sampleSeed, { form: 'document', variants: {} });
  ada = world.place('ada');
  const link =
    'sites: { developer-hub: { title: Developer Hub, shareLinks: { p: { name: "${secret:KEY}" } } } }\n';
  write(`${spec('v1?${secret:KEY}')}${link}`);
  expect(await run(['apply', '--record', '--auto-approve'])).toMatchObject({ code: 0 });
});
afterEach(async () => {
  const record = world.remote.textsOf('refs/octavo/applied/org_acme').get('applied.json');
  expect(record).toContain('org_acme');
  const journals = ada.journals.runs().map((one) => ada.journals.text(one));
  expect(journals).not.toEqual([]);
  expect(JSON.stringify([said.splice(0), journals, record])).not.toContain(text);
  await world.close();
});

test('saves, applies, records and undoes a plan that no longer uses a secret without its variable', async () => {
  write(`${spec('public')}${withoutSecret}`);
  expect((await run(['plan', '--out', 'plan.json'], {})).code).toBe(0);
  expect((await run(['apply', 'plan.json', '--record'], {})).code).toBe(0);
  await run(['undo', '--out', 'undo.json']);
  for (const name of ['plan.json', 'undo.json'])
    expect(readFileSync(inFolder(name), 'utf8')).not.toContain(text);
});

test('refuses to save a plan with a variable in place of the secret', async () => {
  write(`${spec('v2?${env:KEY}')}${withoutSecret}`);
  const { code, stderr } = await run(['plan', '--out', 'plan.json']);
  expect(code).toBe(1);
  expect(stderr).toContain('error[out]');
  expect(existsSync(inFolder('plan.json'))).toBe(false);
  expect((await run(['apply', '--record', '--auto-approve'])).code).toBe(0);
});

test('does not write a removed but live secret into manifests with drift --accept', async () => {
  write(`settings: { prune: never }\n${spec('public')}${withoutSecret}`);
  await run(['drift', '--accept', 'sites/**']);
  expect(readFileSync(inFolder('m.yaml'), 'utf8')).not.toContain(text);
});
