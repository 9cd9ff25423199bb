/** `octavo adopt`: the built command writes ids into real files, exactly there, or says why not and writes nothing. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Seed, startService } from '../../src/server/index.ts';
import { folder, octavo, type Ran, start } from './octavo.ts';

const acme = {
  id: 'org_acme',
  title: 'Acme',
  members: [{ id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada', role: 'admin' }],
  teams: [
    { id: 'team_platform', title: 'Platform' },
    { id: '123', title: 'Writers' },
  ],
  content: [{ id: 'sp_guide', title: 'API guide' }],
  sites: [{ id: 'site_docs', title: 'Docs', spaces: [{ id: 'ss_main', space: 'sp_guide', path: 'main' }] }],
} as const;

/** A running service, as environment variables. */
async function serve(organizations: Seed['organizations'] = [acme], faults: readonly object[] = []) {
  const service = await startService({ data: ':memory:', seed: { organizations }, faults: faults as never });
  onTestFinished(() => service.close());
  return { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token };
}

const people = `octavo: 1
organization: { id: org_acme, title: Acme } # the whole of it
members: { ada@acme.dev: { role: admin } }
teams:
  # The first one
  platform: { title: Platform }   # known to all
  "writers":\r
    # of words\r
    title: 'Writers'\r
  readers: { title: Readers }
`;

const sites = `octavo: 1
organization: org_acme
spaces: { api-guide: { title: API guide } }
sites:
    docs:

        title: Docs
        spaces:
            main: {space: api-guide}
`;

const read = (cwd: string, name: string) => readFileSync(join(cwd, name), 'utf8');

function expectOneError({ code, stdout, stderr }: Ran, message: RegExp): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.match(/^error\[/gm)).toHaveLength(1);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/\n\s+at |bug in octavo|undefined/);
}

test('pins what is live, once, and nothing else changes', async () => {
  const env = await serve();
  const cwd = folder({ 'people.yaml': people, 'web/sites.yml': sites });
  const before = await octavo(['plan'], { cwd, env });
  const list = `people.yaml
  + id: team_platform  teams/platform  (line 6)
  + id: "123"          teams/writers   (line 8)

web/sites.yml
  + id: sp_guide   spaces/api-guide        (line 3)
  + id: site_docs  sites/docs              (line 6)
  + id: ss_main    sites/docs/spaces/main  (line 10)

`;
  const dry = await octavo(['adopt', '--dry-run'], { cwd, env });
  expect(dry).toEqual({ code: 0, stdout: `${list}Would pin 5 objects in 2 files.\n`, stderr: '' });
  expect([read(cwd, 'people.yaml'), read(cwd, 'web/sites.yml')]).toEqual([people, sites]);

  chmodSync(join(cwd, 'people.yaml'), 0o640);
  const done = await octavo(['adopt'], { cwd, env });
  expect(done).toEqual({ code: 0, stdout: `${list}Pinned 5 objects in 2 files.\n`, stderr: '' });
  expect(read(cwd, 'people.yaml')).toBe(
    people
      .replace('{ title: Platform }', '{ id: team_platform, title: Platform }')
      .replace('"writers":\r\n', '"writers":\r\n    id: "123"\r\n'),
  );
  expect(read(cwd, 'web/sites.yml')).toBe(
    sites
      .replace('{ title: API guide }', '{ id: sp_guide, title: API guide }')
      .replace('docs:\n', 'docs:\n        id: site_docs\n')
      .replace('{space:', '{id: ss_main, space:'),
  );
  expect(statSync(join(cwd, 'people.yaml')).mode & 0o777).toBe(0o640);
  expect(readdirSync(cwd).sort()).toEqual(['people.yaml', 'web']);

  expect((await octavo(['plan'], { cwd, env })).stdout).toBe(before.stdout);
  expect(await octavo(['adopt'], { cwd, env })).toEqual({
    code: 0,
    stdout: 'Nothing to pin: every declared live object is pinned or matched by its key.\n',
    stderr: '',
  });
  writeFileSync(
    join(cwd, 'people.yaml'),
    read(cwd, 'people.yaml').replace('title: Platform', 'title: Infrastructure'),
  );
  const renamed = await octavo(['plan', '--target', 'teams/platform'], { cwd, env });
  expect(renamed.stdout).toContain('title "Platform" → "Infrastructure"');
  expect(renamed.stdout).toContain('Plan: 0 to create, 1 to update,');
});

test('chosen objects only, and the result as JSON', async () => {
  const env = await serve();
  const cwd = folder({ 'people.yaml': people, 'web/sites.yml': sites });
  const args = ['adopt', '--format', 'json', '--target', 'sites/**', '--exclude', 'sites/*/spaces/*'];
  const { code, stdout } = await octavo(args, { cwd, env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    format: 1,
    dryRun: false,
    counts: { files: 1, pinned: 1, skipped: 0 },
    pinned: [
      { address: 'sites/docs', entry: 'id: site_docs', file: 'web/sites.yml', id: 'site_docs', line: 6 },
    ],
    skipped: [],
  });
  expect(read(cwd, 'people.yaml')).toBe(people);
});

test('what cannot be written is left to be added by hand', async () => {
  const env = await serve();
  const cwd = folder({
    'acme.yaml': `octavo: 1
organization: org_acme
x-shared: &main { space: sp_guide }
teams: "\${yaml:parts/teams.part}"
spaces: { sp_guide: &guide { title: API guide } }
sites:
  docs: { title: Docs, spaces: { main: *main } }
`,
    'parts/teams.part': 'platform: { title: Platform }\n',
  });
  const { code, stdout } = await octavo(['adopt'], { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toContain(`Left to add by hand:
  acme.yaml:7  sites/docs/spaces/main: it is the alias *main, shared with others
      id: ss_main
  parts/teams.part:1  teams/platform: the file is included, but is not a manifest or an overlay itself
      id: team_platform
`);
  expect(stdout).toMatch(/\nPinned 2 objects in 1 file; 2 objects left to add by hand\.\n$/);
  expect(read(cwd, 'parts/teams.part')).toBe('platform: { title: Platform }\n');
});

test('an entry that stands for two objects gets the id of neither', async () => {
  const env = await serve([
    acme,
    { id: 'org_beta', title: 'Beta', teams: [{ id: 'team_beta', title: 'Platform' }] },
  ]);
  const team = 'platform: { title: Platform }\n';
  const manifestOf = (id: string) => `octavo: 1\norganization: ${id}\nteams: "\${yaml:teams.yml}"\n`;
  const files = { 'a.yaml': manifestOf('org_acme'), 'b.yaml': manifestOf('org_beta'), 'teams.yml': team };
  const cwd = folder(files);
  const { code, stdout } = await octavo(['adopt'], { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toContain('org_acme/teams/platform: the entry also declares org_beta/teams/platform');
  expect(stdout).toContain('Nothing to pin: 2 objects left to add by hand.');
  expect(read(cwd, 'teams.yml')).toBe(team);
});

test('an entry that others merge in is left alone, and the rest of its file is not', async () => {
  const env = await serve();
  const text = `octavo: 1
organization: org_acme
x-site: &site { spaces: { main: { space: sp_guide } } }
sites:
  docs:
    <<: *site
    title: Docs
  more:
    <<: *site
    title: More
spaces: { sp_guide: { title: API guide } }
`;
  const cwd = folder({ 'sites.yaml': text });
  const { code, stdout } = await octavo(['adopt'], { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toContain(
    'sites/docs/spaces/main: the entry also declares sites/more/spaces/main\n      id: ss_main',
  );
  expect(read(cwd, 'sites.yaml')).toBe(
    text
      .replace('docs:\n', 'docs:\n    id: site_docs\n')
      .replace('{ title: API guide }', '{ id: sp_guide, title: API guide }'),
  );
});

test('a file whose ids would change something else is not written; the others are', async () => {
  const env = await serve();
  const text = 'samlProviders: { x: { label: X, entityID: "${file:people.yaml}" } }\n';
  const cwd = folder({
    'more.yaml': `octavo: 1\norganization: org_acme\n${text}`,
    'people.yaml': people,
    'web/sites.yml': sites,
  });
  const { code, stdout, stderr } = await octavo(['adopt'], { cwd, env });
  expect(stderr).toMatch(/^error\[more-than-ids\]: with ids in people\.yaml,/);
  expect(stdout).toContain('teams/platform: something else in the manifests would change with it');
  expect(stdout).toContain('Pinned 3 objects in 1 file; 2 objects left to add by hand.');
  expect(code).toBe(1);
  expect(read(cwd, 'people.yaml')).toBe(people);
});

test('where two live objects fit, both ids are told and nothing is written', async () => {
  const twins = [
    { id: 'team_one', title: 'Platform' },
    { id: 'team_two', title: 'Platform' },
  ];
  const env = await serve([{ ...acme, teams: twins }]);
  const cwd = folder({ 'people.yaml': people, 'web/sites.yml': sites });
  expectOneError(await octavo(['adopt'], { cwd, env }), /team_one, team_two[\s\S]*people\.yaml:6:3/);
  expect([read(cwd, 'people.yaml'), read(cwd, 'web/sites.yml')]).toEqual([people, sites]);
});

test('a read-only file is an error with advice, and no file is written', async () => {
  const env = await serve();
  const cwd = folder({ 'people.yaml': people, 'web/sites.yml': sites });
  chmodSync(join(cwd, 'web/sites.yml'), 0o444);
  expectOneError(
    await octavo(['adopt'], { cwd, env }),
    /web\/sites\.yml is read-only[\s\S]*make it writable[\s\S]*nothing was written/,
  );
  expect([read(cwd, 'people.yaml'), read(cwd, 'web/sites.yml')]).toEqual([people, sites]);
  expect((await octavo(['adopt', '--dry-run'], { cwd, env })).stdout).toContain('Would pin 5 objects');
});

test('a file that changes while the live state is read is an error, and Ctrl-C writes nothing', async () => {
  const slow = [{ operations: ['teams.list'], type: 'latency', milliseconds: 1000 }];
  const env = await serve([acme], slow);
  const cwd = folder({ 'people.yaml': people, 'web/sites.yml': sites });
  const asked = (child: ReturnType<typeof start>) =>
    new Promise<void>((done) => {
      child.stderr.on('data', (text) => String(text).includes('GET') && setTimeout(done, 200));
    });
  const cut = start(['adopt', '--verbose'], { cwd, env });
  await asked(cut);
  cut.kill('SIGINT');
  expect(await cut.ended).toMatchObject({ code: 130, stdout: '' });
  const child = start(['adopt', '--verbose'], { cwd, env });
  await asked(child);
  writeFileSync(join(cwd, 'web/sites.yml'), `${sites}# one more line\n`);
  const { code, stdout, stderr } = await child.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/web\/sites\.yml was changed[\s\S]*run adopt again\s+nothing was written/);
  expect(read(cwd, 'people.yaml')).toBe(people);
});

test('a link is followed inside the workspace, and not out of it', async () => {
  const env = await serve();
  const outer = folder({ 'elsewhere.yaml': sites, 'w/.real/people.yaml': people });
  const cwd = join(outer, 'w');
  mkdirSync(join(cwd, 'm'));
  symlinkSync('../.real/people.yaml', join(cwd, 'm/people.yaml'));
  symlinkSync('../../elsewhere.yaml', join(cwd, 'm/sites.yaml'));
  const { code, stdout } = await octavo(['adopt'], { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toContain(
    'm/sites.yaml:3  spaces/api-guide: the file is a link that leads out of the repository',
  );
  expect(stdout).toContain('Pinned 2 objects in 1 file; 3 objects left to add by hand.');
  expect(lstatSync(join(cwd, 'm/people.yaml')).isSymbolicLink()).toBe(true);
  expect(read(cwd, '.real/people.yaml')).toContain('id: team_platform');
  expect(read(outer, 'elsewhere.yaml')).toBe(sites);
});

const shared = 'octavo: 1\norganization: "${env:ORG:-org_acme}"\nteams: { platform: { title: Platform } }\n';

test('files whose organization a variable chooses get no ids, and the line to run instead works', async () => {
  const env = await serve();
  const cwd = folder({ 'people.yaml': shared });
  const refused = await octavo(['adopt'], { cwd, env });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/error\[ids-of-one-organization\]: a variable chooses the organization/);
  expect(refused.stderr).toContain('octavo adopt --into org_acme.ids.yaml');
  expect(read(cwd, 'people.yaml')).toBe(shared);
  const adopted = await octavo(['adopt', '--into', 'org_acme.ids.yaml'], { cwd, env });
  expect(adopted).toMatchObject({ code: 0 });
  expect(adopted.stdout).toContain('Pinned 1 object in 1 file.');
  expect(adopted.stderr).toContain('pass --overlay org_acme');
  expect(read(cwd, 'org_acme.ids.yaml')).toBe(
    'octavo: 1\noverlay: org_acme\norganization: org_acme\n\nteams:\n  platform:\n    id: team_platform\n',
  );
  expect(read(cwd, 'people.yaml')).toBe(shared);
  // Its ids do not count unless it is selected, and would be taken for missing ones.
  const overlooked = await octavo(['adopt', '--into', 'org_acme.ids.yaml'], { cwd, env });
  expect(overlooked).toMatchObject({ code: 1, stdout: '' });
  expect(overlooked.stderr.replace(/\s+/g, ' ')).toContain(
    'is there already, and its overlay org_acme is not selected: the ids in it do not count help: pass --overlay org_acme, or',
  );
  const again = await octavo(['adopt', '--overlay', 'org_acme', '--into', 'org_acme.ids.yaml'], { cwd, env });
  expect(again.stdout).toContain('Nothing to pin');
});

test('an overlay that chooses the organization keeps its ids to itself', async () => {
  const env = await serve();
  const base = 'octavo: 1\norganization: org_staging\nteams: { platform: { title: Platform } }\n';
  const cwd = folder({
    'base.yaml': base,
    'env/production.yaml': 'octavo: 1\noverlay: production\norganization: org_acme\n',
  });
  const refused = await octavo(['adopt', '--overlay', 'production'], { cwd, env });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('octavo adopt --into env/production.ids.yaml');
  const args = ['adopt', '--overlay', 'production', '--into', 'env/production.ids.yaml'];
  expect(await octavo([...args, '--dry-run'], { cwd, env })).toMatchObject({ code: 0 });
  expect(readdirSync(join(cwd, 'env'))).toEqual(['production.yaml']);
  expect(await octavo(args, { cwd, env })).toMatchObject({ code: 0 });
  expect(read(cwd, 'env/production.ids.yaml')).toContain('overlay: production\n');
  expect(read(cwd, 'base.yaml')).toBe(base);
  const planned = await octavo(['plan', '--overlay', 'production'], { cwd, env });
  expect(planned.stdout).toContain('No changes');
});

test('--into an existing overlay keeps its comments and its other values', async () => {
  const env = await serve();
  const cwd = folder({
    'people.yaml': `${shared}sites: { docs: { title: Docs } }\n`,
    'live.yaml': `octavo: 1
overlay: live # chosen in CI
# the teams
teams:
  platform:
    title: Platform # as in the app
`,
  });
  const ran = await octavo(['adopt', '--overlay', 'live', '--into', 'live.yaml'], { cwd, env });
  expect(ran).toMatchObject({ code: 0 });
  expect(read(cwd, 'live.yaml')).toBe(`octavo: 1
overlay: live # chosen in CI
# the teams
teams:
  platform:
    title: Platform # as in the app
    id: team_platform
sites:
  docs:
    id: site_docs
`);
});

test.each([
  ['people.yaml', 'is not an overlay'],
  ['ids.txt', 'ends in .yaml'],
])('--into %s is refused', async (into, message) => {
  const env = await serve();
  const cwd = folder({ 'people.yaml': shared });
  const ran = await octavo(['adopt', '--into', into], { cwd, env });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(message);
});

test('what only a plan would refuse does not stop adopt', async () => {
  const env = await serve();
  const cwd = folder({
    'people.yaml':
      'octavo: 1\norganization: org_acme\nteams:\n  platform: { title: Platform, members: { nobody@acme.dev: member } }\n',
  });
  expect((await octavo(['plan'], { cwd, env })).code).not.toBe(0);
  const ran = await octavo(['adopt'], { cwd, env });
  expect(ran).toMatchObject({ code: 0 });
  expect(read(cwd, 'people.yaml')).toContain('platform: { id: team_platform, title: Platform');
});
