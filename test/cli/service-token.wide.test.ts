/** The token is sent only to hosts that its owner named: no command sends it to a host, or reads it from a file, that only the checkout names. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadCommand } from '../../src/cli/line/list.ts';
import { commandNames } from '../../src/cli/line/names.ts';
import { type Service, startService } from '../../src/server/index.ts';
import { folder, manifest, octavo, type RunOptions, start } from './octavo.ts';

const token = 'token-of-the-tests';
let service: Service;
let host = '';
/** Authorization headers that arrived at the host. */
const tokens: string[] = [];

beforeAll(async () => {
  const organizations = [{ id: 'org_acme', title: 'Acme', teams: [{ id: 'team_old', title: 'Old' }] }];
  service = await startService({ data: ':memory:', token, seed: { organizations } });
  const http = createServer((request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) tokens.push(authorization);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = 'GET', headers, url = '' } = request;
      const answer = await fetch(`${service.url}${url}`, {
        method,
        headers: {
          authorization: headers.authorization ?? '',
          'content-type': headers['content-type'] ?? 'text/plain',
        },
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(await answer.text());
    });
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  host = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return () => {
    http.closeAllConnections();
    http.close();
  };
});
afterAll(() => service.close());
beforeEach(() => {
  tokens.length = 0;
});

/** State of the user, and a checkout whose configuration names the host; commands run in a subfolder. */
function checkout(config = `baseUrl: ${host}\n`, more: Readonly<Record<string, string>> = {}) {
  const root = folder({
    'state/keep': '',
    'repo/.git/HEAD': 'ref: refs/heads/main\n',
    'repo/octavo.config.yaml': config,
    'repo/work/acme.yaml': manifest,
    ...more,
  });
  return {
    root,
    cwd: join(root, 'repo', 'work'),
    list: join(root, 'state', 'octavo', 'trusted-hosts.json'),
    env: { OCTAVO_TOKEN: token, XDG_STATE_HOME: join(root, 'state') },
  };
}

/** Arguments with which a command sends requests; others need none. */
const args: Readonly<Record<string, readonly string[]>> = {
  apply: ['--auto-approve'],
  undo: ['--out', 'undo.json'],
  export: ['--organization', 'org_acme'],
  init: ['--from-live', '--organization', 'org_acme'],
  api: ['orgs.list'],
};

const commands = await Promise.all(
  commandNames.map(async (name) => ({ name, ...(await loadCommand(name)) })),
);
const online = commands.filter(({ flags }) => 'baseUrl' in flags).map(({ name }) => name);
const offline = commands.filter(({ flags }) => !('baseUrl' in flags)).map(({ name }) => name);

describe.each(online)('%s', (name) => {
  const line = [name, ...(args[name] ?? [])];

  /** A checkout, with a run to undo if needed. */
  async function used() {
    const place = checkout();
    const { cwd, env } = place;
    if (name === 'undo') {
      const teams = `octavo: 1\norganization: org_acme\nteams: { t${Date.now()}: { title: T${Date.now()} } }\n`;
      writeFileSync(join(cwd, 'acme.yaml'), teams);
      const ran = await octavo(['apply', '--auto-approve'], { cwd, env: { ...env, OCTAVO_BASE_URL: host } });
      expect(ran.code).toBe(0);
      tokens.length = 0;
    }
    return place;
  }

  test('sends no token to a host that only the configuration names', async () => {
    const { cwd, env } = await used();
    const { code, stdout, stderr } = await octavo(line, { cwd, env });
    expect(tokens).toEqual([]);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(`octavo.config.yaml would send the token to ${host}`);
    expect(stdout + stderr).toContain(`OCTAVO_BASE_URL=${host}`);
    expect(stdout + stderr).not.toContain(token);
  });

  test('works with the host that the user names', async () => {
    const { cwd, env } = await used();
    const ran = await octavo(line, { cwd, env: { ...env, OCTAVO_BASE_URL: host } });
    expect(ran).toMatchObject({ code: 0 });
    expect(new Set(tokens)).toEqual(new Set([`Bearer ${token}`]));
  });
});

test.each(offline)('%s sends no token', async (name) => {
  const { cwd, env } = checkout();
  const running = start([name], { cwd, env: { ...env, GITHUB_TOKEN: token, GITLAB_TOKEN: token } });
  // serve runs until it is stopped.
  const stop = setTimeout(() => running.kill('SIGINT'), 1000);
  await running.ended;
  clearTimeout(stop);
  expect(tokens).toEqual([]);
});

test('the user setting takes precedence, and its host is only used for its own URL', async () => {
  const { cwd, env } = checkout();
  const other = { ...env, OCTAVO_BASE_URL: service.url };
  expect(await octavo(['api', 'orgs.list'], { cwd, env: other })).toMatchObject({ code: 0 });
  expect(tokens).toEqual([]);
  expect(await octavo(['api', 'orgs.list', '--base-url', host], { cwd, env })).toMatchObject({ code: 0 });
  expect(tokens).toHaveLength(1);
});

test('a relative home does not make a folder of the checkout the place of trusted hosts', async () => {
  const trusted = JSON.stringify({ format: 1, hosts: [host] });
  const folders = ['.local/state', 'state', 'Library/Application Support'];
  const { cwd, env } = checkout(
    undefined,
    Object.fromEntries(folders.map((one) => [`repo/work/${one}/octavo/trusted-hosts.json`, trusted])),
  );
  for (const HOME of ['', '.']) {
    const ran = await octavo(['plan'], { cwd, env: { ...env, HOME, XDG_STATE_HOME: 'state' } });
    expect(ran.stderr).toContain('error[untrusted-host]');
  }
  expect(tokens).toEqual([]);
});

test('the embedded service needs neither a token nor trust', async () => {
  const { cwd, env } = checkout('baseUrl: local\n');
  const { XDG_STATE_HOME } = env;
  expect(await octavo(['plan'], { cwd, env: { XDG_STATE_HOME } })).toMatchObject({ code: 0, stderr: '' });
});

test('a proxy gets no token for an untrusted host', async () => {
  const { cwd, env } = checkout('baseUrl: https://api.acme.example\n');
  const ran = await octavo(['plan'], { cwd, env: { ...env, HTTPS_PROXY: host } });
  expect(ran.stderr).toContain('error[untrusted-host]');
});

test.each(['env', 'secret', 'env:OCTAVO_TOKEN:-x} ${env'])(
  'a manifest cannot include the token: %s',
  async (scheme) => {
    const { cwd, env } = checkout('baseUrl: local\n');
    const text = `octavo: 1\norganization: { id: org_acme, title: "\${${scheme}:OCTAVO_TOKEN}" }\n`;
    writeFileSync(join(cwd, 'acme.yaml'), text);
    for (const command of ['plan', 'validate']) {
      const ran = await octavo([command], { cwd, env });
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toContain('error[interpolation]: OCTAVO_TOKEN cannot be part of a manifest');
      expect(ran.stderr).not.toContain(token);
    }
  },
);

describe('the prompt', () => {
  const line = ['api', 'orgs.list'];
  const question =
    /octavo\.config\.yaml would send the token to http:\/\/127\.0\.0\.1:\d+, which you have not trusted/;

  test('is shown once, stores "yes" only for the user, and also allows commands without a terminal', async () => {
    const { cwd, env, list } = checkout();
    const first = await octavo(line, { cwd, env, isTerminal: true, input: 'yes\n' });
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toMatch(question);
    expect(JSON.parse(readFileSync(list, 'utf8'))).toEqual({ format: 1, hosts: [host] });
    expect(statSync(list).mode & 0o777).toBe(0o600);
    expect(tokens).toHaveLength(1);
    expect(await octavo(line, { cwd, env })).toMatchObject({ code: 0, stderr: '' });
    expect(tokens).toHaveLength(2);
    // Another port counts as another host.
    writeFileSync(join(cwd, '..', 'octavo.config.yaml'), `baseUrl: ${service.url}\n`);
    expect((await octavo(line, { cwd, env })).stderr).toContain('error[untrusted-host]');
  });

  test('is shown while a plan shows its progress', async () => {
    const { cwd, env } = checkout();
    const ran = await octavo(['plan'], { cwd, env, isTerminal: true, input: 'yes\n' });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(question);
    expect(tokens.length).toBeGreaterThan(0);
  });

  test.each(['no\n', 'y\n', '\n', ''])('sends no token after %j', async (input) => {
    const { cwd, env } = checkout();
    const ran = await octavo(line, { cwd, env, isTerminal: true, input });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('error[untrusted-host]');
    expect(tokens).toEqual([]);
    expect((await octavo(line, { cwd, env })).code).toBe(1);
  });

  test.each(['api', 'plan'])('sends no token after Ctrl-C: %s', async (name) => {
    const { cwd, env } = checkout();
    const running = start([name, ...(args[name] ?? [])], { cwd, env, isTerminal: true, typedAhead: 'yes\n' });
    await running.stderr.until('not trusted');
    running.kill('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('Interrupted.');
    expect(tokens).toEqual([]);
  });

  test.each<[string, readonly string[], RunOptions]>([
    ['with --quiet', ['--quiet'], { isTerminal: true }],
    ['in CI', [], { isTerminal: true, env: { CI: 'true' } }],
    ['in a pipe', [], { input: 'yes\n' }],
  ])('is not shown %s', async (_, more, options) => {
    const { cwd, env } = checkout();
    const ran = await octavo([...line, ...more], { ...options, cwd, env: { ...env, ...options.env } });
    expect(ran.code).toBe(1);
    expect(ran.stderr).not.toMatch(question);
    expect(tokens).toEqual([]);
  });

  test('is not shown by doctor', async () => {
    const { cwd, env } = checkout();
    const ran = await octavo(['doctor'], { cwd, env, isTerminal: true });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/base-url +\S*octavo\.config\.yaml would send the token to/);
    expect(tokens).toEqual([]);
  });
});

test.each([
  ['cut off', '{"format":1,"hosts":["'],
  ['of another form', '["http://127.0.0.1"]'],
  ['with what is no host', '{"format":1,"hosts":["*"]}'],
])('a list of trusted hosts that is %s is an error, and trusts no host', async (_, text) => {
  const { cwd, env, list } = checkout();
  mkdirSync(dirname(list), { recursive: true });
  writeFileSync(list, text);
  const ran = await octavo(['plan'], { cwd, env, isTerminal: true, input: 'yes\n' });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('the list of trusted hosts');
  expect(ran.stderr).toContain(list);
  expect(readFileSync(list, 'utf8')).toBe(text);
  expect(tokens).toEqual([]);
});

test('a list of trusted hosts that cannot be read is an error', async () => {
  const { cwd, env, list } = checkout();
  mkdirSync(list, { recursive: true });
  const ran = await octavo(['plan'], { cwd, env });
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /error\[trusted-hosts\]: cannot read .*: it is a folder/,
  );
});

test('the file of the token is named by the user, and not by a checkout', async () => {
  const { cwd, env } = checkout('tokenFile: .octavo-token\n', { 'repo/.octavo-token': token, key: token });
  const { XDG_STATE_HOME } = env;
  const run = (more: Readonly<Record<string, string>>) =>
    octavo(['api', 'orgs.list'], { cwd, env: { XDG_STATE_HOME, OCTAVO_BASE_URL: host, ...more } });
  const refused = await run({});
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('unknown setting "tokenFile"');
  writeFileSync(join(cwd, '../octavo.config.yaml'), 'file: work\n');
  expect((await run({})).stderr).toContain('error[no-token]');
  expect(tokens).toEqual([]);
  expect(await run({ OCTAVO_TOKEN_FILE: '../../key' })).toMatchObject({ code: 0 });
  expect(tokens).toEqual([`Bearer ${token}`]);
});

describe('init', () => {
  const init = ['init', '--organization', 'org_acme', '--dir', '.'];

  test('trusts the host that the user names', async () => {
    const { cwd, env, list } = checkout('file: work\n');
    expect(await octavo([...init, '--base-url', `${host}/v1`], { cwd, env })).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(list, 'utf8'))).toEqual({ format: 1, hosts: [host] });
    expect(await octavo(['api', 'orgs.list'], { cwd, env })).toMatchObject({ code: 0 });
  });

  test('writes nothing if the host cannot be added to the list', async () => {
    const { cwd } = checkout('file: work\n');
    const before = readdirSync(cwd);
    const ran = await octavo([...init, '--base-url', host], { cwd, env: { HOME: '', XDG_STATE_HOME: '' } });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('error[trusted-hosts]: no folder for the list of trusted hosts');
    expect(readdirSync(cwd)).toEqual(before);
    const env = { HOME: '', XDG_STATE_HOME: folder({}) };
    expect(await octavo([...init, '--base-url', host], { cwd, env })).toMatchObject({ code: 0 });
  });

  test('does not trust the host of a parent configuration', async () => {
    const { cwd, env } = checkout();
    expect(await octavo(init, { cwd, env })).toMatchObject({ code: 0 });
    expect((await octavo(['api', 'orgs.list'], { cwd, env })).stderr).toContain('error[untrusted-host]');
    expect(tokens).toEqual([]);
  });

  test('names the file of the token, but not in the configuration', async () => {
    const { cwd, env, root } = checkout('file: work\n', { key: token });
    const { XDG_STATE_HOME } = env;
    const file = join(root, 'key');
    const options = { cwd, env: { XDG_STATE_HOME } };
    const ran = await octavo([...init, '--base-url', host, '--token-file', file], options);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain(`export OCTAVO_TOKEN_FILE=${file}`);
    expect(readFileSync(join(cwd, 'octavo.config.yaml'), 'utf8')).not.toContain('tokenFile');
  });
});
