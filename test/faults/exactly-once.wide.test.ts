/**
 * Exactly once: the example is applied from its seed, and its process is killed just before or just after a write. After one more run
 * each object exists once, no object is lost, and the plan is empty.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Seed, type Service, startService } from '../../src/server/index.ts';
import { folder, octavo, root } from '../cli/octavo.ts';
import { type CuttingProxy, startProxy } from '../support/cutting-proxy.ts';
import { isDeep, patience } from '../support/runs.ts';
import { differences, reading, snapshotOf } from '../support/snapshot.ts';

const seed = JSON.parse(readFileSync(join(root, 'examples/acme/seed.json'), 'utf8')) as Seed;

let service: Service;
let proxy: CuttingProxy;
beforeAll(async () => {
  service = await startService({ data: ':memory:', seed });
  proxy = await startProxy(service.url);
});
beforeEach(() => {
  service.reset(seed);
  proxy.restart();
  proxy.cut = () => 'pass';
  proxy.carriedOut = () => {};
});
afterAll(async () => {
  await proxy.close();
  await service.close();
});

/** A copy of the example with its own journals. */
function workspace(): { readonly cwd: string; readonly env: Record<string, string> } {
  const cwd = folder({});
  cpSync(join(root, 'examples/acme'), cwd, { recursive: true });
  const env = {
    OCTAVO_BASE_URL: proxy.url,
    OCTAVO_TOKEN: service.token,
  };
  return { cwd, env };
}

async function apply(
  at: ReturnType<typeof workspace>,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const { code, stdout, stderr } = await octavo(['apply', '--auto-approve'], at);
  return { code, text: `${stderr}${stdout}` };
}

/** Kills a real process at a request. */
async function applyKilled(at: ReturnType<typeof workspace>, index: number, when: 'before' | 'after') {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(root, 'dist/octavo.js'), 'apply', '--auto-approve'],
    {
      cwd: at.cwd,
      env: { ...at.env, PATH: process.env.PATH ?? '' },
      stdio: 'ignore',
    },
  );
  const ended = once(child, 'exit');
  const kill = async (request: { readonly index: number }) => {
    if (request.index !== index) return;
    child.kill('SIGKILL');
    await ended;
  };
  proxy.cut = async (request) => {
    if (when === 'before') await kill(request);
    return request.index === index && when === 'before' ? 'reset' : 'pass';
  };
  proxy.carriedOut = (request) => void (when === 'after' && kill(request));
  await ended;
}

/** The whole state; spaces are keyed by title, since the id of a copy changes. */
async function everything(): Promise<unknown> {
  const { url, token } = service;
  const rows = service.store.every('space');
  const state = await snapshotOf({
    get: reading({ url, token }),
    organizationId: 'org_acme',
    spaces: [],
    linkInvites: [],
  });
  const named = rows.reduce(
    (text, { id, title }) => text.replaceAll(id, String(title)),
    JSON.stringify(state),
  );
  return { state: JSON.parse(named) as unknown, spaces: rows.map(({ title }) => title).sort() };
}

let reference: Promise<{ readonly state: unknown; readonly writes: number }> | undefined;

/** State after an undisturbed apply, and the number of its writes. */
async function undisturbed(): Promise<{ readonly state: unknown; readonly writes: number }> {
  let writes = 0;
  proxy.cut = () => {
    writes += 1;
    return 'pass';
  };
  const { code, text } = await apply(workspace());
  expect(code, text).toBe(0);
  const state = await everything();
  service.reset(seed);
  proxy.restart();
  return { state, writes };
}

test.each(['before', 'after'] as const)(
  'converges in one more run if the process is killed just %s a request',
  { timeout: patience(120_000) },
  async (when) => {
    reference ??= undisturbed();
    const { state, writes } = await reference;
    // The deep run kills it at each request.
    const every = isDeep ? 1 : writes;
    const offset = Number(process.env.OCTAVO_TEST_SEED ?? 0) % every;
    for (let index = Math.abs(offset); index < writes; index += every) {
      service.reset(seed);
      proxy.restart();
      const at = workspace();
      await applyKilled(at, index, when);
      proxy.cut = () => 'pass';
      proxy.carriedOut = () => {};
      const again = await apply(at);
      expect({ index, code: again.code, text: again.code === 0 ? '' : again.text }).toEqual({
        index,
        code: 0,
        text: '',
      });
      expect(differences(await everything(), state), `at ${index}`).toEqual([]);
      const plan = await octavo(['plan', '--detailed-exitcode'], at);
      expect({ index, code: plan.code, text: plan.code === 0 ? '' : plan.stdout }).toEqual({
        index,
        code: 0,
        text: '',
      });
    }
  },
);
