/** Access of users: levels of content, hidden and deleted spaces, share keys. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Seed, sampleSeed } from '../../src/server/index.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { startInMemory } from './call.ts';

const [acme] = sampleSeed.organizations;
/** The sample with a hidden space on a published site, and a closed collection. */
const seed: Seed = {
  organizations: [
    {
      ...acme,
      title: 'Acme',
      content: [
        {
          type: 'collection',
          id: 'col_closed',
          title: 'Closed',
          defaultLevel: null,
          collections: [
            {
              type: 'collection',
              id: 'col_inner',
              title: 'Inner',
              spaces: [{ id: 'sp_inner', title: 'Inner' }],
            },
          ],
          spaces: [{ id: 'sp_opened', title: 'Opened', defaultLevel: 'edit' }],
        },
        {
          type: 'collection',
          id: 'col_admin',
          title: 'For admins',
          defaultLevel: 'admin',
          spaces: [
            { id: 'sp_admin', title: 'Inherits' },
            { id: 'sp_less', title: 'Less', defaultLevel: 'create' },
          ],
        },
      ],
      sites: [
        ...(acme?.sites ?? []),
        {
          id: 'site_open',
          title: 'Open',
          published: true,
          sections: [
            {
              id: 'sect_mixed',
              title: 'Mixed',
              spaces: [
                { id: 'entry_hidden', space: 'sp_secret', path: 'hidden' },
                { id: 'sitesp_seen', space: 'sp_api_guide' },
              ],
            },
            {
              id: 'sect_only',
              title: 'Only',
              spaces: [{ id: 'sitesp_only', space: 'sp_secret', path: 'only' }],
            },
          ],
        },
      ],
    },
  ],
};

const { service, call, failures } = await startInMemory(seed);
const org = '/v1/orgs/org_acme';

beforeEach(() => service.reset(seed));
afterAll(async () => {
  expect(failures).toEqual([]);
  expect(brokenInvariants(service)).toEqual([]);
  await service.close();
});

const status = async (...request: Parameters<typeof call>) => (await call(...request)).status;

test('keeps a copy as closed as its source, with the same values', async () => {
  const { body } = await call('POST', '/v1/spaces/sp_secret/duplicate');
  expect(body.defaultLevel).toBe(null);
  expect(await status('GET', `/v1/spaces/${body.id}`, undefined, 'token-rex')).toBe(404);
  expect(await status('GET', `/v1/spaces/${body.id}/content`, undefined, 'token-rex')).toBe(404);
  const copy = await call('POST', '/v1/spaces/sp_api_guide/duplicate');
  const values = async (id: string) => (await call('GET', `/v1/spaces/${id}/custom-fields`)).body;
  expect(await values(copy.body.id)).toEqual(await values('sp_api_guide'));
  expect(await values(copy.body.id)).toHaveLength(3);
});

test('never treats a null level as a missing one', () => {
  const source = new URL('../../src/server/', import.meta.url);
  const wrong = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => /[lL]evel\s*\?\?/.test(readFileSync(new URL(name, source), 'utf8')));
  expect(wrong).toEqual([]);
});

test('lets only administrators of content change its level', async () => {
  const { body } = await call('POST', `${org}/collections`, { title: 'C' }, 'token-cleo');
  for (const path of ['/v1/spaces/sp_api_guide', `/v1/collections/${body.id}`]) {
    expect(await status('PATCH', path, { title: 'T' }, 'token-cleo')).toBe(200);
    for (const defaultLevel of ['admin', 'read', null, 'inherit']) {
      const other = path.includes('collections') && defaultLevel === 'inherit' ? 'create' : defaultLevel;
      if (other === 'inherit') continue;
      expect(await status('PATCH', path, { defaultLevel: other }, 'token-cleo')).toBe(403);
    }
    expect(await status('DELETE', path, undefined, 'token-cleo')).toBe(403);
  }
  // Setting the current level again is permitted.
  expect(await status('PATCH', '/v1/spaces/sp_api_guide', { defaultLevel: 'inherit' }, 'token-cleo')).toBe(
    200,
  );
  expect(await status('PATCH', '/v1/spaces/sp_admin', { defaultLevel: 'read' }, 'token-rex')).toBe(200);
  expect(await status('PATCH', '/v1/spaces/sp_api_guide', { defaultLevel: 'admin' })).toBe(200);
});

test('rejects a move that would give the caller more access', async () => {
  const into = { parent: 'col_admin' };
  expect(await status('POST', '/v1/spaces/sp_runbooks/move', into, 'token-cleo')).toBe(403);
  expect(await status('POST', '/v1/spaces/sp_api_guide/move', into, 'token-cleo')).toBe(403);
  expect(await status('POST', '/v1/spaces/sp_less/move', { parent: null }, 'token-cleo')).toBe(200);
  expect(await status('POST', '/v1/spaces/sp_less/move', into, 'token-cleo')).toBe(200);
  const { body } = await call('POST', `${org}/collections`, { title: 'C' }, 'token-cleo');
  expect(await status('POST', `/v1/collections/${body.id}/move`, into, 'token-cleo')).toBe(403);
  expect(await status('POST', '/v1/spaces/sp_api_guide/move', into)).toBe(200);
});

test('deletes a collection with its contents if the caller may delete all of them', async () => {
  expect(await status('DELETE', '/v1/collections/col_admin', undefined, 'token-rex')).toBe(403);
  expect(await status('DELETE', '/v1/spaces/sp_less', undefined, 'token-rex')).toBe(403);
  expect(await status('GET', '/v1/spaces/sp_admin', undefined, 'token-rex')).toBe(200);
  await call('PATCH', '/v1/spaces/sp_less', { defaultLevel: 'inherit' });
  expect(await status('DELETE', '/v1/collections/col_admin', undefined, 'token-rex')).toBe(205);
});

test('shows no trace of a hidden space to users without access', async () => {
  for (const [token, sees] of [
    ['token-rex', false],
    [service.token, true],
  ] as const) {
    const get = async (path: string) => (await call('GET', path, undefined, token)).body;
    const { items } = await get(`${org}/sites/site_open/site-spaces`);
    const entry = items.find((one: { id: string }) => one.id === 'entry_hidden');
    expect([entry.path, entry.title, entry.space?.id]).toEqual(
      sees ? ['hidden', 'Secret', 'sp_secret'] : ['hidden', 'hidden', undefined],
    );
    for (const path of ['sections', 'published'].map((one) => `${org}/sites/site_open/${one}`)) {
      expect(JSON.stringify(await get(path)).includes('sp_secret')).toBe(sees);
    }
    expect((await get(`${org}/sites?space=sp_secret`)).items).toHaveLength(sees ? 1 : 0);
    expect((await get(`${org}/sites?space=sp_api_guide`)).items).toHaveLength(3);
  }
});

test('closes the contents of a closed object unless they have their own level', async () => {
  for (const id of ['col_closed', 'col_inner'])
    expect(await status('GET', `/v1/collections/${id}`, undefined, 'token-rex')).toBe(404);
  expect(await status('GET', '/v1/spaces/sp_inner', undefined, 'token-rex')).toBe(404);
  expect(await status('GET', '/v1/spaces/sp_opened', undefined, 'token-rex')).toBe(200);
  const list = async (path: string, token?: string) =>
    (await call('GET', path, undefined, token)).body.items.map(
      (one: { id?: string; space?: { id: string } }) => one.space?.id ?? one.id,
    );
  const spaces = `${org}/members/user_rex/spaces?limit=100`;
  const seen = await list(spaces, 'token-rex');
  expect(seen).toContain('sp_opened');
  for (const id of ['sp_inner', 'sp_secret', 'sp_old']) expect(seen).not.toContain(id);
  expect((await call('GET', `${org}/members/user_rex`)).body.spaces).toBe(seen.length);
  expect((await call('GET', `${org}/members/user_ada`)).body.spaces).toBe(
    (await list(`${org}/members/user_ada/spaces?limit=100`)).length,
  );
  expect((await call('GET', `${org}/members/user_ada`)).body.spaces).toBe(seen.length + 2);
  expect((await call('GET', `${org}/members/user_gus`)).body.spaces).toBe(0);
  expect(await list(`${org}/collections`, 'token-rex')).toEqual([
    'col_admin',
    'col_handbook',
    'col_engineering',
  ]);
  await call('PATCH', '/v1/collections/col_closed', { defaultLevel: 'read' });
  expect((await call('GET', `${org}/members/user_rex`)).body.spaces).toBe(seen.length + 1);
});

test('does not publish a deleted space and shows it to administrators only', async () => {
  await call('DELETE', '/v1/spaces/sp_secret');
  const published = (await call('GET', `${org}/sites/site_open/published`)).body.structure.structure;
  expect(published.map((one: { id: string }) => one.id)).toEqual(['sect_mixed']);
  expect(published[0].siteSpaces.map((one: { id: string }) => one.id)).toEqual(['sitesp_seen']);
  const listed = async (token: string) =>
    (await call('GET', `${org}/sites/site_open/site-spaces`, undefined, token)).body.items.map(
      (one: { id: string; space?: { deletedAt?: string } }) => [one.id, typeof one.space?.deletedAt],
    );
  expect(await listed(service.token)).toEqual([
    ['entry_hidden', 'string'],
    ['sitesp_seen', 'undefined'],
    ['sitesp_only', 'string'],
  ]);
  await call('DELETE', '/v1/spaces/sp_api_guide');
  expect(JSON.stringify(await listed('token-rex'))).not.toContain('"string"');
});

test('accepts a share key only for the addresses of its site', async () => {
  const links = (await call('GET', `${org}/sites/site_hub/share-links`)).body.items;
  const keyOf = (name: string) =>
    links
      .find((one: { name: string }) => one.name === name)
      .urls.published.split('/')
      .at(-2);
  const key = keyOf('Partners');
  const guide = '/v1/spaces/sp_api_next';
  const sections = `${org}/sites/site_hub/sections`;
  const siteSpaces = `${org}/sites/site_hub/site-spaces`;
  for (const path of [guide, sections, siteSpaces]) {
    const urlOf = (body: { items?: { urls: { published?: string } }[]; urls: { published?: string } }) =>
      (body.items?.[0] ?? body).urls.published;
    expect(urlOf((await call('GET', path)).body)).toBe(undefined);
    expect(urlOf((await call('GET', `${path}?shareKey=${key}`)).body)).toContain(`/${key}/`);
    for (const wrong of ['zz', keyOf('Press')])
      expect(await status('GET', `${path}?shareKey=${wrong}`)).toBe(404);
  }
  expect(await status('GET', `${org}/sites/site_hub/published?shareKey=${key}`)).toBe(200);
  expect(await status('GET', `${org}/sites/site_hub/published?shareKey=zz`)).toBe(404);
  expect(await status('GET', `/v1/spaces/sp_secret?shareKey=${key}`)).toBe(404);
  const open = (await call('GET', `${org}/sites/site_open/sections`)).body.items[0];
  expect(open.urls.published).toMatch(/^https:\/\/.*\/mixed$/);
  expect(key).toMatch(/^k_[\w-]{24,}$/);
});

test('links the address of a person to the member', async () => {
  const member = (await call('GET', `${org}/members/user_rex`)).body;
  const { location } = member.user.urls;
  expect((await call('GET', location.replace(service.url, ''))).body).toEqual(member);
});

test('returns no published content for an unpublished site', async () => {
  expect(await status('GET', `${org}/sites/site_status/published`)).toBe(404);
  expect(await status('GET', `${org}/sites/site_hub/published`)).toBe(200);
});

test.each([
  ['1f600', '1f600'],
  ['😀', '1f600'],
  ['❤️', '2764'],
  ['1F468-200D-1F469-200D-1F467', '1f468-200d-1f469-200d-1f467'],
  ['👍🏽', '1f44d-1f3fd'],
  ['🇩🇪', '1f1e9-1f1ea'],
  ['#️⃣', '23-20e3'],
  ['23-20e3', '23-20e3'],
  ['🚀<script>alert(1)</script>', null],
  ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1f3f4-e0067-e0062-e0065-e006e-e0067-e007f'],
  ['🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁥󠁮󠁧󠁿', null],
  ['dead', null],
  ['ffffff', null],
  ['23', null],
  ['7', null],
  ['x', null],
  ['0041', null],
  ['', null],
] as const)('emoji %j', async (emoji, expected) => {
  const { status: got, body } = await call('PATCH', '/v1/spaces/sp_api_guide', { emoji });
  expect([got, body.emoji]).toEqual(expected === null ? [400, undefined] : [200, expected]);
});
