/** Rules of organizations, people, spaces and collections: permissions, limits and consequences. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { sampleSeed } from '../../src/server/index.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { startInMemory } from './call.ts';

let now = new Date('2026-01-01T00:00:00Z');
const { service, call, failures } = await startInMemory(sampleSeed, { now: () => now });
const org = '/v1/orgs/org_acme';

beforeEach(() => {
  now = new Date('2026-01-01T00:00:00Z');
  service.reset(sampleSeed);
});
afterAll(async () => {
  expect(failures).toEqual([]);
  await service.close();
});

const status = async (...request: Parameters<typeof call>) => (await call(...request)).status;

test('keeps an administrator, and a provider while sso is on', async () => {
  expect(await status('PATCH', `${org}/members/user_ada`, { role: 'read' })).toBe(200);
  expect(await status('PATCH', `${org}/members/user_owner`, { role: 'edit' })).toBe(409);
  expect(await status('DELETE', `${org}/members/user_owner`)).toBe(409);
  expect(await status('PATCH', org, { sso: true })).toBe(200);
  expect(await status('DELETE', `${org}/saml/saml_okta`)).toBe(204);
  expect(await status('DELETE', `${org}/saml/saml_entra`)).toBe(409);
  expect(await status('PATCH', '/v1/orgs/org_globex', { sso: true })).toBe(409);
  expect(await status('PATCH', '/v1/orgs/org_globex', { hostname: 'acme' })).toBe(409);
  expect(await status('PATCH', org, { defaultContent: { type: 'site', site: 'site_globex' } })).toBe(400);
  expect(brokenInvariants(service)).toEqual([]);
});

test('adds and removes team members, with remove taking precedence, and rejects strangers', async () => {
  const members = `${org}/teams/team_writers/members`;
  const body = {
    add: ['REX@acme.example', 'user_cleo'],
    remove: ['user_cleo'],
    memberships: { user_edda: { role: 'owner' } },
  };
  expect(await status('PUT', members, body)).toBe(204);
  const list = (await call('GET', members)).body.items;
  const shown = list.map((one: { organization: { id: string }; team: { role: string } }) => [
    one.organization.id,
    one.team.role,
  ]);
  expect(shown).toEqual([
    ['user_rana', 'member'],
    ['user_rex', 'member'],
    ['user_edda', 'owner'],
  ]);
  expect((await call('GET', `${org}/teams/team_writers`)).body.members).toBe(3);
  expect(await status('PUT', members, { add: ['hank@globex.example'] })).toBe(400);
  expect(await status('PUT', members, { add: ['user_gus'] }, 'token-edda')).toBe(204);
  expect(await status('PUT', members, { add: ['user_gus'] }, 'token-rana')).toBe(403);
  expect(await status('DELETE', `${members}/user_nobody`)).toBe(404);
  expect(await status('DELETE', `${org}/members/user_rex`)).toBe(204);
  expect((await call('GET', `${org}/teams/team_writers`)).body.members).toBe(3);
  expect(await status('DELETE', `${org}/teams/team_writers`)).toBe(204);
  expect((await call('GET', `${org}/saml/saml_okta`)).body).not.toHaveProperty('defaultTeam');
  expect(brokenInvariants(service)).toEqual([]);
});

test('restores a deleted space within seven days', async () => {
  expect(await status('DELETE', '/v1/spaces/sp_onboarding')).toBe(205);
  expect(await status('DELETE', '/v1/spaces/sp_onboarding')).toBe(404);
  expect((await call('GET', '/v1/spaces/sp_onboarding')).body.deletedAt).toBe(now.toISOString());
  expect(await status('GET', '/v1/spaces/sp_onboarding', undefined, 'token-cleo')).toBe(404);
  expect(await status('PATCH', '/v1/spaces/sp_onboarding', { title: 'X' })).toBe(409);
  const listed = async () => (await call('GET', '/v1/collections/col_handbook/spaces')).body.items.length;
  expect(await listed()).toBe(0);
  now = new Date('2026-01-07T23:59:59Z');
  expect((await call('POST', '/v1/spaces/sp_onboarding/restore')).body).not.toHaveProperty('deletedAt');
  expect(await listed()).toBe(1);
  expect(await status('POST', '/v1/spaces/sp_onboarding/restore')).toBe(409);
  await call('DELETE', '/v1/spaces/sp_onboarding');
  now = new Date('2026-01-15T00:00:00Z');
  expect(await status('GET', '/v1/spaces/sp_onboarding')).toBe(404);
  expect(await status('POST', '/v1/spaces/sp_onboarding/restore')).toBe(404);
  expect(service.store.get('space', 'sp_onboarding')).toBeDefined();
  await call('PUT', `${org}/teams`, { title: 'Any write' });
  expect(service.store.get('space', 'sp_onboarding')).toBeUndefined();
  expect(brokenInvariants(service)).toEqual([]);
});

test('keeps the order of content and restricts moves', async () => {
  const collection = (await call('POST', `${org}/collections`, {})).body;
  expect(collection).toMatchObject({ title: 'Untitled' });
  const parent = collection.id;
  const at = (space: string) => ({ type: 'space', space });
  const move = (space: string, body: unknown) => status('POST', `/v1/spaces/${space}/move`, body);
  expect(await move('sp_api_guide', { parent })).toBe(200);
  expect(await move('sp_api_next', { parent, position: { before: at('sp_api_guide') } })).toBe(200);
  expect(
    await move('sp_secret', { parent, position: { after: at('sp_api_next'), before: at('sp_api_guide') } }),
  ).toBe(200);
  const order = async () =>
    (await call('GET', `/v1/collections/${parent}/spaces`)).body.items.map((one: { id: string }) => one.id);
  expect(await order()).toEqual(['sp_api_next', 'sp_secret', 'sp_api_guide']);
  expect(await move('sp_api_next', {})).toBe(200);
  expect(await order()).toEqual(['sp_secret', 'sp_api_guide', 'sp_api_next']);
  expect(await move('sp_secret', { position: { before: at('sp_onboarding') } })).toBe(409);
  expect((await call('GET', '/v1/spaces/sp_secret')).body).toMatchObject({
    parent,
    visibility: 'in-collection',
  });
  expect(await move('sp_secret', { parent: null })).toBe(200);
  expect((await call('GET', '/v1/spaces/sp_secret')).body).not.toHaveProperty('parent');
  const into = (id: string, target: string) =>
    status('POST', `/v1/collections/${id}/move`, { parent: target });
  expect(await into('col_handbook', 'col_engineering')).toBe(409);
  expect(await into('col_handbook', 'col_handbook')).toBe(409);
  expect(await into('col_handbook', parent)).toBe(200);
  expect(await status('DELETE', `/v1/collections/${parent}`)).toBe(205);
  expect(await status('GET', '/v1/collections/col_engineering')).toBe(404);
  expect((await call('GET', '/v1/spaces/sp_runbooks')).body.deletedAt).toBe(now.toISOString());
  expect(brokenInvariants(service)).toEqual([]);
});

test('removes transferred content from sites and fields, and needs rights on both sides', async () => {
  expect(
    await status('POST', '/v1/spaces/sp_api_guide/transfer', { organization: 'org_globex' }, 'token-ada'),
  ).toBe(404);
  expect(await status('POST', '/v1/spaces/sp_api_guide/transfer', { organization: 'org_acme' })).toBe(409);
  const moved = await call('POST', '/v1/spaces/sp_api_guide/transfer', { organization: 'org_globex' });
  expect(moved.body.organization).toBe('org_globex');
  expect((await call('GET', '/v1/spaces/sp_api_guide/custom-fields')).body).toEqual([]);
  expect(await status('GET', '/v1/spaces/sp_api_guide', undefined, 'token-ada')).toBe(404);
  expect(await status('POST', '/v1/collections/col_handbook/transfer', { organization: 'org_globex' })).toBe(
    200,
  );
  expect((await call('GET', '/v1/spaces/sp_runbooks')).body.organization).toBe('org_globex');
  expect(brokenInvariants(service)).toEqual([]);
});

test('checks custom field values by type', async () => {
  const path = '/v1/spaces/sp_api_next/custom-fields';
  const set = (name: string, value: unknown) => status('PATCH', path, { values: { [name]: { value } } });
  expect(await set('stage', 'beta')).toBe(204);
  expect(await set('stage', 'gamma')).toBe(400);
  expect(await set('stage', ['beta'])).toBe(400);
  expect(await set('reviewed', 'yes')).toBe(400);
  expect(await set('reviewed', false)).toBe(204);
  expect(await set('owner-team', 'x'.repeat(257))).toBe(400);
  expect(await set('owner-team', null)).toBe(400);
  expect(await set('unknown', 'x')).toBe(400);
  const values = (await call('GET', path)).body;
  expect(values.map((one: { value: unknown }) => one.value)).toEqual(['beta', false]);
  expect(await status('DELETE', `${org}/custom-fields/stage`)).toBe(204);
  expect((await call('GET', path)).body).toHaveLength(1);
  expect(await status('POST', `${org}/custom-fields`, { name: 'reviewed', type: 'text' })).toBe(409);
  expect(await status('POST', `${org}/custom-fields`, { name: 'x', type: 'color' })).toBe(400);
  expect(brokenInvariants(service)).toEqual([]);
});

test('computes permissions for the caller', async () => {
  const of = async (token: string, path: string) =>
    (await call('GET', path, undefined, token)).body.permissions;
  expect(await of('token-ada', '/v1/spaces/sp_api_guide')).toMatchObject({
    view: true,
    admin: true,
    merge: true,
  });
  expect(await of('token-cosmo', '/v1/spaces/sp_api_guide')).toMatchObject({
    comment: true,
    edit: false,
    review: false,
  });
  expect(await of('token-edda', '/v1/spaces/sp_runbooks')).toMatchObject({ edit: false, admin: false });
  expect(await of('token-rex', '/v1/spaces/sp_api_next')).toMatchObject({ edit: true, merge: false });
  expect(await of('token-gus', org)).toMatchObject({ view: true, listMembers: false, admin: false });
  expect(await of('token-cleo', org)).toMatchObject({ ownTeam: true, createContent: true, admin: false });
  expect(await status('GET', '/v1/spaces/sp_secret', undefined, 'token-cleo')).toBe(404);
  expect(await status('GET', '/v1/spaces/sp_secret', undefined, 'token-ada')).toBe(200);
});

test('splits the proxy of a site, requires unique basenames and checks adaptive schemas', async () => {
  const hub = `${org}/sites/site_hub`;
  expect((await call('GET', hub)).body.proxy).toEqual({ origin: 'acme.example', target: '/docs' });
  expect(await status('PATCH', hub, { proxy: 'http://acme.example/docs' })).toBe(400);
  expect((await call('PATCH', hub, { proxy: null })).body).not.toHaveProperty('proxy');
  expect(await status('PATCH', `${org}/sites/site_status`, { basename: 'docs' })).toBe(409);
  expect(await status('GET', `${org}/sites/site_status/adaptive-schema`)).toBe(404);
  const put = (jsonSchema: unknown) => status('PUT', `${hub}/adaptive-schema`, { jsonSchema });
  expect(await put({ type: 'object', properties: { a: { type: 'nonsense' } } })).toBe(400);
  expect(await put({ type: 'string' })).toBe(400);
  expect(await put({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' })).toBe(200);
  const published = (await call('GET', `${hub}/published`)).body;
  expect(published.structure.type).toBe('sections');
  expect(published.structure.structure.map((one: { object: string }) => one.object)).toEqual([
    'site-section',
    'site-section-group',
    'site-section',
  ]);
  expect(await status('GET', `${hub}/published?shareKey=wrong`)).toBe(404);
  expect(await status('DELETE', hub)).toBe(205);
  expect((await call('GET', org)).body).not.toHaveProperty('defaultContent');
  expect(brokenInvariants(service)).toEqual([]);
});
