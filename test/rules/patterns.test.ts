/** Patterns of rules: matching values, mistakes in a file, and changes that shipped rules must refuse. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { fitsPattern, type JudgedValue, type Pattern } from '../../src/kinds/rules/patterns.ts';
import { type Harness, startHarness } from '../support/harness.ts';
import { refusedBy, rulesIn } from './judged.ts';

const document: Harness = await startHarness();
const newer: Harness = await startHarness(undefined, undefined, '2026');
afterAll(async () => {
  await document.close();
  await newer.close();
});
beforeEach(() => {
  document.reset();
  newer.reset();
});

test.each<[pattern: Pattern, value: JudgedValue, fits: boolean]>([
  ['public', 'public', true],
  ['Acme *', 'Acme / docs', true],
  ['Acme *', 'Docs', false],
  ['v?', 'v2', true],
  [['a', 'b'], 'b', true],
  [['a', null], undefined, true],
  [null, null, true],
  [null, '', false],
  [true, 'true', false],
  [{ not: 'public' }, 'unlisted', true],
  [{ not: 'public' }, 'public', false],
  [{ not: 'public' }, null, true],
  // The value is set by the service, so it is unknown.
  [{ not: 'public' }, undefined, false],
  [{ not: { not: 'public' } }, undefined, false],
  [{ any: 'owner' }, { a: 'member', b: 'owner' }, true],
  [{ any: 'owner' }, {}, false],
  [{ any: 'owner' }, undefined, false],
  [{ all: 'member' }, { a: 'member', b: 'owner' }, false],
  [{ all: '*.acme.dev' }, ['a.acme.dev', 'b.acme.dev'], true],
  [{ all: 'member' }, {}, true],
  [{ all: 'member' }, undefined, false],
  [{ enabled: true }, { enabled: true }, true],
  [{ enabled: true }, { enabled: false }, false],
  ['platform', { $id: 'teams/platform' }, true],
  ['teams/*', { $id: 'teams/platform' }, true],
  ['other', { $id: 'teams/platform' }, false],
  [null, { $secret: '${secret:X}' }, false],
  [{ not: 'x' }, { $secret: '${secret:X}' }, false],
])('%j matches %j: %s', (pattern, value, fits) => {
  expect(fitsPattern(pattern, value)).toBe(fits);
});

describe('a mistake is an error at its position', () => {
  const rule = (body: string) => `rules:\n  own:\n    ${body.split('\n').join('\n    ')}\n    message: no\n`;
  test.each<[what: string, body: string, place: string, help: string | RegExp]>([
    ['a wrong kind', 'when: { kind: sites }', '3:19', 'site'],
    ['a kind in capitals', 'when: { kind: Site }', '3:19', 'site'],
    ['a wrong field', 'when: { field: visibilty }', '3:20', 'did you mean visibility?'],
    ['a field of another kind', 'when: { kind: team, field: visibility }', '3:32', 'title'],
    ['a wrong action', 'when: { action: remove }', '3:21', 'delete'],
    ['a wrong level', 'when: { gains: owner }', '3:20', 'admin'],
    ['a wrong outcome of links', 'when: { links: lost }', '3:20', 'broken'],
    ['an unknown key of when', 'when: { fields: visibility }', '3:13', 'did you mean field?'],
    ['an unknown key of a rule', 'wen: { kind: site }', '3:5', 'did you mean when?'],
    ['an expression', "require: after.visibility != 'public'", '3:14', 'require: {'],
    ['an expression in quotes', 'require: "after.visibility == \'public\'"', '3:14', 'require: {'],
    ['a misspelled part', 'require: { afer: { title: x } }', '3:16', 'did you mean after?'],
    [
      'a wrong field of a part',
      'require: { after: { visiblity: public } }',
      '3:25',
      'did you mean visibility?',
    ],
    [
      'a field that the kind lacks',
      'when: { kind: team }\nrequire: { after: { visibility: public } }',
      '4:25',
      'title',
    ],
    ['a wrong value', 'require: { after: { visibility: pubilc } }', '3:37', 'did you mean public?'],
    [
      'a value in a list',
      'require: { after: { visibility: [public, unlised] } }',
      '3:46',
      'did you mean unlisted?',
    ],
    [
      'a value that is not allowed',
      'require: { after: { visibility: { not: everyone } } }',
      '3:44',
      'public',
    ],
    ['a glob that fits no value', 'require: { after: { visibility: "pub-*" } }', '3:37', 'public'],
    ['an operator', 'require: { after: { visibility: "!= public" } }', '3:37', 'no operators'],
    ['an equals sign', 'require: { after: { title: "== Docs" } }', '3:32', 'no operators'],
    ['a single equals sign', 'require: { after: { title: "= Docs" } }', '3:32', 'no operators'],
    ['quotes in quotes', 'require: { after: { title: "\'Docs\'" } }', '3:32', 'no operators'],
    ['a literal of JMESPath', 'require: { after: { title: "`Docs`" } }', '3:32', 'no operators'],
    ['a function', 'require: { after: { title: "starts_with(@, \'Acme\')" } }', '3:32', 'no operators'],
    ['a number compared', 'most: "<= 50"', '3:11', /integer|number/],
    ['most as a text', 'most: "50"', '3:11', /quotes|number/],
    ['most as zero', 'most: 0', '3:11', /1/],
    ['most as a fraction', 'most: 1.5', '3:11', /integer|whole/],
    [
      'a misspelled operator',
      'require: { after: { members: { anny: owner } } }',
      '3:36',
      'did you mean any?',
    ],
    ['an unknown operator', 'require: { after: { title: { matches: x } } }', '3:34', 'not'],
    [
      'two operators',
      'require: { after: { members: { any: owner, all: member } } }',
      '3:34',
      'cannot have other keys',
    ],
    ['any of a text', 'require: { after: { title: { any: x } } }', '3:34', 'list or mapping'],
    ['a value for a mapping', 'require: { after: { members: owner } }', '3:34', 'any'],
    ['a value for a list', 'require: { after: { emailDomains: acme.dev } }', '3:39', 'any'],
    ['a wrong role in a mapping', 'require: { after: { members: { any: admin } } }', '3:41', 'owner'],
    ['a boolean in quotes', 'require: { after: { sso: "true" } }', '3:30', 'without quotes'],
    ['a text for a boolean', 'require: { after: { sso: on-demand } }', '3:30', 'true or false'],
    ['a number for a text', 'require: { after: { title: 5 } }', '3:32', 'in quotes'],
    [
      'a wrong key of an object',
      'require: { after: { adaptiveContent: { enable: true } } }',
      '3:44',
      'did you mean enabled?',
    ],
    ['an object as a value', 'require: { after: { adaptiveContent: true } }', '3:42', 'keys'],
    ['an empty list', 'require: { after: { title: [] } }', '3:32', 'matches nothing'],
    ['an empty mapping', 'require: { after: { title: {} } }', '3:32', 'matches everything'],
    ['a list for a mapping', 'require: [after]', '3:14', 'mapping'],
    ['a list of conditions', 'when: [site]', '3:11', 'mapping'],
    ['what a delete leaves', 'when: { action: delete }\nrequire: { after: { title: x } }', '4:23', 'before'],
    ['fields of a delete', 'when: { action: delete, field: title }', '3:21', 'a delete sets no field'],
    ['levels of a kind without', 'when: { kind: redirect, gains: admin }', '3:36', 'level'],
    ['addresses of a kind without', 'when: { kind: team, links: broken }', '3:32', 'address'],
    ['a condition of nothing', 'severity: warning', '2:3', 'every change'],
    ['a wrong severity', 'when: { kind: site }\nseverity: warn', '4:15', 'warning'],
    ['an exemption of nothing', 'when: { kind: site }\nexempt: {}', '4:13', 'label'],
    ['an unknown exemption', 'when: { kind: site }\nexempt: { user: ada }', '4:15', 'label'],
    ['a part of former rules', 'when: { kind: site }\nover: plan', '4:5', 'unknown key'],
  ])('%s', async (_what, body, place, help) => {
    const { diagnostics, rules } = await rulesIn(rule(body));
    const [first] = diagnostics;
    expect(diagnostics.map(({ severity }) => severity)).toEqual(['error']);
    expect(`${first?.at?.line}:${first?.at?.column}`).toBe(place);
    const shown = `${first?.message} ${first?.suggestion}`;
    if (typeof help === 'string') expect(shown).toContain(help);
    else expect(shown).toMatch(help);
    expect(rules).toEqual([]);
  });
});

test('long rules and globs with many stars are evaluated, and match no change', async () => {
  const stars = `${'*a'.repeat(40)}*b`;
  const key = 'a'.repeat(60);
  const long = `Acme ${'*x?'.repeat(16_000)}`;
  const text = [
    'rules:',
    `  stars: { when: { address: "teams/${stars}" }, message: no }`,
    `  braces: { when: { address: "${'{a,b}'.repeat(8_000)}" }, message: no }`,
    `  nested: { when: { address: "${'{'.repeat(50_000)}" }, message: no }`,
    `  commas: { when: { address: "{${','.repeat(50_000)}" }, message: no }`,
    `  keys: { when: { address: "${'**/'.repeat(16_000)}b" }, message: no }`,
    `  long: { when: { kind: team, field: title }, require: { after: { title: { not: "${long}" } } }, message: no }`,
    `  deep: { when: { kind: team, field: title }, require: { after: { title: ${'{ not: '.repeat(89)}x${' }'.repeat(89)} } }, message: no }`,
    '',
  ].join('\n');
  const teams = { teams: { [key]: { title: 'a'.repeat(60) } } };
  expect(await refusedBy(text, { harness: document, before: {}, after: teams })).toEqual([]);
});

describe('shipped rules, also for omitted values,', () => {
  const all =
    'rules: { no-public-sites: {}, no-new-share-links: {}, no-new-admins: {}, no-open-defaults: {}, sso-only: {}, teams-have-owners: {}, no-space-deletes: {} }';
  const hub = { title: 'Hub', visibility: 'unlisted' };
  const base = {
    sites: { hub },
    teams: { docs: { title: 'Docs', members: { 'ada@acme.dev': 'owner' } } },
    collections: { a: { title: 'A', defaultLevel: 'read' } },
  };
  const of = async (after: object) =>
    (await refusedBy(all, { harness: document, before: base, after: { ...base, ...after } })).map(
      ({ rule, address }) => `${rule} ${address}`,
    );

  test.each<[what: string, after: object, refused: string]>([
    [
      'a new team without members',
      { teams: { ...base.teams, x: { title: 'XX' } } },
      'teams-have-owners teams/x',
    ],
    [
      'a new team of no one',
      { teams: { ...base.teams, x: { title: 'XX', members: {} } } },
      'teams-have-owners teams/x',
    ],
    [
      'the last owner of a team is removed',
      { teams: { docs: { title: 'Docs', members: { 'bob@acme.dev': 'member' } } } },
      'teams-have-owners teams/docs',
    ],
    [
      'a new collection without a level',
      { collections: { ...base.collections, b: { title: 'B' } } },
      'no-open-defaults collections/b',
    ],
    [
      'a new collection that inherits',
      { collections: { ...base.collections, b: { title: 'B', defaultLevel: 'inherit' } } },
      'no-open-defaults collections/b',
    ],
    [
      'a collection that inherits now',
      { collections: { a: { title: 'A', defaultLevel: 'inherit' } } },
      'no-open-defaults collections/a',
    ],
    ['a new site without visibility', { sites: { hub, x: { title: 'XX' } } }, 'no-public-sites sites/x'],
    [
      'a new share link',
      { sites: { hub: { ...hub, shareLinks: { a: { name: 'A' } } } } },
      'no-new-share-links sites/hub/shareLinks/a',
    ],
    [
      'everyone becomes an administrator',
      { organization: { id: 'org_acme', defaultRole: 'admin' } },
      'no-new-admins organization',
    ],
    [
      'a member becomes an administrator',
      { members: { 'bob@acme.dev': { role: 'admin' } } },
      'no-new-admins members/bob@acme.dev',
    ],
  ])('refuse: %s', async (_what, after, refused) => {
    expect(await of(after)).toContain(refused);
  });

  test.each<[what: string, after: object]>([
    [
      'another title of all',
      {
        sites: { hub: { ...hub, title: 'HH' } },
        teams: { docs: { title: 'DD', members: { 'ada@acme.dev': 'owner' } } },
        collections: { a: { title: 'B', defaultLevel: 'read' } },
      },
    ],
    [
      'a link that is not active',
      { sites: { hub: { ...hub, shareLinks: { a: { name: 'A', active: false } } } } },
    ],
    [
      'a collection that everyone reads',
      { collections: { ...base.collections, b: { title: 'B', defaultLevel: 'read' } } },
    ],
  ])('allow: %s', async (_what, after) => {
    expect(await of(after)).toEqual([]);
  });
});

describe('keep-addresses', () => {
  const section = (title: string, path: string, space: string, more: object = {}) => ({
    title,
    path,
    was: [],
    spaces: { main: { space: { id: space }, path: 'main' } },
    ...more,
  });
  const guides = section('Guides', 'guides', 'sp_guide');
  const api = section('API', 'api', 'sp_reference');
  const site = (sections: object, more: object = {}) => ({
    sites: {
      hub: { title: 'Hub', basename: 'docs', visibility: 'public', default: 'guides', sections, ...more },
    },
  });
  const live = { published: true };
  const redirects = (...paths: readonly string[]) => ({
    redirects: Object.fromEntries(
      paths.map((path) => [path, { to: 'api', ...(path.endsWith('*') ? { wildcard: true } : {}) }]),
    ),
  });
  const refusals = (harness: Harness, before: object, after: object) =>
    refusedBy('rules: { keep-addresses: {} }', { harness, before, after });
  const moved = section('API', 'reference', 'sp_reference');
  const { was: _was, ...found } = api;

  test.each<[what: string, after: object, at: string]>([
    ['another path of a section', site({ guides, api: moved }), 'sites/hub/sections/api'],
    [
      'another path of a site-space',
      site({ guides, api: { ...api, spaces: { main: { space: { id: 'sp_reference' }, path: 'start' } } } }),
      'sites/hub/sections/api/spaces/main',
    ],
    ['another basename', site({ guides, api }, { basename: 'help' }), 'sites/hub'],
    ['a deleted section', site({ guides }), 'sites/hub/sections/api'],
    ['a deleted site', { sites: {} }, 'sites/hub'],
    ['another proxy', site({ guides, api }, { proxy: 'acme.dev/docs' }), 'sites/hub'],
  ])('rejects with the document API: %s', async (_what, after, at) => {
    const found = await refusals(document, site({ guides, api }), after);
    expect(found.map(({ address }) => address)).toEqual([at]);
  });

  test.each<[what: string, before: object, after: object, at: readonly string[]]>([
    [
      'another path',
      site({ guides, api }, live),
      site({ guides, api: moved }, live),
      ['sites/hub/sections/api'],
    ],
    [
      'another basename',
      site({ guides, api }, live),
      site({ guides, api }, { ...live, basename: 'help' }),
      ['sites/hub'],
    ],
    [
      'a section that becomes a draft',
      site({ guides, api }, live),
      site({ guides, api: { ...api, draft: true } }, live),
      ['sites/hub/sections/api'],
    ],
    [
      'a site that is no longer published',
      site({ guides, api }, live),
      site({ guides, api }, { published: false }),
      ['sites/hub'],
    ],
    [
      'a redirect of another path',
      site({ guides, api }, live),
      site({ guides, api: moved }, { ...live, ...redirects('/apis', '/apis/*') }),
      ['sites/hub/sections/api'],
    ],
    [
      'a redirect of what is below alone',
      site({ guides, api }, live),
      site({ guides, api: moved }, { ...live, ...redirects('/api/*') }),
      ['sites/hub/sections/api'],
    ],
    [
      'a draft of a redirect',
      site({ guides, api }, live),
      site({ guides, api: moved }, { ...live, draftRedirects: redirects('/api', '/api/*').redirects }),
      ['sites/hub/sections/api'],
    ],
    [
      'an address that another section takes',
      site({ guides, api }, live),
      site(
        { guides, api: moved, next: section('Next', 'api', 'sp_blog') },
        { ...live, ...redirects('/apis') },
      ),
      ['sites/hub/sections/api'],
    ],
    [
      'a group that becomes a draft',
      site({ guides, more: { title: 'More', sections: { api } } }, live),
      site({ guides, more: { title: 'More', draft: true, sections: { api } } }, live),
      ['sites/hub/sections/more'],
    ],
    [
      'a group that is deleted with its section',
      site({ guides, more: { title: 'More', sections: { api } } }, live),
      site({ guides }, live),
      ['sites/hub/sections/more/sections/api'],
    ],
    [
      'a section that leaves its group',
      site(
        { guides, more: { title: 'More', sections: { api, next: section('Next', 'next', 'sp_blog') } } },
        live,
      ),
      site(
        {
          guides,
          api: found,
          more: { title: 'More', sections: { next: section('Next', 'next', 'sp_blog') } },
        },
        live,
      ),
      [],
    ],
    [
      'sections that swap their paths',
      site({ guides, api }, live),
      site({ guides: { ...guides, path: 'api' }, api: { ...api, path: 'guides' } }, live),
      ['sites/hub/sections/api', 'sites/hub/sections/guides'],
    ],
    [
      'redirects in the plan',
      site({ guides, api }, live),
      site({ guides, api: moved }, { ...live, ...redirects('/api', '/api/*') }),
      [],
    ],
    [
      'redirects that are live',
      site({ guides, api: moved }, { ...live, ...redirects('/api', '/api/*') }),
      site({ guides, api: moved }, { ...live, ...redirects('/api', '/api/*'), title: 'Help' }),
      [],
    ],
    [
      'a draft that moves',
      site({ guides, api: { ...api, draft: true } }, live),
      site({ guides, api: { ...moved, draft: true } }, live),
      [],
    ],
    [
      'a site that no one sees',
      site({ guides, api }, { published: false }),
      site({ guides, api: moved }, { published: false }),
      [],
    ],
    ['another order', site({ guides, api }, live), site({ api, guides }, live), []],
  ])('checks with the 2026 API: %s', async (_what, before, after, at) => {
    const found = await refusals(newer, before, after);
    expect(found.map(({ address }) => address).sort()).toEqual(at);
  });

  test('rejects a deletion if the service shows no URLs to compare', async () => {
    newer.through = (api) => ({
      ...api,
      send: async (operation, input) => withoutUrls(await api.send(operation, input)) as never,
      all: async (operation, input) => withoutUrls(await api.all(operation, input)) as never,
    });
    const found = await refusals(newer, site({ guides, api }, live), site({ guides }, live));
    newer.through = undefined;
    expect(found.map(({ address }) => address)).toEqual(['sites/hub/sections/api']);
  });
});

function withoutUrls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'urls' ? undefined : inner)));
}

test('"gains" matches each way to give a level', async () => {
  const rules = 'rules: { editors: { when: { gains: edit }, message: someone could edit } }';
  const space = { id: 'sp_guide' };
  const of = async (before: object, after: object) => {
    newer.reset();
    return (await refusedBy(rules, { harness: newer, before, after })).map(({ address }) => address);
  };
  const c = (more: object) => ({ collections: { c: { title: 'C', defaultLevel: 'read', ...more } } });
  expect(await of(c({}), c({ access: { members: { 'bob@acme.dev': 'edit' } } }))).toEqual(['collections/c']);
  expect(await of(c({}), c({ access: { members: { 'bob@acme.dev': 'comment' } } }))).toEqual([]);
  expect(await of(c({}), c({ defaultLevel: 'create' }))).toEqual(['collections/c']);
  expect(await of(c({ defaultLevel: 'create' }), c({ defaultLevel: 'edit' }))).toEqual([]);
  expect(
    await of(
      { spaces: { g: { ...space, defaultLevel: 'read' } } },
      { spaces: { g: { ...space, defaultLevel: 'admin' } } },
    ),
  ).toEqual(['spaces/g']);
});
