/** Steps of an approved plan that remain, are done or differ, on various live states. */
import { describe, expect, test } from 'vitest';
import { executeSteps } from '../../src/apply/execute.ts';
import { RunIds } from '../../src/apply/run-ids.ts';
import { registry } from '../../src/kinds/index.ts';
import { type Comparison, comparePlans } from '../../src/plan/compare/compare-plans.ts';
import type { OrganizationPlan, Step } from '../../src/plan/plan.ts';
import { withKnownIds } from '../../src/tree/desired-tree.ts';
import { noOwnWork, type OwnWork } from '../../src/tree/own-work.ts';
import { free } from '../support/arbitrary.ts';
import { createdIn, seed, treeOf } from '../support/harness.ts';
import { some } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

type Document = Readonly<Record<string, unknown>>;

function document({ organization, ...rest }: Document): Document {
  return {
    octavo: 1,
    organization: { id: 'org_acme', ...(organization as object | undefined) },
    settings: { ...free, prune: 'unlisted', pruneKinds: { member: 'never' } },
    ...rest,
  };
}

/** Applies the document. */
async function given(content: Document): Promise<void> {
  harness.service.reset(seed);
  created = noOwnWork;
  const tree = await treeOf(document(content));
  await harness.apply(tree, await harness.plan(tree));
}

/** Objects created by steps since `given`. */
let created: OwnWork = noOwnWork;

async function planned(content: Document, approved?: OrganizationPlan): Promise<OrganizationPlan> {
  const tree = await treeOf(document(content));
  const pinned = approved === undefined ? tree : withKnownIds(tree, new Map(Object.entries(approved.ids)));
  return harness.plan(pinned, { own: created });
}

/** Carries out only some steps of a plan. */
async function carryOut(plan: OrganizationPlan, steps: readonly Step[]): Promise<void> {
  const ids = new Set(steps.map(({ id }) => id));
  const made = new RunIds();
  const outcomes = await executeSteps(
    plan.steps.filter(({ id }) => ids.has(id)),
    {
      api: harness.api,
      registry,
      organization: plan.label,
      ids: made,
      parallelism: 1,
      sleep: async () => {},
      isInterrupted: () => false,
      onStart: () => {},
      onEnd: () => {},
    },
  );
  expect(outcomes.filter(({ type }) => type !== 'done' && type !== 'satisfied')).toEqual([]);
  created = createdIn(steps, made);
}

function compare(approved: OrganizationPlan, today: OrganizationPlan): Comparison {
  return comparePlans(approved, today, { registry, sameDesired: true });
}

function brief({ steps, satisfied, differences }: Comparison) {
  return {
    steps: steps.map(({ id }) => id),
    satisfied: satisfied.map(({ id }) => id),
    differences: differences.map(({ address, elsewhere }) => `${address}${elsewhere ? ' (elsewhere)' : ''}`),
  };
}

const sections = (...paths: readonly (readonly [string, string])[]) => ({
  sites: {
    docs: {
      title: 'Docs',
      type: 'basic',
      sections: Object.fromEntries(
        paths.map(([key, path]) => [
          key,
          { title: `Section ${key}`, path, spaces: { main: { space: 'sp_guide' } }, default: 'main' },
        ]),
      ),
    },
  },
  spaces: { sp_guide: { id: 'sp_guide' } },
});

/** Sites by title, each with a basename. */
const basenames = (letters: string) => ({
  sites: Object.fromEntries(
    [...letters].map((letter, at) => [
      `site${at}`,
      { title: `Site ${at}`, basename: `name-${letter}`, type: 'basic' },
    ]),
  ),
});

function isDelete({ phase }: Step): boolean {
  return phase === 'delete';
}

/** Path parameters of a live team. */
async function paramsOf(title: string): Promise<{ organizationId: string; teamId: string }> {
  const place = { organizationId: 'org_acme' };
  const teams = (await harness.api.all('teams.list', { params: place })) as { id: string; title: string }[];
  return { ...place, teamId: teams.find((team) => team.title === title)?.id ?? '' };
}

describe('after every step of a plan', () => {
  const rich: Document = {
    organization: { title: 'Acme Inc', emailDomains: ['a.dev', 'b.dev'] },
    teams: {
      red: { title: 'Red', members: { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' } },
      blue: { title: 'Blue', was: [] },
    },
    customFields: { stage: { type: 'text', title: 'stage' } },
    collections: {
      books: {
        title: 'stage',
        was: [],
        spaces: { sp_guide: { id: 'sp_guide' }, sp_blog: { id: 'sp_blog' } },
      },
    },
    samlProviders: { okta: { label: 'stage', defaultRole: 'read' } },
    translations: { french: { title: 'Bleu' } },
  };
  const other: Document = {
    teams: {
      red: { title: 'Red', members: { 'cyd@acme.dev': 'member' } },
      green: { title: 'Green', was: [] },
    },
    customFields: { level: { type: 'number', title: 'Level' } },
    collections: { notes: { title: 'Notes', was: [], spaces: { sp_blog: { id: 'sp_blog' } } } },
    samlProviders: {},
    translations: {},
  };
  const cases: readonly (readonly [string, Document, Document])[] = [
    ['creates over an empty organization', {}, rich],
    ['creates, updates, moves and deletes', other, rich],
    [
      'sections in another order',
      sections(['a', 'a'], ['b', 'b'], ['c', 'c']),
      sections(['c', 'c'], ['b', 'b'], ['a', 'a']),
    ],
    ['two basenames swapped', basenames('ab'), basenames('ba')],
    ['three basenames turned round', basenames('abc'), basenames('bca')],
  ];
  const rootSpaces = {
    sites: {
      docs: {
        title: 'Docs',
        type: 'basic',
        sections: {},
        spaces: { main: { space: 'sp_guide' }, more: { space: 'sp_blog' } },
        default: 'more',
      },
    },
    spaces: { sp_guide: { id: 'sp_guide' }, sp_blog: { id: 'sp_blog' } },
  };
  const all: typeof cases = [
    ...cases,
    ['site-spaces give way to sections', rootSpaces, sections(['a', 'a'], ['b', 'b'])],
    ['sections give way to site-spaces', sections(['a', 'a'], ['b', 'b']), rootSpaces],
  ];
  test.each(some(all))('accepts the remaining steps as approved: %s', async (name, before, after) => {
    await given(before);
    const approved = await planned(after);
    expect(approved.steps.length).toBeGreaterThan(1);
    expect(approved.steps.some(({ phase }) => phase === 'vacate')).toBe(name.includes('basenames'));
    for (let count = 0; count <= approved.steps.length; count += 1) {
      await given(before);
      const plan = await planned(after);
      const done = plan.steps.slice(0, count);
      await carryOut(plan, done);
      const today = await planned(after, plan);
      const { steps, satisfied, differences } = compare(plan, today);
      expect(differences).toEqual([]);
      expect(steps).toEqual(today.steps);
      for (const { id } of done) expect(satisfied.map((step) => step.id)).toContain(id);
      const open = new Set(today.steps.filter(isDelete).map(({ liveId }) => liveId));
      expect(satisfied.filter((step) => isDelete(step) && open.has(step.liveId))).toEqual([]);
      if (count === 0) expect(today.steps).toEqual(plan.steps);
      if (count === approved.steps.length) expect(today.steps).toEqual([]);
    }
  });
});

test('accepts the move of an object that could not be created in order', async () => {
  const desiredValue = sections(['a', 'a'], ['b', 'b'], ['c', 'c']);
  await given(sections(['a', 'a']));
  const plan = await planned(desiredValue);
  await carryOut(
    plan,
    plan.steps.filter(({ address }) => !address.startsWith('sites/docs/sections/b')),
  );
  const today = await planned(desiredValue, plan);
  expect(today.steps.map(({ phase }) => phase)).toContain('move');
  expect(compare(plan, today)).toMatchObject({ steps: today.steps, differences: [] });
  // Other manifests may want another order.
  const compared = comparePlans(plan, today, { registry, sameDesired: false });
  expect(compared.differences.map(({ message }) => message)).toEqual(['create (move) was not in the plan']);
});

describe('an object created during the run', () => {
  const desiredValue: Document = { teams: { red: { title: 'Red', members: { 'ada@acme.dev': 'owner' } } } };
  const team = (members: readonly string[]) =>
    harness.api.send('teams.create', {
      params: { organizationId: 'org_acme' },
      body: { title: 'Red', members },
    });

  test('is completed if the run itself created it', async () => {
    await given({});
    const plan = await planned(desiredValue);
    await team(['user_ada']);
    const red = { address: 'teams/red', kind: 'team', id: (await paramsOf('Red')).teamId, run: 'r-test' };
    created = { ...noOwnWork, objects: [{ ...red, made: true, isOver: true, sent: ['#create'] }] };
    expect(brief(compare(plan, await planned(desiredValue, plan)))).toEqual({
      steps: ['teams/red#update'],
      satisfied: ['teams/red#create'],
      differences: [],
    });
  });

  test('is completed if it is as the plan makes it, also if someone else created it', async () => {
    await given({});
    const plan = await planned(desiredValue);
    await team(['user_ada']);
    expect(brief(compare(plan, await planned(desiredValue, plan)))).toEqual({
      steps: ['teams/red#update'],
      satisfied: ['teams/red#create'],
      differences: [],
    });
  });

  test('is a difference if another writer created it with other people in it', async () => {
    await given({});
    const plan = await planned(desiredValue);
    await team(['user_bob']);
    const today = await planned(desiredValue, plan);
    expect(brief(compare(plan, today)).differences).toEqual(['teams/red']);
    expect(compare(plan, today).differences[0]?.message).toContain('it is another team now');
  });
});

describe('an object changed in a field that the manifests do not set', () => {
  const site = (title: string, more: object = {}) => ({
    sites: {
      hub: { title, ...(title === 'Docs' ? { was: ['Hub'] } : {}), ...more },
      docs: { title: 'Manuals' },
    },
  });

  async function hide(title: string): Promise<void> {
    const sites = await harness.api.all('sites.list', { params: { organizationId: 'org_acme' } });
    const found = sites.find((one) => (one as { readonly title: string }).title === title);
    const params = { organizationId: 'org_acme', siteId: (found as { readonly id: string }).id };
    await harness.api.send('sites.update', { params, body: { visibility: 'unlisted' } });
  }

  test('is a difference if the plan changes the object', async () => {
    await given(site('Hub', { visibility: 'public' }));
    const plan = await planned(site('Docs'));
    await hide('Hub');
    expect(compare(plan, await planned(site('Docs'), plan)).differences).toEqual([
      {
        address: 'sites/hub',
        message: 'visibility was "public" and is "unlisted" now',
        elsewhere: false,
      },
    ]);
  });

  test('is not a difference if the plan does not change the object', async () => {
    await given(site('Hub', { visibility: 'public' }));
    const plan = await planned(site('Docs'));
    await hide('Manuals');
    expect(brief(compare(plan, await planned(site('Docs'), plan)))).toEqual({
      steps: ['sites/hub#update'],
      satisfied: [],
      differences: [],
    });
  });
});

describe('a delete', () => {
  const before: Document = {
    teams: { red: { title: 'Red', members: { 'ada@acme.dev': 'owner' } }, blue: { title: 'Blue' } },
  };
  const after: Document = { teams: { blue: { title: 'Blue' } } };
  test('differs if the object has another title', async () => {
    await given(before);
    const plan = await planned(after);
    await harness.api.send('teams.update', { params: await paramsOf('Red'), body: { title: 'Rouge' } });
    const { differences } = compare(plan, await planned(after, plan));
    expect(differences).toHaveLength(1);
    expect(differences[0]).toMatchObject({
      elsewhere: false,
      message: 'the team to delete has changed: title was "Red" and is "Rouge" now',
    });
  });

  test('differs if the team has other members', async () => {
    await given(before);
    const plan = await planned(after);
    await harness.api.send('teams.updateMembers', {
      params: await paramsOf('Red'),
      body: { add: ['user_bob'] },
    });
    const { differences } = compare(plan, await planned(after, plan));
    expect(differences.map(({ elsewhere }) => elsewhere)).toEqual([false]);
  });

  test('differs if the site has other contents', async () => {
    const spaces = { guide: { id: 'sp_guide' } };
    const shareLinks = { partners: { name: 'Partners' } };
    await given({ spaces, sites: { hub: { title: 'Hub', shareLinks }, docs: { title: 'Manuals' } } });
    const desiredValue = { spaces, sites: { docs: { title: 'Manuals' } } };
    const plan = await planned(desiredValue);
    const [step] = plan.steps;
    expect(step?.cascade?.map(({ noun, title }) => `${noun} ${title}`)).toEqual(['share link Partners']);
    const params = { organizationId: 'org_acme', siteId: step?.liveId ?? '' };
    await harness.api.send('shareLinks.create', { params, body: { name: 'Press' } });
    const { steps, differences } = compare(plan, await planned(desiredValue, plan));
    expect(steps).toEqual([]);
    expect(differences.map(({ message }) => message)).toEqual([
      'the site to delete has changed: share link "Press" is in it now',
    ]);
  });

  test('is done if the object is already deleted', async () => {
    await given(before);
    const plan = await planned(after);
    await harness.api.send('teams.delete', { params: await paramsOf('Red') });
    expect(brief(compare(plan, await planned(after, plan)))).toEqual({
      steps: [],
      satisfied: plan.steps.map(({ id }) => id),
      differences: [],
    });
  });

  test('does not differ because of an object that became unlisted elsewhere', async () => {
    await given(before);
    const plan = await planned(after);
    await harness.api.send('teams.create', {
      params: { organizationId: 'org_acme' },
      body: { title: 'New' },
    });
    const { steps, differences } = compare(plan, await planned(after, plan));
    expect(steps.map(({ id }) => id)).toEqual(plan.steps.map(({ id }) => id));
    expect(differences.map(({ elsewhere }) => elsewhere)).toEqual([true]);
  });
});

test('reports moved sections as differences if the manifests differ', async () => {
  await given(sections(['a', 'a'], ['b', 'b']));
  const plan = await planned(sections(['a', 'a'], ['b', 'b'], ['c', 'c']));
  const today = await planned(sections(['c', 'c'], ['a', 'a'], ['b', 'b']));
  const compared = comparePlans(plan, today, { registry, sameDesired: false });
  expect(brief(compared).differences).toContain('sites/docs/sections/c');
  expect(compared.differences.map(({ message }) => message).join()).toContain('move');
});

test('reports a difference if a request names a deleted object', async () => {
  const team = { red: { title: 'Red' } };
  const provider = (role: string) => ({ okta: { label: 'Okta', defaultTeam: 'red', defaultRole: role } });
  await given({ teams: team, samlProviders: {} });
  const desiredValue = { teams: team, samlProviders: provider('read') };
  const plan = await planned(desiredValue);
  await harness.api.send('teams.delete', { params: await paramsOf('Red') });
  // As a later read shows it: the team no longer exists, so no object is pinned to it.
  const today = await planned(desiredValue);
  const { steps, differences } = brief(compare(plan, today));
  expect([steps, differences]).toEqual([[], ['teams/red (elsewhere)', 'samlProviders/okta']]);
});
