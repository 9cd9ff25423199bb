/** `octavo serve`: output, flags, rejected values, and shutdown. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { folder, octavo, type RunOptions, start } from './octavo.ts';

/** Starts the server, and waits until it prints its URL. */
async function serve(args: readonly string[], options: RunOptions = {}) {
  const child = start(['serve', '--port', '0', ...args], options);
  await Promise.race([child.stderr.until('Stop with Ctrl-C.'), child.ended]);
  const output = () => `${child.stdout.text}${child.stderr.text}`;
  const url = /Serving on (\S+)/.exec(output())?.[1];
  if (url === undefined) throw new Error(output());
  return { child, url, output };
}

function get(url: string, token: string): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${token}` } });
}

test('prints the URL, the token and the link invite of the sample, which no list includes', async () => {
  const { child, url, output } = await serve(['--seed', 'sample']);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(output()).toContain('org_acme, org_globex');
  const token = /^Token: (\S+)$/m.exec(output())?.[1] ?? '';
  const invite = /^Link invites: (\S+) \(org_acme\)$/m.exec(output())?.[1] ?? '';
  expect((await get(`${url}/v1/orgs/org_acme/link-invites/${invite}`, token)).status).toBe(200);
  expect((await get(`${url}/v1/orgs`, 'wrong')).status).toBe(401);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill('SIGTERM');
  const { code, stdout } = await child.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: `Serving on ${url}\n` });
});

test('does not print a token from a flag or the environment', async () => {
  const ways: readonly [readonly string[], RunOptions, string][] = [
    [['--token', 'from-a-flag'], {}, 'from-a-flag'],
    [[], { env: { OCTAVO_TOKEN: 'from-the-environment' } }, 'from-the-environment'],
  ];
  for (const [args, options, token] of ways) {
    const { url, output } = await serve(['--seed', 'sample', ...args], options);
    expect((await get(`${url}/v1/orgs/org_globex`, token)).status).toBe(200);
    expect(output()).not.toContain(token);
  }
});

test('writes no file with --data :memory:', async () => {
  const cwd = folder({});
  const { child } = await serve(['--data', ':memory:'], { cwd });
  child.kill('SIGTERM');
  expect(await child.ended).toMatchObject({ code: 0 });
  expect(readdirSync(cwd)).toEqual([]);
});

test('accepts given and random variants, and rejects unknown ones with a suggestion', async () => {
  const { child, url, output } = await serve(['--seed', 'sample', '--variant', 'missing-delete=204'], {
    env: { OCTAVO_TOKEN: 't' },
  });
  expect(output()).toContain('Variants: missing-delete=204\n');
  const response = await fetch(`${url}/v1/spaces/sp_none`, {
    method: 'DELETE',
    headers: { authorization: 'Bearer t' },
  });
  expect(response.status).toBe(204);
  child.kill('SIGTERM');
  const mixes = new Set<string | undefined>();
  for (const seed of ['random:7', 'random:7', 'random:8']) {
    const random = await serve(['--variant', seed, '--variant', 'proxy=whole']);
    mixes.add(/^Variants: (.*proxy=whole.*)$/m.exec(random.output())?.[1]);
    random.child.kill('SIGTERM');
  }
  expect(mixes.size).toBe(2);
  expect([...mixes]).not.toContain(undefined);
  const wrong: readonly [string, string][] = [
    ['proxi=whole', 'unknown variant "proxi"\n  did you mean proxy? one of: ungrouped-section, '],
    ['proxy=hole', 'the variant proxy has no value "hole"\n  did you mean whole? one of: split, whole'],
    ['proxy', 'the variant proxy needs a value\n  pass proxy=split|whole'],
    ['random:x', 'unknown variant "random:x"\n  did you mean random? one of: '],
  ];
  for (const [word, message] of wrong) {
    const { code, stderr } = await octavo(['serve', '--variant', word]);
    expect(code).toBe(1);
    expect(stderr.replace(/\n {2,}(help: )?/g, '\n  ')).toContain(message);
  }
});

test('keeps the state in a file, and ignores a seed if the file has content', async () => {
  const cwd = folder({});
  const data = ['--data', join(cwd, 'octavo.db'), '--seed', 'sample'];
  const first = await serve(data);
  const env = { OCTAVO_BASE_URL: first.url, OCTAVO_TOKEN: 'octavo-local-token' };
  await octavo(['api', 'PATCH', '/v1/orgs/org_acme', '-F', 'title=Kept'], { env });
  const second = await octavo(['serve', '--port', '0', ...data]);
  expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/cannot start.*use/s) });
  first.child.kill('SIGINT');
  await first.child.ended;
  const again = await serve(data);
  expect(again.output()).toContain('--seed was ignored');
  const organization = await get(`${again.url}/v1/orgs/org_acme`, 'octavo-local-token');
  expect(await organization.json()).toMatchObject({ title: 'Kept' });
});

test('prints a line per request only with --verbose', async () => {
  for (const log of [true, false]) {
    const { url, output } = await serve(['--seed', 'sample', ...(log ? ['--verbose'] : [])]);
    await get(`${url}/v1/orgs`, 'octavo-local-token');
    await after(50);
    expect(/^GET \/v1\/orgs 200 [\d.]+ms$/m.test(output())).toBe(log);
  }
});

test('injects the faults of --faults', async () => {
  const cwd = folder({
    'faults.json': '{"faults":[{"type":"status","status":503,"operations":["orgs.list"]}]}',
  });
  const { url } = await serve(['--seed', 'sample', '--faults', 'faults.json'], { cwd });
  expect((await get(`${url}/v1/orgs`, 'octavo-local-token')).status).toBe(503);
  expect((await get(`${url}/v1/orgs/org_acme`, 'octavo-local-token')).status).toBe(200);
});

test('finishes requests in flight on SIGTERM', async () => {
  const cwd = folder({ 'faults.json': '{"faults":[{"type":"latency","milliseconds":500}]}' });
  const { child, url } = await serve(['--seed', 'sample', '--faults', 'faults.json'], { cwd });
  const pending = get(`${url}/v1/orgs`, 'octavo-local-token');
  await after(200);
  child.kill('SIGTERM');
  expect((await pending).status).toBe(200);
  expect((await child.ended).code).toBe(0);
});

test('allows specifications only from hosts in --allow-fetch', async () => {
  const spec = '{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{}}';
  const page = createServer((_, response) => response.end(spec)).listen(0);
  onTestFinished(() => void page.close());
  await once(page, 'listening');
  // Not a loopback name, but on this machine.
  const source = `http://0.0.0.0:${(page.address() as AddressInfo).port}/spec.json`;
  for (const [host, code] of [
    ['0.0.0.0', 'null'],
    ['b.example', 'FETCH_ERROR'],
  ]) {
    const { url } = await serve([
      '--seed',
      'sample',
      '--allow-fetch',
      'a.example',
      '--allow-fetch',
      host ?? '',
    ]);
    const env = { OCTAVO_BASE_URL: url, OCTAVO_TOKEN: 'octavo-local-token' };
    const put = ['api', 'PUT', '/v1/orgs/org_acme/openapi/pets', '-F', `source.url=${source}`];
    expect(await octavo(put, { env })).toMatchObject({ code: 0 });
    const read = ['api', 'GET', '/v1/orgs/org_acme/openapi/pets'];
    const { lastProcessErrorCode = null } = JSON.parse((await octavo(read, { env })).stdout);
    expect(String(lastProcessErrorCode)).toBe(code);
  }
});

test.each([
  [
    ['--host', '0.0.0.0'],
    /error\[host\]: .*others can reach it on 0\.0\.0\.0[\s\S]*--i-know-this-is-not-production/,
  ],
  [['--port', '70000'], /error\[port\]: --port must be at most 65535/],
  [['--port', 'x'], /--port must be a whole number/],
  [['--seed', 'none.json'], /cannot read the seed file none\.json: it does not exist/],
  [['--seed', 'bad.json'], /bad\.json: the seed does not fit at organizations/],
  [
    ['--seed', 'role.json'],
    /members\.0\.role: [\s\S]*help: change it there: docs\/reference\/embedded-service\.md of Octavo lists what/,
  ],
  [['--seed', 'broken.json'], /cannot read the seed file broken\.json: it is not JSON/],
  [['--faults', 'bad.json'], /error\[faults\]: the faults file bad\.json/],
  [['--token', 'two words'], /error\[token\]/],
  [['--allow-fetch', 'https://a.example/x'], /error\[allow-fetch\]: "https:\/\/a\.example\/x" is not a host/],
  [['--data', 'no/such/folder.db'], /error\[embedded-service\]/],
])('rejects %j', async (args, output) => {
  const members = [{ email: 'ada@acme.dev', role: 'boss' }];
  const role = JSON.stringify({ organizations: [{ title: 'Acme', members }] });
  const cwd = folder({ 'bad.json': '{}', 'broken.json': '{', 'role.json': role });
  const ran = await octavo(['serve', ...(args[0] === '--port' ? [] : ['--port', '0']), ...args], { cwd });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(output);
});

test('listens on a public host with --i-know-this-is-not-production', async () => {
  const { url } = await serve(['--host', '0.0.0.0', '--i-know-this-is-not-production']);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});
