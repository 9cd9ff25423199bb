/** Acknowledged writes survive `kill -9`, no write is partial, and a file belongs to one process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../../src/server/index.ts';
import { loadSqlite, Store } from '../../src/server/store/store.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { patience, runs } from '../support/runs.ts';
import { caller } from './call.ts';

const root = new URL('../..', import.meta.url).pathname;
const bundle = join(root, 'node_modules/.cache/octavo-test', `serve-${process.pid}.mjs`);
const folder = mkdtempSync(join(tmpdir(), 'octavo-durability-'));

beforeAll(async () => {
  const entry = join(folder, 'serve.ts');
  writeFileSync(
    entry,
    `import { startService, sampleSeed } from '${join(root, 'src/server/index.ts')}';
    const service = await startService({ data: process.argv[2], seed: sampleSeed });
    process.stdout.write(service.url + '\\n');`,
  );
  await build({
    input: entry,
    platform: 'node',
    external: /^[^./]/,
    output: { file: bundle, format: 'esm', codeSplitting: false },
  });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(bundle, { force: true });
});

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
}

function start(file: string): Promise<Running> {
  const child = spawn(process.execPath, [bundle, file], { stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((done, fail) => {
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.stdout.once('data', (chunk) => done({ child, url: String(chunk).trim() }));
    child.once('exit', () => fail(new Error(errors)));
  });
}

function killed(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    child.once('exit', () => done());
    child.kill('SIGKILL');
  });
}

/** Writes as fast as possible until the process is killed; returns the acknowledged titles. */
async function burst(running: Running, name: string, delay: number): Promise<string[]> {
  const call = caller({ url: running.url, token: 'octavo-local-token' });
  const acknowledged: string[] = [];
  let over = false;
  const write = async (lane: number) => {
    for (let at = 0; !over; at += 1) {
      const title = `${name} ${lane} ${at}`;
      const made = await call('PUT', '/v1/orgs/org_acme/teams', { title, members: ['user_ada', 'user_rex'] });
      if (made.status === 201) acknowledged.push(title);
    }
  };
  const lanes = [0, 1, 2, 3].map((lane) => write(lane).catch(() => undefined));
  // A busy machine may take longer than that for the first write.
  for (let waited = 0; waited < 5000 && acknowledged.length === 0; waited += 5) {
    await new Promise((done) => setTimeout(done, 5));
  }
  await new Promise((done) => setTimeout(done, delay));
  await killed(running.child);
  over = true;
  const patience = new Promise((done) => setTimeout(done, 300));
  await Promise.race([Promise.all(lanes), patience]);
  return acknowledged;
}

test('keeps every acknowledged write after kill -9 in bursts of writes', {
  timeout: patience(600_000),
}, async () => {
  const files = [0, 1, 2, 3].map((at) => join(folder, `burst-${at}.db`));
  const rounds = runs(12) / files.length;
  let writes = 0;
  await Promise.all(
    files.map(async (file, index) => {
      for (let round = 0; round < rounds; round += 1) {
        const acknowledged = await burst(await start(file), `${index}.${round}`, 60 + ((round * 37) % 100));
        const store = new Store(file);
        const titles = new Set(store.children('team', 'org_acme').map((team) => team.title));
        expect(acknowledged.filter((title) => !titles.has(title))).toEqual([]);
        expect(brokenInvariants({ store })).toEqual([]);
        store.close();
        writes += acknowledged.length;
      }
    }),
  );
  process.stdout.write(`${rounds * files.length} bursts, ${writes} acknowledged writes, none lost\n`);
  expect(writes).toBeGreaterThan(rounds * files.length);
});

test('rejects a second process on the same file', async () => {
  const file = join(folder, 'shared.db');
  const first = await startService({ data: file, seed: { organizations: [{ id: 'org_a', title: 'Acme' }] } });
  await expect(start(file)).rejects.toThrow(/is in use by another process/);
  expect((await caller(first)('GET', '/v1/orgs/org_a')).status).toBe(200);
  await first.close();
  const again = await startService({ data: file, token: 'another-token' });
  expect((await caller(again)('GET', '/v1/orgs/org_a')).status).toBe(200);
  await again.close();
});

test('does not change a database of another program or a file with a hard link', async () => {
  const foreign = join(folder, 'foreign.db');
  const database = new (loadSqlite())(foreign);
  database.exec("CREATE TABLE mine (x); INSERT INTO mine VALUES ('kept')");
  database.close();
  const before = readFileSync(foreign);
  await expect(startService({ data: foreign })).rejects.toThrow(
    `cannot open ${foreign}: it is a database of another program; name another file`,
  );
  expect(readFileSync(foreign).equals(before)).toBe(true);

  const file = join(folder, 'linked.db');
  await (await startService({ data: file })).close();
  linkSync(file, join(folder, 'link.db'));
  for (const name of [file, join(folder, 'link.db')])
    await expect(startService({ data: name })).rejects.toThrow('it has a second name, a hard link');
});

test('accepts page tokens after a restart', async () => {
  const file = join(folder, 'pages.db');
  const seed = {
    organizations: [
      { id: 'org_a', title: 'Acme', sites: ['One', 'Two', 'Three'].map((title) => ({ title })) },
    ],
  };
  const first = await startService({ data: file, seed });
  const page = (await caller(first)('GET', '/v1/orgs/org_a/sites?limit=2')).body.next.page;
  await first.close();
  const again = await startService({ data: file });
  const rest = await caller(again)('GET', `/v1/orgs/org_a/sites?limit=2&page=${page}`);
  expect(rest.body.items.map((site: { title: string }) => site.title)).toEqual(['Three']);
  await again.close();
});
