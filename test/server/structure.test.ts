/** The structure of sites: sections, groups, site-spaces, their order, defaults and paths. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Service } from '../../src/server/index.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { type Call, startInMemory } from './call.ts';

let service: Service;
let call: Call;
let failures: unknown[];
const site = '/v1/orgs/org_a/sites/site_a';

beforeEach(async () => {
  ({ service, call, failures } = await startInMemory({
    organizations: [
      {
        id: 'org_a',
        title: 'Acme',
        spaces: [
          { id: 'sp_1', title: 'One' },
          { id: 'sp_2', title: 'Two' },
          { id: 'sp_3', title: 'Three' },
        ],
        sites: [{ id: 'site_a', title: 'Docs' }],
      },
      { id: 'org_b', title: 'Other', spaces: [{ id: 'sp_b', title: 'Foreign' }] },
    ],
  }));
});

afterEach(async () => {
  expect(brokenInvariants(service)).toEqual([]);
  expect(failures).toEqual([]);
  await service.close();
});

async function addSection(title: string, spaceId = 'sp_1'): Promise<string> {
  const made = await call('POST', `${site}/sections`, { spaceId, title });
  expect(made.status).toBe(201);
  expect(made.headers.get('location')).toBe(`${site}/sections/${made.body.id}`);
  return made.body.id;
}

async function titles(): Promise<string[]> {
  const { body } = await call('GET', `${site}/sections`);
  return body.items.map((one: { title: string }) => one.title);
}

test('puts root site-spaces after those of the first section', async () => {
  for (const spaceId of ['sp_1', 'sp_2']) {
    expect((await call('POST', `${site}/site-spaces`, { spaceId })).status).toBe(201);
  }
  const again = await call('POST', `${site}/site-spaces`, { spaceId: 'sp_1' });
  expect(again.status).toBe(409);
  const made = await call('POST', `${site}/sections`, { spaceId: 'sp_3' });
  expect(made.body).toMatchObject({ title: 'Three', path: 'three', default: true });
  const spaces = made.body.siteSpaces.map((one: { space: { id: string } }) => one.space.id);
  expect(spaces).toEqual(['sp_3', 'sp_1', 'sp_2']);
  expect(made.body.siteSpaces.map((one: { default: boolean }) => one.default)).toEqual([true, false, false]);
  expect((await call('GET', site)).body.siteSpaces).toBe(3);
});

test('makes unique paths from titles', async () => {
  await addSection('API Guide');
  await addSection('API guide');
  const third = await addSection('Api  guide!');
  const { body } = await call('GET', `${site}/sections`);
  expect(body.items.map((one: { path: string }) => one.path)).toEqual([
    'api-guide',
    'api-guide-1',
    'api-guide-2',
  ]);
  expect((await call('PATCH', `${site}/sections/${third}`, { path: 'api-guide' })).status).toBe(409);
  expect((await call('PATCH', `${site}/sections/${third}`, { path: 'other' })).body.path).toBe('other');
});

test('moves sections only among their siblings', async () => {
  const [a, b, c] = [await addSection('Aa'), await addSection('Bb'), await addSection('Cc')];
  const at = (id: string) => ({ type: 'site-section', siteSection: id });
  await call('POST', `${site}/sections/${c}/move`, { position: { before: at(a) } });
  expect(await titles()).toEqual(['Cc', 'Aa', 'Bb']);
  await call('POST', `${site}/sections/${c}/move`, { position: { after: at(a), before: at(b) } });
  expect(await titles()).toEqual(['Aa', 'Cc', 'Bb']);
  await call('POST', `${site}/sections/${a}/move`, {});
  expect(await titles()).toEqual(['Cc', 'Bb', 'Aa']);
  const apart = await call('POST', `${site}/sections/${a}/move`, {
    position: { before: at(c), after: at(b) },
  });
  expect(apart.status).toBe(409);
  const group = await call('POST', `${site}/section-groups`, { title: 'G', sections: [b] });
  expect(group.status).toBe(201);
  expect((await call('POST', `${site}/sections/${a}/move`, { position: { after: at(b) } })).status).toBe(409);
});

test('keeps the order in groups and puts their sections last when they are deleted', async () => {
  const [a, b, c] = [await addSection('Aa'), await addSection('Bb'), await addSection('Cc')];
  const made = await call('POST', `${site}/section-groups`, { title: 'G', icon: null, sections: [c, a] });
  expect(made.body.sections.map((one: { id: string }) => one.id)).toEqual([c, a]);
  expect(made.body.sections[0].sectionGroup).toBe(made.body.id);
  expect(await titles()).toEqual(['Bb', 'Cc', 'Aa']);
  const group = `${site}/section-groups/${made.body.id}`;
  expect(
    (await call('POST', `${group}/move`, { position: { before: { type: 'site-section', id: b } } })).status,
  ).toBe(200);
  expect(await titles()).toEqual(['Cc', 'Aa', 'Bb']);
  const other = await call('POST', `${site}/section-groups`, { title: 'H' });
  const clash = await call('POST', `${site}/section-groups/${other.body.id}/sections`, { sectionId: a });
  expect(clash.status).toBe(409);
  expect((await call('DELETE', `${group}/sections/${c}`)).status).toBe(205);
  expect(await titles()).toEqual(['Aa', 'Bb', 'Cc']);
  expect((await call('DELETE', group)).status).toBe(205);
  expect(await titles()).toEqual(['Bb', 'Cc', 'Aa']);
});

test('requires a new default before deleting the current one', async () => {
  const [a, b] = [await addSection('Aa'), await addSection('Bb')];
  expect((await call('DELETE', `${site}/sections/${a}`)).status).toBe(409);
  expect((await call('PATCH', site, { defaultSiteSection: b })).status).toBe(200);
  expect((await call('DELETE', `${site}/sections/${a}`)).status).toBe(205);
  const inner = (await call('GET', `${site}/site-spaces?default=true`)).body.items;
  expect(inner).toHaveLength(1);
  expect((await call('DELETE', `${site}/site-spaces/${inner[0].id}`)).status).toBe(409);
  const second = await call('POST', `${site}/site-spaces`, { spaceId: 'sp_2' });
  expect(second.body).toMatchObject({ section: b, default: false });
  expect((await call('PATCH', `${site}/sections/${b}`, { defaultSiteSpace: second.body.id })).status).toBe(
    200,
  );
  expect((await call('DELETE', `${site}/site-spaces/${inner[0].id}`)).status).toBe(205);
  expect((await call('DELETE', `${site}/sections/${b}`)).status).toBe(205);
  expect((await call('GET', site)).body.siteSpaces).toBe(0);
});

test('removes a value with null and keeps an absent one', async () => {
  const a = await addSection('Aa');
  const path = `${site}/sections/${a}`;
  await call('PATCH', path, { icon: 'book', description: 'About', condition: 'x' });
  expect((await call('PATCH', path, { icon: null })).body).toMatchObject({
    description: 'About',
    condition: 'x',
  });
  const after = await call('PATCH', path, { description: null, condition: null });
  for (const key of ['icon', 'description', 'condition']) expect(after.body).not.toHaveProperty(key);
  expect((await call('PATCH', path, {})).status).toBe(400);
});

test('returns 404 for objects of another organization', async () => {
  expect((await call('POST', `${site}/sections`, { spaceId: 'sp_b' })).status).toBe(404);
  expect((await call('GET', '/v1/orgs/org_b/sites/site_a')).status).toBe(404);
});
