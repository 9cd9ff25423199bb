/** Risks about access, losses and lifecycles in plans, from manifests to steps. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { renderPlan } from '../../src/report/plan/text.ts';
import { asPlan, type HarnessOptions, reviewedSteps, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const settings = { protect: ['!**'], limits: { deletes: null, deletePercent: null } };

function tree(document: object) {
  return treeOf({ settings, ...document });
}

async function plan(document: object, options: HarnessOptions = {}) {
  return harness.plan(await tree(document), options);
}

async function apply(document: object): Promise<void> {
  const desired = await tree(document);
  await harness.apply(desired, await harness.plan(desired));
}

/** Risks by address. */
async function risks(document: object): Promise<Readonly<Record<string, readonly string[]>>> {
  const steps = reviewedSteps(await plan(document));
  const all: Record<string, readonly string[]> = {};
  for (const { address, risks: own } of steps)
    all[address] = [...(all[address] ?? []), ...own.map((risk) => risk.text)];
  return all;
}

async function text(document: object, options: HarnessOptions = {}): Promise<string> {
  return renderPlan(asPlan(await plan(document, options)), { color: false, width: 100 });
}

const faq = { id: 'sp_faq' };

test('reports a space that moves into a wider collection, but not into a narrower one', async () => {
  const at = (spaces: { narrow: object; wide: object }) => ({
    collections: {
      narrow: { title: 'Narrow', defaultLevel: 'read', spaces: spaces.narrow },
      wide: { title: 'Wide', defaultLevel: 'edit', spaces: spaces.wide },
    },
  });
  await apply(at({ narrow: { faq }, wide: {} }));
  const wider = at({ narrow: {}, wide: { faq } });
  expect(await risks(wider)).toEqual({
    'collections/wide/spaces/faq': ['everyone in the organization can do more: read → edit'],
  });
  expect(await text(wider)).toContain('collections/narrow → collections/wide');
  await apply(wider);
  expect(await risks(at({ narrow: { faq }, wide: {} }))).toEqual({ 'collections/narrow/spaces/faq': [] });
});

test('does not report the move of a space with its own level', async () => {
  const own = { ...faq, defaultLevel: 'read' };
  await apply({ collections: { a: { title: 'A', defaultLevel: 'read', spaces: { faq: own } } } });
  const wanted = {
    collections: { a: { title: 'A' }, b: { title: 'B', defaultLevel: 'admin', spaces: { faq: own } } },
  };
  expect((await risks(wanted))['collections/b/spaces/faq']).toEqual([]);
});

test('reports a new share link, public site or sign-in provider', async () => {
  const found = await risks({
    sites: { hub: { title: 'Hub', visibility: 'public', shareLinks: { all: { name: 'All' } } } },
    samlProviders: { okta: { label: 'Okta', entityID: 'urn:okta', defaultRole: 'admin' } },
  });
  expect(found['sites/hub']).toContain('opens the site to everyone');
  expect(found['sites/hub/shareLinks/all']).toContain('anyone with the link can see the site');
  expect(found['samlProviders/okta']).toEqual([
    'everyone who signs in for the first time becomes an administrator',
    'people can sign in through it',
  ]);
});

test('reports a site whose visibility the service chooses', async () => {
  const found = await risks({ sites: { hub: { title: 'Hub' } } });
  expect(found['sites/hub']).toEqual(['the service decides who can see the site: no visibility is set']);
});

test('reports both values, the cause and the losses of a replacement', async () => {
  const before = {
    customFields: { days: { type: 'number', title: 'Days' } },
    spaces: {
      faq: { ...faq, customFields: { days: 3 } },
      notes: { id: 'sp_notes', customFields: { days: 4 } },
    },
  };
  await apply(before);
  const found = await text({
    ...before,
    customFields: { days: { type: 'text', title: 'Days' } },
    spaces: {
      faq: { ...faq, customFields: { days: 'a' } },
      notes: { id: 'sp_notes', customFields: { days: 'b' } },
    },
  });
  expect(found).toContain('type  number → text  forces replacement');
  expect(found).toContain('all spaces lose their values for it (2 spaces or more)');
  expect(found).not.toContain('title "Days"');
});

test('names an undeclared object by its title', async () => {
  await apply({
    teams: { docs: { title: 'Docs' }, people: { title: 'People' } },
    samlProviders: { okta: { label: 'Okta', entityID: 'urn:okta', defaultTeam: 'docs' } },
  });
  const found = await text({
    teams: { people: { title: 'People' } },
    samlProviders: { okta: { label: 'Okta', entityID: 'urn:okta', defaultTeam: 'people' } },
  });
  expect(found).toMatch(/defaultTeam\s+team "Docs" → teams\/people/);
});

test('names people by their roles, and guests as guests', async () => {
  const team = (members: object) => ({ teams: { crew: { title: 'Crew', members } } });
  await apply(team({ 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' }));
  const found = await text({
    ...team({ 'bob@acme.dev': 'owner', 'cyd@acme.dev': 'member' }),
    members: { 'bob@acme.dev': { role: null } },
  });
  expect(found).toContain('- ada@acme.dev (owner)');
  expect(found).toContain('~ bob@acme.dev: member → owner');
  expect(found).toContain('+ cyd@acme.dev (member)');
  expect(found).toContain('role read → guest');
});

test('reports a changed lifecycle or settings instead of "No changes"', async () => {
  const before = {
    teams: { a: { title: 'A', lifecycle: { protect: true } }, b: { title: 'B' }, c: { title: 'C' } },
    settings,
  };
  await apply(before);
  const after = {
    teams: {
      a: { title: 'A', lifecycle: { protect: false } },
      b: { title: 'B', lifecycle: { release: true } },
      c: { lifecycle: { ignore: ['title'] }, title: 'C' },
    },
    settings: { ...settings, prune: 'unlisted' },
  };
  const found = await text(after, { base: await tree(before) });
  expect(found).toContain('settings.prune: removed → unlisted');
  expect(found).toContain('protection lifted: teams/a');
  expect(found).toContain('no longer managed: teams/b');
  expect(found).toContain('ignored fields of teams/c: [] → ["title"]');
  expect(found).not.toContain('No changes. Live state');
  const same = await text(before, { base: await tree(before) });
  expect(same).toBe('No changes. Live state matches the manifests.\n');
});

test('reports live objects that entries take over, and neither own ones nor those of the base', async () => {
  const own = { a: { title: 'A' } };
  await apply({ teams: own });
  await apply({
    teams: Object.fromEntries('bcdefgh'.split('').map((key) => [key, { title: `From the app ${key}` }])),
    sites: { hub: { title: 'Hub', sections: { one: { title: 'One', spaces: { faq: { space: faq } } } } } },
  });
  const base = await tree({ teams: own });
  const one = { ...own, b: { title: 'From the app b' } };
  const taken = await text({ teams: one }, { base });
  expect(taken).toContain('Management changes (no requests)');
  expect(taken).toContain('now managed: teams/b');
  expect(taken).not.toContain('No changes. Live state');
  const rest = Object.fromEntries('cdefgh'.split('').map((key) => [key, { title: `From the app ${key}` }]));
  const sites = { hub: { title: 'Hub', sections: { one: { title: 'One' } } } };
  const many = await text({ teams: { ...own, ...rest }, sites }, { base });
  expect(many).toContain('now managed: teams/c, teams/d, teams/e, teams/f, teams/g and 1 more');
  expect(many).toContain('now managed: sites/hub\n');
  expect(await text({ teams: one }, { base: await tree({ teams: one }) })).not.toContain('now managed');
  expect(await text({ teams: one })).not.toContain('now managed');
  const renamed = { b: { title: 'A', was: 'a' } };
  expect(await text({ teams: renamed }, { base })).not.toContain('now managed');
});

test('names no object by its id if a title or an address is known', () => {
  const scenarios = path.join(import.meta.dirname, '../scenarios');
  const plans = readdirSync(scenarios, { recursive: true }).filter((name) =>
    String(name).endsWith('plan.txt'),
  );
  const raw = plans.flatMap((name) => {
    const step = path.join(scenarios, path.dirname(String(name)));
    const reads = readFileSync(path.join(step, 'reads.txt'), 'utf8');
    // A plan without lookups of spaces knows only the ids in the manifests.
    const isUnknown = !/^plan .*(?:\bspaces\.|listSpaces|orgs\.search)/m.test(reads);
    const ids = new RegExp(
      `\\b(?:team|user|${isUnknown ? '' : 'sp|'}site|sitesp|sect|group|coll|link|saml)_\\w+|"<[^>]*>"`,
    );
    return (
      readFileSync(path.join(scenarios, String(name)), 'utf8')
        .split('\n')
        // Addresses of unlisted objects, lines to paste, and objects that the manifests name by id.
        .filter((line) => !/id=|id: |^Organization/.test(line))
        .filter((line) => ids.test(line))
        .map((line) => `${String(name)}: ${line.trim()}`)
    );
  });
  expect(plans.length).toBeGreaterThan(50);
  // These two objects were not read: one is removed from the field, the other is named by id.
  expect(raw).toEqual([expect.stringMatching(/^011.*defaultContent/)]);
});
