/** Following the suggestion of a refusal makes the plan acceptable. One case for each guard; a guard without a case fails. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { hiding } from '../support/apis.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

type Manifest = Readonly<Record<string, unknown>>;

interface Case {
  readonly base: Manifest;
  readonly wanted: Manifest;
  /** A change between apply and plan. */
  readonly meanwhile?: () => Promise<unknown>;
  /** The manifests with the suggestion followed, literally if it names a line. */
  readonly follow: (suggestion: string) => Manifest;
}

const free = { protect: ['!**'], limits: { deletes: null, deletePercent: null } };
const admin = { 'ada@acme.dev': { role: 'admin' } };
const okta = { okta: { label: 'Okta', entityID: 'urn:okta' } };
const sso = (value: boolean) => ({ organization: { id: 'org_acme', sso: value } });
const teams = (...keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, { title: `Team ${key}`, was: [] }]));
const spaces = { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' } };
const site = (sections: object, more: object = {}) => ({
  spaces,
  sites: { hub: { title: 'Hub', sections, ...more } },
});
const section = (title: string) => ({ title, spaces: { main: { space: 'guide' } } });

/** The settings in a suggestion such as `… in the settings: protect: ["!teams/a"]`. */
function settingsIn(suggestion: string): object {
  const line = /((?:protect|limits): (?:\[[^\]]*\]|\{[^}]*\}))/.exec(suggestion)?.[1];
  return parse(`{ ${line} }`) as object;
}

const cases: Readonly<Record<string, Case>> = {
  protect: {
    base: { teams: { a: { title: 'A', lifecycle: { protect: true } }, ...teams('b') } },
    wanted: { teams: teams('b'), settings: { limits: free.limits } },
    follow: (suggestion) => ({
      teams: teams('b'),
      settings: { limits: free.limits, ...settingsIn(suggestion) },
    }),
  },
  'open-work': {
    base: { spaces, settings: free },
    wanted: { spaces: { faq: spaces.faq }, settings: free },
    meanwhile: () =>
      harness.api
        .send('changeRequests.create', { params: { spaceId: 'sp_guide' }, body: { subject: 'x' } })
        .then((request) =>
          harness.api.send('changeRequests.update', {
            params: { spaceId: 'sp_guide', changeRequestId: (request as { id: string }).id },
            body: { status: 'open' },
          }),
        ),
    follow: (suggestion) => ({
      spaces: { faq: spaces.faq },
      settings: { ...free, ...settingsIn(suggestion) },
    }),
  },
  contents: {
    base: { collections: { c: { title: 'Books' } }, settings: free },
    wanted: { collections: {}, settings: free },
    meanwhile: async () => {
      const [books] = (await harness.api.all('collections.list', {
        params: { organizationId: 'org_acme' },
      })) as readonly { id: string }[];
      await harness.api.send('spaces.move', {
        params: { spaceId: 'sp_guide' },
        body: { parent: books?.id ?? '' },
      });
    },
    follow: () => ({ collections: {}, spaces: { guide: spaces.guide }, settings: free }),
  },
  default: {
    base: site({ a: section('Aaa'), b: section('Bbb') }),
    wanted: { ...site({ b: section('Bbb') }), settings: free },
    follow: () => ({ ...site({ b: section('Bbb') }, { default: 'b' }), settings: free }),
  },
  unseen: {
    base: { collections: { c: { title: 'Books' } } },
    wanted: { collections: { c: { title: 'More books' } } },
    meanwhile: async () => {
      harness.through = (api) => hiding(api, (id) => !/^(?:org|user)_/.test(id), 'reader');
    },
    follow: () => {
      harness.through = undefined;
      return { collections: { c: { title: 'More books' } } };
    },
  },
  exclusive: {
    base: site({ a: section('Aaa') }),
    wanted: { spaces, sites: { hub: { title: 'Hub', spaces: { faq: { space: 'faq' } } } } },
    follow: () => site({ a: section('Aaa'), b: section('Bbb') }),
  },
  'last-one': {
    base: { members: admin },
    wanted: { members: { 'ada@acme.dev': { role: 'edit' } } },
    follow: () => ({ members: { 'ada@acme.dev': { role: 'edit' }, 'bob@acme.dev': { role: 'admin' } } }),
  },
  'own-member': {
    base: { members: { ...admin, 'bob@acme.dev': { role: 'admin' } } },
    wanted: {
      members: { 'ada@acme.dev': { role: 'edit' }, 'bob@acme.dev': { role: 'admin' } },
      settings: { self: 'ada@acme.dev' },
    },
    follow: () => ({
      members: { 'ada@acme.dev': { role: 'edit' }, 'bob@acme.dev': { role: 'admin' } },
      settings: { self: 'bob@acme.dev' },
    }),
  },
  lockout: {
    base: { ...sso(true), samlProviders: okta },
    wanted: { ...sso(true), samlProviders: {}, settings: free },
    follow: () => ({ ...sso(false), samlProviders: {}, settings: free }),
  },
  limits: {
    base: { teams: teams('a', 'b', 'c', 'd') },
    wanted: { teams: teams('a'), settings: { limits: { deletes: 1, deletePercent: null } } },
    follow: (suggestion) => {
      const { limits } = settingsIn(suggestion) as { limits: object };
      return { teams: teams('a'), settings: { limits: { deletePercent: null, ...limits } } };
    },
  },
  'swap-or-swapped': {
    base: { teams: { a: { title: 'Red' }, b: { title: 'Blue' } } },
    wanted: { teams: { a: { title: 'Blue' }, b: { title: 'Red' } } },
    follow: (suggestion) => {
      const id = (key: string) => new RegExp(`teams/${key}: id: (\\S+)`).exec(suggestion)?.[1];
      return { teams: { a: { title: 'Blue', id: id('a') }, b: { title: 'Red', id: id('b') } } };
    },
  },
  rename: {
    base: {
      teams: { a: { title: 'Platform', members: { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' } } },
    },
    wanted: {
      teams: { n: { title: 'Engine', members: { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' } } },
      settings: free,
    },
    follow: (suggestion) => ({
      teams: {
        n: {
          title: 'Engine',
          members: { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' },
          ...(parse(/was: "[^"]*"/.exec(suggestion)?.[0] ?? '') as object),
        },
      },
      settings: free,
    }),
  },
};

const document = (manifest: Manifest) => treeOf(manifest);

test.each(Object.entries(cases))(
  'accepts the plan after following the suggestion of the guard: %s',
  async (guard, { base, wanted, meanwhile, follow }) => {
    const before = await document(base);
    await harness.apply(before, await harness.plan(before));
    await meanwhile?.();
    const refused = await harness.plan(await document(wanted), { base: before });
    const refusal = refused.refusals.find((one) => one.guard === guard);
    expect(refused.refusals.map((one) => one.guard)).toContain(guard);
    const allowed = await document(follow(refusal?.suggestion ?? ''));
    const plan = await harness.plan(allowed, { base: before });
    expect(plan.refusals.filter((one) => one.guard === guard)).toEqual([]);
  },
);

test('tests the suggestion of every guard', () => {
  const file = path.join(import.meta.dirname, '../../src/plan/guards/run-guards.ts');
  const list = /const guards: readonly Guard\[\] = \[([^\]]*)\]/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  const count = list.split(',').filter((name) => name.trim() !== '').length;
  // Objects that the API cannot create are refused as missing, with the suggestion to pin an id.
  // An undo has no manifests that could allow a change: guards of undos are tested with undos.
  // Kept values only matter if deletes are left out (staying-values.test.ts).
  // No request synchronizes a site: that guard needs its own seed (synced.test.ts).
  expect(Object.keys(cases).length).toBe(count - 4);
});

test('replaces an object by one of an unknown type only with protect: false', async () => {
  const field = (type: string, more: object = {}) => ({
    customFields: { days: { type, title: 'Days', ...more } },
  });
  const before = await document(field('number'));
  await harness.apply(before, await harness.plan(before));
  const [refusal, ...others] = (await harness.plan(await document(field('integer')))).refusals;
  expect(others).toEqual([]);
  expect(refusal).toMatchObject({ guard: 'protect', address: 'customFields/days' });
  expect(refusal?.message).toBe(
    'custom field "Days" would be deleted for one of the unknown type "integer", which the service may reject: all spaces lose their values for it',
  );
  expect(refusal?.suggestion).toMatch(/^use one of text, number, .*lifecycle: \{ protect: false \}/);
  const forced = field('integer', { lifecycle: { protect: false } });
  for (const wanted of [forced, field('text')])
    expect((await harness.plan(await document(wanted))).refusals).toEqual([]);
});

test('asks for the undeclared path of one of two site-spaces that exchange their spaces', async () => {
  const site = (one: string, two: string) =>
    treeOf({
      spaces: { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' } },
      sites: { hub: { title: 'Hub', spaces: { one: { space: one, path: 'one' }, two: { space: two } } } },
    });
  const base = await site('guide', 'faq');
  await harness.apply(base, await harness.plan(base));
  await expect(harness.plan(await site('faq', 'guide'), { base })).rejects.toMatchObject({
    diagnostics: [
      {
        code: 'value-taken',
        suggestion: 'declare the path of sites/hub/spaces/two: otherwise it keeps its current one',
      },
    ],
  });
});
