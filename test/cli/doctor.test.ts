/** `octavo doctor`: each check, passed and failed, against real services and misbehaving servers. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { folder, manifest, octavo, type RunOptions, start } from './octavo.ts';
import { served } from './served.ts';

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

/** A server that responds as given, and its requests. */
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

test('does not blame the token for kinds that the service lacks', async () => {
  const { service } = await served({ token, form: '2026' });
  const cwd = folder({
    'acme.yaml': 'octavo: 1\norganization: org_acme\nteams: {}\ncustomFields: {}\ntranslations: {}\n',
  });
  const { of, checks } = await checkup({
    cwd,
    env: { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: token },
  });
  expect(of('access')).toEqual([
    'ok: can read teams',
    'failed: custom fields are declared, but not in the form 2026 of the service',
    'failed: translations are declared, but not in the form 2026 of the service',
  ]);
  expect(JSON.stringify(checks)).not.toContain('role that may read');
});

test('reports the finding of each check if all pass', async () => {
  const { service } = await served({ token });
  const cwd = folder({
    'acme.yaml': manifest,
    token: `${token}\n`,
    'octavo.config.yaml': `baseUrl: ${service.url}\n`,
  });
  const env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN_FILE: 'token' };
  chmodSync(join(cwd, 'token'), 0o600);
  execFileSync('git', ['init', '-q'], { cwd });
  const { of, checks } = await checkup({ cwd, env });
  expect(checks.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(of('manifests')).toEqual(['ok: 1 organization, 2 objects, 1 file']);
  expect(of('git')).toEqual(['ok: repository .']);
  expect(of('service')).toEqual(['ok: responds as documented']);
  expect(of('token')).toEqual(['ok: accepted; sees 1 organization']);
  expect(of('organization')[0]).toMatch(/^ok: Acme \(org_acme\)/);
  expect(of('access')).toEqual([expect.stringMatching(/^ok: can read teams/)]);
  const { code, stdout } = await octavo(['doctor'], { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/\n {2}✓ manifests +1 organization/);
  expect(stdout).toMatch(/\n\n(?:All \d+ checks passed|\d+ checks: .*)\.\n$/);
});

describe('the service', () => {
  test('gets only GET requests, and a rejected list fails only if the manifests declare it', async () => {
    const { service } = await served({ token });
    const { env, requests } = await server(async (response, { url = '' }) => {
      const isRefused = /\/(?:teams|saml)/.test(url);
      if (isRefused) return json(response, 403, { error: { code: 403, message: 'not for you' } });
      const answer = await fetch(`${service.url}${url}`, { headers: { authorization: `Bearer ${token}` } });
      json(response, answer.status, await answer.json());
    });
    const { of } = await checkup({ cwd: folder({ 'acme.yaml': manifest }), env });
    expect(requests.length).toBeGreaterThan(2);
    for (const request of requests) expect(request).toMatch(/^GET /);
    const access = of('access');
    expect(access).toEqual([expect.stringMatching(/^failed: teams\.list failed with status 403/)]);
  });

  test('is reported as failed if it responds with a web page', async () => {
    const { env } = await server((response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Welcome to the proxy</title>');
    });
    const { of } = await checkup({ cwd: folder({ 'a.yaml': manifest }), env });
    expect(of('service')[0]).toMatch(
      /^failed: orgs\.list returned 200 with a web page \(Welcome to the proxy\)/,
    );
    expect(of('token')).toEqual([]);
  });

  test('is reported as failed if it responds with other JSON', async () => {
    const { env } = await server((response) => json(response, 200, { hello: 'world' }));
    const { of } = await checkup({ cwd: folder({ 'a.yaml': manifest }), env });
    expect(of('service')[0]).toMatch(/^failed: .*does not match the API/);
  });

  test('is reported as rejecting the token', async () => {
    const { env } = await server((response) =>
      json(response, 401, { error: { code: 401, message: `bad ${token}` } }),
    );
    const { of } = await checkup({ cwd: folder({ 'a.yaml': manifest }), env });
    expect(of('token')[0]).toMatch(/^failed: orgs\.list failed with status 401/);
  });

  test('is reported as refusing the connection', async () => {
    const env = { OCTAVO_BASE_URL: 'http://127.0.0.1:9', OCTAVO_TOKEN: token };
    const { of } = await checkup({ cwd: folder({ 'a.yaml': manifest }), env });
    expect(of('service')[0]).toContain('connection refused');
  });

  test('can be interrupted with Ctrl-C before it responds', async () => {
    let markRequested: () => void = () => undefined;
    const isRequested = new Promise<void>((done) => {
      markRequested = done;
    });
    const { env } = await server(() => markRequested());
    const running = start(['doctor'], { cwd: folder({ 'a.yaml': manifest }), env });
    await isRequested;
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, stdout: '', stderr: 'Interrupted.\n' });
  });

  test.each([
    [{}, 'base-url', 'failed: no service configured'],
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
    [{ OCTAVO_BASE_URL: 'local' }, 'base-url', 'ok: the embedded service, which has no state yet'],
  ])('checks the settings %j', async (env, id, text) => {
    const { of } = await checkup({ cwd: folder({ 'a.yaml': manifest }), env: env as Record<string, string> });
    expect(of(id)[0]).toContain(text);
  });
});

describe('the folder and the machine', () => {
  const env = { OCTAVO_BASE_URL: 'local' };

  test('mistakes in manifests and settings are reported as failed', async () => {
    const broken = await checkup({ cwd: folder({ 'a.yaml': `${manifest}sites: 3\n` }), env });
    expect(broken.of('manifests')[0]).toMatch(/^failed: a\.yaml:6: /);
    const none = await checkup({ cwd: folder({}), env });
    expect(none.of('manifests')[0]).toMatch(/^warning: no manifests/);
    for (const text of ['nonsense: 1\n', 'baseUrl: [', '- a', 'baseUrl: 5\n']) {
      const { checks, of } = await checkup({ cwd: folder({ 'octavo.config.yaml': text }), env });
      expect(of('settings')[0], text).toMatch(/^failed: octavo\.config\.yaml:1: /);
      expect(checks, text).toHaveLength(1);
    }
    const locked = await checkup({ cwd: folder({ 'octavo.config.yaml': 'lock: nowhere\n' }), env });
    expect(locked.of('settings')[0]).toMatch(/^failed: there is no lock "nowhere"/);
  });

  test('a missing repository is a warning, and an unreadable remote a failure', async () => {
    const cwd = folder({ 'a.yaml': manifest });
    expect((await checkup({ cwd, env })).of('git')).toEqual(['warning: the folder is in no repository']);
    execFileSync('git', ['init', '-q'], { cwd });
    const remote = await checkup({ cwd, env }, ['--lock', 'git:upstream']);
    expect(remote.of('remote')[0]).toMatch(/^failed: upstream cannot be read/);
  });

  test('an organization that does not exist is a failure', async () => {
    const cwd = folder({ 'a.yaml': manifest });
    await octavo(['apply', '--auto-approve'], { cwd, env: { OCTAVO_BASE_URL: 'local:w.db' } });
    const { of } = await checkup({ cwd, env: { OCTAVO_BASE_URL: 'local:w.db' } });
    expect(of('token')).toEqual(['ok: accepted; sees 1 organization']);
    mkdirSync(join(cwd, 'empty'));
    writeFileSync(join(cwd, 'empty', 'b.yaml'), 'octavo: 1\norganization: org_other\n');
    const other = await checkup({ cwd, env: { OCTAVO_BASE_URL: 'local:w.db' } }, ['-f', 'empty']);
    expect(other.of('organization')[0]).toMatch(/^failed: there is no organization with the id org_other/);
  });
});
