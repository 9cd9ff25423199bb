/** Probable renames: refusals, notes, and the effect of the suggested lines. */
import { describe, expect, test } from 'vitest';
import type { Refusal } from '../../src/plan/plan.ts';
import type { ReviewedOrganization } from '../../src/review/reviewed-plan.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

type Entry = Readonly<Record<string, unknown>>;

const harness = await sharedHarness();

const before = {
  spaces: { guide: { id: 'sp_guide' }, blog: { id: 'sp_blog' } },
  teams: { platform: { title: 'Platform', members: { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' } } },
  collections: { handbook: { title: 'Handbook', spaces: { faq: { id: 'sp_faq' } } } },
  samlProviders: { okta: { label: 'Okta', ssoURL: 'https://acme.okta.com/sso', entityID: 'urn:okta' } },
  sites: {
    hub: {
      title: 'Developer Hub',
      default: 'guides',
      sections: {
        guides: { title: 'Guides', path: 'guides', spaces: { main: { space: 'guide' } } },
        news: { title: 'News', path: 'news', spaces: { main: { space: 'blog' } } },
      },
    },
  },
};

const renamed = {
  ...before,
  teams: { platform: { ...before.teams.platform, title: 'Infrastructure' } },
  collections: { handbook: { ...before.collections.handbook, title: 'Manual' } },
  sites: {
    hub: {
      ...before.sites.hub,
      title: 'Docs',
      sections: {
        ...before.sites.hub.sections,
        guides: { ...before.sites.hub.sections.guides, title: 'How to', path: 'how-to' },
      },
    },
  },
};

async function planned(document: object): Promise<ReviewedOrganization> {
  return harness.plan(await treeOf(document));
}

async function given(document: object): Promise<void> {
  const tree = await treeOf(document);
  await harness.apply(tree, await harness.plan(tree));
}

/** The document with the first or last suggested line pasted at its place. */
function paste(document: Entry, { suggestion, address }: Refusal, which: 'same' | 'other'): Entry {
  const lines = suggestion.split('\n').filter((line) => line.startsWith('  '));
  const [key = '', text = ''] = ((which === 'same' ? lines[0] : lines[1]) ?? '').trim().split(/: (.*)/s);
  const put = (value: unknown, path: readonly string[]): unknown => {
    const [first, ...rest] = path;
    const entry = value as Entry;
    if (first === undefined) return { ...entry, [key]: text.startsWith('id') ? text : JSON.parse(text) };
    return { ...entry, [first]: put(entry[first], rest) };
  };
  return put(document, address.split('/')) as Entry;
}

describe.each(['removed', 'unlisted'])('prune: %s, no base, no former names', (prune) => {
  const settings = { prune, protect: ['!**'], limits: { deletes: null, deletePercent: null } };

  test('refuses four renames in one commit, and the suggested lines turn them into updates', async () => {
    await given({ ...before, settings });
    const plan = await planned({ ...renamed, settings });
    expect(plan.refusals.map(({ guard, address }) => `${guard} ${address}`)).toEqual([
      'rename teams/platform',
      'rename collections/handbook',
      'rename sites/hub',
      'rename sites/hub/sections/guides',
    ]);
    const pasted = plan.refusals.reduce<Entry>((document, refusal) => paste(document, refusal, 'same'), {
      ...renamed,
      settings,
    });
    const again = await planned(pasted);
    expect(again.refusals).toEqual([]);
    expect(again.steps.flatMap(({ calls }) => calls.map(({ operation }) => operation)).sort()).toEqual([
      'collections.update',
      'sections.update',
      'sites.update',
      'teams.update',
    ]);
  });

  test('creates the objects if they are declared as new with was: []', async () => {
    await given({ ...before, settings });
    const document = { ...renamed, settings };
    const { refusals } = await planned(document);
    const plan = await planned(
      refusals.reduce<Entry>((each, refusal) => paste(each, refusal, 'other'), document),
    );
    expect(plan.refusals).toEqual([]);
    expect(plan.steps.filter(({ phase }) => phase === 'create').map(({ address }) => address)).toContain(
      'sites/hub',
    );
  });
});

test('notes a probable rename of a site by its children', async () => {
  await given(before);
  const { sections } = before.sites.hub;
  const spaces = { ...before.spaces, faq: { id: 'sp_faq' } };
  const swapped = {
    guides: { ...sections.guides, spaces: { main: { space: 'faq' } } },
    news: { ...sections.news, spaces: { main: { space: 'faq' } } },
  };
  const document = {
    ...before,
    collections: {},
    spaces,
    sites: { portal: { title: 'Something else', default: 'guides', sections: swapped } },
  };
  const plan = await planned(document);
  expect(plan.refusals).toEqual([]);
  expect(plan.notes.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'probable-rename: no live site matches this one, and the unmanaged site "Developer Hub" may be the same one, renamed in the app (parts of the same names): applying would create a second one',
  ]);
});

test('refuses a probable rename if both objects have the same distinctive URL', async () => {
  await given(before);
  const okta = { label: 'Single sign-on', ssoURL: 'https://acme.okta.com/sso', entityID: 'urn:other' };
  const plan = await planned({ ...before, samlProviders: { sso: okta } });
  expect(plan.refusals.map(({ message }) => message)).toEqual([
    'no live SAML provider matches this one, and the unmanaged SAML provider "Okta" may be the same one, renamed in the app (the same ssoURL): applying would create a second one',
  ]);
});

describe('the only delete and the only create of a kind in a place, without a shared fact', () => {
  const head = { octavo: 1, organization: 'org_acme', settings: { prune: 'unlisted' } };
  const leads = { 'conformance-wg': { title: 'Conformance WG Leads', members: { 'ada@acme.dev': 'owner' } } };
  const successor = { title: 'Conformance Task Force Leads', members: { 'bob@acme.dev': 'owner' } };
  const line = 'if teams/task-force is the same team, add there: was: "Conformance WG Leads"';

  test.each([
    ['other members', leads, successor],
    ['undeclared members', { 'conformance-wg': { title: 'Conformance WG Leads' } }, { title: 'Task force' }],
  ])('are accepted, and the delete names the line that makes it a rename: %s', async (_, teams, coming) => {
    await given({ ...head, teams });
    const plan = await planned({ ...head, teams: { 'task-force': coming } });
    expect(plan.refusals).toEqual([]);
    const [deletion] = plan.steps.filter(({ phase }) => phase === 'delete');
    expect(plan.review?.renames).toEqual({ [deletion?.id ?? '']: line });
    const pasted = await planned({
      ...head,
      teams: { 'task-force': { ...coming, was: 'Conformance WG Leads' } },
    });
    expect(pasted.steps.map(({ phase }) => phase)).not.toContain('delete');
    expect(pasted.steps.every(({ phase }) => phase === 'update')).toBe(true);
  });

  test('get no such line if the manifest declares a new one, or if there are several', async () => {
    await given({ ...head, teams: leads });
    const more = { 'task-force': successor, other: { title: 'Scribes' } };
    for (const teams of [{ 'task-force': { ...successor, was: [] } }, more]) {
      const plan = await planned({ ...head, teams });
      expect(plan.refusals).toEqual([]);
      expect(plan.review).not.toHaveProperty('renames');
    }
  });

  test('are refused if they share most words of the title', async () => {
    await given({ ...head, teams: leads });
    const teams = { leads: { ...successor, title: 'Conformance Leads Meeting' } };
    const { refusals } = await planned({ ...head, teams });
    expect(refusals.map(({ message }) => message)).toEqual([
      'looks like a rename of the team "Conformance WG Leads" (most words of the title), which would be deleted',
    ]);
  });
});

test('names the former name that matches nothing, and the line to write in its place', async () => {
  const head = { octavo: 1, organization: 'org_acme', settings: { prune: 'unlisted' } };
  await given({ ...head, teams: { writers: { title: 'Writers of the docs' } } });
  const plan = await planned({ ...head, teams: { crew: { title: 'Docs writers', was: 'writer' } } });
  const [refusal] = plan.refusals;
  expect(refusal?.suggestion).toContain('replace was: "writer", which names no team, under teams/crew:');
  const [, line = ''] = /^ {2}was: "(.*)"$/m.exec(refusal?.suggestion ?? '') ?? [];
  const followed = await planned({ ...head, teams: { crew: { title: 'Docs writers', was: line } } });
  expect(followed.refusals).toEqual([]);
  expect(followed.steps.map(({ phase }) => phase)).toEqual(['update']);
});

test('says of each of two new objects that their one former name matches nothing', async () => {
  const teams = { a: { title: 'A', was: 'zzz' }, b: { title: 'B', was: 'zzz' } };
  const { refusals } = await planned({ octavo: 1, organization: 'org_acme', teams });
  expect(refusals.map(({ message }) => message)).toEqual(
    ['a', 'b'].map(() => expect.stringContaining('was: "zzz" names no team')),
  );
});

test('accepts objects with different children as different', async () => {
  const settings = { prune: 'unlisted' };
  const spaces = { guide: { id: 'sp_guide' }, blog: { id: 'sp_blog' } };
  const head = { octavo: 1, organization: 'org_acme', settings, spaces };
  const start = { title: 'Start', path: 'start', spaces: { main: { space: 'guide' } } };
  const section = (title: string, space: string) => ({ title, spaces: { main: { space } } });
  const site = (more: object) => ({ hub: { title: 'Hub', default: 'start', sections: { start, ...more } } });
  await given({ ...head, sites: site({ legacy: section('Legacy API', 'blog') }) });
  const plan = await planned({ ...head, sites: site({ changes: section('What is new', 'guide') }) });
  expect(plan.steps.map(({ phase }) => phase)).toContain('delete');
  expect(plan.refusals).toEqual([]);
});

test('refuses a title with one additional word as a probable rename', async () => {
  const settings = { prune: 'unlisted' };
  const head = { octavo: 1, organization: 'org_acme', settings };
  await given({ ...head, translations: { one: { title: 'French' } } });
  const plan = await planned({ ...head, translations: { two: { title: 'Canadian french' } } });
  expect(plan.refusals.map(({ message }) => message)).toEqual([
    expect.stringContaining('almost the same title'),
  ]);
});

test('refuses a probable rename even if the target excludes the delete', async () => {
  const head = { octavo: 1, organization: 'org_acme', settings: { prune: 'unlisted' } };
  const members = { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' };
  await given({ ...head, teams: { a: { title: 'Crew', members } } });
  const tree = await treeOf({ ...head, teams: { b: { title: 'Hands', members } } });
  const plan = await harness.plan(tree, { target: ['teams/b'] });
  expect(plan.steps.map(({ address }) => address)).toEqual(['teams/b', 'teams/b']);
  expect(plan.refusals.map(({ guard, steps }) => [guard, steps])).toEqual([['rename', ['teams/b#create']]]);
});

test('suggests an id if two objects have the same name', async () => {
  const head = { octavo: 1, organization: 'org_acme' };
  const members = { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' };
  await given({ ...head, teams: { a: { title: 'Crew', members } } });
  await harness.api.send('teams.create', { params: { organizationId: 'org_acme' }, body: { title: 'Crew' } });
  const plan = await planned({ ...head, teams: { a: { title: 'Hands', members } } });
  expect(plan.refusals[0]?.suggestion).toMatch(/\n {2}id: team_\w+\n/);
});

test('only notes a probable rename by one common member if several teams change', async () => {
  const owned = (title: string) => ({ title, members: { 'ada@acme.dev': 'owner' } });
  const head = { octavo: 1, organization: 'org_acme' };
  await given({ ...head, teams: { a: owned('Alpha'), b: owned('Beta') } });
  const plan = await planned({ ...head, teams: { c: owned('Omega and more') } });
  expect(plan.refusals).toEqual([]);
  expect(plan.notes.map(({ code }) => code)).toEqual(['probable-rename']);
});

test('one person in common does not refuse a new team', async () => {
  const owned = (title: string) => ({ title, members: { 'ada@acme.dev': 'owner' } });
  const head = { octavo: 1, organization: 'org_acme' };
  await given({ ...head, teams: { a: owned('Alpha') } });
  const plan = await planned({ ...head, teams: { c: owned('Omega and more') } });
  expect(plan.refusals).toEqual([]);
  expect(plan.notes.map(({ code }) => code)).toEqual(['probable-rename']);
});

const moves: Readonly<Record<string, (isMoved: boolean, key: string) => Entry>> = {
  'a collection into another one': (isMoved, key) => {
    const own = { [key]: { title: isMoved ? 'Zulu' : 'Alpha' } };
    return {
      collections: { top: { title: 'Top', collections: isMoved ? own : {} }, ...(isMoved ? {} : own) },
    };
  },
  'a section into a group': (isMoved, key) => {
    const spaces = { main: { space: 'guide' } };
    const own = isMoved ? { title: 'Zulu', path: 'zulu', spaces } : { title: 'Alpha', path: 'alpha', spaces };
    const inside = { title: 'First', path: 'first', spaces: { first: { space: 'blog' } } };
    return {
      spaces: before.spaces,
      sites: {
        hub: {
          title: 'Hub',
          sections: {
            more: { title: 'More', sections: { inside, ...(isMoved ? { [key]: own } : {}) } },
            ...(isMoved ? {} : { [key]: own }),
          },
        },
      },
    };
  },
};

test.each(Object.entries(moves))(
  'the same key in another place looks like a rename: %s',
  async (_what, make) => {
    const settings = { protect: ['!**'], limits: { deletes: null, deletePercent: null } };
    const head = { octavo: 1, organization: 'org_acme', settings };
    const tree = await treeOf({ ...head, ...make(false, 'own') });
    const { organizations } = await harness.apply(tree, await harness.plan(tree));
    const known = { base: tree, recorded: Object.fromEntries(organizations[0]?.made ?? []) };
    const document = { ...head, ...make(true, 'own') };
    const plan = await harness.plan(await treeOf(document), known);
    expect(plan.refusals.map(({ guard, address }) => [guard, address.endsWith('/own')])).toEqual([
      ['rename', true],
    ]);
    for (const [which, actions] of [
      ['same', []],
      ['other', ['create', 'delete']],
    ] as const) {
      const [refusal] = plan.refusals;
      const pasted = refusal && paste(document, refusal, which);
      const then = await harness.plan(await treeOf(pasted ?? {}), known);
      expect(then.refusals).toEqual([]);
      const own = then.steps.filter(({ address }) => address.endsWith('/own'));
      const structural = own.flatMap(({ action }) =>
        action === 'create' || action === 'delete' ? [action] : [],
      );
      expect(new Set(structural)).toEqual(new Set(actions));
    }
  },
);

test('ignores unmanaged objects without similarity', async () => {
  await given({ octavo: 1, organization: 'org_acme', teams: { a: { title: 'Alpha' } } });
  const plan = await planned({
    teams: { b: { title: 'Omega and more' } },
  });
  expect(plan.refusals).toEqual([]);
  expect(plan.notes).toEqual([]);
});
