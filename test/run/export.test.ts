/** Exports: keys, order, ids, reported omissions and refusals. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import { registry } from '../../src/kinds/index.ts';
import { type Exported, type ExportOptions, exportOrganization } from '../../src/run/export/export.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import type { SeedOrganization } from '../../src/server/seed/seed-file.ts';
import { loadTexts, onlyTree } from '../support/harness.ts';
import { memoryService } from '../support/memory-service.ts';
import { some } from '../support/runs.ts';

const service = memoryService();
afterAll(() => service.close());

const acme: SeedOrganization = {
  id: 'org_acme',
  title: 'Acme',
  members: [{ id: 'user_ada', email: 'ada@acme.dev', role: 'admin' }],
};

async function exported(
  organization: SeedOrganization,
  options: Partial<ExportOptions> = {},
): Promise<Exported> {
  service.reset({ organizations: [organization] });
  service.instead = undefined;
  return exportLive(options);
}

function exportLive(options: Partial<ExportOptions> = {}): Promise<Exported> {
  return exportOrganization(service.api, { registry, pin: 'ambiguous', layout: 'one', ...options });
}

/** The part of the only file below one top-level key. */
function part({ files }: Exported, key: string): string {
  return new RegExp(`^${key}:\\n(?:  .*\\n|\\n(?= ))*`, 'm').exec(files[0]?.text ?? '')?.[0] ?? '';
}

/** Answers matching paths with a status. */
function closing(path: RegExp, status: number): void {
  service.instead = ({ target }) => {
    const body = JSON.stringify({ error: { code: status, message: 'no' } });
    return path.test(target) ? { status, headers: { 'content-type': 'application/json' }, body } : undefined;
  };
}

test('keeps the order of ordered objects and sorts others by key', async () => {
  const space = (id: string, title: string) => ({ id, title });
  const result = await exported({
    ...acme,
    teams: [{ title: 'Writers' }, { title: 'Editors' }],
    collections: [{ type: 'collection', title: 'Books', spaces: [space('sp_b', 'B'), space('sp_a', 'A')] }],
    sites: [
      {
        title: 'Hub',
        sections: [
          { title: 'Zulu', spaces: [{ space: 'sp_b' }, { space: 'sp_a' }] },
          { title: 'More', sections: [{ title: 'Inner', spaces: [{ space: 'sp_a' }] }] },
          { title: 'Alpha', spaces: [{ space: 'sp_a' }] },
        ],
      },
    ],
  });
  expect(part(result, 'teams')).toBe(
    'teams:\n  editors:\n    title: Editors\n    members: {}\n  writers:\n    title: Writers\n    members: {}\n',
  );
  const keys = [...(result.files[0]?.text ?? '').matchAll(/^ {6,8}([a-z]+):$/gm)].map(([, key]) => key);
  expect(keys.filter((key) => ['zulu', 'more', 'alpha', 'b', 'a'].includes(key ?? ''))).toEqual([
    'b',
    'a',
    'zulu',
    'more',
    'alpha',
  ]);
});

test('writes ids only for indistinguishable objects', async () => {
  const teams = [
    { id: 't_1', title: 'Guides' },
    { id: 't_2', title: 'Guides' },
    { id: 't_3', title: 'Else' },
  ];
  const result = await exported({ ...acme, teams });
  expect(result.pinned).toEqual(['teams/guides', expect.stringMatching(/^teams\/guides-\w{4}$/)]);
  expect(part(result, 'teams')).toMatch(/ {2}else:\n {4}title: Else\n/);
  expect((await exportLive({ pin: 'all' })).pinned).toHaveLength(3);
  expect((await exportLive({ pin: 'none', only: ['teams/else'] })).pinned).toEqual([]);
  await expect(exportLive({ pin: 'none' })).rejects.toMatchObject({
    diagnostics: [1, 2].map(() => ({
      code: 'export-differs',
      suggestion: expect.stringContaining('--pin ambiguous'),
    })),
  });
});

test('distinguishes sections with the same title by path', async () => {
  const long = 'x'.repeat(70);
  const sections = [
    { title: long, path: 'a', spaces: [{ space: 'sp_a' }] },
    { title: long, path: 'b', spaces: [{ space: 'sp_a' }] },
  ];
  const result = await exported({
    ...acme,
    spaces: [{ id: 'sp_a', title: 'A' }],
    sites: [{ title: 'Hub', sections }],
  });
  expect(result.pinned).toEqual([]);
});

test('omits and reports a part that the token may not read', async () => {
  service.reset({ organizations: [{ ...acme, teams: [{ title: 'Writers' }], sites: [{ title: 'Hub' }] }] });
  closing(/\/teams\b/, 403);
  const result = await exportLive();
  const text = result.files[0]?.text ?? '';
  expect(text).not.toMatch(/^teams:/m);
  expect(text).toMatch(/^sites:/m);
  expect(result.leftOut).toContainEqual({
    what: 'teams',
    reason: 'the service does not let this token read them (status 403)',
  });
  closing(/\/custom-fields\b|\/share-links\b/, 404);
  expect((await exportLive()).leftOut.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['custom fields', 'share links of sites/hub']),
  );
});

test('fails instead of treating an error as an empty list', async () => {
  service.reset({ organizations: [{ ...acme, teams: [{ title: 'Writers' }] }] });
  closing(/\/teams\b/, 400);
  await expect(exportLive()).rejects.toMatchObject({ status: 400 });
});

test('exports a part alone, with references and parents by id', async () => {
  const organization: SeedOrganization = {
    ...acme,
    spaces: [{ id: 'sp_a', title: 'A' }],
    teams: [{ title: 'Writers' }],
    sites: [
      { id: 'site_1', title: 'Hub', sections: [{ title: 'Guides', spaces: [{ space: 'sp_a', path: 'a' }] }] },
    ],
  };
  const result = await exported(organization, { only: ['sites/**'] });
  expect(result.files[0]?.text).toMatch(/organization: org_acme\n\nsites:\n/);
  expect(result.files[0]?.text).toMatch(/space:\n +id: sp_a\n/);
  expect(result.files[0]?.text).not.toMatch(/teams|members/);
  expect(service.requests.some((request) => /members|teams/.test(request))).toBe(false);
  const inner = await exportLive({ only: ['sites/hub/sections/guides/spaces'] });
  expect(part(inner, 'sites')).toBe(
    'sites:\n  hub:\n    id: site_1\n    sections:\n      guides:\n' +
      `        id: ${service.store.every('section')[0]?.id}\n        spaces:\n          a:\n            space:\n              id: sp_a\n            path: a\n`,
  );
  await expect(exportLive({ only: ['sites/hubb'] })).rejects.toMatchObject({
    diagnostics: [{ code: 'no-such-address' }],
  });
});

test('reports parts that the API does not list if they are selected', async () => {
  const result = await exported({ ...acme, spaces: [{ id: 'sp_lost', title: 'Nowhere' }] });
  expect(result.files[0]?.text).not.toContain('Nowhere');
  expect(result.leftOut.map(({ what }) => what)).toEqual([
    'spaces that are neither in a collection nor on a site',
    'link invites',
  ]);
  expect((await exportLive({ only: ['members'] })).leftOut).toEqual([]);
});

test('writes no address of a share link and no password', async () => {
  const result = await exported({
    ...acme,
    openapi: [{ slug: 'pets', url: 'https://ada:s3cret@acme.dev/pets.json' }],
    sites: [{ title: 'Hub', shareLinks: [{ name: 'Partners' }] }],
  });
  const [link] = service.store.every('shareLink');
  expect(JSON.stringify(link)).toMatch(/token|secret|key/i);
  for (const value of Object.values(link ?? {}))
    if (typeof value === 'string' && value.length > 20) expect(result.files[0]?.text).not.toContain(value);
  expect(result.files[0]?.text).not.toContain('s3cret');
  expect(part(result, 'openapi')).toBe('openapi:\n  pets: {}\n');
  expect(result.leftOut).toContainEqual({
    what: 'source of openapi/pets',
    reason: 'it contains a password: write ${secret:NAME} instead',
  });
});

test('writes a file for each kind and site with --split', async () => {
  const result = await exported(
    {
      ...acme,
      teams: [{ title: 'Writers' }],
      sites: ['Hub', 'Über uns', 'CON', 'Com1', 'Console'].map((title) => ({ title })),
    },
    { layout: 'split' },
  );
  const names = result.files.map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual(['organization.yaml', 'members.yaml', 'teams.yaml']);
  // Windows does not allow a file named con.yaml.
  const sites = ['com1_', 'con_', 'console', 'hub', 'über-uns'].map((name) => `sites/${name}.yaml`);
  expect(names.slice(3).sort()).toEqual(sites);
  for (const { text } of result.files) expect(text).toMatch(/^octavo: 1\n/);
});

describe('omits and reports a value that no manifest can have:', () => {
  const odd: SeedOrganization = {
    ...acme,
    members: [...(acme.members ?? []), { id: 'user_bob', email: 'bob@acme.dev', role: 'read' }],
    teams: [{ id: 'team_a', title: 'Writers' }],
    spaces: [
      { id: 'sp_a', title: 'Guide' },
      { id: 'sp_b', title: 'API' },
    ],
    sites: [
      {
        id: 'site_1',
        title: 'Hub',
        sections: [
          { id: 'sec_1', title: 'One', path: 'one', spaces: [{ id: 'ss_1', space: 'sp_a' }] },
          {
            id: 'sec_2',
            title: 'Two',
            path: 'two',
            spaces: [
              { id: 'ss_2', space: 'sp_b' },
              { id: 'ss_3', space: 'sp_a' },
            ],
          },
        ],
      },
    ],
  };

  /** Changes each object with that id in every response, as other services might return it. */
  function showing(id: string, shown: Readonly<Record<string, unknown>>): Api {
    const changed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(changed);
      if (typeof value !== 'object' || value === null) return value;
      const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one)]));
      return inner.id === id ? { ...inner, ...shown } : inner;
    };
    return {
      send: async (...request) => changed(await service.api.send(...request)),
      all: async (...request) => changed(await service.api.all(...request)) as readonly unknown[],
    };
  }

  test.each([
    ['a role', 'user_bob', { role: 'superuser' }, 'role of members/bob@acme.dev'],
    ['a visibility', 'site_1', { visibility: 'geo-fenced' }, 'visibility of sites/hub'],
    ['a default role', 'org_acme', { defaultRole: 'superuser' }, 'defaultRole of organization'],
    ['a title that is too short', 'sec_2', { title: 'T' }, 'title of sites/hub/sections/t'],
    ['an empty path', 'sec_2', { path: '' }, undefined],
    ['the path of a sibling', 'sec_2', { path: 'one' }, 'sites/hub/sections/two'],
    ['the path of the other site-space', 'ss_3', { path: 'api' }, 'sites/hub/sections/two/spaces/api-1s9u'],
    ['an edit mode', 'sp_a', { editMode: 'frozen' }, 'editMode of spaces/guide'],
  ])('%s', async (_name, id, shown, what) => {
    service.reset({ organizations: [odd] });
    service.instead = undefined;
    const api = showing(id, shown);
    const result = await exportOrganization(api, { registry, pin: 'ambiguous', layout: 'one' });
    const left = result.leftOut.map((one) => one.what);
    if (what !== undefined) expect(left).toContain(what);
    const tree = onlyTree(await loadTexts({ 'a.yaml': result.files[0]?.text ?? '' }));
    const { plan, problems } = await planTree(api, tree, { registry });
    expect([problems, plan.steps, plan.refusals]).toEqual([[], [], []]);
    expect(result.files[0]?.text).toContain('Writers');
  });
});

const tooLarge: readonly ['one' | 'split', string][] = [
  ['one', 'add --split'],
  ['split', 'with --only'],
];
test.each(some(tooLarge))(
  'suggests how to write less into a file that is too large (%s)',
  async (layout, help) => {
    const emailDomains = Array.from(
      { length: 25_000 },
      (_, at) => `${`${'x'.repeat(60)}.`.repeat(4)}${at}.dev`,
    );
    await expect(exported({ ...acme, emailDomains }, { layout })).rejects.toMatchObject({
      diagnostics: [
        {
          message: expect.stringContaining('is too large: 7 MiB'),
          suggestion: expect.stringContaining(help),
        },
      ],
    });
  },
);
