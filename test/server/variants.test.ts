/** Each variant of the service over raw HTTP: the default and every other value. */
import { afterEach, describe, expect, test } from 'vitest';
import { type Seed, sampleSeed } from '../../src/server/index.ts';
import {
  randomVariants,
  type Variants,
  valuesOf,
  variantNames,
  variantsText,
} from '../../src/server/variants.ts';
import { certificate, certificateBody } from '../support/certificate.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { type Call, startInMemory } from './call.ts';

const seed: Seed = {
  organizations: [
    {
      id: 'org_x',
      title: 'X',
      spaces: [
        { id: 'sp_one', title: 'One' },
        { id: 'sp_two', title: 'Two' },
        { id: 'sp_three', title: 'Three' },
      ],
      sites: [
        {
          id: 'site_grouped',
          title: 'Grouped',
          published: true,
          sections: [
            { id: 'first', title: 'First', spaces: [{ space: 'sp_one' }] },
            {
              id: 'group',
              title: 'Group',
              sections: [
                { id: 'inner', title: 'Inner', spaces: [{ space: 'sp_one' }] },
                { id: 'other', title: 'Other', spaces: [{ space: 'sp_one' }] },
              ],
            },
            { id: 'last', title: 'Last', spaces: [{ space: 'sp_one' }] },
          ],
        },
        { id: 'site_plain', title: 'Plain', spaces: [{ id: 'rooted', space: 'sp_one' }] },
      ],
    },
  ],
};

let now = new Date('2026-01-01');
let end = async () => {};
afterEach(async () => {
  await end();
  end = async () => {};
});

async function withVariants(variants: Partial<Variants>, state: Seed = seed): Promise<Call> {
  now = new Date('2026-01-01');
  const started = await startInMemory(state, { variants, now: () => now });
  end = async () => {
    expect(started.failures).toEqual([]);
    expect(brokenInvariants(started.service)).toEqual([]);
    await started.service.close();
  };
  return started.call;
}

const sites = '/v1/orgs/org_x/sites';

async function topLevel(call: Call): Promise<string[]> {
  const { body } = await call('GET', `${sites}/site_grouped/published`);
  return body.structure.structure.map((one: { id: string }) => one.id);
}

test.each([
  ['end', ['first', 'group', 'last', 'inner']],
  ['start', ['inner', 'first', 'group', 'last']],
  ['before-group', ['first', 'inner', 'group', 'last']],
  ['after-group', ['first', 'group', 'inner', 'last']],
] as const)('applies ungrouped-section=%s', async (value, expected) => {
  const call = await withVariants({ 'ungrouped-section': value });
  const removed = await call('DELETE', `${sites}/site_grouped/section-groups/group/sections/inner`);
  expect(removed.status).toBe(205);
  expect(await topLevel(call)).toEqual(expected);
});

test.each([
  ['end', ['first', 'last', 'inner', 'other']],
  ['place', ['first', 'inner', 'other', 'last']],
] as const)('applies deleted-group=%s', async (value, expected) => {
  const call = await withVariants({ 'deleted-group': value });
  await call('DELETE', `${sites}/site_grouped/section-groups/group`);
  expect(await topLevel(call)).toEqual(expected);
});

test.each([
  ['same', 'One'],
  ['suffix', 'One (copy)'],
] as const)('applies duplicate-title=%s', async (value, expected) => {
  const call = await withVariants({ 'duplicate-title': value });
  expect((await call('POST', '/v1/spaces/sp_one/duplicate')).body.title).toBe(expected);
  await call('PATCH', '/v1/spaces/sp_one', { title: '😀'.repeat(25) });
  const long = await call('POST', '/v1/spaces/sp_one/duplicate');
  expect(long.status).toBe(201);
  expect(long.body.title).toBe(value === 'same' ? '😀'.repeat(25) : `${'😀'.repeat(21)} (copy)`);
});

test.each([
  ['end', ['sp_one', 'sp_two', 'copy']],
  ['after-source', ['sp_one', 'copy', 'sp_two']],
] as const)('applies duplicate-place=%s', async (value, expected) => {
  const call = await withVariants({ 'duplicate-place': value });
  const collection = (await call('POST', '/v1/orgs/org_x/collections', { title: 'C' })).body.id;
  for (const id of ['sp_one', 'sp_two']) await call('POST', `/v1/spaces/${id}/move`, { parent: collection });
  const copy = (await call('POST', '/v1/spaces/sp_one/duplicate')).body.id;
  const { body } = await call('GET', `/v1/collections/${collection}/spaces`);
  const ids = body.items.map((space: { id: string }) => (space.id === copy ? 'copy' : space.id));
  expect(ids).toEqual(expected);
});

test.each(['moved', 'stay'] as const)('applies root-site-spaces=%s', async (value) => {
  const call = await withVariants({ 'root-site-spaces': value });
  const made = await call('POST', `${sites}/site_plain/sections`, { spaceId: 'sp_two', title: 'New' });
  const { body } = await call('GET', `${sites}/site_plain/site-spaces`);
  const sectionOf = (id: string) => body.items.find((one: { id: string }) => one.id === id).section;
  expect(body.items).toHaveLength(2);
  expect(sectionOf('rooted')).toBe(value === 'moved' ? made.body.id : undefined);
});

test.each(['title', 'opaque'] as const)('applies section-path=%s', async (value) => {
  const call = await withVariants({ 'section-path': value });
  const { body } = await call('POST', `${sites}/site_plain/sections`, { spaceId: 'sp_two', title: 'New' });
  if (value === 'title') expect(body.path).toBe('new');
  else expect(body.path).toMatch(/^s_[a-z0-9]{12}$/);
});

test.each(['split', 'whole'] as const)('applies proxy=%s', async (value) => {
  const call = await withVariants({ proxy: value });
  const { body } = await call('PATCH', `${sites}/site_plain`, { proxy: 'acme.dev/docs' });
  if (value === 'split') expect(body.proxy).toEqual({ origin: 'acme.dev', target: '/docs' });
  else {
    expect(body.proxy).toEqual({ origin: 'acme.dev/docs', target: expect.stringMatching(/^https:\/\//) });
  }
});

describe('list-lag', () => {
  const titles = async (call: Call) =>
    (await call('GET', '/v1/orgs/org_x/teams')).body.items.map((one: { title: string }) => one.title);

  test('of 0 shows a write in lists immediately', async () => {
    const call = await withVariants({});
    await call('PUT', '/v1/orgs/org_x/teams', { title: 'A' });
    expect(await titles(call)).toEqual(['A']);
  });

  test.each(['20', '500'] as const)(
    'of %s delays a write in lists but not for single objects',
    async (value) => {
      const call = await withVariants({ 'list-lag': value });
      const { body } = await call('PUT', '/v1/orgs/org_x/teams', { title: 'A' });
      expect((await call('GET', `/v1/orgs/org_x/teams/${body.id}`)).status).toBe(200);
      expect(await titles(call)).toEqual([]);
      expect((await call('GET', `/v1/orgs/org_x/teams/${body.id}/members`)).body.items).toEqual([]);
      now = new Date(now.getTime() + Number(value) - 1);
      await call('PATCH', `/v1/orgs/org_x/teams/${body.id}`, { title: 'B' });
      expect(await titles(call)).toEqual([]);
      now = new Date(now.getTime() + 1);
      expect(await titles(call)).toEqual(['A']);
      now = new Date(now.getTime() + Number(value));
      expect(await titles(call)).toEqual(['B']);
      await call('DELETE', `/v1/orgs/org_x/teams/${body.id}`);
      expect((await call('GET', `/v1/orgs/org_x/teams/${body.id}`)).status).toBe(404);
      expect(await titles(call)).toEqual(['B']);
      now = new Date(now.getTime() + Number(value));
      expect(await titles(call)).toEqual([]);
    },
  );

  test('never shows a refused write, continues pages and returns 404 for an unknown parent', async () => {
    const call = await withVariants({ 'list-lag': '100' });
    for (const title of ['A', 'B', 'C']) await call('PUT', '/v1/orgs/org_x/teams', { title });
    const refused = await call('PUT', '/v1/orgs/org_x/teams', { title: 'D', members: ['nobody'] });
    expect(refused.status).toBe(400);
    now = new Date(now.getTime() + 100);
    const first = (await call('GET', '/v1/orgs/org_x/teams?limit=2')).body;
    const second = (await call('GET', `/v1/orgs/org_x/teams?limit=2&page=${first.next.page}`)).body;
    expect([...first.items, ...second.items].map(({ title }) => title)).toEqual(['A', 'B', 'C']);
    expect((await call('GET', '/v1/orgs/org_x/teams/team_none/members')).status).toBe(404);
  });

  test('finds pages of the past in a search', async () => {
    const call = await withVariants({ 'list-lag': '100' }, sampleSeed);
    const found = await call('GET', '/v1/orgs/org_acme/search?query=bearer');
    expect(found.body.items.length).toBeGreaterThan(0);
    const { id } = found.body.items[0];
    await call('DELETE', `/v1/spaces/${id}`);
    expect((await call('GET', '/v1/orgs/org_acme/search?query=bearer')).body).toEqual(found.body);
    now = new Date(now.getTime() + 100);
    expect((await call('GET', '/v1/orgs/org_acme/search?query=bearer')).body.items).toEqual(
      found.body.items.filter((one: { id: string }) => one.id !== id),
    );
  });
});

test.each(['404', '204'] as const)('applies missing-delete=%s', async (value) => {
  const call = await withVariants({ 'missing-delete': value });
  expect((await call('DELETE', `${sites}/site_none`)).status).toBe(Number(value));
  expect((await call('DELETE', '/v1/spaces/sp_none')).status).toBe(Number(value));
  expect((await call('DELETE', `${sites}/site_plain`)).status).toBe(205);
  expect((await call('GET', `${sites}/site_plain`)).status).toBe(404);
});

test.each(['409', '400'] as const)('applies conflict-status=%s', async (value) => {
  const call = await withVariants({ 'conflict-status': value });
  const { status, body } = await call('PATCH', `${sites}/site_grouped/sections/inner`, { path: 'first' });
  expect([status, body.error.code]).toEqual([Number(value), Number(value)]);
  expect((await call('DELETE', `${sites}/site_grouped/sections/first`)).status).toBe(Number(value));
});

test.each([
  ['as-is', ' Cafe\u0301 '],
  ['trimmed', 'Cafe\u0301'],
  ['nfc', ' Caf\u00e9 '],
  ['collapsed', ' Cafe\u0301 '],
] as const)('applies text=%s', async (value, expected) => {
  const call = await withVariants({ text: value });
  const several = await call('PATCH', '/v1/spaces/sp_two', { title: 'a  b\n   c' });
  expect(several.body.title).toBe(value === 'collapsed' ? 'a b\n c' : 'a  b\n   c');
  const { body } = await call('PATCH', '/v1/spaces/sp_one', { title: ' Cafe\u0301 ' });
  expect(body.title).toBe(expected);
  const jsonSchema = { type: 'object', description: ' Cafe\u0301 ' };
  const schema = await call('PUT', `${sites}/site_plain/adaptive-schema`, { jsonSchema });
  expect(schema.body.jsonSchema).toEqual(jsonSchema);
});

test.each(['as-is', 'lower'] as const)('applies paths=%s', async (value) => {
  const call = await withVariants({ paths: value });
  const path = value === 'lower' ? 'guide' : 'Guide';
  const given = { path: 'Guide', title: 'Guide' };
  const { body } = await call('PATCH', `${sites}/site_grouped/sections/first`, given);
  expect([body.path, body.title]).toEqual([path, 'Guide']);
  expect((await call('PATCH', `${sites}/site_plain`, { basename: 'Guide' })).body.basename).toBe(path);
});

test.each(['as-is', 'normalized'] as const)('applies urls=%s', async (value) => {
  const call = await withVariants({ urls: value });
  const ssoURL = value === 'normalized' ? 'https://idp.test/' : 'https://IDP.test';
  const given = { label: 'https:// no', entityID: 'https://IDP.test', ssoURL: 'https://IDP.test' };
  const { body } = await call('POST', '/v1/orgs/org_x/saml', given);
  expect(body).toMatchObject({ ...given, ssoURL });
  const source = { url: 'https://127.0.0.1:1' };
  const spec = (await call('POST', '/v1/orgs/org_x/openapi', { slug: 'api', source })).body;
  expect(spec.sourceURL).toBe(value === 'normalized' ? `${source.url}/` : source.url);
  const jsonSchema = { type: 'object', description: 'https://JSON-schema.test' };
  const schema = await call('PUT', `${sites}/site_plain/adaptive-schema`, { jsonSchema });
  expect(schema.body.jsonSchema).toEqual(jsonSchema);
});

test.each(['as-is', 'rewrapped', 'bare'] as const)('applies certificates=%s', async (value) => {
  const call = await withVariants({ certificates: value });
  const [begin, end] = ['-----BEGIN CERTIFICATE-----\n', '\n-----END CERTIFICATE-----\n'];
  const wrapped = certificateBody.replace(/.{76}/g, '$&\n');
  for (const given of [certificate, certificate.replaceAll('\n', '\r\n'), certificateBody]) {
    const made = await call('POST', '/v1/orgs/org_x/saml', { label: 'X', certificate: given });
    const expected = {
      'as-is': given,
      rewrapped: given === certificateBody ? `${wrapped}\n` : undefined,
      bare: certificateBody,
    }[value];
    if (expected !== undefined) expect(made.body.certificate).toBe(expected);
    else expect(made.body.certificate.replaceAll('\r', '')).toBe(`${begin}${wrapped}${end}`);
  }
});

test.each(['accepted', 'rejected'] as const)('applies empty-names=%s', async (value) => {
  const call = await withVariants({ 'empty-names': value });
  const ok = value === 'accepted' ? 200 : 400;
  expect((await call('PATCH', '/v1/spaces/sp_one', { title: '' })).status).toBe(ok);
  expect((await call('POST', `${sites}/site_plain/share-links`, { name: '' })).status).toBe(
    value === 'accepted' ? 201 : 400,
  );
  expect((await call('PATCH', '/v1/spaces/sp_one', { title: 'x' })).status).toBe(200);
});

test.each(['no', 'yes'] as const)('applies unknown-fields=%s', async (value) => {
  const call = await withVariants({ 'unknown-fields': value });
  const { body } = await call('GET', '/v1/spaces/sp_one');
  const list = await call('GET', `${sites}/site_grouped/sections`);
  for (const one of [body, list.body.items[0], list.body.items[0].siteSpaces[0].space])
    expect('agentsContext' in one).toBe(value === 'yes');
  expect(body.title).toBe('One');
  const jsonSchema = { type: 'object', properties: { id: {} }, id: 'x' };
  const schema = await call('PUT', `${sites}/site_plain/adaptive-schema`, { jsonSchema });
  expect(schema.body.jsonSchema).toEqual(jsonSchema);
});

test.each(['no', 'yes'] as const)('applies unknown-values=%s', async (value) => {
  const call = await withVariants({ 'unknown-values': value });
  const org = await call('GET', '/v1/orgs/org_x');
  const space = await call('GET', '/v1/spaces/sp_one');
  const shown = [org.body.type, org.body.plan, space.body.visibility, space.body.editMode];
  expect(shown).toEqual(
    value === 'no'
      ? ['business', 'free_2024', 'public', 'live']
      : ['conglomerate', 'galactic_2031', 'by-appointment', 'live'],
  );
});

test.each(['accepted', 'rejected'] as const)('applies select-options=%s', async (value) => {
  const call = await withVariants({ 'select-options': value }, sampleSeed);
  const fields = '/v1/orgs/org_acme/custom-fields';
  const [made, changed] = value === 'accepted' ? [201, 200] : [400, 409];
  expect((await call('POST', fields, { name: 'none', type: 'select:single' })).status).toBe(made);
  expect((await call('PATCH', `${fields}/stage`, { options: ['alpha', 'stable'] })).status).toBe(changed);
  expect((await call('PATCH', `${fields}/stage`, { options: ['beta', 'more'] })).status).toBe(200);
  expect((await call('POST', fields, { name: 'words', type: 'text' })).status).toBe(201);
});

test.each(['409', '200'] as const)('applies sso-without-provider=%s', async (value) => {
  const call = await withVariants({ 'sso-without-provider': value });
  expect((await call('PATCH', '/v1/orgs/org_x', { sso: true })).status).toBe(Number(value));
  if (value === '200') await call('PATCH', '/v1/orgs/org_x', { sso: false });
});

test.each(['rejected', 'ignored'] as const)('applies unknown-query=%s', async (value) => {
  const call = await withVariants({ 'unknown-query': value });
  const ok = value === 'ignored' ? 200 : 400;
  expect((await call('GET', '/v1/orgs/org_x/teams?bogus=1&limit=5')).status).toBe(ok);
  expect((await call('GET', '/v1/orgs/org_x?bogus=1')).status).toBe(ok);
  expect((await call('GET', '/v1/orgs/org_x/teams?limit=1001')).status).toBe(400);
});

test.each(['50', '100', '10'] as const)('applies page-size=%s', async (value) => {
  const spaces = Array.from({ length: 120 }, (_none, at) => ({
    id: `sp_${at}`,
    title: `S ${at}`,
  }));
  const state: Seed = {
    organizations: [
      {
        id: 'org_x',
        title: 'X',
        collections: [{ type: 'collection', id: 'col', title: 'C', content: spaces }],
      },
    ],
  };
  const call = await withVariants({ 'page-size': value }, state);
  expect((await call('GET', '/v1/collections/col/spaces')).body.items).toHaveLength(Number(value));
  expect((await call('GET', '/v1/collections/col/spaces?limit=3')).body.items).toHaveLength(3);
});

test('chooses any value at random, has the first one as default and lists the others in its text', () => {
  const seen = new Set<string>();
  for (let at = 0; at < 1000; at += 1) {
    let state = at * 7919 + 1;
    const chosen = randomVariants(() => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    });
    for (const name of variantNames) seen.add(`${name}=${chosen[name]}`);
  }
  const all = variantNames.flatMap((name) => valuesOf(name).map((value) => `${name}=${value}`));
  expect([...seen].sort()).toEqual([...all].sort());
  expect(variantsText({})).toBe('');
  expect(variantsText({ text: 'as-is', proxy: 'whole', 'page-size': '10' })).toBe('proxy=whole page-size=10');
});
