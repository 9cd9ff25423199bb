/** `octavo mv` in files: minimal edits of the entry and all references, or no edit and the place that cannot be changed. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { GitError } from '../../src/manifest/files/repository.ts';
import { moveObject } from '../../src/run/write-back/move-object.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { placeText } from '../../src/util/places.ts';

type Texts = Readonly<Record<string, string>>;

interface Request {
  readonly from: string;
  readonly to: string;
  readonly overlays?: readonly string[];
  readonly env?: Texts;
  readonly dryRun?: boolean;
  readonly isInterrupted?: boolean;
}

const head = 'octavo: 1\norganization: org_acme\n';

function folderWith(texts: Texts): string {
  const cwd = mkdtempSync(path.join(tmpdir(), 'octavo-mv-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
  }
  return cwd;
}

const textsIn = (cwd: string, texts: Texts) =>
  Object.fromEntries(Object.keys(texts).map((name) => [name, readFileSync(path.join(cwd, name), 'utf8')]));

async function run(
  cwd: string,
  { from, to, overlays = [], env = {}, dryRun = false, isInterrupted = false }: Request,
) {
  const source = { files: ['.'], overlays, cwd, env, registry };
  return moveObject(source, { from, to, dryRun, isInterrupted: () => isInterrupted });
}

/** Changed texts. */
async function moved(texts: Texts, request: Request): Promise<Texts> {
  const cwd = folderWith(texts);
  await run(cwd, request);
  const after = textsIn(cwd, texts);
  return Object.fromEntries(Object.entries(after).filter(([name, text]) => text !== texts[name]));
}

/** Problems with their places; expects that no file is written. */
async function refused(texts: Texts, request: Request): Promise<readonly string[]> {
  const cwd = folderWith(texts);
  const error = await run(cwd, request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DiagnosticError)) throw error ?? new Error('it was moved');
  expect(textsIn(cwd, texts)).toEqual(texts);
  return error.diagnostics.map(({ message, at }) =>
    at === undefined ? message : `${placeText(at)} ${message}`,
  );
}

const acme = `${head}settings:
  service: { profile: "2026" }
  protect: [teams/writers, "!org_acme/teams/writers", "sites/**"]

teams:
  platform: { title: Platform }

  # who write
  writers:   # of the docs
    title: Writers

collections:
  handbook:
    title: Handbook
    access:
      teams: { 'writers': edit, platform: read } # not the readers
`;

const everywhere: Texts = {
  'acme.yaml': acme,
  'overlays/production.yaml': `octavo: 1
overlay: production
organization: org_acme
teams: { writers: { title: Writers of production } }
collections: { handbook: { access: { teams: { writers: admin } } } }
`,
  'more.yaml': `${head}collections:
  notes: { use: shared }
  more:
    use: shared
    each: [{ key: one }]
x-note: writers
---
octavo: 1
templates:
  shared:
    collection:
      title: Of \${input:key}, for writers
      access: { teams: { writers: read } }
`,
  'octavo.rules.yaml': `rules:
  keep:
    when: { address: [teams/writers, 'teams/**'] }
    message: Not writers
`,
  'tests/acme.test.yaml': `tests:
  one:
    expect:
      steps: { teams/writers: create }
      refusals: [{ address: teams/writers, guard: protect }]
  two:
    manifests: [..]
    expect: { steps: { teams/writers: create } }
`,
  'tests/other.test.yaml': `tests:
  one:
    manifests: [other.yaml, others]
    expect: { steps: { "teams/writers": create } }
`,
};

test('changes a key and every reference to it in all files', async () => {
  const { 'tests/other.test.yaml': _others, ...own } = everywhere;
  const expected = Object.entries(own).map(([name, text]) => [
    name,
    text.replaceAll(/(?<=teams\/)writers\b|\bwriters(?=:|':)/g, 'docs'),
  ]);
  expect(await moved(everywhere, { from: 'teams/writers', to: 'teams/docs' })).toEqual(
    Object.fromEntries(expected),
  );
});

test('changes a reference in an input at the use of the template', async () => {
  const text = (key: string) => `${head}spaces: { ${key}: { id: sp_guide } }
sites:
  hub: { use: page, with: { title: guide, space: ${key} } }
---
octavo: 1
templates:
  page:
    inputs: { title: { type: string }, space: { type: string } }
    site: { title: "The \${input:title}", spaces: { main: { space: "\${input:space}" } } }
`;
  const request = { from: 'spaces/guide', to: 'spaces/start' };
  expect(await moved({ 'a.yaml': text('guide') }, request)).toEqual({ 'a.yaml': text('start') });
});

test.each<[string, string, Partial<Request>, string]>([
  ['a title is enough', '  a: { title: A }\n', {}, '  b: { title: A }\n'],
  ['an id is enough', '  a: { id: team_a }\n', {}, '  b: { id: team_a }\n'],
  [
    'without a name',
    '  a: { lifecycle: { protect: true } }\n',
    {},
    '  b: { was: a, lifecycle: { protect: true } }\n',
  ],
  [
    'another one has the title',
    '  a:\n    title: A\n  c: { id: team_c, title: A }\n',
    {},
    '  b:\n    was: a\n    title: A\n  c: { id: team_c, title: A }\n',
  ],
  [
    'its title is left alone',
    '  a: { title: A, lifecycle: { ignore: title } }\n',
    {},
    '  b: { was: a, title: A, lifecycle: { ignore: title } }\n',
  ],
  ['it was new', '  a: { title: A, was: [] }\n', {}, '  b: { title: A, was: a }\n'],
  ['it has a former name', '  a: { title: A, was: x }\n', {}, '  b: { title: A, was: x }\n'],
  ['it goes back', '  a:\n    was: b # soon\n    title: A\n', {}, '  b:\n    title: A\n'],
  ['it goes back without a name', '  a: { was: [b, c] }\n', {}, '  b: { was: [a, c] }\n'],
])('adds a former name if a plan needs it: %s', async (_what, teams, request, after) => {
  const texts = { 'a.yaml': `${head}teams:\n${teams}` };
  const result = await moved(texts, { from: 'teams/a', to: 'teams/b', ...request });
  expect(result).toEqual({ 'a.yaml': `${head}teams:\n${after}` });
});

test('adds a former name if a child needs it', async () => {
  const site = (key: string, was: string) =>
    `${head}sites:\n  ${key}:\n${was}    title: Site A\n    shareLinks: { x: { active: true } }\n`;
  const result = await moved({ 'a.yaml': site('a', '') }, { from: 'sites/a', to: 'sites/b' });
  expect(result).toEqual({ 'a.yaml': site('b', '    was: a\n') });
});

test('changes the key of a record, and moves additions of an overlay in the overlay', async () => {
  const records = (key: string) => `${head}teams:
  all:
    use: team
    each:
      - { key: ${key}, title: A } # first
      - { key: c, title: C }
---
octavo: 1
templates: { team: { inputs: { title: { type: string } }, team: { title: "\${input:title}" } } }
`;
  const overlay = (key: string, own: string) =>
    `octavo: 1\noverlay: test\norganization: org_acme\nteams:\n  ${key}: { title: Over }\n  ${own}: { new: true, title: D }\n`;
  const texts = { 'a.yaml': records('a'), 'b.yaml': overlay('a', 'd') };
  expect(await moved(texts, { from: 'teams/a', to: 'teams/b' })).toEqual({
    'a.yaml': records('b'),
    'b.yaml': overlay('b', 'd'),
  });
  expect(await moved(texts, { from: 'teams/d', to: 'teams/e' })).toEqual({ 'b.yaml': overlay('a', 'e') });
  expect(await moved(texts, { from: 'teams/d', to: 'teams/e', overlays: ['test'] })).toEqual({
    'b.yaml': overlay('a', 'e'),
  });
});

test('moves an entry to another parent with its comments, in all files', async () => {
  const texts = {
    'a.yaml': `${head}spaces:
  # to be read first
  guide:
    id: sp_guide # by hand
  other: { id: sp_other }
collections:
  books:
    title: Books
sites: { hub: { title: Hub, spaces: { main: { space: guide }, more: { space: spaces/guide } } } }
`,
    'b.yaml': 'octavo: 1\noverlay: test\norganization: org_acme\nspaces: { guide: { title: Over } }\n',
  };
  expect(await moved(texts, { from: 'spaces/guide', to: 'collections/books/spaces/start' })).toEqual({
    'a.yaml': `${head}spaces:
  other: { id: sp_other }
collections:
  books:
    title: Books
    spaces:
      # to be read first
      start:
        id: sp_guide # by hand
sites: { hub: { title: Hub, spaces: { main: { space: start }, more: { space: collections/books/spaces/start } } } }
`,
    'b.yaml': `octavo: 1
overlay: test
organization: org_acme
spaces: {}
collections:
  books:
    spaces:
      start: { title: Over }
`,
  });
});

const hub = `${head}spaces: { guide: { id: sp_guide } }
members: { ada@acme.dev: { role: admin } }
teams:
  a: { title: A }
  b: { title: B }
sites:
  hub:
    title: Hub
    customization: { styling: { theme: clean } }
    sections:
      home: { title: Home, spaces: { main: { space: guide } } }
  help: { title: Help, sections: { first: { title: First, spaces: { main: { space: guide } } } } }
collections:
  books: { title: Books }
  notes: { title: Notes }
`;

test.each([
  ['teams/aa', 'teams/x', ['teams/aa matches no address']],
  ['teams/*', 'teams/x', ['teams/* is not the address of one object']],
  ['teams/a', 'teams/b', ['a.yaml:7:3 teams/b is declared already']],
  ['teams/a', 'x', ['a.yaml:6:3 x cannot be a team']],
  ['teams/a', 'collections/x', ['a.yaml:6:3 collections/x cannot be a team']],
  ['teams/a', 'sites/none/teams/x', ['a.yaml:6:3 sites/none is not declared']],
  ['members/ada@acme.dev', 'members/x@acme.dev', ['a.yaml:4:12 a member has no key that is only a name']],
  [
    'sites/hub/customization',
    'sites/help/customization',
    ['a.yaml:11:5 a customization has no key that is only a name'],
  ],
  ['organization', 'teams/x', ['a.yaml:2:1 an organization has no key that is only a name']],
  [
    'collections/books',
    'collections/books/collections/x',
    ['a.yaml:16:3 collections/books/collections/x is inside of collections/books'],
  ],
  [
    'sites/hub/sections/home',
    'sites/help/sections/home',
    ['a.yaml:13:7 a section cannot move there: a plan would delete it and create another one'],
  ],
  [
    'sites/hub/sections/home/spaces/main',
    'sites/help/sections/first/spaces/x',
    ['a.yaml:13:38 a site-space cannot move there: a plan would delete it and create another one'],
  ],
])('refuses to move %s to %s', async (from, to, problems) => {
  expect(await refused({ 'a.yaml': hub }, { from, to })).toEqual(problems);
});

const by = (template: string, uses: string) =>
  `${head}collections:\n${uses}---\noctavo: 1\ntemplates:\n  shelf:\n${template}`;

test.each<[string, Texts, Partial<Request>, readonly RegExp[]]>([
  [
    'a reference in a variable',
    {
      'a.yaml': `${head}spaces: { a: { id: sp_a } }\nsites: { hub: { title: Hub, spaces: { main: { space: "\${env:SPACE}" } } } }\n`,
    },
    { from: 'spaces/a', to: 'spaces/b', env: { SPACE: 'a' } },
    [
      /^a\.yaml:4:54 the object cannot be moved: space of sites\/hub\/spaces\/main: a part of it is filled in$/,
    ],
  ],
  [
    'a glob that would match something else',
    {
      'a.yaml': `${head}teams: { a: { title: A } }\n`,
      'octavo.rules.yaml': 'rules:\n  keep:\n    when: { address: "teams/?" }\n    message: Keep\n',
    },
    { to: 'teams/bb' },
    [
      /^octavo\.rules\.yaml:3:22 the object cannot be moved: "teams\/\?": it would match other objects than before$/,
    ],
  ],
  [
    'a title that comes from the key of its record',
    {
      'a.yaml': `${head}teams: { all: { use: team, each: [{ key: a }] } }\n---\noctavo: 1\ntemplates: { team: { team: { title: "\${input:key}" } } }\n`,
    },
    {},
    [/^the object cannot be moved: teams\/b would change as well$/],
  ],
  [
    'a record in another place',
    {
      'a.yaml': `${head}collections:\n  all:\n    use: shelf\n    each:\n      - { key: a }\n  box: { title: Box }\n---\noctavo: 1\ntemplates: { shelf: { collection: { title: Shelf } } }\n`,
    },
    { from: 'collections/a', to: 'collections/box/collections/a' },
    [/^a\.yaml:7:11, for a\.yaml:11 the object cannot be moved: collections\/a: a record makes it$/],
  ],
  [
    'an object whose new parent is in another file',
    {
      'a.yaml': `${head}spaces: { a: { id: sp_a } }\n`,
      'b.yaml': `${head}collections: { box: { title: Box } }\n`,
    },
    { from: 'spaces/a', to: 'collections/box/spaces/a' },
    [/^a\.yaml:3:11 the object cannot be moved: spaces\/a: its parent is not written here$/],
  ],
  [
    'an alias that shares the entry',
    { 'a.yaml': `${head}x-team: &team { a: { title: A } }\nteams: *team\n` },
    {},
    [/^a\.yaml:\d+:\d+ the object cannot be moved: teams\/a: /],
  ],
  [
    'an included file that is no manifest',
    { 'a.yaml': `${head}teams: "\${json:teams.json}"\n`, 'teams.json': '{ "a": { "title": "A" } }\n' },
    {},
    [/^teams\.json:1:3 the object cannot be moved: teams\/a: it is written in teams\.json, which is an incl/],
  ],
  [
    'a key that would have two meanings',
    {
      'a.yaml': `${head}spaces: { a: { id: sp_a }, c: { id: sp_c } }\ncollections: { x: { title: X, spaces: { b: { id: sp_b } } } }\nsites: { hub: { title: Hub, spaces: { one: { space: a }, two: { space: b } } } }\n`,
    },
    { from: 'spaces/a', to: 'spaces/b' },
    [
      /^the object cannot be moved: the manifests would not be valid$/,
      /matches several spaces/,
      /matches several spaces/,
      /./,
    ],
  ],
  [
    'a file that is not valid',
    { 'a.yaml': `${head}teams: { a: { title: A } }\n`, 'x.test.yaml': 'tests: [' },
    {},
    [/x\.test\.yaml/],
  ],
])('writes no file for %s', async (_what, texts, request, problems) => {
  const found = await refused(texts, { from: 'teams/a', to: 'teams/b', ...request });
  expect(found).toHaveLength(problems.length);
  for (const [at, problem] of problems.entries()) expect(found[at]).toMatch(problem);
});

test('renames an object in its template unless other objects use the template', async () => {
  const template = (key: string) =>
    `    collection: { title: Shelf, collections: { ${key}: { title: Inner } } }\n`;
  const one = '  x: { use: shelf }\n';
  const request = { from: 'collections/x/collections/a', to: 'collections/x/collections/b' };
  expect(await moved({ 'a.yaml': by(template('a'), one) }, request)).toEqual({
    'a.yaml': by(template('b'), one),
  });
  const two = `${one}  y: { use: shelf, title: Other }\n`;
  expect(await refused({ 'a.yaml': by(template('a'), two) }, request)).toEqual([
    'the object cannot be moved: collections/y/collections/a, collections/y/collections/b would change as well',
  ]);
});

test('writes no file in a dry run, on an interruption or if a file is read-only', async () => {
  const texts = { 'a.yaml': `${head}teams: { a: { title: A } }\n`, 'b.yaml': `${head}sites: {}\n` };
  const request = { from: 'teams/a', to: 'teams/b' };
  const cwd = folderWith(texts);
  expect(await run(cwd, { ...request, dryRun: true })).toMatchObject({ files: [{ name: 'a.yaml' }] });
  expect(await run(cwd, { ...request, isInterrupted: true })).toEqual({ type: 'interrupted' });
  expect(textsIn(cwd, texts)).toEqual(texts);
  chmodSync(path.join(cwd, 'a.yaml'), 0o444);
  await expect(run(cwd, request)).rejects.toThrow('a.yaml is read-only');
  expect(textsIn(cwd, texts)).toEqual(texts);
  expect(readdirSync(cwd).sort()).toEqual(Object.keys(texts));
});

test('moves without git too, as no record can be read then', async () => {
  const cwd = folderWith({ 'a.yaml': `${head}teams:\n  a: { title: A }\n` });
  const openRepository = () => Promise.reject(new GitError('git is not installed, or not on the PATH'));
  await moveObject(
    { files: ['.'], overlays: [], cwd, env: {}, registry, openRepository },
    { from: 'teams/a', to: 'teams/b', dryRun: false, isInterrupted: () => false },
  );
  expect(readFileSync(path.join(cwd, 'a.yaml'), 'utf8')).toBe(`${head}teams:\n  b: { title: A }\n`);
});
