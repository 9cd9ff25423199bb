/** The built command in a separate process. Only behavior that needs a process is tested here; the rest runs in-process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { defined } from '../../src/util/defined.ts';
import { patience } from '../support/runs.ts';
import { initRepository } from './git.ts';
import { folder, manifest, type Ran, type RunOptions, root, stateHome } from './octavo.ts';
import { served } from './served.ts';

const dist = join(root, 'dist');

interface SpawnOptions extends RunOptions {
  /** Another built command than the one in dist/. */
  readonly command?: string;
}

/** Starts the command, which is killed at the end of the test. */
function start(args: readonly string[], options: SpawnOptions = {}): ChildProcess & { ended: Promise<Ran> } {
  const { command = join(dist, 'octavo.js'), cwd = root } = options;
  if (!existsSync(command)) throw new Error('dist/ is missing: run npm run build first');
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, XDG_STATE_HOME: stateHome, ...options.env };
  const child = spawn(process.execPath, [command, ...args], { cwd, env, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(options.input ?? '');
  const ended = new Promise<Ran>((done) => child.on('close', (code) => done({ code, stdout, stderr })));
  onTestFinished(() => void child.kill('SIGKILL'));
  return Object.assign(child, { ended });
}

function run(args: readonly string[], options?: SpawnOptions): Promise<Ran> {
  return start(args, options).ended;
}

async function until(stream: NodeJS.ReadableStream | null, text: string): Promise<void> {
  let seen = '';
  while (stream !== null && !seen.includes(text)) seen += String((await once(stream, 'data'))[0]);
}

/** A service with slow creates, and the environment that points to it. */
const slowService = (milliseconds: number, times?: number) =>
  served({
    faults: [{ operations: ['teams.create'], type: 'latency', milliseconds, ...defined({ times }) }],
  });

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

test.each(['--version', '-v'])('%s prints the package version, and the commit of the build', async (flag) => {
  const { code, stdout, stderr } = await run([flag]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.replace(/(?: \([0-9a-f]{7}\+?\))?\n$/, '')).toBe(version);
});

/** Loaded before the command: prints each setting to stderr, with the number of files loaded before it. */
const watching = `
const [v8, modules] = [require('node:v8'), require('node:module')];
const tell = (...what) => process.stderr.write([...what, Object.keys(require.cache).length].join(' ') + '\\n');
v8.setFlagsFromString = (flag) => tell(flag.replace(/=.*/, ''));
modules.enableCompileCache = (folder) => tell(folder);
`;

/** Only V8 without Maglev has it: that of Node.js before 22. */
const budget = Number(process.versions.node.split('.')[0]) < 22 ? '--interrupt-budget' : undefined;

describe('the engine is configured before the command is loaded', () => {
  test.each([
    [{ HOME: '/home/ada', XDG_CACHE_HOME: '' }, '/home/ada/.cache/octavo'],
    [{ HOME: '/home/ada', XDG_CACHE_HOME: '/caches' }, '/caches/octavo'],
    [{ HOME: '/home/ada', XDG_CACHE_HOME: 'here' }, '/home/ada/.cache/octavo'],
    [{ HOME: '', XDG_CACHE_HOME: '' }, undefined],
  ])('with %j', async (env, cache) => {
    const cwd = folder({ 'watch.cjs': watching, 'acme.yaml': manifest });
    const { stderr, code } = await run(['validate'], {
      cwd,
      env: { ...env, NODE_OPTIONS: `--require ${cwd}/watch.cjs` },
    });
    const reported = stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '));
    const [[, loaded] = []] = reported;
    expect(Number(loaded)).toBeLessThan(6);
    expect(reported).toEqual(
      ['--heap-growing-percent', '--wasm-tiering-budget', budget, cache].flatMap((name) =>
        name === undefined ? [] : [[name, loaded]],
      ),
    );
    expect(code).toBe(0);
  });
});

describe('exit codes and streams', () => {
  const local = { OCTAVO_BASE_URL: 'local:acme.db' };

  test('help exits with 0, with and without --help', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, stderr: '' });
    expect(await run([])).toEqual(await run(['--help']));
  });

  test('a usage error exits with 1', async () => {
    const ran = await run(['plan', '--targt', 'x']);
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('did you mean --target'),
    });
  });

  test('--detailed-exitcode is 2 with changes, and 0 after they are applied', async () => {
    const cwd = folder({ 'acme.yaml': manifest });
    expect(await run(['plan', '--detailed-exitcode'], { cwd, env: local })).toMatchObject({
      code: 2,
      stderr: '',
    });
    expect(await run(['apply', '--auto-approve'], { cwd, env: local })).toMatchObject({ code: 0 });
    expect(await run(['plan', '--detailed-exitcode'], { cwd, env: local })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test('broken manifests exit with 1', async () => {
    const cwd = folder({ 'acme.yaml': 'octavo: 1\norganization: { id: org_acme }\nteems: {}\n' });
    const ran = await run(['validate'], { cwd });
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('acme.yaml:3:1') });
  });

  test('apply exits with 1 without a terminal to prompt on', async () => {
    const cwd = folder({ 'acme.yaml': manifest });
    const ran = await run(['apply'], { cwd, env: local, input: 'yes\n' });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('--auto-approve') });
    expect(ran.stdout).not.toContain('Applied');
  });

  test('api reads a body from stdin', async () => {
    const { env } = await slowService(0);
    const args = ['api', 'PATCH', '/v1/orgs/org_acme', '--input', '-'];
    const ran = await run(args, { env, input: '{"title":"From stdin"}' });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('From stdin') });
  });

  test('a long result is printed completely', async () => {
    const { code, stdout } = await run(['schema']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object' });
  });

  test('a closed stdout is not an error', async () => {
    const args = ['plan', '-f', 'examples/acme', '--base-url', 'local', '--seed', 'examples/acme/seed.json'];
    const child = start(args);
    child.stdout?.destroy();
    expect(await child.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('signals', () => {
  const teams = Array.from({ length: 12 }, (_, at) => `  t${at}: { title: Team ${at} }`).join('\n');
  const many = `octavo: 1\norganization: { id: org_acme }\nteams:\n${teams}\n`;

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s once waits for requests in flight: exit code %i', async (signal, exitCode) => {
    const { service, env } = await slowService(300);
    const child = start(['apply', '--auto-approve', '--parallelism', '2'], {
      cwd: folder({ 'acme.yaml': many }),
      env,
    });
    await until(child.stderr, '✓');
    child.kill(signal);
    const { code, stdout } = await child.ended;
    expect(code).toBe(exitCode);
    const made = Number(/Applied \d+ of 12 changes: (\d+) created/.exec(stdout)?.[1]);
    expect(made).toBeLessThan(12);
    expect(service.store.every('team')).toHaveLength(made);
  });

  test('SIGINT twice aborts them', async () => {
    const { env } = await slowService(20_000);
    const child = start(['apply', '--auto-approve'], { cwd: folder({ 'acme.yaml': many }), env });
    await until(child.stdout, 'Digest');
    child.kill('SIGINT');
    await until(child.stderr, 'Waiting');
    child.kill('SIGINT');
    expect(await child.ended).toMatchObject({ code: 130, stdout: expect.stringContaining('Interrupted') });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends serve with exit code 0', async (signal) => {
    const child = start(['serve', '--port', '0', '--seed', 'sample']);
    await until(child.stdout, 'Serving on http://127.0.0.1:');
    child.kill(signal);
    expect(await child.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Stopped.') });
  });
});

test('the lock of a killed run is taken over immediately', async () => {
  const { service, env } = await slowService(60_000, 2);
  const cwd = folder({ 'acme.yaml': manifest });
  initRepository(cwd);
  const killed = start(['apply', '--auto-approve'], { cwd, env });
  await until(killed.stdout, 'Digest');
  const locked = await run(['apply', '--auto-approve'], { cwd, env });
  expect(locked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('error[locked]') });
  killed.kill('SIGKILL');
  await killed.ended;
  const listed = await run(['unlock'], { cwd });
  expect(listed.stdout).toContain('its process has ended, so the next apply takes over the lock');
  const next = await run(['apply', '--auto-approve'], { cwd, env });
  expect(next).toMatchObject({ code: 0 });
  expect(next.stderr).toMatch(/Took over the lock of run r-\S+, whose process has ended\./);
  expect(service.store.every('team')).toHaveLength(2);
});

test('shards run as concurrent processes', async () => {
  const ids = ['org_a', 'org_b', 'org_c', 'org_d', 'org_e'];
  const seed = { organizations: ids.map((id) => ({ id, title: id })) };
  const { service, env } = await served({ seed });
  const text = (id: string) => `octavo: 1\norganization: { id: ${id} }\nteams: { t: { title: Team } }\n`;
  const cwd = folder(Object.fromEntries(ids.map((id) => [`${id}.yaml`, text(id)])));
  const shards = ['1/4', '2/4', '3/4', '4/4'];
  const ran = await Promise.all(
    shards.map((shard) => run(['apply', '--auto-approve', '--shard', shard], { cwd, env })),
  );
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(
    service.store
      .every('team')
      .map(({ org }) => org)
      .sort(),
  ).toEqual(ids);
  expect(await run(['plan', '--detailed-exitcode'], { cwd, env })).toMatchObject({ code: 0 });
});

test('a data file can be used by only one process', async () => {
  const data = ['--port', '0', '--data', join(folder({}), 'octavo.db')];
  const first = start(['serve', ...data]);
  await until(first.stdout, 'Serving on');
  const second = await run(['serve', ...data]);
  expect(second).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/use by another process/),
  });
});

/** A copy of dist/ from which no package can be resolved, not even optional ones. */
function bareCopy() {
  const cwd = folder({ 'acme.yaml': manifest, 'package.json': '{"type":"module"}' });
  cpSync(dist, join(cwd, 'dist'), { recursive: true });
  cpSync(join(root, 'examples/acme'), join(cwd, 'examples/acme'), { recursive: true });
  return { cwd, command: join(cwd, 'dist', 'octavo.js') };
}

test('dist needs no packages except for the embedded service', async () => {
  const bare = bareCopy();
  expect(await run(['validate', '-f', 'acme.yaml'], bare)).toMatchObject({ code: 0, stderr: '' });
  expect(await run(['schema', 'plan'], bare)).toMatchObject({ code: 0, stderr: '' });
  expect(await run(['api', '--list'], bare)).toMatchObject({ code: 0, stderr: '' });
  const { env } = await slowService(0);
  const one = ['plan', '-f', 'acme.yaml', '--detailed-exitcode'];
  expect(await run(one, { ...bare, env })).toMatchObject({ code: 2, stderr: '' });
  const rehearsed = await run(['plan', '--rehearse', '-f', 'acme.yaml'], { ...bare, env });
  expect(rehearsed).toMatchObject({ code: 1 });
  expect(rehearsed.stderr.replace(/\s+/g, ' ')).toContain(
    'the plan cannot be rehearsed: the optional package libsql is not installed',
  );
  const library = pathToFileURL(join(bare.cwd, 'dist/index.js')).href;
  const { kinds } = (await import(library)) as { readonly kinds: readonly unknown[] };
  expect(kinds.length).toBeGreaterThan(10);
});

test.each([[['serve', '--port', '0']], [['plan', '-f', 'acme.yaml', '--base-url', 'local']]])(
  '%j explains how to install SQLite if it is missing',
  async (args) => {
    const { code, stdout, stderr } = await run(args, bareCopy());
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'the embedded service cannot start: the optional package libsql is not installed; install it with: npm install libsql',
    );
  },
);

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends a command during synchronous work', async (signal) => {
  const large = (file: number) =>
    Array.from({ length: 60_000 }, (_, at) => `  t${file}-${at}: { title: "Team ${file} ${at}" }\n`).join('');
  const files = [1, 2, 3, 4, 5].map((file) => [
    `${file}.yaml`,
    `octavo: 1\norganization: org_acme\nteams:\n${large(file)}`,
  ]);
  const child = start(['validate'], { cwd: folder(Object.fromEntries(files) as Record<string, string>) });
  await new Promise((done) => setTimeout(done, 1000));
  child.kill(signal);
  const started = Date.now();
  expect(await child.ended).toMatchObject({ stdout: '' });
  expect(Date.now() - started).toBeLessThan(patience(1000));
});

describe('a compile cache', () => {
  const inFile = () => join(folder({ compiled: '' }), 'compiled');
  /** The cache of this version of Node with corrupted files; empty before Node 22. */
  async function broken(): Promise<string> {
    const cwd = folder({});
    await run(['--help'], { env: { NODE_COMPILE_CACHE: cwd } });
    const entries = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    for (const { parentPath, name } of entries) writeFileSync(join(parentPath, name), 'no code');
    return cwd;
  }
  const readOnly = () => {
    const cwd = folder({});
    chmodSync(cwd, 0o555);
    return cwd;
  };
  const ofAnother = () => folder({ 'v1.0.0-x64-0-0/0': 'of another version' });

  test.each([
    ['that is a file', inFile],
    ['that is broken', broken],
    ['that cannot be written', readOnly],
    ['of another version of Node', ofAnother],
  ])('%s does not change the result', async (_, make) => {
    const env = { NODE_COMPILE_CACHE: await make() };
    const ran = await run(['validate', '-f', 'acme.yaml'], { cwd: folder({ 'acme.yaml': manifest }), env });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^Valid: /);
  });
});
