/** Untrusted texts are parsed in time proportional to their length, and other requests do not wait for it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hrefsOf } from '../../src/server/content/links.ts';
import { sampleSeed } from '../../src/server/index.ts';
import { startInMemory } from './call.ts';

const files: Readonly<Record<string, string>> = {
  '/spec.yaml': `openapi: 3.1.0\npaths:\n${Array.from({ length: 15_000 }, (_none, at) => `  /p${at}:\n    get: {responses: {}}\n`).join('')}`,
  '/heads.html': '<head></head>'.repeat(80_000),
  '/links.md': ']('.repeat(500_000),
  '/page.md': '# Page\n\n[one](https://en.wikipedia.org/wiki/A_(b)) and ![two](map.png "Map")\n',
};
const strangers = createServer((request, response) => {
  response.end(files[request.url ?? ''] ?? '');
});
const { service, call, failures } = await startInMemory(sampleSeed);
let from = '';
beforeAll(async () => {
  await new Promise<void>((done) => strangers.listen(0, '127.0.0.1', done));
  from = `http://127.0.0.1:${(strangers.address() as AddressInfo).port}`;
});
afterAll(async () => {
  expect(failures).toEqual([]);
  strangers.close();
  await service.close();
});

const org = '/v1/orgs/org_acme';
const put = (source: object) => call('PUT', `${org}/openapi/x`, { source });

test('answers other requests while it parses a large specification in YAML', async () => {
  let done = false;
  const parsing = put({ url: `${from}/spec.yaml` }).then((answer) => {
    done = true;
    return answer;
  });
  let answered = 0;
  while (!done) {
    expect((await call('GET', '/healthz')).status).toBe(200);
    answered += 1;
    await wait(10);
  }
  expect((await parsing).status).toBe(201);
  // A single thread would answer two or three: before and after.
  expect(answered).toBeGreaterThan(20);
});

test.each([
  ['JSON', '{"openapi":"3.1.0"}', undefined],
  ['YAML', 'openapi: 3.1.0\npaths: {}', undefined],
  ['a list', '[1]', 'PARSE_ERROR'],
  ['another document', 'title: x', 'PARSE_ERROR'],
  ['nothing', '', 'PARSE_ERROR'],
  ['deep flow', `x: ${'['.repeat(20_000)}`, 'PARSE_ERROR'],
  ['deep JSON', '['.repeat(20_000), 'PARSE_ERROR'],
  [
    'many aliases',
    `openapi: 3.1.0\na: &a [${'x, '.repeat(99)}x]\n${'bcdefgh'.replaceAll(/./g, (key) => `${key}: &${key} [${`*${String.fromCharCode(key.charCodeAt(0) - 1)}, `.repeat(9)}*a]\n`)}`,
    'PARSE_ERROR',
  ],
] as const)('parses a specification or reports the error: %s', async (_name, text, code) => {
  const { status, body } = await put({ text });
  expect([status < 202, body.lastProcessErrorCode]).toEqual([true, code]);
});

test('imports hostile pages, and lists the links of a space', async () => {
  for (const [file, source] of [
    ['heads.html', 'html'],
    ['links.md', 'markdown'],
    ['page.md', 'markdown'],
  ] as const) {
    const imported = await call('POST', '/v1/spaces/sp_onboarding/content/import', {
      url: `${from}/${file}`,
      source,
    });
    expect([imported.status, imported.body.importedResources]).toEqual([201, 1]);
  }
  const { body } = await call('GET', '/v1/spaces/sp_onboarding/links');
  expect(body.stats.total).toBe(2);
});

test('finds links and images of Markdown', () => {
  expect(hrefsOf('[a](b) ![c](<d.png> "E") [x]( /y ) `[no](no)` [p](https://x/A_(b))')).toEqual([
    'b',
    'd.png',
    '/y',
    'https://x/A_(b',
  ]);
});

test('reports the reason for a failed import', async () => {
  const send = async (url: string, source = 'markdown') => {
    const { status, body } = await call('POST', '/v1/spaces/sp_onboarding/content/import', { url, source });
    return `${status} ${body.error?.message}`;
  };
  expect(await send('file:///etc/passwd')).toBe('400 body.url: only http and https addresses are read');
  expect(await send('https://example.com/a.md')).toBe(
    '400 body.url: the service may not read from example.com; see octavo serve --allow-fetch',
  );
  expect(await send(`${from}/page.md`, 'docx')).toBe('400 body.source: this service does not import docx');
  expect(await send('http://127.0.0.1:1/a.md')).toBe('400 body.url: could not be read');
});
