/** The help of each warning about manifests and of each code of planning, followed: then the plan is applied, and nothing is lost. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Seed, type Service, startService } from '../../src/server/index.ts';
import { type DiagnosticCode, diagnosticCodes } from '../../src/util/diagnostic-codes.ts';
import { some } from '../support/runs.ts';
import { followHelp, type Line, type Row, write } from './helps.ts';
import { root } from './octavo.ts';

const member = (name: string, role: 'admin' | 'read' | 'edit') => ({
  id: `user_${name}`,
  email: `${name}@acme.dev`,
  displayName: name,
  role,
  token: `tok-${name}-of-a-test`,
});
const page = (key: string, space: string, path: string) => ({ id: `ss_${key}`, space: `sp_${space}`, path });
const section = (key: string, title: string, space: string) => ({
  id: `sec_${key}`,
  title,
  path: key,
  spaces: [page(key, space, 'start')],
});
const acme = {
  id: 'org_acme',
  title: 'Acme',
  hostname: 'acme',
  members: [member('ada', 'admin'), member('bob', 'read'), member('cyd', 'read')],
  teams: [
    { id: 'team_a', title: 'Alpha' },
    { id: 'team_b', title: 'Beta' },
  ],
  collections: [
    { type: 'collection', id: 'col_books', title: 'Books', spaces: [{ id: 'sp_in', title: 'Inside' }] },
    { type: 'collection', id: 'col_vault', title: 'Vault', defaultLevel: null },
  ],
  spaces: [
    { id: 'sp_guide', title: 'API guide' },
    { id: 'sp_api', title: 'API reference' },
    { id: 'sp_blog', title: 'Blog' },
    { id: 'sp_faq', title: 'FAQ', changeRequests: [{ subject: 'Shorter', status: 'open' }] },
  ],
  sites: [
    {
      id: 'site_docs',
      title: 'Docs',
      basename: 'docs',
      visibility: 'unlisted',
      sections: [section('guides', 'Guides', 'guide'), section('api', 'API', 'api')],
    },
    {
      id: 'site_blog',
      title: 'Weblog',
      basename: 'blog',
      visibility: 'unlisted',
      spaces: [page('blog', 'blog', 'start')],
    },
    {
      id: 'site_synced',
      title: 'Synced',
      gitSync: { repoName: 'acme/docs' },
      spaces: [page('synced', 'blog', 'start')],
    },
  ],
} satisfies Seed['organizations'][number];
const owner = { id: 'user_ada', email: 'ada@acme.dev', displayName: 'ada' };
const seed: Seed = {
  owner,
  organizations: [
    acme,
    { id: 'org_two', title: 'Two', members: [member('ada', 'admin')] },
    { id: 'org_own', title: 'Own', members: [member('ada', 'admin'), member('bob', 'admin')] },
  ],
};

/** A service at which each member has a token. */
let service: Service;
beforeAll(async () => {
  service = await startService({ data: ':memory:', seed });
});
afterAll(() => service.close());
const as = (name: string) => () => ({
  OCTAVO_BASE_URL: service.url,
  OCTAVO_TOKEN: `tok-${name}-of-a-test`,
});

const document = (text: string, organization = 'org_acme') =>
  `octavo: 1\norganization: ${organization}\n${text}\n`;
const of = (text: string) => write('acme.yaml', document(text));
const seeded = ['-f', 'acme.yaml', '--seed', 's.json'];
const planned = ['plan', ...seeded];
const applied = ['apply', '--auto-approve', ...seeded];
const api = (...words: readonly string[]): Line => ['api', ...words];
const acmes = 'organizationId=org_acme';
const converged = 'No changes';
const served = ['-f', 'acme.yaml', '--base', 'before'];
const bothPlanned = [...planned, '-f', 'two.yaml', '--base', 'before'];
const newer = 'settings: { service: { profile: "2026" } }\n';
const newSection = (path: string) =>
  `{ title: One, path: one, spaces: { guide: { space: { id: sp_guide }, path: ${path} } } }`;
const last = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].at(-1)?.[1] ?? '';
const siteIn = (printed: string) => `siteId=${last(/"(site_\w+)"/g, printed)}`;

/** A plan of a seeded service: the manifests before, those that are wrong, and those that follow the help. */
interface Planned extends Pick<Row, 'help' | 'isWarning' | 'shown' | 'files'> {
  readonly base?: string;
  readonly wrong: string;
  readonly right: string;
  /** A part of the output of the apply. */
  readonly applies: string;
  /** Commands that the help names, before the apply. */
  readonly first?: readonly Line[];
  /** Further commands, and a part of the output of each. */
  readonly after?: readonly (readonly [Line, string])[];
  readonly flags?: Line;
  /** Flags that the help names. */
  readonly rightFlags?: Line;
  readonly organization?: string;
}

function plannedRow({ base, wrong, right, applies, after = [], files, ...about }: Planned): Row {
  const { flags = [], rightFlags = [], first = [], organization, ...row } = about;
  const more = [...(base === undefined ? [] : ['--base', 'before']), ...flags];
  return {
    ...row,
    files: {
      's.json': JSON.stringify(seed),
      'acme.yaml': document(wrong, organization),
      ...(base === undefined ? {} : { 'before/acme.yaml': document(base, organization) }),
      ...files,
    },
    wrong: [...planned, ...more],
    change: write('acme.yaml', document(right, organization)),
    right: [
      ...first,
      [...applied, ...more, ...rightFlags],
      [...planned, ...more],
      ...after.map(([line]) => line),
    ],
    shows: [...first.map(() => ''), applies, converged, ...after.map(([, part]) => part)],
  };
}

/** A guard: the plan is refused, and says how to allow it. */
const guarded = (guard: string, row: Planned): Row => plannedRow({ shown: `guard: ${guard}`, ...row });

/** Manifests that are valid, with a warning. */
const warned = (help: string, [wrong, right]: readonly [string, string], files: Row['files'] = {}): Row => ({
  files: { ...files, 'acme.yaml': document(wrong) },
  wrong: ['validate', '-f', 'acme.yaml'],
  isWarning: true,
  help,
  change: of(right),
  shows: 'Valid: 1 organization',
});

const hub = (sections: string, more = '') =>
  `spaces: { a: { id: sp_a, title: Aa }, b: { id: sp_b, title: Bb } }\nsites:\n  hub:\n    title: Hub\n    sections:\n      x: ${sections}\n${more}`;
const shown = (more = '') => `{ title: Xx, path: x, spaces: { a: { space: a${more} } } }`;
const redirects = (lines: string) => hub(shown(), `    redirects: { ${lines} }`);
const condition = (text: string) =>
  hub(shown(`, condition: ${text}`), '    adaptiveSchema: ${json:visitor/v.json}');
const schema = '{ "type": "object", "properties": { "beta": {} }, "additionalProperties": false }';
const closed = (level: string) =>
  `spaces: { a: { id: sp_a, title: Aa, defaultLevel: ${level} } }\nsites: { hub: { title: Hub, visibility: public, spaces: { a: { space: a } } } }`;

const rows: Partial<Record<DiagnosticCode, Row>> = {
  // Warnings about manifests
  'unused-file': {
    files: {
      'acme.yaml': document(condition('visitor.claims.beta')),
      'visitor/v.json': schema,
      'visitor/w.json': schema,
    },
    wrong: ['validate', '-f', 'acme.yaml'],
    isWarning: true,
    help: 'delete the file, or include it',
    change: (cwd) => rmSync(join(cwd, 'visitor/w.json')),
    shows: 'Valid: 1 organization',
  },
  'unreachable-section': warned('write a condition that visitors can fulfil, or remove the entry', [
    hub(shown(', condition: "false"')),
    hub(shown(', condition: visitor.claims.beta')),
  ]),
  'visibility-wider-than-space': warned('give it a defaultLevel', [closed('null'), closed('read')]),
  'unknown-condition-attribute': warned(
    'did you mean visitor.claims.beta?',
    [condition('visitor.claims.bata'), condition('visitor.claims.beta')],
    { 'visitor/v.json': schema },
  ),
  'redirect-loop': warned('change the target of one of them', [
    redirects('/m: { to: "https://acme.dev/n" }, /n: { to: "https://acme.dev/m" }'),
    redirects('/m: { to: "https://acme.dev/n" }, /n: { to: "https://acme.dev/x" }'),
  ]),
  'redirected-path': warned('remove the redirect, or redirect a path that is not in use', [
    redirects('/x: { to: "https://acme.dev/n" }'),
    redirects('/y: { to: "https://acme.dev/n" }'),
  ]),
  'swallowed-text': warned('title: "Status # 1"', [
    'teams:\n  a:\n    title: Status # 1',
    'teams:\n  a:\n    title: "Status # 1"',
  ]),
  ending: warned('remove the entry, or write a later day', [
    'teams:\n  a: { title: A, members: { bob@acme.dev: { role: member, until: 2020-01-31 } } }',
    'teams:\n  a: { title: A, members: {} }',
  ]),
  // Planning
  'organization-not-found': {
    files: { 's.json': JSON.stringify(seed), 'acme.yaml': document('teams: {}', 'org_acm') },
    wrong: planned,
    help: 'octavo api orgs.list',
    change: of('teams: { a: { title: Alphas, was: Alpha } }'),
    right: [api('orgs.list'), applied, planned],
    shows: ['"id": "org_acme"', '1 updated', converged],
  },
  'ambiguous-identity': plannedRow({
    wrong: 'teams: { a: { title: Alpha }, b: { title: Beta } }',
    files: {
      's.json': JSON.stringify({
        owner,
        organizations: [
          {
            ...acme,
            teams: [...acme.teams, { id: 'team_c', title: 'Alpha', members: { user_bob: 'owner' } }],
          },
        ],
      }),
    },
    help: 'add the id of the right one, for example id: team_a',
    right: 'teams: { a: { id: team_a, title: Alphas }, b: { title: Beta } }',
    applies: '1 updated',
    after: [[api('teams.get', acmes, 'teamId=team_c'), '"title": "Alpha"']],
  }),
  'no-identity': plannedRow({
    wrong: 'teams: { a: { members: { bob@acme.dev: member } } }',
    help: 'add title',
    right: 'teams: { a: { title: Alpha, members: { bob@acme.dev: member } } }',
    applies: '1 updated',
  }),
  indistinguishable: plannedRow({
    wrong: 'teams: { c: { title: Same }, d: { title: Same } }',
    isWarning: true,
    help: 'give one of them another title',
    right: 'teams: { c: { title: Same }, d: { title: Other } }',
    applies: '2 created',
  }),
  'id-elsewhere': plannedRow({
    wrong:
      'sites: { docs: { title: Docs, sections: { api: { title: API } } }, blog: { title: Weblog, sections: { g: { id: sec_guides, title: Manuals, spaces: { g: { space: { id: sp_guide } } } } } } }',
    help: 'move the entry to where the object is, or pin another one',
    right:
      'sites: { docs: { title: Docs, sections: { g: { id: sec_guides, title: Manuals }, api: { title: API } } }, blog: { title: Weblog } }',
    applies: '1 updated',
  }),
  'id-claimed-twice': plannedRow({
    wrong: 'teams: { a: { id: team_a, title: Alphas }, b: { id: team_a } }',
    help: 'remove one of the two entries',
    right: 'teams: { a: { id: team_a, title: Alphas } }',
    applies: '1 updated',
  }),
  'other-organization': {
    files: {
      's.json': JSON.stringify(seed),
      'acme.yaml': document('spaces: { blog: { id: sp_blog, title: News } }', 'org_two'),
    },
    wrong: planned,
    help: 'to move it here: octavo api',
    right: (help) => [
      /octavo (api spaces\S+ \S+ -F \S+)/.exec(help)?.[1]?.split(' ') ?? [],
      applied,
      planned,
    ],
    shows: ['"id": "sp_blog"', '1 updated', converged],
  },
  'former-name': plannedRow({
    wrong: 'teams: { a: { title: Alpha, was: Gone } }',
    isWarning: true,
    help: 'remove the line',
    right: 'teams: { a: { title: Alpha } }',
    applies: converged,
  }),
  'call-not-accepted': plannedRow({
    wrong: 'sites: { blog: { title: Weblog, spaces: { blog: { path: start }, faq: { path: faq } } } }',
    help: 'a new site-space needs space',
    right:
      'sites: { blog: { title: Weblog, spaces: { blog: { path: start }, faq: { path: faq, space: { id: sp_faq } } } } }',
    applies: '1 created',
  }),
  'cannot-create': plannedRow({
    wrong: 'sites: { docs: { title: Docs, sections: { faq: { title: FAQ } } } }',
    help: 'list one under spaces:, for example spaces: { main: { space: some-space } }',
    right:
      'sites: { docs: { title: Docs, sections: { faq: { title: FAQ, spaces: { main: { space: faq } } } } } }\nspaces: { faq: { id: sp_faq } }',
    applies: '2 created',
  }),
  'cannot-change': plannedRow({
    wrong: 'members: { eve@acme.dev: { sso: false } }',
    files: {
      's.json': JSON.stringify({
        owner,
        organizations: [{ ...acme, members: [...acme.members, { ...member('eve', 'read'), sso: true }] }],
      }),
    },
    help: 'set sso: true, or remove the line',
    right: 'members: { eve@acme.dev: { sso: true, role: edit } }',
    applies: '1 updated',
  }),
  contradiction: plannedRow({
    base: 'members: { ada@acme.dev: {}, bob@acme.dev: {}, cyd@acme.dev: {} }',
    wrong:
      'members: { ada@acme.dev: {}, bob@acme.dev: {} }\nteams: { a: { title: Alpha, members: { bob@acme.dev: owner, cyd@acme.dev: member } } }',
    help: 'remove cyd@acme.dev here as well, or list it under members:',
    right:
      'members: { ada@acme.dev: {}, bob@acme.dev: {}, cyd@acme.dev: {} }\nteams: { a: { title: Alpha, members: { bob@acme.dev: owner, cyd@acme.dev: member } } }',
    applies: '1 updated',
  }),
  'value-taken': plannedRow({
    wrong: 'sites: { docs: { title: Docs, basename: blog }, blog: { title: Weblog } }',
    help: 'declare the basename of sites/blog',
    right: 'sites: { docs: { title: Docs, basename: blog }, blog: { title: Weblog, basename: news } }',
    applies: '2 updated',
  }),
  'value-wanted-twice': plannedRow({
    wrong: 'sites: { docs: { title: Docs, basename: hub }, blog: { title: Weblog, basename: hub } }',
    help: 'choose another basename for one of the two',
    right: 'sites: { docs: { title: Docs, basename: hub }, blog: { title: Weblog, basename: news } }',
    applies: '2 updated',
  }),
  'probable-rename': plannedRow({
    wrong: 'teams: { a: { title: Alphas } }',
    isWarning: true,
    help: 'add the line was: "Alpha"',
    right: 'teams: { a: { title: Alphas, was: "Alpha" } }',
    applies: '1 updated',
    after: [[api('teams.get', acmes, 'teamId=team_a'), '"title": "Alphas"']],
  }),
  // Guards
  'refused-rules': guarded('rules', {
    wrong: 'sites: { docs: { title: Handbook, was: Docs, visibility: public } }',
    files: { 'octavo.rules.yaml': 'rules: { no-public-sites: {} }\n' },
    help: 'change the manifests; the rule is in octavo.rules.yaml:1',
    right: 'sites: { docs: { title: Handbook, was: Docs, visibility: unlisted } }',
    applies: '1 updated',
  }),
  'refused-unseen': {
    files: {
      'acme.yaml': document('collections: { vault: { title: Vaults, was: Vault } }'),
      'before/acme.yaml': document('collections: { vault: { title: Vault } }'),
    },
    env: as('cyd'),
    wrong: ['plan', ...served],
    shown: 'guard: unseen',
    help: 'use a token that sees it: one of a member who administers the organization',
    rightEnv: as('ada'),
    right: [['apply', '--auto-approve', ...served], api('collections.get', 'collectionId=col_vault')],
    shows: ['1 updated', '"title": "Vaults"'],
  },
  unseen: {
    files: { 'acme.yaml': document('teams: { new: { title: New } }') },
    env: as('cyd'),
    wrong: ['plan'],
    isWarning: true,
    help: 'use a token that sees it: one of a member who administers the organization',
    rightEnv: as('ada'),
    right: [['plan'], ['apply', '--auto-approve'], ['plan']],
    shows: ['1 to create', '1 created', converged],
  },
  'refused-limits': guarded('limits', {
    base: 'teams: { a: { title: Alpha }, b: { title: Beta } }',
    wrong: 'settings: { limits: { deletes: 1 } }\nteams: {}',
    help: 'allow it once with --allow-deletes 2',
    right: 'settings: { limits: { deletes: 1 } }\nteams: {}',
    rightFlags: ['--allow-deletes', '2'],
    applies: '2 deleted',
  }),
  'refused-last-one': guarded('last-one', {
    wrong: 'members: { ada@acme.dev: { role: edit }, bob@acme.dev: { role: edit } }',
    help: 'give role: admin to another member first',
    right: 'members: { ada@acme.dev: { role: edit }, bob@acme.dev: { role: admin } }',
    applies: '2 updated',
  }),
  'refused-own-member': {
    files: {
      'acme.yaml': document(
        'settings: { self: ada@acme.dev }\nmembers: { ada@acme.dev: { role: edit } }',
        'org_own',
      ),
    },
    env: as('ada'),
    wrong: ['plan'],
    shown: 'guard: own-member',
    help: 'apply this with the token of another member, who is named under settings: self',
    change: write(
      'acme.yaml',
      document('settings: { self: bob@acme.dev }\nmembers: { ada@acme.dev: { role: edit } }', 'org_own'),
    ),
    rightEnv: as('bob'),
    right: [['apply', '--auto-approve'], ['plan']],
    shows: ['1 updated', converged],
  },
  'refused-lockout': guarded('lockout', {
    wrong: '',
    help: 'declare the SAML provider in the same manifests',
    right: 'samlProviders: { okta: { label: Okta } }',
    organization: '{ id: org_acme, sso: true }',
    applies: '1 created, 1 updated',
  }),
  'refused-exclusive': guarded('exclusive', {
    wrong: 'sites: { docs: { title: Docs, spaces: { faq: { space: { id: sp_faq } } } } }',
    help: 'put them under sections:',
    right:
      'sites: { docs: { title: Docs, sections: { guides: { title: Guides, spaces: { faq: { space: { id: sp_faq } } } } } } }',
    applies: '1 created',
    after: [[api('sections.list', acmes, 'siteId=site_docs'), '"title": "API"']],
  }),
  'refused-kept-value': guarded('kept-value', {
    base: 'sites: { blog: { title: Weblog, spaces: { blog: { space: { id: sp_blog }, path: start } } } }',
    wrong: `sites: { blog: { title: Weblog, sections: { one: ${newSection('start')} } } }`,
    flags: ['--exclude', 'sites/blog/spaces/**'],
    help: 'choose another path',
    right: `sites: { blog: { title: Weblog, sections: { one: ${newSection('guide')} } } }`,
    applies: '2 created',
  }),
  'refused-contents': guarded('contents', {
    base: 'collections: { books: { title: Books } }',
    wrong: 'settings: { protect: ["!collections/books"] }\ncollections: {}',
    help: 'move them elsewhere first',
    right:
      'settings: { protect: ["!collections/books"] }\ncollections: {}\nspaces: { inside: { id: sp_in } }',
    applies: '1 moved, 0 replaced, 1 deleted',
    after: [[api('spaces.get', 'spaceId=sp_in'), '"title": "Inside"']],
  }),
  'refused-default': guarded('default', {
    base: `sites: { docs: { title: Docs, sections: { guides: { title: Guides }, api: { title: API } } } }`,
    wrong: 'sites: { docs: { title: Docs, sections: { api: { title: API } } } }',
    help: 'name another one first: default: … at sites/docs',
    right: 'sites: { docs: { title: Docs, default: api, sections: { api: { title: API } } } }',
    applies: '1 updated, 0 moved, 0 replaced, 1 deleted',
    after: [[api('spaces.get', 'spaceId=sp_guide'), '"title": "API guide"']],
  }),
  'refused-protect': guarded('protect', {
    base: 'spaces: { blog: { id: sp_blog }, guide: { id: sp_guide } }',
    wrong: 'spaces: { blog: { id: sp_blog } }',
    help: 'to allow it, add to the settings: protect: ["!spaces/guide"]',
    right: 'settings: { protect: ["!spaces/guide"] }\nspaces: { blog: { id: sp_blog } }',
    applies: '1 deleted',
  }),
  'refused-synced': guarded('synced', {
    wrong: `${newer}sites: { synced: { id: site_synced, title: Other, shareLinks: { one: { name: Partners } } } }`,
    help: 'set lifecycle: { ignore: synced } at sites/synced to manage the rest here',
    right: `${newer}sites: { synced: { id: site_synced, title: Other, lifecycle: { ignore: synced }, shareLinks: { one: { name: Partners } } } }`,
    applies: '1 created, 0 updated',
    after: [[api('sites.get', acmes, 'siteId=site_synced'), '"title": "Synced"']],
  }),
  'refused-made-by-others': {
    files: {
      's.json': JSON.stringify(seed),
      'acme.yaml': document(
        `sites: { news: { title: News, visibility: unlisted, was: [], sections: { one: ${newSection('guide')} } } }`,
      ),
    },
    before: [
      applied,
      api('sites.list', acmes, 'title=News'),
      (printed) =>
        api('sections.create', acmes, siteIn(printed), '-F', 'spaceId=sp_faq', '-F', 'title=Theirs'),
    ],
    wrong: ['undo', '--auto-approve'],
    shown: 'guard: made-by-others',
    help: 'change that in the app first, then run octavo undo again',
    right: [
      (printed) =>
        api('sections.delete', acmes, siteIn(printed), `siteSectionId=${last(/"(sect?_\w+)"/g, printed)}`),
      ['undo', '--auto-approve'],
      api('spaces.get', 'spaceId=sp_faq'),
    ],
    shows: ['', '1 deleted', '"title": "FAQ"'],
  },
  'refused-open-work': guarded('open-work', {
    base: 'spaces: { blog: { id: sp_blog }, faq: { id: sp_faq } }',
    wrong: 'settings: { protect: ["!**"] }\nspaces: { blog: { id: sp_blog } }',
    help: 'merge or archive them first',
    first: [api('changeRequests.update', 'spaceId=sp_faq', 'changeRequestId=1', '-F', 'status=archived')],
    right: 'settings: { protect: ["!**"] }\nspaces: { blog: { id: sp_blog } }',
    applies: '1 deleted',
  }),
  'refused-missing': guarded('missing', {
    wrong: 'teams: { a: { id: team_x, title: Alphas } }',
    help: 'if it is "Alpha", add: id: team_a',
    right: 'teams: { a: { id: team_a, title: Alphas } }',
    applies: '1 updated',
  }),
  'refused-swap-or-swapped': guarded('swap-or-swapped', {
    base: 'teams: { a: { title: Alpha }, b: { title: Beta } }',
    wrong: 'teams: { a: { title: Beta }, b: { title: Alpha } }',
    help: 'if they have not, add these ids: teams/a: id: team_a teams/b: id: team_b',
    right: 'teams: { a: { id: team_a, title: Beta }, b: { id: team_b, title: Alpha } }',
    applies: '2 updated',
    after: [[api('teams.get', acmes, 'teamId=team_a'), '"title": "Beta"']],
  }),
  'refused-rename': guarded('rename', {
    base: 'teams: { a: { title: Alpha }, b: { title: Beta } }',
    wrong: 'teams: { c: { title: Alphas }, b: { title: Beta } }',
    help: 'if it is the same team, add under teams/c: was: "Alpha"',
    right: 'teams: { c: { title: Alphas, was: "Alpha" }, b: { title: Beta } }',
    applies: '1 updated',
    after: [[api('teams.get', acmes, 'teamId=team_a'), '"title": "Alphas"']],
  }),
  'refused-transfer': {
    files: {
      's.json': JSON.stringify(seed),
      'acme.yaml': document('collections: {}'),
      'two.yaml': document('collections: { books: { title: Books } }', 'org_two'),
      'before/acme.yaml': document('collections: { books: { title: Books } }'),
      'before/two.yaml': document('collections: {}', 'org_two'),
    },
    wrong: bothPlanned,
    shown: 'guard: transfer',
    help: 'transfer it: octavo api',
    right: (help) => [
      /octavo (api collections\S+ \S+ -F [^\s;]+)/.exec(help)?.[1]?.split(' ') ?? [],
      bothPlanned,
      api('spaces.get', 'spaceId=sp_in'),
    ],
    shows: ['"organization": "org_two"', converged, '"organization": "org_two"'],
  },
};

/** Other situations of the same codes, with a help of their own. */
const further: readonly (readonly [DiagnosticCode, Row])[] = [
  [
    'refused-missing',
    guarded('missing', {
      wrong: `${newer}members: { gil@acme.dev: {} }`,
      help: 'an invitation needs a role → set role: to invite the person, or remove the entry',
      right: `${newer}members: { gil@acme.dev: { role: read } }`,
      applies: '1 created',
    }),
  ],
  [
    'refused-rename',
    guarded('rename', {
      base: 'teams: { a: { title: Alpha }, b: { title: Beta } }',
      wrong: 'teams: { a: { title: Beta } }',
      help: 'pin the one that is meant: id: team_b (it has this title now)',
      right: 'teams: { a: { title: Beta, id: team_b } }',
      applies: '0 created, 0 updated, 0 moved, 0 replaced, 1 deleted',
      after: [[api('teams.get', acmes, 'teamId=team_b'), '"title": "Beta"']],
    }),
  ],
  [
    'value-taken',
    plannedRow({
      wrong: 'sites: { docs: { title: Docs, basename: blog } }',
      help: 'choose another basename, or list that site in the manifests (id: site_blog)',
      right: 'sites: { docs: { title: Docs, basename: handbook } }',
      applies: '1 updated',
    }),
  ],
];

// Rows do not depend on each other, so `npm test` runs a part of them.
test.each(some([...Object.entries(rows), ...further]))('the help of %s leads to what was meant', followHelp);

/** They need records of former applies: the tests in which what the help names is done. */
const elsewhere: Readonly<Partial<Record<DiagnosticCode, readonly [file: string, test: string]>>> = {
  'recorded-otherwise': ['plan/recorded.test.ts', 'are reported with a help that keeps both objects: %s'],
};

/**
 * The first two have no help. An apply finds `id-not-found` when it reads the live state again after others deleted an object, and
 * prints only the message.
 */
const without: readonly DiagnosticCode[] = ['not-undone', 'rules-changed', 'id-not-found'];

test('follows the help of every warning and of every code of planning', () => {
  const [from, to] = [diagnosticCodes.indexOf('unused-file'), diagnosticCodes.indexOf('base-url')];
  const known = [...Object.keys(rows), ...Object.keys(elsewhere), ...without];
  expect(diagnosticCodes.slice(from, to).toSorted()).toEqual(known.sort());
});

test.each(Object.entries(elsewhere))('the help of %s is followed in %s', (_code, [file, name]) => {
  expect(readFileSync(join(root, 'test', file), 'utf8')).toContain(name);
});
