/** The newer form over raw HTTP: new features, removed ones, and refusals. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { requiredParts } from '../../src/contract/customization.ts';
import { isLacking } from '../../src/contract/form.ts';
import { operationIds, operationOf } from '../../src/contract/index.ts';
import { sampleSeed } from '../../src/server/index.ts';
import { merged, nested } from '../../src/util/nested.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { startInMemory } from './call.ts';

const { service, call, failures } = await startInMemory(sampleSeed, { form: '2026' });
beforeEach(() => service.reset(sampleSeed));
afterAll(async () => {
  expect(failures).toEqual([]);
  await service.close();
});

const site = '/v1/orgs/org_acme/sites/site_hub';

/** Titles of the top level, with those of groups inside. */
async function structure(): Promise<unknown> {
  const sections = (await call('GET', `${site}/sections?limit=1000`)).body.items;
  const groups = (await call('GET', `${site}/section-groups?limit=1000`)).body.items;
  return sections.map(({ id, sectionGroup }: { id: string; sectionGroup?: string }) =>
    sectionGroup === undefined
      ? id
      : `${groups.find((one: { id: string }) => one.id === sectionGroup).id}/${id}`,
  );
}

test('returns 404 for removed paths', async () => {
  const removed = operationIds.filter((id) => {
    const { needs } = operationOf(id);
    return isLacking('2026', needs);
  });
  expect(removed.length).toBeGreaterThan(15);
  for (const id of removed) {
    const { method, path } = operationOf(id);
    const url = path.replace('{organizationId}', 'org_acme').replace(/\{\w+\}/g, 'x');
    expect((await call(method, url, method === 'GET' ? undefined : {})).status, id).toBe(404);
  }
});

test('has merge rules of the organization and children of groups', async () => {
  expect((await call('GET', '/v1/orgs/org_acme')).body.mergeRules).toEqual({ type: 'none' });
  const [group] = (await call('GET', `${site}/section-groups`)).body.items;
  expect(group.children).toEqual(group.sections);
  expect(group.draft).toBe(false);
});

test('moves a section to another group and out of groups', async () => {
  const [grouped] = (await call('GET', `${site}/section-groups`)).body.items;
  const alone = (await structure()) as readonly string[];
  const outside = alone.find((one) => !one.includes('/')) ?? '';
  const entered = await call('PATCH', `${site}/sections/${outside}`, { siteSectionGroupId: grouped.id });
  expect(entered.body.sectionGroup).toBe(grouped.id);
  expect(await structure()).toContain(`${grouped.id}/${outside}`);
  const left = await call('PATCH', `${site}/sections/${outside}`, { siteSectionGroupId: null });
  expect(left.body.sectionGroup).toBeUndefined();
  const wrong = await call('PATCH', `${site}/sections/${outside}`, { siteSectionGroupId: 'nowhere' });
  expect(wrong.status).toBe(404);
  expect(brokenInvariants(service)).toEqual([]);
});

test('moves any entry next to any sibling', async () => {
  const before = (await structure()) as readonly string[];
  const section = before.find((one) => !one.includes('/')) ?? '';
  const [group] = (await call('GET', `${site}/section-groups`)).body.items;
  const item = { type: 'site-section', id: section };
  const sibling = { type: 'site-section-group', id: group.id };
  const sort = (position: object, what: object = item) =>
    call('PATCH', `${site}/structure/sort`, { item: what, position });
  expect((await sort({ after: sibling })).status).toBe(204);
  const inside = before.filter((one) => one.startsWith(`${group.id}/`));
  const after = (await structure()) as readonly string[];
  expect(after.indexOf(section)).toBe(after.indexOf(inside.at(-1) ?? '') + 1);
  expect((await sort({ before: sibling })).status).toBe(204);
  expect(((await structure()) as readonly string[]).indexOf(section)).toBeLessThan(after.indexOf(section));
  expect((await sort({}, sibling)).status).toBe(204);
  const [child] = inside.map((one) => one.split('/')[1] ?? '');
  expect((await sort({ after: { type: 'site-section', id: child } })).status).toBe(409);
  expect((await sort({}, { type: 'site-section', id: 'nowhere' })).status).toBe(404);
  expect((await sort({}, { type: 'site-external-link', id: 'nowhere' })).status).toBe(404);
  expect((await sort({ beside: 1 })).status).toBe(400);
  const [first] = (await call('GET', `${site}/site-spaces`)).body.items;
  expect((await sort({}, { type: 'site-space', id: first.id })).status).toBe(204);
  expect(brokenInvariants(service)).toEqual([]);
});

test('rejects an anchor of another type and relative links', async () => {
  const [section] = (await call('GET', `${site}/sections`)).body.items;
  const link = { title: 'Forum', url: 'https://forum.example.test/' };
  const { id } = (await call('POST', `${site}/external-links`, link)).body;
  const item = { type: 'site-external-link', id };
  const sort = async (type: string) =>
    (await call('PATCH', `${site}/structure/sort`, { item, position: { after: { type, id: section.id } } }))
      .status;
  expect(await Promise.all(['site-section', 'site-external-link', 'site-space'].map(sort))).toEqual([
    204, 404, 404,
  ]);
  for (const url of ['javascript:alert(1)', 'ftp://a', '/rel', 'x', 'https:// a']) {
    expect((await call('PATCH', `${site}/external-links/${id}`, { url })).status, url).toBe(400);
    expect((await call('POST', `${site}/external-links`, { ...link, url })).status, url).toBe(400);
  }
});

test('shows levels of a site to its administrators, and drafts to editors', async () => {
  const made = (await call('POST', '/v1/orgs/org_acme/sites', { title: 'New' })).body;
  expect(made.type).toBe('ultimate');
  const own = `/v1/orgs/org_acme/sites/${made.id}`;
  const change = async (body: object, token = 'token-cleo') => (await call('PATCH', own, body, token)).status;
  expect(await change({ defaultLevel: 'admin' })).toBe(403);
  expect(await change({ defaultLevel: 'inherit', title: 'Newer' })).toBe(200);
  expect((await call('POST', `${own}/publish`, undefined, 'token-cleo')).status).toBe(403);
  expect((await call('DELETE', own, undefined, 'token-rex')).status).toBe(403);
  expect(await change({ defaultLevel: 'read' }, 'token-ada')).toBe(200);
  const group = async (draft: boolean) =>
    (await call('POST', `${site}/section-groups`, { title: 'Group', draft }, 'token-edda')).status;
  expect([await group(false), await group(true)]).toEqual([403, 201]);
});

test('has the slugs, titles, versions, members and redirects of this form', async () => {
  const org = '/v1/orgs/org_acme';
  const source = { text: 'openapi: 3.1.0' };
  expect((await call('POST', `${org}/openapi`, { slug: 'PetStore', source })).status).toBe(201);
  expect((await call('GET', `${org}/openapi/PetStore`)).body.lastProcessedErrorCount).toBe(0);
  const content = (await call('GET', `${org}/openapi/PetStore/versions/latest/content`)).body;
  expect([content.urls.public, content.url]).toEqual([null, undefined]);
  expect((await call('PATCH', org, { title: ' Acme' })).status).toBe(400);
  expect((await call('DELETE', `${org}/members/user_rex`)).status).toBe(205);
  const make = (from: string) =>
    call('POST', `${site}/redirects`, {
      source: from,
      destination: { kind: 'external', url: 'https://a.test' },
    });
  for (const from of ['/zz-b', '/zz-a', '/zz-c']) await make(from);
  const listed = async (query: string) =>
    (await call('GET', `${site}/redirects?search=zz-&${query}`)).body.items.map(
      (one: { source: string }) => one.source,
    );
  expect(await listed('')).toEqual(['/zz-c', '/zz-a', '/zz-b']);
  expect(await listed('orderBy=source')).toEqual(['/zz-a', '/zz-b', '/zz-c']);
});

test('orders links and groups among the sections, one level deep', async () => {
  const [group] = (await call('GET', `${site}/section-groups`)).body.items;
  const forum = { title: 'Forum', url: 'https://forum.example.test/' };
  const made = await call('POST', `${site}/external-links`, { ...forum, parent: group.id, draft: true });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    object: 'site-external-link',
    ...forum,
    sectionGroup: group.id,
    draft: true,
  });
  const inner = (await call('POST', `${site}/section-groups`, { title: 'Inner', parent: group.id })).body;
  const deeper = await call('POST', `${site}/section-groups`, { title: 'Deeper', parent: inner.id });
  expect(deeper.status).toBe(409);
  const other = (await call('POST', `${site}/section-groups`, { title: 'Other' })).body;
  const enter = (id: string, parentSectionGroupId: string | null) =>
    call('PATCH', `${site}/section-groups/${id}`, { parentSectionGroupId });
  expect((await enter(group.id, other.id)).status).toBe(409);
  expect((await enter(other.id, other.id)).status).toBe(409);
  expect((await enter(inner.id, null)).body.sectionGroup).toBeUndefined();
  expect((await enter(inner.id, group.id)).body.sectionGroup).toBe(group.id);
  const whole = async () => (await call('GET', `${site}/structure`)).body;
  const inGroup = async () =>
    (await whole()).structure
      .find((one: { id: string }) => one.id === group.id)
      .children.map(({ id, object }: { id: string; object: string }) => `${object} ${id}`);
  expect((await inGroup()).slice(-2)).toEqual([
    `site-external-link ${made.body.id}`,
    `site-section-group ${inner.id}`,
  ]);
  const pointer = { type: 'site-external-link', id: made.body.id };
  const position = { after: { type: 'site-section-group', id: inner.id } };
  expect((await call('PATCH', `${site}/structure/sort`, { item: pointer, position })).status).toBe(204);
  expect((await inGroup()).at(-1)).toBe(`site-external-link ${made.body.id}`);
  const link = `${site}/external-links/${made.body.id}`;
  const moved = await call('PATCH', link, { parent: null, icon: 'x', description: null, draft: false });
  expect(moved.body).toMatchObject({ icon: 'x', draft: false });
  expect(moved.body.sectionGroup).toBeUndefined();
  expect((await call('DELETE', link)).status).toBe(205);
  expect((await call('DELETE', link)).status).toBe(404);
  expect((await call('POST', `${site}/external-links`, { ...forum, url: '/forum' })).status).toBe(400);
  expect((await call('POST', `${site}/external-links`, { ...forum, parent: 'nowhere' })).status).toBe(404);
  // The contents of a deleted group are kept.
  await call('DELETE', `${site}/section-groups/${group.id}`);
  expect(JSON.stringify((await whole()).structure)).toContain(inner.id);
  expect(brokenInvariants(service)).toEqual([]);
});

test('rejects a link on a site without sections and shows its site-spaces', async () => {
  const plain = (await call('POST', '/v1/orgs/org_acme/sites', { title: 'Plain' })).body.id;
  const links = `/v1/orgs/org_acme/sites/${plain}/external-links`;
  expect((await call('POST', links, { title: 'Forum', url: 'https://a.test/' })).status).toBe(409);
  expect((await call('GET', `/v1/orgs/org_acme/sites/${plain}/structure`)).body).toEqual({
    type: 'siteSpaces',
    structure: [],
  });
});

test('shows another space in a site-space and resets its page', async () => {
  const items = (await call('GET', `${site}/site-spaces`)).body.items;
  const [first, ...others] = items.filter(
    ({ section }: { section?: string }) => section === items[0].section,
  );
  const path = `${site}/site-spaces/${first.id}`;
  const paged = await call('PATCH', path, { pageId: 'pg_one', hidden: true, draft: true });
  expect(paged.body).toMatchObject({ pageId: 'pg_one', hidden: true, draft: true });
  const free = (await call('GET', '/v1/orgs/org_acme/collections')).body.items;
  expect(free).toBeDefined();
  const taken = others.at(0)?.space.id;
  if (taken !== undefined) expect((await call('PATCH', path, { spaceId: taken })).status).toBe(409);
  expect((await call('PATCH', path, { spaceId: 'nowhere' })).status).toBe(404);
  const copy = (await call('POST', `/v1/spaces/${first.space.id}/duplicate`)).body;
  const changed = (await call('PATCH', path, { spaceId: copy.id })).body;
  expect(changed).toMatchObject({ id: first.id, path: first.path, hidden: true });
  expect(changed.space.id).toBe(copy.id);
  expect(changed.pageId).toBeUndefined();
});

test.each([
  ['replaced', { fr: 'Salut' }],
  ['merged', { de: 'Hallo', fr: 'Salut' }],
] as const)('updates localized texts by key: %s', async (texts, both) => {
  await service.reset(sampleSeed, { 'localized-texts': texts });
  const [group] = (await call('GET', `${site}/section-groups`)).body.items;
  const change = async (localizedTitle: object) =>
    (await call('PATCH', `${site}/section-groups/${group.id}`, { localizedTitle })).body.localizedTitle;
  expect(await change({ de: 'Hallo' })).toEqual({ de: 'Hallo' });
  expect(await change({ fr: 'Salut' })).toEqual(both);
  expect(await change({ de: null, fr: 'Oui' })).toEqual({ fr: 'Oui' });
});

test('lists the spaces of the organization that the caller may see', async () => {
  const listed = async (token?: string) => {
    const { body } = await call('GET', '/v1/orgs/org_acme/spaces?limit=1000', undefined, token);
    return body.items.map(({ id }: { id: string }) => id) as readonly string[];
  };
  const all = await listed();
  const rows = service.store.every('space').filter(({ org }) => org === 'org_acme');
  expect([...all].sort()).toEqual(
    rows
      .filter(({ deletedAt }) => deletedAt === undefined)
      .map(({ id }) => id)
      .sort(),
  );
  const [first, second] = [1, 2].map((limit) => call('GET', `/v1/orgs/org_acme/spaces?limit=${limit}`));
  expect((await first)?.body.items).toHaveLength(1);
  expect((await second)?.body.next.page).toEqual(expect.any(String));
  expect(await listed('token-gus')).toEqual([]);
  expect((await listed('token-rex')).length).toBeLessThan(all.length);
  expect((await call('GET', '/v1/orgs/org_acme/spaces', undefined, 'token-hank')).status).toBe(404);
});

test('creates a space in its place, empty or from a template', async () => {
  const create = (body?: object, token?: string) => call('POST', '/v1/orgs/org_acme/spaces', body, token);
  const fields = { title: 'Neu', emoji: '👋', language: 'de', editMode: 'locked' };
  const made = await create({ ...fields, parent: 'col_handbook', empty: true });
  expect(made.status, made.text).toBe(201);
  expect(made.body).toMatchObject({ ...fields, emoji: '1f44b', parent: 'col_handbook' });
  expect(made.headers.get('location')).toContain(`/v1/spaces/${made.body.id}`);
  expect((await create({ template: { id: 'handbook', params: { pages: 2 } } })).status).toBe(201);
  expect((await create({})).status).toBe(201);
  expect((await create({ empty: true, template: { id: 'handbook' } })).status).toBe(400);
  expect((await create({ empty: false })).status).toBe(400);
  expect((await create({ title: 'x'.repeat(51) })).status).toBe(400);
  expect((await create({ emoji: 'no' })).status).toBe(400);
  expect((await create({ language: 'tlh' })).status).toBe(400);
  expect((await create({ parent: 'nowhere' })).status).toBe(404);
  expect((await create({ title: 'No' }, 'token-rex')).status).toBe(403);
  const changed = await call('PATCH', `/v1/spaces/${made.body.id}`, { language: 'zh-tw' });
  expect(changed.body.language).toBe('zh-tw');
  expect(brokenInvariants(service)).toEqual([]);
});

test('invites people by e-mail', async () => {
  const invite = (body: object, token?: string) => call('POST', '/v1/orgs/org_acme/invites', body, token);
  const found = async (email: string) =>
    (await call('GET', `/v1/orgs/org_acme/members?search=${encodeURIComponent(email)}`)).body.items;
  const emails = ['new@acme.example', { email: 'other@acme.example', role: 'edit' }, 'ada@acme.example'];
  const { status, body } = await invite({ emails, role: 'read' });
  expect(status).toBe(200);
  expect(body).toEqual({ users: [expect.any(String), expect.any(String)], invited: 2 });
  expect((await found('new@acme.example'))[0]).toMatchObject({ id: body.users[0], role: 'read', sso: false });
  expect((await found('other@acme.example'))[0]).toMatchObject({ id: body.users[1], role: 'edit' });
  expect((await invite({ emails: ['new@acme.example'] })).body.invited).toBe(0);
  expect((await invite({ emails: [] })).status).toBe(400);
  expect((await invite({ emails: ['nobody'] })).status).toBe(400);
  expect((await invite({ emails: ['x@acme.example'], role: 'king' })).status).toBe(400);
  expect((await invite({ emails: ['x@acme.example'] }, 'token-rex')).status).toBe(403);
  const signed = await invite({ emails: ['sign@acme.example'], role: null, sso: true });
  expect(signed.body.invited).toBe(1);
  expect((await found('sign@acme.example'))[0]).toMatchObject({ role: null, sso: true });
  expect(brokenInvariants(service)).toEqual([]);
});

test.each(['when-accepted', 'unknown'] as const)(
  'does not list an invited person as a member yet: %s',
  async (when) => {
    service.reset(sampleSeed, { invites: when });
    const { body } = await call('POST', '/v1/orgs/org_acme/invites', { emails: ['late@acme.example'] });
    expect(body).toEqual({ users: when === 'unknown' ? [] : [expect.any(String)], invited: 1 });
    expect((await call('GET', '/v1/orgs/org_acme/members?search=late')).body.items).toEqual([]);
  },
);

test('lists link invites of the organization, but not of spaces or collections', async () => {
  const path = '/v1/orgs/org_acme/link-invites';
  const listed = async () =>
    (await call('GET', path)).body.items.map(({ id }: { id: string }) => id) as readonly string[];
  const made = (await call('POST', path, { role: 'edit' })).body;
  expect(made).toMatchObject({ object: 'invite', role: 'edit' });
  const ofSpace = await call('POST', path, { level: 'read', space: 'sp_api_guide' });
  expect(ofSpace.status).toBe(201);
  expect(ofSpace.body).toMatchObject({ level: 'read', space: { id: 'sp_api_guide' } });
  const ofBooks = (await call('POST', path, { level: null, collection: 'col_handbook' })).body;
  expect(ofBooks).toMatchObject({ level: null, collection: { id: 'col_handbook' } });
  expect(await listed()).toEqual(['inv_sample', made.id]);
  expect((await call('GET', `${path}/${ofBooks.id}`)).body).toEqual(ofBooks);
  expect((await call('PATCH', `${path}/${ofBooks.id}`, { level: 'edit' })).body.level).toBe('edit');
  expect((await call('PATCH', `${path}/${ofBooks.id}`, { role: 'edit' })).status).toBe(400);
  expect((await call('PATCH', `${path}/${made.id}`, { level: 'edit' })).status).toBe(400);
  expect((await call('PATCH', `${path}/${made.id}`, { role: null })).body.role).toBeNull();
  for (const wrong of [
    {},
    { role: 'read', level: 'read' },
    { level: 'read' },
    { role: 'read', space: 'sp_api_guide' },
  ])
    expect((await call('POST', path, wrong)).status).toBe(400);
  expect((await call('POST', path, { level: 'read', space: 'nowhere' })).status).toBe(404);
  expect((await call('GET', path, undefined, 'token-rex')).status).toBe(403);
  expect((await call('DELETE', `${path}/${ofBooks.id}`)).status).toBe(205);
  expect(brokenInvariants(service)).toEqual([]);
});

test('keeps a specification private until it is made public', async () => {
  const path = '/v1/orgs/org_acme/openapi/petstore';
  expect((await call('GET', path)).body.visibility).toBe('private');
  const made = await call('PATCH', path, { visibility: 'public' });
  expect([made.status, made.body.visibility]).toEqual([200, 'public']);
  await call('PUT', path, { source: { text: '{"openapi":"3.1.0"}' } });
  expect((await call('GET', path)).body.visibility).toBe('public');
  expect((await call('PATCH', path, { visibility: 'secret' })).status).toBe(400);
  expect((await call('PATCH', path, {})).status).toBe(400);
  expect((await call('PATCH', `${path}-none`, { visibility: 'public' })).status).toBe(404);
  expect((await call('PATCH', path, { visibility: 'public' }, 'token-rex')).status).toBe(403);
});

describe('redirects', () => {
  const path = `${site}/redirects`;
  const away = { kind: 'external', url: 'https://acme.dev/away' };
  const add = (source: string, more: object = {}) =>
    call('POST', path, { source, destination: away, ...more });

  test('are listed as live or drafts and can be changed', async () => {
    const [{ id: section }] = (await call('GET', `${site}/sections`)).body.items;
    const [{ id: siteSpace }] = (await call('GET', `${site}/site-spaces`)).body.items;
    const live = await add('/old', { permanent: true });
    expect(live.status).toBe(201);
    expect(live.body).toMatchObject({
      source: '/old',
      draft: false,
      captureWildcard: false,
      permanent: true,
    });
    const draft = await add('/old', { draft: true });
    const listed = async (query = '') =>
      (await call('GET', `${path}${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect([await listed(), await listed('?draft=true')]).toEqual([[live.body.id], [draft.body.id]]);
    for (const destination of [
      { kind: 'site-section', siteSectionId: section },
      { kind: 'site-space', siteSpaceId: siteSpace },
      { kind: 'site-page', siteSpaceId: siteSpace, pageId: 'p1' },
    ]) {
      const changed = await call('PATCH', `${path}/${live.body.id}`, { destination });
      expect([changed.status, changed.body.destination]).toEqual([200, destination]);
    }
    expect((await call('DELETE', `${path}/${live.body.id}`)).status).toBe(205);
    expect(await listed()).toEqual([]);
    expect((await call('DELETE', `${path}/${live.body.id}`)).status).toBe(404);
  });

  test('need a unique source and an existing target', async () => {
    await add('/old');
    expect((await add('/old')).status).toBe(409);
    for (const source of ['old', '/', '/*', '/a*b', '/a?b', '/a b', '/a//b', `/${'a'.repeat(512)}`])
      expect((await add(source)).status, source).toBe(400);
    for (const destination of [
      { kind: 'external' },
      { kind: 'external', url: 'https://acme.dev/', siteSpaceId: 'x' },
      { kind: 'elsewhere' },
    ])
      expect((await add('/a', { destination })).status).toBe(400);
    const nowhere = { kind: 'site-section', siteSectionId: 'nowhere' };
    expect((await add('/a', { destination: nowhere })).status).toBe(404);
    expect((await call('POST', path, { source: '/a', destination: away }, 'token-rex')).status).toBe(403);
    service.reset(sampleSeed, { 'redirect-source': 'both' });
    expect([(await add('/old')).status, (await add('/old')).status]).toEqual([201, 201]);
    service.reset(sampleSeed, { 'redirect-source': 'replaces' });
    await add('/old');
    await add('/old');
    expect((await call('GET', path)).body.items).toHaveLength(1);
  });

  test('resolve by the exact path first, then by the longest wildcard', async () => {
    await add('/old/*', { captureWildcard: true });
    await add('/old/a/*');
    await add('/old/b', { destination: { kind: 'external', url: 'https://acme.dev/b' } });
    const targetOf = async (source: string) =>
      (await call('GET', `${site}/redirect?source=${source}`)).body.target;
    expect(await targetOf('/old/x/y')).toBe('https://acme.dev/away/x/y');
    expect(await targetOf('/old/a/y')).toBe('https://acme.dev/away');
    expect(await targetOf('/old/b/')).toBe('https://acme.dev/b');
    expect((await call('GET', `${site}/redirect?source=/new`)).status).toBe(404);
  });

  test.each(['dangles', 'goes'] as const)('have a deleted target that %s', async (variant) => {
    service.reset(sampleSeed, { 'redirect-target': variant });
    const sections = (await call('GET', `${site}/sections`)).body.items;
    const { id } = sections.find((one: { default: boolean }) => !one.default);
    await add('/old', { destination: { kind: 'site-section', siteSectionId: id } });
    expect((await call('DELETE', `${site}/sections/${id}`)).status).toBe(205);
    expect((await call('GET', path)).body.items).toHaveLength(variant === 'goes' ? 0 : 1);
    expect((await call('GET', `${site}/redirect?source=/old`)).status).toBe(404);
  });
});

test('publishes a site and takes it offline, or requires payment', async () => {
  const publish = (state: string) => call('POST', `${site}/${state}`);
  expect((await publish('unpublish')).body.published).toBe(false);
  const live = await publish('publish');
  expect([live.status, live.body.published]).toEqual([200, true]);
  expect((await call('POST', `${site}/publish`, undefined, 'token-rex')).status).toBe(403);
  const empty = (await call('POST', '/v1/orgs/org_acme/sites', { title: 'Empty' })).body.id;
  expect((await call('POST', `/v1/orgs/org_acme/sites/${empty}/publish`)).status).toBe(409);
  service.reset(sampleSeed, { publishing: 'checkout' });
  await publish('unpublish');
  const response = await publish('publish');
  expect([response.status, response.body.type]).toEqual([200, 'checkout']);
  expect((await call('GET', site)).body.published).toBe(false);
});

describe('parts that are kept as they come', () => {
  const org = '/v1/orgs/org_acme';
  const space = '/v1/spaces/sp_api_guide';
  const withRule = <T extends { rule: string }>(rule: T) => ({
    mergeRules: { type: 'rules', rules: [rule] },
  });

  test.each([
    [{ rule: 'require_magic' }, 'rules.0.rule'],
    [{ rule: 'require_specific_reviewers' }, 'rules.0.users'],
    [{ rule: 'require_one_of_specific_reviewers' }, 'rules.0.users'],
    [{ rule: 'allow_bypass' }, 'rules.0.users'],
    [{ rule: 'custom', message: 'No' }, 'rules.0.expression'],
    [{ rule: 'custom', expression: 5 }, 'mergeRules'],
  ])('refuse the merge rule %j', async (rule, at) => {
    for (const path of [org, space]) {
      const { status, body } = await call('PATCH', path, withRule(rule));
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(at)]);
    }
    expect((await call('GET', org)).body.mergeRules).toEqual({ type: 'none' });
  });

  test.each([
    { rule: 'require_agent_review' },
    { rule: 'custom', expression: 'true' },
    { rule: 'custom', expression: 'true', message: 'Ask', severity: 'high' },
    { rule: 'allow_bypass', users: [], since: 5 },
  ])('accept the merge rule %j', async (rule) => {
    for (const path of [org, space])
      expect((await call('PATCH', path, withRule(rule))).body.mergeRules).toEqual(withRule(rule).mergeRules);
  });

  test('accept again the rules and the appearance that an object of a newer service has', async () => {
    const newer = withRule({ rule: 'require_magic', level: 5 }).mergeRules;
    const row = service.store.get('org', 'org_acme');
    if (row !== undefined) service.store.put('org', { ...row, mergeRules: newer });
    const rules = [...newer.rules, { rule: 'require_author_to_merge' }];
    expect(
      (await call('PATCH', org, { mergeRules: { type: 'rules', rules } })).body.mergeRules.rules,
    ).toEqual(rules);
    const { body: live } = await call('GET', `${site}/customization`);
    const whole = { ...complete(live), styling: { ...live.styling, theme: { name: 'mine' } } };
    service.store.put('customization', { id: 'site_hub', org: 'org_acme', whole, updatedAt: '', order: 1 });
    expect((await call('PUT', `${site}/customization`, whole)).status).toBe(200);
  });

  /** All parts that a request needs. */
  const complete = (live: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
    ...Object.fromEntries(requiredParts.map((name) => [name, {}])),
    ...Object.fromEntries(Object.entries(live).filter(([name]) => !['object', 'updatedAt'].includes(name))),
  });

  test.each<readonly [path: string, value: unknown, isAllowed: boolean]>([
    ['styling.theme', 5, false],
    ['styling.theme', 'retro', true],
    ['styling.primaryColor.light', 'red', false],
    ['styling.primaryColor.light', '#abc', true],
    ['styling.font', 5, false],
    ['styling.font', { id: 'font_1', source: 'upload' }, true],
    ['styling.glow', 5, true],
    ['header.links', 'x', false],
    ['header.links', [{ title: 5, to: { kind: 'url', url: 'https://a.example' } }], false],
    ['header.links', [{ title: 'A', to: { kind: 'page', page: 'p', space: 's' }, badge: 5 }], true],
    ['footer.copyright', 'x'.repeat(513), false],
    ['themes.toggeable', 'yes', false],
    ['pageActions.items', ['pdf', 'telegraph'], true],
    ['pageActions.items', 'pdf', false],
    ['ai.suggestions', ['a', 'b', 'c', 'd', 'e', 'f'], false],
    ['favicon', { emoji: '1f44b', shape: 'round' }, true],
    ['favicon', { emoji: 5 }, false],
    ['privacyPolicy.url', null, true],
  ])('check %s: %j', async (path, value, isAllowed) => {
    const { body: live } = await call('GET', `${site}/customization`);
    const [part = '', ...inner] = path.split('.');
    const whole = complete(live);
    const patch = inner.length === 0 ? value : nested([[inner.join('.'), value]]);
    const sent = { ...whole, [part]: inner.length === 0 ? value : merged(whole[part], patch) };
    const { status, body } = await call('PUT', `${site}/customization`, sent);
    expect([status, status === 400 ? body.error.message : '']).toEqual(
      isAllowed ? [200, ''] : [400, expect.stringContaining(`body.${path}`)],
    );
  });
});

test.each(['400', 'kept', 'dropped'] as const)('stores merge rules with unknown people: %s', async (way) => {
  service.reset(sampleSeed, { 'merge-rule-people': way });
  const org = '/v1/orgs/org_acme';
  const space = '/v1/spaces/sp_api_guide';
  expect((await call('GET', space)).body.mergeRules).toEqual({ type: 'inherit' });
  const [{ id: user }] = (await call('GET', `${org}/members`)).body.items;
  const rules = (users: readonly string[]) => ({
    type: 'rules',
    rules: [{ rule: 'require_author_to_merge' }, { rule: 'allow_bypass', users }],
  });
  for (const path of [org, space]) {
    const set = await call('PATCH', path, { mergeRules: rules([user]) });
    expect([set.status, set.body.mergeRules]).toEqual([200, rules([user])]);
    const strange = await call('PATCH', path, { mergeRules: rules([user, 'user_gone']) });
    expect(strange.status).toBe(way === '400' ? 400 : 200);
    if (way !== '400')
      expect(strange.body.mergeRules).toEqual(rules(way === 'kept' ? [user, 'user_gone'] : [user]));
    expect((await call('PATCH', path, { mergeRules: { type: 'none' } })).body.mergeRules).toEqual({
      type: 'none',
    });
  }
  expect((await call('PATCH', org, { mergeRules: { type: 'inherit' } })).status).toBe(400);
  expect((await call('PATCH', space, { mergeRules: { type: 'rules', rules: [{}] } })).status).toBe(400);
});
