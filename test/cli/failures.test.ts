/** Failures of the service: each is one clear error with exit code 1 and no partial output. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { folder, manifest, octavo, type Ran } from './octavo.ts';
import { served } from './served.ts';

const token = 'tok_91c2e6d7f0';

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function expectOneError({ code, stdout, stderr }: Ran): void {
  expect(code).toBe(1);
  // With --format json, the error is on stdout, too.
  if (stdout !== '') expect(JSON.parse(stdout).diagnostics).toHaveLength(1);
  expect(stdout).not.toContain(token);
  expect(stderr.match(/^error\[/gm)).toHaveLength(1);
  expect(stderr).not.toMatch(/\n\s+at |bug in octavo|undefined/);
  expect(stderr).not.toContain(token);
}

const faults: readonly [string, (response: ServerResponse) => void, RegExp][] = [
  [
    'a 500',
    (response) => response.writeHead(500).end('{"error":{"code":500,"message":"disk on fire"}}'),
    /status 500: disk on fire/,
  ],
  [
    'an HTML error page',
    (response) => response.writeHead(502).end('<html><title>502 Bad Gateway</title></html>'),
    /status 502: 502 Bad Gateway/,
  ],
  [
    'a web page instead of an answer',
    (response) => response.writeHead(200).end('<!doctype html><title>Welcome</title>'),
    /web page \(Welcome\)/,
  ],
  ['an empty answer', (response) => response.writeHead(200).end(), /empty body/],
  [
    'an answer cut short',
    (response) => response.writeHead(200).end('{"id": "org_acme", "tit'),
    /cut short or damaged/,
  ],
  ['a connection that breaks', (response) => response.destroy(), /broke before the response was complete/],
  [
    'another answer',
    (response) => response.writeHead(200).end('{"id": 7}'),
    /orgs\.get returned 200 with a body that does not match the API.*id: expected string/,
  ],
  [
    'a redirect',
    (response) => response.writeHead(301, { location: 'https://elsewhere.example/' }).end(),
    /redirects are not followed/,
  ],
  [
    'a token in its message',
    (response) => response.writeHead(403).end(`{"message":"token ${token} is bad"}`),
    /status 403: token \(token\) is bad/,
  ],
];

test.each(faults)('reports %s as one clear error', async (_, answer, message) => {
  const cwd = folder({ 'acme.yaml': manifest });
  const env = { OCTAVO_BASE_URL: await serve(answer), OCTAVO_TOKEN: token };
  const commands = [['plan'], ['plan', '--format', 'json'], ['apply', '--auto-approve']];
  for (const ran of await Promise.all(commands.map((command) => octavo(command, { cwd, env })))) {
    expectOneError(ran);
    expect(ran.stderr.replace(/\s+/g, ' ')).toMatch(message);
  }
});

test('reports a refused connection', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const ran = await octavo(['plan'], {
    cwd,
    env: { OCTAVO_BASE_URL: 'http://127.0.0.1:9', OCTAVO_TOKEN: token },
  });
  expectOneError(ran);
  expect(ran.stderr).toMatch(/cannot connect to http:\/\/127\.0\.0\.1:9: connection refused/);
});

test('reports a wrong token and an unknown organization', async () => {
  const { service } = await served({ token: 'right', seed: { organizations: [] } });
  const cwd = folder({ 'acme.yaml': manifest });
  const wrong = await octavo(['plan'], { cwd, env: { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: token } });
  expectOneError(wrong);
  expect(wrong.stderr).toMatch(/status 401[\s\S]*check OCTAVO_TOKEN/);
  const unknown = await octavo(['plan'], {
    cwd,
    env: { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: 'right' },
  });
  expectOneError(unknown);
  expect(unknown.stderr).toMatch(/there is no organization with the id org_acme[\s\S]*acme\.yaml/);
});

test('prints each request with --verbose, without the token', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const url = await serve((response) => response.writeHead(400).end());
  const ran = await octavo(['plan', '--verbose'], {
    cwd,
    env: { OCTAVO_BASE_URL: url, OCTAVO_TOKEN: token },
  });
  expect(ran.stderr).toMatch(/^GET \/v1\/orgs\/org_acme 400 \d+ ms$/m);
  expect(ran.stderr).not.toContain(token);
});

const values = (more: string) =>
  `octavo: 1\norganization: org_acme\n${more}spaces:\n  api-guide:\n    id: sp_api_guide\n    customFields: { unheard-of: x }\n`;
const sample = ['--base-url', 'local', '--seed', 'sample'];

test('prints the position in the manifests of a failed step', async () => {
  const cwd = folder({ 'values.yaml': values('') });
  const ran = await octavo(['apply', '--auto-approve', ...sample], { cwd });
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('  --> values.yaml:6:21\n');
  expect(ran.stderr).toContain('(values.yaml:6:21)');
});

test('rejects a custom field that is neither declared nor live in the plan', async () => {
  const cwd = folder({ 'values.yaml': values('customFields: {}\n') });
  const ran = await octavo(['plan', ...sample], { cwd });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('there is no custom field unheard-of in this organization');
  expect(ran.stderr).toContain('values.yaml:7:21');
});
