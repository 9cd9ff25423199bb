/** Content: imports from loopback, links, search, change requests, specifications. */
import { createServer, type Server } from 'node:http';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Service, sampleSeed } from '../../src/server/index.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { type Call, startInMemory } from './call.ts';

const space = '/v1/spaces/sp_api_guide';
let service: Service;
let call: Call;
let source: Server;
let from: string;

const files: Record<string, { type: string; body: Buffer | string; location?: string }> = {
  '/guide.md': { type: 'text/markdown', body: '# Imported guide\n\nWith a zebra and [a link](welcome).\n' },
  '/page.html': {
    type: 'text/html',
    body: '<html><head><title>Old page</title><script>bad()</script></head><body><p>Hi <a href="https://x.dev">x</a> &amp; co</p></body></html>',
  },
  '/docs.zip': {
    type: 'application/zip',
    body: zip({ 'a.md': '# Page A\n', 'img/logo.png': 'PNG', 'b.html': '<h1>B</h1>' }),
  },
  '/openapi.yaml': {
    type: 'text/yaml',
    body: 'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: {}\n',
  },
  '/broken.yaml': { type: 'text/yaml', body: '{{{' },
  '/away': { type: 'text/plain', body: '', location: 'http://example.com/guide.md' },
  '/here': { type: 'text/plain', body: '', location: '/guide.md' },
  '/file': { type: 'text/plain', body: '', location: 'file:///etc/passwd' },
};

/** A zip archive of deflated files. */
function zip(entries: Record<string, string>): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const packed = deflateRawSync(Buffer.from(text));
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(text.length, 22);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(8, 10);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt32LE(text.length, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(offset, 42);
    locals.push(local, Buffer.from(name), packed);
    centrals.push(central, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(entries).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

beforeAll(async () => {
  source = createServer((request, response) => {
    const file = files[request.url ?? ''];
    if (request.url === '/slow') return;
    if (file?.location !== undefined) response.writeHead(302, { location: file.location });
    else response.writeHead(file === undefined ? 404 : 200, { 'content-type': file?.type ?? 'text/plain' });
    response.end(file?.body);
  });
  await new Promise<void>((done) => source.listen(0, '127.0.0.1', done));
  const address = source.address();
  from = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  ({ service, call } = await startInMemory(sampleSeed, { fetchTimeoutMs: 300 }));
});
beforeEach(() => service.reset(sampleSeed));
afterAll(async () => {
  source.closeAllConnections();
  source.close();
  await service.close();
});

async function importing(path: string, kind: string, into = `${space}/content/import`) {
  const url = path.startsWith('/') ? from + path : path;
  return (await call('POST', into, { url, source: kind })).body;
}

test('imports Markdown, HTML and zip from loopback', async () => {
  expect(await importing('/guide.md', 'markdown')).toMatchObject({ importedResources: 1, totalResources: 1 });
  expect(await importing('/here', 'markdown')).toMatchObject({ importedResources: 1 });
  expect(await importing('/page.html', 'html')).toMatchObject({ importedResources: 1 });
  expect(await importing('/docs.zip', 'zip')).toMatchObject({ importedResources: 3, totalResources: 3 });
  const { pages } = (await call('GET', `${space}/content/pages`)).body;
  const titles = pages.map((page: { title: string }) => page.title);
  expect(titles.slice(-5)).toEqual(['Imported guide', 'Imported guide', 'Old page', 'Page A', 'B']);
  expect(new Set(pages.map((page: { path: string }) => page.path)).size).toBe(pages.length);
  const old = pages.find((page: { title: string }) => page.title === 'Old page').id;
  const { markdown } = (await call('GET', `${space}/content/page/${old}?format=markdown`)).body;
  expect(markdown).toBe('# Old page\n\nHi [x](https://x.dev) & co');
  const found = (await call('GET', `${space}/search?query=zebra`)).body.items;
  expect(found).toHaveLength(2);
  expect(brokenInvariants(service)).toEqual([]);
});

test('rejects imports from other hosts, files, redirects to other hosts and missing addresses', async () => {
  const before = (await call('GET', space)).body.revision;
  for (const path of [
    'https://example.com/a.md',
    'file:///etc/passwd',
    '/away',
    '/file',
    '/missing',
    '/slow',
  ]) {
    expect(await importing(path, 'markdown'), path).toMatchObject({ error: { code: 400 } });
  }
  expect(await importing('/guide.md', 'notion')).toMatchObject({ error: { code: 400 } });
  expect((await call('GET', space)).body.revision).toBe(before);
});

test('lists links as ok or broken with counts', async () => {
  const all = (await call('GET', `${space}/links`)).body;
  expect(all.stats).toEqual({ total: 5, broken: { total: 1, changeRequest: 0 } });
  expect(all.items.map((one: { status: string }) => one.status)).toEqual(['ok', 'ok', 'ok', 'broken', 'ok']);
  expect((await call('GET', `${space}/links?status=broken`)).body.items).toHaveLength(1);
  const back = (await call('GET', `${space}/content/files/file_map/backlinks`)).body.items;
  expect(back).toHaveLength(1);
  const inRequest = await call('GET', `${space}/change-requests/1/content/page/page_welcome/links`);
  expect(inRequest.body.stats.broken).toEqual({ total: 1, changeRequest: 1 });
});

test('moves a change request from draft to merged', async () => {
  const made = (await call('POST', `${space}/change-requests`, { subject: 'Add a guide' })).body;
  expect(made).toMatchObject({ number: 3, status: 'draft', outdated: false });
  const path = `${space}/change-requests/${made.number}`;
  await importing('/guide.md', 'markdown', `${path}/content/import`);
  expect((await call('PATCH', path, { status: 'open' })).body.status).toBe('open');
  expect((await call('PATCH', path, { status: 'merged' })).status).toBe(400);
  await importing('/page.html', 'html');
  expect((await call('GET', path)).body.outdated).toBe(true);
  expect((await call('POST', `${path}/update`)).body.result).toBe('update');
  expect((await call('GET', path)).body.outdated).toBe(false);
  const merge = (await call('POST', `${path}/merge`)).body;
  expect(merge.result).toBe('merge');
  expect((await call('GET', space)).body.revision).toBe(merge.revision);
  expect((await call('GET', path)).body).toMatchObject({ status: 'merged', revisionMerged: merge.revision });
  expect((await call('POST', `${path}/merge`)).status).toBe(409);
  const titles = (await call('GET', `${space}/content/pages`)).body.pages.map(
    (page: { title: string }) => page.title,
  );
  expect(titles.slice(-2)).toEqual(['Old page', 'Imported guide']);
  expect((await call('GET', `${space}/change-requests?status=merged`)).body.items).toHaveLength(1);
  expect(brokenInvariants(service)).toEqual([]);
});

test('reports a conflict between changes of the same page', async () => {
  const page = { id: 'page_x', title: 'X', markdown: 'one' };
  const request = { id: 'cr_x', pages: [{ ...page, markdown: 'two' }] };
  const other = { id: 'cr_y', pages: [{ ...page, markdown: 'three' }] };
  const one = { id: 'sp_x', title: 'X', pages: [page], changeRequests: [request, other] };
  service.reset({ organizations: [{ id: 'org_x', title: 'X', spaces: [one] }] });
  const path = '/v1/spaces/sp_x/change-requests';
  expect((await call('POST', `${path}/1/merge`)).body.result).toBe('merge');
  expect((await call('POST', `${path}/2/merge`)).body.result).toBe('conflicts');
  expect((await call('POST', `${path}/2/update`)).body.result).toBe('conflicts');
  const read = await call('GET', '/v1/spaces/sp_x/content/page/page_x?format=markdown');
  expect(read.body.markdown).toBe('two');
});

test('rejects edits of a locked space', async () => {
  await call('PATCH', space, { editMode: 'locked' });
  const url = `${from}/guide.md`;
  expect((await call('POST', `${space}/content/import`, { url, source: 'markdown' })).status).toBe(409);
  expect((await call('POST', `${space}/change-requests/cr_wording/merge`)).status).toBe(409);
});

test('supports reactions, resolving, order and authors of comments', async () => {
  const path = `${space}/change-requests/cr_wording/comments`;
  const first = `${path}/com_first`;
  await call('PUT', first, { addedReactions: ['👍', '👍'] }, 'token-ada');
  const reacted = await call(
    'PUT',
    first,
    { addedReactions: ['👍'], removedReactions: ['x'] },
    'token-cosmo',
  );
  expect(reacted.body.reactions).toMatchObject([{ emoji: '👍', count: 2 }]);
  expect((await call('PUT', first, { body: { markdown: 'Mine' } }, 'token-cosmo')).status).toBe(403);
  const solved = await call('PUT', first, { resolved: true });
  expect(solved.body).toMatchObject({ status: 'resolved', resolvedBy: { id: 'user_owner' } });
  expect((await call('GET', space)).body.comments).toBe(0);
  const open = await call('PUT', first, { resolved: false });
  expect(open.body).not.toHaveProperty('resolvedAt');
  const ids = async (query: string) =>
    (await call('GET', path + query)).body.items.map((one: { id: string }) => one.id);
  expect(await ids('')).toEqual(['com_done', 'com_first']);
  expect(await ids('?order=asc&status=resolved')).toEqual(['com_done']);
  expect(await ids('?authors=user_ada')).toEqual([]);
  expect(await ids('?targetPage=page_welcome')).toEqual(['com_first']);
});

test('fetches, parses and versions specifications', async () => {
  const path = '/v1/orgs/org_acme/openapi';
  const put = (url: string) => call('PUT', `${path}/shop`, { source: { url } });
  const made = await put(`${from}/openapi.yaml`);
  expect([made.status, made.body.processingState]).toEqual([201, 'complete']);
  expect((await put(`${from}/openapi.yaml`)).status).toBe(200);
  expect((await call('GET', `${path}/shop/versions`)).body.items).toHaveLength(2);
  const content = (await call('GET', `${path}/shop/versions/latest/content`)).body;
  expect(content.filesystem['/'].info.title).toBe('T');
  const code = async (url: string) => (await put(url)).body.lastProcessErrorCode;
  expect(await code(`${from}/broken.yaml`)).toBe('PARSE_ERROR');
  expect(await code(`${from}/missing`)).toBe('FETCH_ERROR');
  expect(await code(`${from}/slow`)).toBe('FETCH_TIMEOUT');
  expect(await code('https://example.com/openapi.json')).toBe('FETCH_ERROR');
  expect((await put(`${from}/openapi.yaml`)).body).not.toHaveProperty('lastProcessErrorCode');
  expect((await call('POST', path, { slug: 'shop', source: { text: 'x' } })).status).toBe(409);
  expect((await call('POST', path, { slug: 'both', source: { text: 'x', url: from } })).status).toBe(400);
  expect((await call('PUT', `${path}/Not-A-Slug`, { source: { text: 'x' } })).status).toBe(400);
});
