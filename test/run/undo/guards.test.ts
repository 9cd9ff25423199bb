/** Guards hold for an undo as for every plan; limits and protection do not, for what the run itself made. Order is that of the one planner. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ServedHarness, seed, startServedHarness, treeOf } from '../../support/harness.ts';
import { differences, snapshotOf } from '../../support/snapshot.ts';
import { type AppliedRun, applyPlanned, applyTree, onlyPlan, undoOf } from '../../support/undo.ts';

let harness: ServedHarness;
beforeAll(async () => {
  harness = await startServedHarness();
});
beforeEach(() => harness.reset());
afterAll(() => harness.close());

const params = { organizationId: 'org_acme' };
const open = {
  prune: 'unlisted',
  pruneKinds: { member: 'never' },
  protect: ['!**'],
  limits: { deletes: null, deletePercent: null },
};
const [organization] = seed.organizations;

function look(): Promise<unknown> {
  const { url, token } = harness.service;
  const spaces = (organization?.spaces ?? []).flatMap(({ id }) => id ?? []);
  return snapshotOf({ url, token, organizationId: 'org_acme', spaces, linkInvites: ['inv_one'] });
}

async function apply(part: object, settings: object = open): Promise<AppliedRun> {
  const tree = await treeOf({ octavo: 1, organization: { id: 'org_acme' }, settings, ...part });
  const run = await applyTree(harness, tree);
  const failed = run.result.organizations.flatMap(({ outcomes }) =>
    outcomes.filter(({ type }) => type === 'failed'),
  );
  expect(failed).toEqual([]);
  return run;
}

/** Applies one state after the other, undoes the second, and finds the first as it was. */
async function thereAndBack(first: object, second: object, excused: readonly string[] = []): Promise<void> {
  await apply(first);
  const before = await look();
  const run = await apply(second);
  const undo = await undoOf(harness, run);
  expect(onlyPlan(undo).refusals).toEqual([]);
  const { result } = await applyPlanned(harness, undo);
  const ends = result.organizations.flatMap(({ outcomes }) => outcomes);
  expect(ends.filter(({ type }) => type === 'failed' || type === 'skipped')).toEqual([]);
  const wrong = differences(before, await look());
  expect(wrong.filter((path) => !excused.some((end) => path.endsWith(end)))).toEqual([]);
  expect(onlyPlan(await undoOf(harness, run)).steps).toEqual([]);
}

test('single sign-on goes off before its provider goes, and on after the provider has come back', async () => {
  const off = { organization: { id: 'org_acme', sso: false }, samlProviders: {} };
  const on = {
    organization: { id: 'org_acme', sso: true },
    samlProviders: { okta: { label: 'Okta', entityID: 'urn:okta' } },
  };
  await thereAndBack(off, on);
  await thereAndBack(on, off);
});

test('the last administrator stays one', async () => {
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

test('whatever the manifests protect and limit, what the run made goes again', async () => {
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

test('a copy with open change requests is not deleted', async () => {
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

test('a space that is shown on a site comes back before it is shown again', async () => {
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

test('the first section of a site goes, and the site-spaces of the site come back', async () => {
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

test('collections inside collections come back with what was in them, in its order', async () => {
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

test('the order of a list comes back around a space that no manifest lists', async () => {
  const spaces = (...keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, { id: `sp_${key}` }]));
  const books = (inside: object, outside: object) => ({
    spaces: outside,
    collections: { books: { title: 'Books', spaces: inside } },
  });
  const first = books(spaces('notes', 'faq', 'start'), spaces('guide', 'blog'));
  // What arrives does so at the end, so that faq is moved there.
  const second = books(spaces('notes', 'guide', 'blog', 'faq'), {});
  await thereAndBack(first, { ...second, settings: { ...open, pruneKinds: { space: 'never' } } });
});

test('a space goes back to a collection that no manifest declares, and to its place there', async () => {
  const made = (await harness.api.send('collections.create', { params, body: { title: 'Theirs' } })) as {
    id: string;
  };
  for (const spaceId of ['sp_faq', 'sp_guide', 'sp_blog'])
    await harness.api.send('spaces.move', { params: { spaceId }, body: { parent: made.id } });
  await thereAndBack({}, { spaces: { guide: { id: 'sp_guide' } } });
});

test('a team comes back with its people, and is the default team of its provider again', async () => {
  const teams = { crew: { title: 'Crew', members: { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' } } };
  const okta = { label: 'Okta', entityID: 'urn:okta' };
  await apply({ teams, samlProviders: { okta: { ...okta, defaultTeam: 'crew' } } });
  const before = await look();
  const run = await apply({ teams: {} });
  await applyPlanned(harness, await undoOf(harness, run));
  expect(differences(before, await look())).toEqual([]);
});

test('a site comes back as what people see first', async () => {
  await apply({
    organization: { id: 'org_acme', defaultContent: { site: 'hub' } },
    ...site({ spaces: { a: guide } }),
  });
  const before = await look();
  const run = await apply({ sites: {} });
  await applyPlanned(harness, await undoOf(harness, run));
  expect(differences(before, await look())).toEqual([]);
});

test('says that a redirect which the run left alone does not find what is created again', async () => {
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
