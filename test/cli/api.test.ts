/** `octavo api` against the embedded service with sample data. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { operationIds } from '../../src/contract/index.ts';
import { type Service, sampleSeed, startService } from '../../src/server/index.ts';
import { folder, octavo, type RunOptions } from './octavo.ts';

let service: Service;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  service = await startService({ data: ':memory:', seed: sampleSeed });
  env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token };
});
afterAll(() => service.close());

function api(words: string, options: RunOptions = {}) {
  return octavo(['api', ...words.split(' ')], { env, ...options });
}

/** The parsed output of a command that must succeed. */
async function json(words: string, options?: RunOptions) {
  const ran = await api(words, options);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
}

/** The error message of a command that must change nothing and print nothing to stdout. */
async function complaint(words: string | readonly string[], options: RunOptions = {}) {
  const before = snapshot();
  const args = typeof words === 'string' ? words.split(' ') : words;
  const { code, stdout, stderr } = await octavo(['api', ...args], { env, ...options });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error\[[a-z-]+\]: /);
  expect(stderr).not.toMatch(/\bbug\b|^\s+at /m);
  expect(snapshot()).toBe(before);
  return stderr.replace(/\s+/g, ' ');
}

function snapshot(): string {
  return JSON.stringify([
    service.store.every('site'),
    service.store.every('team'),
    service.store.every('org'),
  ]);
}

test('finds an operation by name, by method and path, or by path alone', async () => {
  const byName = await json('sites.list organizationId=org_acme');
  expect(byName.items.map(({ title }: { title: string }) => title)).toEqual(['Developer Hub', 'Status']);
  expect(await json('GET /v1/orgs/org_acme/sites')).toEqual(byName);
  expect(await json('get /v1/orgs/org_acme/sites/')).toEqual(byName);
  expect(await json('/v1/orgs/org_acme/sites')).toEqual(byName);
  expect(await json('sites.list -- organizationId=org_acme')).toEqual(byName);
});

test('takes query parameters as arguments and in the path', async () => {
  const words = await json('sites.list organizationId=org_acme published=true limit=1');
  expect(words.items).toHaveLength(1);
  expect(await json('GET /v1/orgs/org_acme/sites?published=true limit=1')).toEqual(words);
});

test('prints indented JSON', async () => {
  const { stdout } = await api('GET /v1/orgs/org_globex');
  expect(stdout).toBe(`${JSON.stringify(JSON.parse(stdout), null, 2)}\n`);
  expect(stdout).toContain('\n  "id": "org_globex",\n');
});

test('converts fields to the types of the contract', async () => {
  const team = await json('PUT /v1/orgs/org_acme/teams -F title=true');
  expect(team.title).toBe('true');
  const site = await json(
    'sites.update organizationId=org_acme siteId=site_status -F title=123 -F adaptiveContent.enabled=true -F proxy=null',
  );
  expect(site).toMatchObject({ title: '123', adaptiveContent: { enabled: true } });
  const field = await json(
    'customFields.create organizationId=org_acme -F name=tier -F type=select:single -F options=gold -F options=silver',
  );
  expect(field.options).toEqual(['gold', 'silver']);
  const space = 'spaceId=sp_api_guide';
  const set = `spaces.updateCustomFields ${space} -F values.reviewed.value=false -F values.owner-team.value=People`;
  expect(await api(set)).toEqual({ code: 0, stdout: '', stderr: '' });
  const values = await json(`spaces.getCustomFields ${space}`);
  expect(values.map(({ value }: { value: unknown }) => value)).toEqual(['People', false, 'beta']);
});

test('reads lists, files and JSON from fields', async () => {
  const cwd = folder({ 'title.txt': 'From a file', 'schema.json': '{"type":"object","properties":{}}' });
  const made = await json('sites.create organizationId=org_acme -F title=@title.txt -F spaces=sp_api_guide', {
    cwd,
  });
  expect(made.title).toBe('From a file');
  const spaces = await json(`siteSpaces.list organizationId=org_acme siteId=${made.id}`);
  expect(spaces.items).toMatchObject([{ space: { id: 'sp_api_guide' } }]);
  const schema = await json(
    `sites.putAdaptiveSchema organizationId=org_acme siteId=${made.id} -F jsonSchema=@schema.json`,
    { cwd },
  );
  expect(schema.jsonSchema).toEqual({ type: 'object', properties: {} });
  const handle = await json(`sites.update organizationId=org_acme siteId=${made.id} -F title=@@home`);
  expect(handle.title).toBe('@home');
  const deleted = await api(`sites.delete organizationId=org_acme siteId=${made.id} --include`);
  expect(deleted).toEqual({ code: 0, stdout: 'HTTP/1.1 205 Reset Content\n\n', stderr: '' });
  expect(await complaint(`sites.delete organizationId=org_acme siteId=${made.id}`)).toContain(
    'failed with status 404',
  );
});

test('reads a body from a file and from stdin', async () => {
  const cwd = folder({ 'body.json': '{"title": "Acme Inc"}' });
  expect((await json('orgs.update organizationId=org_acme --input body.json', { cwd })).title).toBe(
    'Acme Inc',
  );
  const again = await json('orgs.update organizationId=org_acme --input -', { input: '{"title":"Acme"}' });
  expect(again.title).toBe('Acme');
});

test('prints the status with --include', async () => {
  const { stdout } = await api('PUT /v1/orgs/org_acme/teams -F title=Included --include');
  expect(stdout).toMatch(/^HTTP\/1\.1 201 Created\n\n\{\n/);
});

test('reads every page into one list with --paginate', async () => {
  const all = await json('members.list organizationId=org_acme --paginate limit=2');
  expect(all).toHaveLength(service.store.every('member').filter(({ org }) => org === 'org_acme').length);
  expect(new Set(all.map(({ id }: { id: string }) => id)).size).toBe(all.length);
});

test('hides URLs of share links without --show-secrets', async () => {
  const list = 'shareLinks.list organizationId=org_acme siteId=site_hub';
  const hidden = await api(list);
  expect(hidden.stdout).toContain('"published": "(secret)"');
  expect(hidden.stdout + hidden.stderr).not.toContain('https://');
  expect(hidden.stderr).toContain('--show-secrets');
  const made = await api('shareLinks.create organizationId=org_acme siteId=site_hub -F name=New');
  expect(made.stdout).not.toContain('https://');
  const { items } = await json(`${list} --show-secrets`);
  expect(items[0].urls.published).toMatch(/^https:/);
});

test('lists all operations, or the ones that match a word, with --list', async () => {
  const { stdout } = await octavo(['api', '--list']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(operationIds.length);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(operationIds);
  const some = (await octavo(['api', '--list', 'share-link'])).stdout.trimEnd().split('\n');
  expect(some).toHaveLength(4);
  expect((await octavo(['api', '--list', 'xyzzy'])).code).toBe(1);
});

test('prints method, path, parameters and limits of an operation with --describe', async () => {
  const { stdout } = await octavo(['api', 'sites.update', '--describe']);
  expect(stdout).toContain('sites.update  PATCH /v1/orgs/{organizationId}/sites/{siteId}');
  expect(stdout).toMatch(/title +optional +string \(2 to 128 characters\)/);
  expect(stdout).toContain('octavo api sites.update organizationId=… siteId=…');
  expect((await octavo(['api', 'PATCH', '/v1/orgs/a/sites/b', '--describe'])).stdout).toBe(stdout);
});

test.each([
  ['sites.lst', /unknown operation "sites\.lst".*sites\.list: GET/],
  ['spaces.import', /spaceContent\.import: POST/],
  ['share', /unknown operation "share".*shareLinks\.list/],
  ['GET /v1/org --describe', /unknown operation GET \/v1\/org \(did you mean orgs\.list: GET \/v1\/orgs\?/],
  ['GET v1/orgs', /v1\/orgs is not a valid path.*such as \/v1\/orgs/],
  ['GET /v1//sites', /is not a valid path/],
  ['GET /v1/orgs/%2e%2E/sites', /is not a valid path/],
  ['GET /v1/new a=b c', /"c" is not a parameter/],
  ['/v1/new -F a=b', /takes no body/],
  ['PUT /v1/new -F a=b --input x', /both -F and --input|cannot read x/],
  ['POST /v1/new --paginate', /POST \/v1\/new has no pages/],
  ['PATCH /v1/orgs/org_acme', /the body is empty.*octavo api orgs\.update --describe/],
  ['GET', /GET needs a path/],
  ['GET https://api.example.com/v1/orgs', /is a URL/],
  ['sites.list', /missing path parameter organizationId/],
  ['sites.list organizationId=', /missing path parameter organizationId/],
  ['GET /v1/orgs/../sites', /is not a valid path/],
  ['sites.list organizationId=org_acme organizationId=b', /organizationId is set twice/],
  [
    'sites.list organizationId=org_acme publishd=true',
    /unknown parameter publishd.*did you mean published\?/,
  ],
  ['sites.list organizationId=org_acme limit=9999', /query\.limit must be at most 1000.*0 to 1000/],
  ['sites.list organizationId=org_acme limit=many', /query\.limit must be a number/],
  ['sites.list organizationId=org_acme published=yes', /query\.published must be true or false/],
  ['sites.list organizationId=org_acme sites', /"sites" is not a parameter/],
  ['sites.list organizationId=org_acme -F title=x', /takes no body.*name=value/],
  ['orgs.update organizationId=org_acme title=x', /unknown parameter title.*field of the body: -F title/],
  ['orgs.update organizationId=org_acme', /the body is empty.*octavo api orgs\.update --describe/],
  ['orgs.update organizationId=org_acme -F titel=x', /body has no "titel".*did you mean title\?/],
  [
    'orgs.update organizationId=org_acme -F defaultRole=reed',
    /body\.defaultRole must be one of admin, .*"reed"/,
  ],
  ['orgs.update organizationId=org_acme -F title=x', /body\.title must be at least 2 characters, is 1/],
  ['orgs.update organizationId=org_acme -F sso=perhaps', /body\.sso must be true or false/],
  ['orgs.update organizationId=org_acme -F title', /has no value/],
  ['orgs.update organizationId=org_acme -F title=a -F title=b', /body\.title must be text, is a list/],
  ['orgs.update organizationId=org_acme -F title=@none.txt', /cannot read none\.txt: it does not exist/],
  ['orgs.update organizationId=org_acme -F __proto__.x=1', /body has no "__proto__"/],
  ['orgs.update organizationId=org_acme -F title=a -F title.b=c', /as a value and as an object/],
  [
    'orgs.update organizationId=org_acme -F title=ab --input x.json',
    /cannot read x\.json|both -F and --input/,
  ],
  ['shareLinks.create organizationId=org_acme siteId=site_hub', /body\.name is missing/],
  ['orgs.get organizationId=org_acme --paginate', /orgs\.get has no pages/],
  ['orgs.get organizationId=nobody', /status 404/],
])('rejects %s', async (words, message) => {
  expect(await complaint(words)).toMatch(message);
});

/** A service that records requests and sends the given response. */
async function echo(answer: (path: string) => string | undefined = () => '{}') {
  const sent: { line: string; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      sent.push({ line: `${request.method} ${request.url}`, body });
      const text = answer(request.url ?? '');
      response.writeHead(text === undefined ? 404 : 200).end(text);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const own = { OCTAVO_BASE_URL: `http://127.0.0.1:${port}`, OCTAVO_TOKEN: 'token-of-the-test' };
  return {
    sent,
    api: (words: string, input = '') => octavo(['api', ...words.split(' ')], { env: own, input }),
  };
}

const asIs = 'sent as is; the service may reject it\n';

test.each([
  ['GET /v1/orgs/o/insights', 'GET /v1/orgs/o/insights', '', 'unknown operation GET /v1/orgs/o/insights'],
  ['/v1/new?x=1 y=2 y=3', 'GET /v1/new?x=1&y=2&y=3', '', 'unknown operation GET /v1/new'],
  [
    'PUT /v1/a%2Fb#c/é -F n=1 -F t.u=x',
    'PUT /v1/a%2Fb%23c/%C3%A9',
    '{"n":1,"t":{"u":"x"}}',
    'unknown operation PUT /v1/a%2Fb%23c/%C3%A9',
  ],
  ['POST /v1/bulk --input -', 'POST /v1/bulk', '[1,{"a":null}]', 'unknown operation POST /v1/bulk'],
  [
    'DELETE /v1/orgs/o/fonts/f',
    'DELETE /v1/orgs/o/fonts/f',
    '',
    'unknown operation DELETE /v1/orgs/o/fonts/f',
  ],
  [
    'PATCH /v1/spaces/s -F visibility=public',
    'PATCH /v1/spaces/s',
    '{"visibility":"public"}',
    'body has no "visibility"',
  ],
  [
    'GET /v1/orgs/o/members?foo=bar limit=9999',
    'GET /v1/orgs/o/members?foo=bar&limit=9999',
    '',
    'unknown parameter foo; query.limit must be at most 1000',
  ],
  [
    'PATCH /v1/orgs/o -F defaultRole=owner',
    'PATCH /v1/orgs/o',
    '{"defaultRole":"owner"}',
    'body.defaultRole must be one of',
  ],
  [
    'DELETE /v1/orgs/o/teams/t -F force=true',
    'DELETE /v1/orgs/o/teams/t',
    '{"force":true}',
    'the operation takes no body',
  ],
  [
    'POST /v1/orgs/o/members/m/sso -F force=true',
    'POST /v1/orgs/o/members/m/sso',
    '{"force":true}',
    'the operation takes no body',
  ],
])('%s is sent as typed', async (words, line, body, unknown) => {
  const { sent, api: typed } = await echo(() => '{"done":true}');
  const ran = await typed(words, body);
  expect(ran).toMatchObject({ code: 0, stdout: '{\n  "done": true\n}\n' });
  expect(sent).toEqual([{ line, body }]);
  expect(ran.stderr.split('\n')).toHaveLength(2);
  expect(ran.stderr.startsWith(unknown)).toBe(true);
  expect(ran.stderr.endsWith(`: ${asIs}`)).toBe(true);
  expect((await typed(`${words} --quiet`, body)).stderr).toBe('');
});

test('prints no warning for known operations, and rejects unknown fields of named ones', async () => {
  const { sent, api: typed } = await echo(() => '{"items":[]}');
  expect(await typed('GET /v1/orgs')).toMatchObject({ code: 0, stderr: '' });
  expect(await typed('spaces.update spaceId=s -F visibility=public')).toMatchObject({ code: 1 });
  expect(sent).toHaveLength(1);
});

test('follows pages of an unknown path, and shows empty and failed responses', async () => {
  const { sent, api: typed } = await echo((path) =>
    path.includes('page=two')
      ? '{"items":[2]}'
      : path.startsWith('/v1/list')
        ? '{"items":[1],"next":{"page":"two"}}'
        : path.startsWith('/v1/one')
          ? '{"id":1}'
          : path.startsWith('/v1/empty')
            ? ''
            : path.startsWith('/v1/share-links')
              ? '{"urls":{"published":"https://secret.example"}}'
              : undefined,
  );
  expect(JSON.parse((await typed('/v1/list --paginate')).stdout)).toEqual([1, 2]);
  expect(await typed('/v1/one --paginate')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the response is not a list: leave out --paginate'),
  });
  expect(await typed('POST /v1/empty')).toMatchObject({ code: 0, stdout: '' });
  expect((await typed('/v1/share-links')).stdout).toContain('(secret)');
  const lost = await typed('PUT /v1/lost -F a=b');
  expect(lost).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('PUT /v1/lost failed with status 404'),
  });
  expect(lost.stdout + lost.stderr).not.toContain('token-of-the-test');
  expect(sent.filter(({ line }) => line.includes('lost'))).toHaveLength(1);
});

test('reports all problems together', async () => {
  const message = await complaint('sites.update siteId=site_hub -F visibility=publik -F title=x -F tilte=y');
  for (const word of ['organizationId', 'publik', 'body.title', 'tilte', '4 errors'])
    expect(message).toContain(word);
});

test('rejects invalid JSON', async () => {
  const update = 'orgs.update organizationId=org_acme --input -';
  expect(await complaint(update, { input: '{"title": "Acme",' })).toMatch(/--input is not JSON/);
  expect(await complaint(update, { input: '' })).toMatch(/--input is not JSON/);
  expect(await complaint(update, { input: '[]' })).toMatch(/body must be a mapping/);
  expect(await complaint(update, { input: '{"__proto__": {"a": 1}}' })).toMatch(/body has no "__proto__"/);
});

test('requires an operation, a service and a token', async () => {
  expect(await complaint([])).toMatch(/which operation\?.*--list/);
  expect(await complaint(['orgs.list'], { env: {} })).toMatch(/no service configured/);
  const noToken = { env: { OCTAVO_BASE_URL: service.url } };
  expect(await complaint(['orgs.list'], noToken)).toMatch(/no token configured/);
});

test('runs the embedded service inside the command', async () => {
  const ran = await octavo(['api', 'orgs.list', '--base-url', 'local', '--seed', 'sample']);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout).items).toMatchObject([{ id: 'org_acme' }, { id: 'org_globex' }]);
});

test('escapes control characters, and prints equivalent JSON', async () => {
  const title = 'Evil \u202e\u0007 \\u{202e} 👩‍🚀';
  const { stdout } = await octavo(['api', 'PUT', '/v1/orgs/org_acme/teams', '-F', `title=${title}`], { env });
  for (const character of ['\u202e', '\u0007']) expect(stdout).not.toContain(character);
  expect(JSON.parse(stdout).title).toBe(title);
});
