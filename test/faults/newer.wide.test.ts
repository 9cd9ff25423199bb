/**
 * The newer form with lost responses: the response to each write is lost once. Created objects are found, and after one
 * more run there are no duplicates and the plan is empty.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import { operationOf } from '../../src/contract/index.ts';
import { lagging, lost } from '../support/apis.ts';
import { type ServedHarness, seed, startServedHarness, treeOf } from '../support/harness.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { isDeep, patience } from '../support/runs.ts';
import { differences, reading, snapshotOf } from '../support/snapshot.ts';

let harness: ServedHarness;
beforeAll(async () => {
  harness = await startServedHarness(seed, '2026');
});
afterAll(() => harness.close());

/** The request takes effect, and its response is lost. */
function losing(api: Api, index: number): Api {
  let writes = 0;
  return {
    all: (operation, input) => api.all(operation, input),
    send: async (operation, input) => {
      const answer = await api.send(operation, input);
      if (operationOf(operation).method === 'GET') return answer;
      writes += 1;
      if (writes === index + 1) throw lost(operation);
      return answer;
    },
  };
}

const spaces = {
  octavo: 1,
  organization: 'org_acme',
  collections: {
    handbook: {
      title: 'Handbook',
      spaces: {
        first: { title: 'First', language: 'de', defaultLevel: 'read' },
        second: { title: 'Second', template: { id: 'handbook' } },
        guide: { id: 'sp_guide' },
        copy: { title: 'Copy', duplicateOf: 'first' },
      },
    },
  },
  spaces: { alone: { title: 'Alone' } },
};

const titles = () =>
  harness.service.store
    .every('space')
    .map(({ title }) => title)
    .sort();

describe.each(['at once', 'lagging'])('with lists that show writes %s', (when) => {
  const through = (index: number) => (api: Api) => losing(when === 'lagging' ? lagging(api, 3) : api, index);

  test('finds a space if the response to its creation was lost', async () => {
    let writes = 1;
    for (let index = 0; index < writes; index += 1) {
      harness.reset();
      const tree = await treeOf(spaces);
      const planned = await harness.plan(tree);
      writes = planned.steps.flatMap(({ calls }) => calls).length;
      harness.through = through(index);
      await harness.apply(tree, planned);
      harness.through = undefined;
      const rest = await harness.plan(tree);
      await harness.apply(tree, rest);
      expect((await harness.plan(tree)).steps, `${index}`).toEqual([]);
      expect(titles(), `${index}`).toEqual([
        'API guide',
        'API reference',
        'Alone',
        'Blog',
        'Copy',
        'FAQ',
        'First',
        'Notes',
        'Second',
        'Start',
      ]);
      expect(brokenInvariants(harness.service)).toEqual([]);
    }
    expect(writes).toBeGreaterThan(7);
  });

  test('creates a link invite once', async () => {
    harness.reset();
    const tree = await treeOf({
      octavo: 1,
      organization: 'org_acme',
      linkInvites: { writers: { role: 'edit' } },
    });
    const planned = await harness.plan(tree);
    harness.through = through(0);
    await harness.apply(tree, planned);
    harness.through = undefined;
    await harness.apply(tree, await harness.plan(tree));
    expect((await harness.plan(tree)).steps).toEqual([]);
    const invites = harness.service.store.every('invite').map(({ role }) => role);
    expect([...invites].sort()).toEqual(['edit', 'read']);
  });

  test('invites each person once', async () => {
    for (let index = 0; index < 4; index += 1) {
      harness.reset();
      const tree = await treeOf(people);
      const planned = await harness.plan(tree);
      const first = harness.sent.length;
      harness.through = through(index);
      await harness.apply(tree, planned);
      harness.through = undefined;
      const rest = await harness.plan(tree);
      await harness.apply(tree, rest);
      expect((await harness.plan(tree)).steps, `${index}`).toEqual([]);
      const sent = harness.sent.slice(first).map(({ operation }) => operation);
      expect(
        sent.filter((operation) => operation === 'invites.create'),
        `${index}`,
      ).toHaveLength(2);
      expect(brokenInvariants(harness.service)).toEqual([]);
    }
  });
});

const people = {
  octavo: 1,
  organization: 'org_acme',
  members: { 'eve@acme.dev': { role: 'read' }, 'fay@acme.dev': { role: 'edit' } },
  teams: { base: { title: 'Base', members: { 'eve@acme.dev': 'owner', 'ada@acme.dev': 'member' } } },
};

test('does not send an invitation again in the same run if its response was lost', async () => {
  harness.reset({ invites: 'unknown' });
  const tree = await treeOf({ ...people, teams: {} });
  const planned = await harness.plan(tree);
  const before = harness.sent.length;
  harness.through = (api) => losing(api, 0);
  const { organizations } = await harness.apply(tree, planned);
  harness.through = undefined;
  expect(harness.sent.slice(before).map(({ operation }) => operation)).toEqual([
    'invites.create',
    'invites.create',
  ]);
  const ends = organizations.flatMap(({ outcomes }) => outcomes.map(({ type }) => type));
  expect([...ends].sort()).toEqual(['pending', 'unknown']);
});

test('applies a customization with one more run if a response or the read before it was lost', async () => {
  const tree = await treeOf({
    octavo: 1,
    organization: 'org_acme',
    sites: {
      help: {
        title: 'Help',
        visibility: 'public',
        customization: { styling: { theme: 'bold' }, announcement: { enabled: true, message: 'Hello' } },
      },
    },
  });
  const reading = (api: Api): Api => ({
    all: (operation, input) => api.all(operation, input),
    send: async (operation, input) => {
      if (operation === 'sites.getCustomization' && harness.sent.length > 0) throw lost(operation);
      return api.send(operation, input);
    },
  });
  for (const through of [(api: Api) => losing(api, 0), (api: Api) => losing(api, 1), reading]) {
    harness.reset();
    const planned = await harness.plan(tree);
    harness.sent.length = 0;
    harness.through = through;
    await harness.apply(tree, planned);
    harness.through = undefined;
    await harness.apply(tree, await harness.plan(tree));
    expect((await harness.plan(tree)).steps).toEqual([]);
    const made = harness.service.store.every('customization').map(({ whole }) => whole);
    expect(made).toMatchObject([{ styling: { theme: 'bold' }, announcement: { message: 'Hello' } }]);
    expect(brokenInvariants(harness.service)).toEqual([]);
  }
});

const section = (title: string, space: string) => ({ title, spaces: { main: { space: { id: space } } } });
const organization = (hub: object, more: object = {}) => ({
  octavo: 1,
  organization: 'org_acme',
  settings: { prune: 'unlisted', protect: ['!**'], limits: { deletes: null, deletePercent: null } },
  teams: { red: { title: 'Red' }, blue: { title: 'Blue' } },
  sites: { hub: { title: 'Hub', visibility: 'public', ...hub } },
  ...more,
});
const former = organization({
  sections: {
    guides: section('Guides', 'sp_guide'),
    more: {
      title: 'More',
      sections: { inner: { title: 'Inner', sections: {} }, api: section('API', 'sp_reference') },
    },
    shop: { title: 'Shop', url: 'https://shop.acme.dev/' },
    faq: section('FAQ', 'sp_faq'),
  },
  default: 'guides',
  defaultLevel: 'read',
  access: { teams: { red: 'edit', blue: 'read' } },
  redirects: { '/old': { to: 'guides' }, '/gone': { to: 'faq' } },
});
const latter = organization(
  {
    sections: {
      faq: section('FAQ', 'sp_faq'),
      more: {
        title: 'More',
        sections: {
          inner: { title: 'Inner', sections: { guides: section('Guides', 'sp_guide') } },
          news: { title: 'News', url: 'https://news.acme.dev/', draft: true },
        },
      },
      shop: { title: 'Shop', url: 'https://store.acme.dev/' },
      api: section('API', 'sp_reference'),
    },
    default: 'faq',
    defaultLevel: 'inherit',
    access: { teams: { red: 'admin' }, members: { 'cyd@acme.dev': 'create' } },
    redirects: { '/old': { to: 'faq' } },
    draftRedirects: { '/soon': { to: 'api' } },
    published: true,
  },
  { openapi: { pets: { source: { url: 'https://acme.dev/pets.json' }, visibility: 'public' } } },
);

/** The state by names, as plain requests show it. */
function state(): Promise<unknown> {
  const { url, token } = harness.service;
  return snapshotOf({
    get: reading({ url, token }),
    organizationId: 'org_acme',
    spaces: [],
    linkInvites: [],
  });
}

test('applies structure, levels, redirects and publishing with one more run, whichever response was lost', {
  timeout: patience(60_000),
}, async () => {
  const [first, second] = [await treeOf(former), await treeOf(latter)];
  const prepare = async () => {
    harness.reset();
    await harness.apply(first, await harness.plan(first));
    harness.sent.length = 0;
    return harness.plan(second);
  };
  await harness.apply(second, await prepare());
  const writes = harness.sent.map(({ operation }) => operation);
  const wanted = await state();
  // Every fifth write; the deep run tries all of them.
  for (let index = 0; index < writes.length; index += isDeep ? 1 : 5) {
    const planned = await prepare();
    harness.through = (api) => losing(api, index);
    await harness.apply(second, planned);
    harness.through = undefined;
    await harness.apply(second, await harness.plan(second));
    expect((await harness.plan(second)).steps, writes[index]).toEqual([]);
    const others = differences(await state(), wanted).filter((path) => !path.endsWith('.revision'));
    expect(others, writes[index]).toEqual([]);
    expect(brokenInvariants(harness.service)).toEqual([]);
  }
  expect([...new Set(writes)].sort()).toEqual([
    'openapi.create',
    'openapi.update',
    'redirects.create',
    'redirects.delete',
    'redirects.update',
    'sections.update',
    'siteLinks.create',
    'siteLinks.update',
    'sites.grant',
    'sites.publish',
    'sites.removeTeam',
    'sites.update',
    'sites.updateTeam',
    'structure.sort',
  ]);
});
