/** Guards apply to an undo as to any plan, except limits and protection of objects that the run created. The planner decides the order. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { free } from '../../support/arbitrary.ts';
import { type ServedHarness, seed, startServedHarness, treeOf } from '../../support/harness.ts';
import { differences, reading, snapshotOf } from '../../support/snapshot.ts';
import { type AppliedRun, applyPlanned, applyTree, onlyPlan, undoOf } from '../../support/undo.ts';

let harness: ServedHarness;
beforeAll(async () => {
  harness = await startServedHarness();
});
beforeEach(() => harness.reset());
afterAll(() => harness.close());

const params = { organizationId: 'org_acme' };
const open = { ...free, prune: 'unlisted', pruneKinds: { member: 'never' } };
const [organization] = seed.organizations;

function readState(): Promise<unknown> {
  const { url, token } = harness.service;
  const spaces = (organization?.spaces ?? []).flatMap(({ id }) => id ?? []);
  return snapshotOf({
    get: reading({ url, token }),
    organizationId: 'org_acme',
    spaces,
    linkInvites: ['inv_one'],
  });
}

async function apply(part: object, settings: object = open): Promise<AppliedRun> {
  const tree = await treeOf({ octavo: 1, organization: { id: 'org_acme' }, settings, ...part });
  const run = await applyTree(harness, tree);
  const failed = run.result.organizations.flatMap(({ outcomes }) =>
    outcomes.filter(({ type }) => type === 'failed' || type === 'unknown'),
  );
  expect(failed).toEqual([]);
  return run;
}

/** Applies both states, undoes the second, and expects the first one. */
async function thereAndBack(first: object, second: object, excused: readonly string[] = []): Promise<void> {
  await apply(first);
  const before = await readState();
  const run = await apply(second);
  const undo = await undoOf(harness, run);
  expect(onlyPlan(undo).refusals).toEqual([]);
  const { result } = await applyPlanned(harness, undo);
  const ends = result.organizations.flatMap(({ outcomes }) => outcomes);
  expect(ends.filter(({ type }) => ['failed', 'unknown', 'skipped'].includes(type))).toEqual([]);
  const wrong = differences(before, await readState());
  expect(wrong.filter((path) => !excused.some((end) => path.endsWith(end)))).toEqual([]);
  expect(onlyPlan(await undoOf(harness, run)).steps).toEqual([]);
}

test('disables single sign-on before deleting its provider, and enables it after restoring the provider', async () => {
  const off = { organization: { id: 'org_acme', sso: false }, samlProviders: {} };
  const on = {
    organization: { id: 'org_acme', sso: true },
    samlProviders: { okta: { label: 'Okta', entityID: 'urn:okta' } },
  };
  await thereAndBack(off, on);
  await thereAndBack(on, off);
});

test('refuses to demote the last administrator', async () => {
  await apply({ members: { 'ada@acme.dev': { role: 'admin' }, 'bob@acme.dev': { role: 'edit' } } });
  const run = await apply({
    members: { 'ada@acme.dev': { role: 'admin' }, 'bob@acme.dev': { role: 'admin' } },
  });
  await harness.api.send('members.update', {
    params: { ...params, userId: 'user_ada' },
    body: { role: 'edit' },
  });
  expect(onlyPlan(await undoOf(harness, run)).refusals).toMatchObject([
    {
      guard: 'last-one',
      address: 'members/bob@acme.dev',
      suggestion: expect.stringContaining('--skip-refused'),
    },
  ]);
});

test('deletes objects of the run in spite of protection and limits', async () => {
  const sites = Object.fromEntries(
    Array.from({ length: 12 }, (_none, index) => [
      `s${index}`,
      { title: `Site ${index}`, type: 'basic', visibility: 'public', lifecycle: { protect: true } },
    ]),
  );
  const run = await apply({ sites }, { protect: ['**'], limits: { deletes: 1, changes: 100 } });
  const plan = onlyPlan(await undoOf(harness, run));
  expect(plan.refusals).toEqual([]);
  expect(plan.steps.map(({ phase }) => phase)).toEqual(Array.from({ length: 12 }, () => 'delete'));
});

test('refuses to delete a copy with open change requests', async () => {
  const run = await apply({
    spaces: { guide: { id: 'sp_guide' }, next: { title: 'Next', duplicateOf: 'guide' } },
  });
  const spaceId = run.result.organizations[0]?.made.get('spaces/next') ?? '';
  await harness.api.send('changeRequests.create', { params: { spaceId }, body: { subject: 'Mine' } });
  const id = (await harness.api.all('changeRequests.list', {
    params: { spaceId },
    query: { status: 'draft' },
  })) as readonly { id: string }[];
  for (const one of id)
    await harness.api.send('changeRequests.update', {
      params: { spaceId, changeRequestId: one.id },
      body: { status: 'open' },
    });
  expect(onlyPlan(await undoOf(harness, run)).refusals).toMatchObject([
    { guard: 'open-work', address: 'spaces/next' },
  ]);
});

const guide = { space: { id: 'sp_guide' } };
const site = (more: object) => ({
  sites: { hub: { title: 'Hub', type: 'basic', visibility: 'public', ...more } },
});

test('restores a space before showing it on a site again', async () => {
  const spaces = { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' } };
  const shown = (keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, { space: key, path: key }]));
  await thereAndBack(
    {
      collections: { docs: { title: 'Docs', spaces } },
      ...site({ spaces: shown(['faq', 'guide']), default: 'faq' }),
    },
    {
      collections: { docs: { title: 'Docs', spaces: { guide: spaces.guide } } },
      ...site({ spaces: shown(['guide']), default: 'guide' }),
    },
  );
});

test('deletes the first section of a site and restores the root site-spaces', async () => {
  const root = site({
    spaces: {
      a: { ...guide, path: 'a', condition: 'visitor.claims.a' },
      b: { space: { id: 'sp_faq' }, path: 'b' },
    },
    default: 'b',
  });
  const sections = site({ sections: { one: { title: 'One', path: 'one', spaces: { a: guide } } } });
  for (const variant of ['moved', 'stay'] as const) {
    harness.reset({ 'root-site-spaces': variant });
    await thereAndBack(root, sections);
  }
});

test('restores nested collections with their contents in order', async () => {
  const spaces = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, { id: `sp_${key}` }]));
  await thereAndBack(
    {
      collections: {
        a: {
          title: 'A',
          defaultLevel: 'read',
          collections: { b: { title: 'B', spaces: spaces('faq', 'guide', 'blog') } },
        },
      },
    },
    { collections: { c: { title: 'C', was: [], spaces: spaces('blog', 'faq') } }, spaces: spaces('guide') },
  );
});

test('restores the order of a list around an unlisted space', async () => {
  const spaces = (...keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, { id: `sp_${key}` }]));
  const books = (inside: object, outside: object) => ({
    spaces: outside,
    collections: { books: { title: 'Books', spaces: inside } },
  });
  const first = books(spaces('notes', 'faq', 'start'), spaces('guide', 'blog'));
  // New spaces arrive at the end, so that faq is moved there.
  const second = books(spaces('notes', 'guide', 'blog', 'faq'), {});
  await thereAndBack(first, { ...second, settings: { ...open, pruneKinds: { space: 'never' } } });
});

test('moves a space back to its place in an unmanaged collection', async () => {
  const made = (await harness.api.send('collections.create', { params, body: { title: 'Theirs' } })) as {
    id: string;
  };
  for (const spaceId of ['sp_faq', 'sp_guide', 'sp_blog'])
    await harness.api.send('spaces.move', { params: { spaceId }, body: { parent: made.id } });
  await thereAndBack({}, { spaces: { guide: { id: 'sp_guide' } } });
});

test('restores a team with its members and as the default team of its provider', async () => {
  const teams = { crew: { title: 'Crew', members: { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' } } };
  const okta = { label: 'Okta', entityID: 'urn:okta' };
  await apply({ teams, samlProviders: { okta: { ...okta, defaultTeam: 'crew' } } });
  const before = await readState();
  const run = await apply({ teams: {} });
  await applyPlanned(harness, await undoOf(harness, run));
  expect(differences(before, await readState())).toEqual([]);
});

test('restores a site as the default content', async () => {
  await apply({
    organization: { id: 'org_acme', defaultContent: { site: 'hub' } },
    ...site({ spaces: { a: guide } }),
  });
  const before = await readState();
  const run = await apply({ sites: {} });
  await applyPlanned(harness, await undoOf(harness, run));
  expect(differences(before, await readState())).toEqual([]);
});

test('reports redirects that do not lead to a restored object', async () => {
  harness.reset({ 'redirect-target': 'dangles' }, '2026');
  const sections = {
    one: { title: 'One', path: 'one', spaces: { a: guide } },
    two: { title: 'Two', path: 'two', spaces: { b: { space: { id: 'sp_faq' } } } },
  };
  const service = { profile: '2026' };
  const draftRedirects = { '/old': { to: 'two' }, '/older': { to: 'b' } };
  await apply(site({ sections, draftRedirects, default: 'one' }), { ...open, service });
  const run = await apply(site({ sections: { one: sections.one } }), { ...open, service });
  const notes = onlyPlan(await undoOf(harness, run)).notes.map(({ message }) => message);
  const lost = 'redirects to it that are not in this plan lead nowhere';
  expect(notes).toContain(`section is created again: ${lost}`);
  expect(notes).toContain(`site-space is created again: a customization of its own is lost, and ${lost}`);
});
