/** Rules between manifests, base and live state, one example each; every apply is followed by another plan. */
import { describe, expect, test } from 'vitest';
import { isComplete } from '../../src/apply/events.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { type Harness, reviewedSteps, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const organization = 'org_acme';
const params = { organizationId: organization };
const settings = { protect: ['!**'], limits: { deletes: null, deletePercent: null } };
const spaces = { h: { id: 'sp_guide' }, c: { id: 'sp_faq' }, n: { id: 'sp_notes' } };

function tree(document: object) {
  return treeOf({ settings, ...document });
}

async function apply(document: object, base?: object): Promise<void> {
  const desired = await tree(document);
  const options = base === undefined ? {} : { base: await tree(base) };
  const plan = await harness.plan(desired, options);
  expect(plan.refusals).toEqual([]);
  const result = await harness.apply(desired, plan, undefined, options);
  const failures = result.organizations.flatMap(({ outcomes }) =>
    outcomes.flatMap((one) => ('error' in one ? [`${one.step.id}: ${one.error.message}`] : [])),
  );
  expect(failures).toEqual([]);
  expect(isComplete(result)).toBe(true);
}

async function plan(document: object, base?: object) {
  return harness.plan(await tree(document), base === undefined ? {} : { base: await tree(base) });
}

async function problems(document: object, base?: object): Promise<readonly string[]> {
  try {
    await plan(document, base);
    return [];
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return error.diagnostics.map(({ code, address }) => `${code} at ${address}`);
  }
}

test.each(['origin', 'split', 'whole'])('treats a proxy returned as %s as unchanged', async (proxy) => {
  if (proxy !== 'origin') harness.reset({ proxy } as Parameters<Harness['reset']>[0]);
  const wanted = { sites: { hub: { title: 'Hub', was: [], proxy: 'acme.example/docs/api' } } };
  await apply(wanted);
  expect((await plan(wanted)).steps).toEqual([]);
});

test('keeps the ids of site-spaces that exchange their spaces, with or without a base', async () => {
  const site = (one: string, two: string) => ({
    spaces,
    sites: {
      hub: { title: 'Hub', spaces: { one: { space: one, path: 'one' }, two: { space: two, path: 'two' } } },
    },
  });
  await apply(site('h', 'c'));
  harness.sent.length = 0;
  await apply(site('c', 'h'), site('h', 'c'));
  const sent = harness.sent.map(({ operation }) => operation);
  expect(new Set(sent)).toEqual(new Set(['siteSpaces.update', 'siteSpaces.move']));
  expect((await plan(site('c', 'h'), site('c', 'h'))).steps).toEqual([]);
});

test('replaces a site-space that shows another space than in the base', async () => {
  const site = (space: string) => ({
    spaces,
    sites: { hub: { title: 'Hub', spaces: { one: { space }, two: { space: 'n' } } } },
  });
  await apply(site('h'));
  expect((await plan(site('c'), site('h'))).steps.map(({ action }) => action)).toContain('replace');
});

describe('an object without a name', () => {
  test.each([
    [
      'shareLinks',
      { sites: { hub: { title: 'Hub', shareLinks: { e: { name: '' } } } } },
      'sites/hub/shareLinks/e',
    ],
    ['collections', { collections: { c: { title: '' } } }, 'collections/c'],
    ['blank titles', { teams: { c: { title: ' ' } } }, 'teams/c'],
  ])('is rejected instead of created in each run: %s', async (_name, document, address) => {
    expect(await problems(document)).toEqual([`no-identity at ${address}`]);
  });
});

describe('contradictory manifests are rejected:', () => {
  const field = { owner: { type: 'text' }, priority: { type: 'number' } };
  test('a value of a removed field', async () => {
    const space = { spaces: { g: { id: 'sp_guide', customFields: { owner: 'someone' } } } };
    const base = { customFields: field, ...space };
    await apply(base);
    const without = { customFields: { priority: field.priority }, ...space };
    expect(await problems(without, base)).toEqual(['contradiction at spaces/g']);
    const unlisted = { ...without, settings: { ...settings, prune: 'unlisted' } };
    expect(await problems(unlisted)).toEqual(['unknown-reference at spaces/g']);
    // If the value is also removed, the field is deleted.
    await apply({ customFields: { priority: field.priority }, spaces: { g: { id: 'sp_guide' } } }, base);
  });

  test('a removed member in a team', async () => {
    const team = { docs: { title: 'Docs', members: { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' } } };
    const base = { members: { 'ada@acme.dev': {}, 'bob@acme.dev': {} }, teams: team };
    await apply(base);
    const without = { members: { 'ada@acme.dev': {} }, teams: team };
    expect(await problems(without, base)).toEqual(['contradiction at teams/docs']);
  });

  test('an organization that its match no longer finds', async () => {
    const document = { organization: { match: { hostname: 'acme' }, hostname: 'other' } };
    expect(await problems(document)).toEqual(['match-invalidated at organization']);
    expect(await problems({ organization: { match: { hostname: 'acme' }, title: 'Else' } })).toEqual([]);
  });
});

test('lifts a protection of the base with the suggested line', async () => {
  const base = { teams: { a: { title: 'A', lifecycle: { protect: true } }, b: { title: 'B' } } };
  await apply(base);
  const document = (protect: readonly string[]) => ({
    teams: { b: { title: 'B' } },
    settings: { ...settings, protect },
  });
  const [refused] = (await plan(document(['teams/**']), base)).refusals;
  const line = /protect: \[("[^"]*")\]/.exec(refused?.suggestion ?? '')?.[1] ?? '""';
  expect((await plan(document(['teams/**', JSON.parse(line) as string]), base)).refusals).toEqual([]);
  // A glob lifts the protection of kinds, but not that of named objects.
  expect((await plan(document(['!**']), base)).refusals.length).toBe(1);
});

test('converges if the service moves root site-spaces into the first section', async () => {
  const root = { spaces, sites: { hub: { title: 'Hub', spaces: { one: { space: 'h', path: 'one' } } } } };
  await apply(root);
  const sections = { g: { title: 'Guides', was: [], spaces: { one: { space: 'h' }, two: { space: 'c' } } } };
  const wanted = {
    spaces,
    sites: { hub: { title: 'Hub', sections } },
    settings: { ...settings, prune: 'unlisted', pruneKinds: { member: 'never', space: 'never' } },
  };
  harness.reset({ 'root-site-spaces': 'moved' } as Parameters<Harness['reset']>[0]);
  await apply(root);
  await apply(wanted);
  expect((await plan(wanted)).steps).toEqual([]);
});

test('reports an object that loses a reference to a deleted one', async () => {
  const base = {
    teams: { docs: { title: 'Docs' } },
    samlProviders: { okta: { label: 'Okta', entityID: 'urn:okta', defaultTeam: 'docs' } },
  };
  await apply(base);
  const wanted = { teams: {}, samlProviders: { okta: { label: 'Okta', entityID: 'urn:okta' } } };
  const steps = reviewedSteps(await plan(wanted, base));
  expect(steps.flatMap(({ risks }) => risks)).toContainEqual({
    text: 'samlProviders/okta loses its defaultTeam',
  });
});

test('moves nested collections that swap places', async () => {
  const base = { collections: { a: { title: 'A', collections: { b: { title: 'B' } } } } };
  await apply(base);
  const wanted = { collections: { b: { title: 'B', collections: { a: { title: 'A' } } } } };
  harness.sent.length = 0;
  await apply(wanted, base);
  expect(harness.sent.map(({ operation }) => operation)).toEqual(['collections.move', 'collections.move']);
  await apply({ collections: { a: { title: 'A' }, b: { title: 'B' } } }, wanted);
  expect((await harness.api.all('collections.list', { params })).length).toBe(2);
});

test.each(['trimmed', 'nfc'])('converges at a service that keeps text %s', async (text) => {
  harness.reset({ text } as Parameters<Harness['reset']>[0]);
  const wanted = {
    teams: { t: { title: ' Te\u0301am ', was: [] } },
    collections: { c: { title: 'A title ', description: ' words', was: [] } },
  };
  await apply(wanted);
  expect((await plan(wanted)).steps).toEqual([]);
});
