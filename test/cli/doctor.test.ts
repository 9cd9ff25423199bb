/** `octavo doctor`: every check, fine and not, against real services and against servers that misbehave. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileLock } from '../../src/run/lock/file-lock.ts';
import { lockFolder } from '../../src/run/lock/state-folder.ts';
import { startService } from '../../src/server/index.ts';
import { deadHolder, machine } from '../run/lock/holders.ts';
import { folder, manifest, octavo, type RunOptions, start } from './octavo.ts';

const token = 'secret-token-of-nobody';

interface Checkup {
  readonly healthy: boolean;
  readonly checks: readonly {
    readonly id: string;
    readonly status: string;
    readonly message: string;
    readonly help?: string;
  }[];
}

async function checkup(options: RunOptions, args: readonly string[] = []) {
  const ran = await octavo(['doctor', '--format', 'json', ...args], options);
  expect(ran.stdout).not.toContain(token);
  const { healthy, checks } = JSON.parse(ran.stdout) as Checkup;
  expect(ran.code).toBe(healthy ? 0 : 1);
  expect(healthy).toBe(!checks.some(({ status }) => status === 'failed'));
  for (const { status, help, id } of checks)
    if (status === 'warning' || status === 'failed') expect(help, id).toMatch(/\S/);
  const of = (id: string) =>
    checks.filter((check) => check.id === id).map(({ status, message }) => `${status}: ${message}`);
  return { checks, of, ids: checks.map(({ id }) => id) };
}

/** A server that answers as it is told; its requests. */
async function server(answer: (response: ServerResponse, request: IncomingMessage) => unknown) {
  const requests: string[] = [];
  const http = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(response, request);
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return { requests, env: { OCTAVO_BASE_URL: `http://127.0.0.1:${port}`, OCTAVO_TOKEN: token } };
}

const json = (response: ServerResponse, status: number, value: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};

test('the member that the token belongs to, with the role', async () => {
  const member = { id: 'user_d', email: 'deploy@acme.dev', displayName: 'Deploy', role: 'edit' } as const;
  const service = await startService({
    data: ':memory:',
    token,
    seed: { organizations: [{ id: 'org_acme', title: 'Acme', members: [member] }] },
  });
  onTestFinished(() => service.close());
  const env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: token };
  const self = (email: string) => folder({ 'a.yaml': `${manifest}settings: { self: ${email} }\n` });
  expect((await checkup({ cwd: self('deploy@acme.dev'), env })).of('self')).toEqual([
    'ok: deploy@acme.dev has the role edit',
  ]);
  expect((await checkup({ cwd: self('nobody@acme.dev'), env })).of('self')).toEqual([
    'warning: nobody@acme.dev is no member of org_acme',
  ]);
});

test('all is well: reads alone, and each check says what it saw', async () => {
  const service = await startService({
    data: ':memory:',
    token,
    seed: { organizations: [{ id: 'org_acme', title: 'Acme' }] },
  });
  onTestFinished(() => service.close());
  const cwd = folder({
    'acme.yaml': manifest,
    token: `${token}\n`,
    'octavo.config.yaml': `baseUrl: ${service.url}\ntokenFile: token\n`,
  });
  const env = { OCTAVO_BASE_URL: service.url };
  chmodSync(join(cwd, 'token'), 0o600);
  execFileSync('git', ['init', '-q'], { cwd });
  const { of, checks } = await checkup({ cwd, env });
  expect(checks.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(of('settings')).toEqual(['ok: octavo.config.yaml']);
  expect(of('manifests')).toEqual(['ok: 1 organization, 2 objects, 1 file']);
  expect(of('git')[0]).toMatch(/^ok: \d+\.\d+.*; repository \.$/);
  expect(of('service')[0]).toMatch(/^ok: responds as documented, in \d+ ms$/);
  expect(of('clock')).toEqual(['ok: agrees with that of the service']);
  expect(of('token')[0]).toMatch(/^ok: accepted \(from .*\); sees 1 organization$/);
  expect(of('organization')[0]).toMatch(/^ok: Acme \(org_acme\)/);
  expect(of('access')).toEqual([expect.stringMatching(/^ok: can read members, teams, .*sites/)]);
  expect(of('lock')).toEqual(['ok: file: no run holds one of this workspace']);
  const { code, stdout } = await octavo(['doctor'], { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/\n {2}✓ node {10}Node v\d+/);
  expect(stdout).toMatch(/\n\n(?:All \d+ checks passed|\d+ checks: .*)\.\n$/);
});

test('locks of other services and organizations are no business of this workspace', async () => {
  const state = folder({});
  const locks = fileLock({ folder: lockFolder({ XDG_STATE_HOME: state }), machine, now: Date.now });
  const cwd = folder({ 'acme.yaml': manifest });
  const service = 'http://127.0.0.1:1';
  const env = { OCTAVO_BASE_URL: service, OCTAVO_TOKEN: token, XDG_STATE_HOME: state };
  const seen = async () => (await checkup({ cwd, env })).of('lock');
  await locks.acquire({ organizations: ['org_acme'], baseUrl: 'https://other.example' }, deadHolder('r-1'));
  await locks.acquire({ organizations: ['org_other'], baseUrl: service }, deadHolder('r-2'));
  expect(await seen()).toEqual(['ok: file: no run holds one of this workspace']);
  await locks.acquire({ organizations: ['org_acme'], baseUrl: service }, deadHolder('r-3'));
  expect(await seen()).toEqual([expect.stringMatching(/^warning: file: org_acme is locked by .*r-3/)]);
});

describe('the service', () => {
  test('only GET requests are sent, and a list that is refused fails where the manifests declare it', async () => {
    const service = await startService({
      data: ':memory:',
      token,
      seed: { organizations: [{ id: 'org_acme', title: 'Acme' }] },
    });
    onTestFinished(() => service.close());
    const { env, requests } = await server(async (response, { url = '' }) => {
      const isRefused = /\/(?:teams|saml)/.test(url);
      if (isRefused) return json(response, 403, { error: { code: 403, message: 'not for you' } });
      const answer = await fetch(`${service.url}${url}`, { headers: { authorization: `Bearer ${token}` } });
      json(response, answer.status, await answer.json());
    });
    const { of } = await checkup({ cwd: folder({ 'acme.yaml': manifest }), env });
    expect(requests.length).toBeGreaterThan(5);
    for (const request of requests) expect(request).toMatch(/^GET /);
    const access = of('access');
    expect(access[0]).toMatch(/^ok: can read members/);
    expect(access.slice(1)).toEqual([
      expect.stringMatching(/^failed: cannot read teams: .*403/),
      expect.stringMatching(/^warning: cannot read SAML providers: .*403/),
    ]);
  });

  test('a page of somebody else', async () => {
    const { env } = await server((response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Welcome to the proxy</title>');
    });
    const { of } = await checkup({ cwd: folder({ 'a.yaml': manifest }), env });
    expect(of('service')[0]).toMatch(
      /^failed: orgs\.list returned 200 with a web page \(Welcome to the proxy\)/,
    );
    expect(of('token')).toEqual(['skipped: not checked: see service']);
  });

  test('JSON of another API', async () => {
    const { env } = await server((response) => json(response, 200, { hello: 'world' }));
    const { of } = await checkup({ cwd: folder({ 'a.yaml': manifest }), env });
    expect(of('service')[0]).toMatch(/^failed: .*does not match the API/);
  });

  test('a token that is refused', async () => {
    const { env } = await server((response) =>
      json(response, 401, { error: { code: 401, message: `bad ${token}` } }),
    );
    const { of } = await checkup({ cwd: folder({ 'a.yaml': manifest }), env });
    expect(of('service')[0]).toMatch(/^ok: reached/);
    expect(of('token')[0]).toMatch(/^failed: refused \(from .*environment.*401/);
  });

  test('nobody there', async () => {
    const env = { OCTAVO_BASE_URL: 'http://127.0.0.1:9', OCTAVO_TOKEN: token };
    const { of } = await checkup({ cwd: folder({ 'a.yaml': manifest }), env });
    expect(of('service')[0]).toContain('connection refused');
    expect(of('access')).toEqual(['skipped: not checked: see service']);
  });

  test('a clock that is wrong', async () => {
    const { env } = await server((response) => json(response, 200, { items: [] }));
    const { of } = await checkup({
      cwd: folder({ 'a.yaml': manifest }),
      env,
      now: () => Date.now() + 3_600_000,
    });
    expect(of('clock')[0]).toMatch(/^warning: this machine is 3(?:599|600|601) s ahead of the service$/);
  });

  test('Ctrl-C while it does not answer', async () => {
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((done) => {
      asked = done;
    });
    const { env } = await server(() => asked());
    const running = start(['doctor'], { cwd: folder({ 'a.yaml': manifest }), env });
    await isAsked;
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, stdout: '', stderr: 'Interrupted.\n' });
  });

  test.each([
    [{}, 'base-url', 'failed: no service is configured'],
    [
      { OCTAVO_BASE_URL: 'https://me:hidden@acme.invalid' },
      'base-url',
      'failed: the base URL contains a user name',
    ],
    [{ OCTAVO_BASE_URL: 'acme.dev' }, 'base-url', 'failed: the base URL is not an http(s) URL'],
    [{ OCTAVO_BASE_URL: 'https://acme.invalid' }, 'token', 'failed: no token configured'],
    [
      { OCTAVO_BASE_URL: 'https://acme.invalid', OCTAVO_TOKEN: 'a b' },
      'token',
      'failed: the token contains spaces',
    ],
    [
      { OCTAVO_BASE_URL: 'https://acme.invalid', OCTAVO_TOKEN: 'x', HTTPS_PROXY: 'ftp://p' },
      'base-url',
      'failed: HTTPS_PROXY is not',
    ],
    [{ OCTAVO_BASE_URL: 'local' }, 'base-url', 'ok: the embedded service, in memory'],
  ])('%j', async (env, id, text) => {
    const { of } = await checkup({ cwd: folder({ 'a.yaml': manifest }), env: env as Record<string, string> });
    expect(of(id)[0]).toContain(text);
  });
});

describe('the folder and the machine', () => {
  const env = { OCTAVO_BASE_URL: 'local' };

  test('manifests, settings and variables with mistakes', async () => {
    const broken = await checkup({ cwd: folder({ 'a.yaml': `${manifest}sites: 3\n` }), env });
    expect(broken.of('manifests')[0]).toMatch(/^failed: 1 error, the first: a\.yaml:6: /);
    const none = await checkup({ cwd: folder({}), env });
    expect(none.of('manifests')[0]).toMatch(/^warning: no manifests/);
    const settings = await checkup({ cwd: folder({ 'octavo.config.yaml': 'nonsense: 1\n' }), env });
    expect(settings.of('settings')[0]).toContain('failed: octavo.config.yaml:1: unknown setting "nonsense"');
    expect(settings.of('service')).toEqual(['skipped: the embedded service has no state yet']);
    expect(settings.of('manifests')[0]).toMatch(/^warning: no manifests/);
    expect(settings.of('runs')).toEqual(['ok: none so far']);
    const known = { 'a.yaml': manifest, 'octavo.config.yaml': 'baseUrl: local\nfile: a.yaml\nlint: 3\n' };
    const lint = await checkup({ cwd: folder(known), env: {} });
    expect(lint.of('settings')[0]).toMatch(/^failed: octavo\.config\.yaml:3: /);
    expect(lint.of('manifests')[0]).toMatch(/^ok: 1 organization/);
    expect(lint.of('service')).toEqual(['skipped: the embedded service has no state yet']);
    const locked = await checkup({ cwd: folder(known), env: { ...env, OCTAVO_LOCK: 'nowhere' } });
    expect(locked.of('lock')).toEqual(['skipped: not checked: see settings']);
    for (const text of ['baseUrl: [', '- a', 'baseUrl: 5\nfile: 5\nlock: 5']) {
      const none = await checkup({ cwd: folder({ 'octavo.config.yaml': text }), env: {} });
      for (const id of ['manifests', 'service', 'lock'])
        expect(none.of(id), text).toEqual(['skipped: not checked: see settings']);
    }
    const variables = await checkup({
      cwd: folder({ 'a.yaml': manifest }),
      env: { ...env, OCTAVO_BASEURL: 'x', NODE_EXTRA_CA_CERTS: '/nowhere.pem' },
    });
    expect(variables.of('environment')).toEqual(['warning: the variable OCTAVO_BASEURL is not read']);
    expect(variables.of('certificates')[0]).toMatch(/^failed: NODE_EXTRA_CA_CERTS names/);
  });

  test('no repository, a remote that cannot be read, a token that others can read, an old Node', async () => {
    const cwd = folder({ 'a.yaml': manifest, token });
    chmodSync(join(cwd, 'token'), 0o644);
    const outside = await checkup({ cwd, env });
    expect(outside.of('git')[0]).toMatch(/^warning: .*in no repository$/);
    execFileSync('git', ['init', '-q'], { cwd });
    const remote = await checkup({ cwd, env }, ['--lock', 'git:upstream']);
    expect(remote.of('remote')[0]).toMatch(/^failed: upstream cannot be read/);
    expect(remote.of('lock')).toEqual(['skipped: git:upstream: the remote was not reached']);
    const machine = { host: 'h', user: 'u', pid: 1, isRunning: () => true, node: 'v18.0.0' };
    expect((await checkup({ cwd, env, machine })).of('node')).toEqual(['failed: Node v18.0.0 is too old']);
  });

  test('the last run, and an organization that is not there', async () => {
    const cwd = folder({ 'a.yaml': manifest });
    await octavo(['apply', '--auto-approve'], { cwd, env: { OCTAVO_BASE_URL: 'local:w.db' } });
    const { of } = await checkup({ cwd, env: { OCTAVO_BASE_URL: 'local:w.db' } });
    expect(of('runs')[0]).toMatch(/^ok: the last one is r-\S+ \(apply, .*\): complete$/);
    expect(of('token')[0]).toBe('ok: accepted (of the embedded service); sees 1 organization');
    mkdirSync(join(cwd, 'empty'));
    writeFileSync(join(cwd, 'empty', 'b.yaml'), 'octavo: 1\norganization: org_other\n');
    const other = await checkup({ cwd, env: { OCTAVO_BASE_URL: 'local:w.db' } }, ['-f', 'empty']);
    expect(other.of('organization')).toEqual(['failed: the token does not see org_other']);
  });
});
