/** `octavo drift --pin` writes ids into manifests with minimal edits, or reports why it cannot. */
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Seed } from '../../src/server/index.ts';
import { folder, octavo, type Ran, start } from './octavo.ts';
import { served } from './served.ts';

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

/** Starts a service, and returns the environment variables for it. */
async function serve(organizations: Seed['organizations'] = [acme], faults: readonly object[] = []) {
  const { env } = await served({ seed: { organizations }, faults: faults as never });
  return env;
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

test('pins live objects once, and changes no other text', async () => {
  const env = await serve();
  const cwd = folder({ 'people.yaml': people, 'web/sites.yml': sites });
  const before = await octavo(['plan'], { cwd, env });
  const list = `people.yaml
  ✓ teams/platform  id: team_platform
  ✓ teams/writers   id: "123"

web/sites.yml
  ✓ spaces/api-guide        id: sp_guide
  ✓ sites/docs              id: site_docs
  ✓ sites/docs/spaces/main  id: ss_main

`;
  const dry = await octavo(['drift', '--pin', '--dry-run'], { cwd, env });
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.stdout).toContain('+  platform: { id: team_platform, title: Platform }   # known to all');
  expect(dry.stdout).toMatch(/\n\nWould pin 5 objects in 2 files\.\n$/);
  expect([read(cwd, 'people.yaml'), read(cwd, 'web/sites.yml')]).toEqual([people, sites]);

  chmodSync(join(cwd, 'people.yaml'), 0o640);
  const done = await octavo(['drift', '--pin'], { cwd, env });
  expect(done).toMatchObject({ code: 0, stdout: `${list}Pinned 5 objects in 2 files.\n` });
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
  expect(await octavo(['drift', '--pin'], { cwd, env })).toMatchObject({
    code: 0,
    stdout: 'Nothing to pin: every declared live object is pinned or matched by its key.\n',
  });
  writeFileSync(
    join(cwd, 'people.yaml'),
    read(cwd, 'people.yaml').replace('title: Platform', 'title: Infrastructure'),
  );
  const renamed = await octavo(['plan', '--target', 'teams/platform'], { cwd, env });
  expect(renamed.stdout).toContain('title "Platform" → "Infrastructure"');
  expect(renamed.stdout).toContain('Plan: 0 to create, 1 to update,');
});

test('pins only the given objects, and prints the result as JSON', async () => {
  const env = await serve();
  const cwd = folder({ 'people.yaml': people, 'web/sites.yml': sites });
  const { code, stdout } = await octavo(['drift', '--pin', '--format', 'json', 'sites/*'], { cwd, env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    format: 1,
    dryRun: false,
    counts: { files: 1, accepted: 1, refused: 0 },
    accepted: [
      {
        address: 'sites/docs',
        what: 'id: site_docs',
        id: 'site_docs',
        at: { file: 'web/sites.yml', line: 5 },
      },
    ],
    refused: [],
  });
  expect(read(cwd, 'people.yaml')).toBe(people);
  const markdown = await octavo(['drift', '--pin', '--format', 'markdown'], { cwd, env });
  expect(markdown.stdout).toContain('id: team_platform');
});

test('accepts drift and pins ids with --accept', async () => {
  const env = await serve();
  const files = { 'web/sites.yml': sites.replace('title: Docs', 'title: Docs\n        visibility: public') };
  const cwd = folder(files);
  expect(await octavo(['apply', '--auto-approve'], { cwd, env })).toMatchObject({ code: 0 });
  const where = ['organizationId=org_acme', 'siteId=site_docs'];
  expect(
    await octavo(['api', 'sites.update', ...where, '-F', 'visibility=unlisted'], { cwd, env }),
  ).toMatchObject({ code: 0 });
  const base = ['--base', folder(files)];
  const dry = await octavo(['drift', '--accept', '--pin', '--dry-run', ...base], { cwd, env });
  expect(dry.stdout).toMatch(/\n\nWould accept 1 difference and pin 3 objects in 1 file\.\n$/);
  expect(read(cwd, 'web/sites.yml')).toBe(files['web/sites.yml']);
  const done = await octavo(['drift', '--accept', '--pin', ...base], { cwd, env });
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('Accepted 1 difference and pinned 3 objects in 1 file.');
  expect(read(cwd, 'web/sites.yml')).toContain(
    'docs:\n        id: site_docs\n\n        title: Docs\n        visibility: unlisted\n',
  );
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain('No changes.');
});

test('lists ids that must be added by hand', async () => {
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
  const { code, stdout } = await octavo(['drift', '--pin'], { cwd, env });
  expect(code).toBe(2);
  expect(stdout).toContain(`Not pinned:
  ✗ teams/platform  id: team_platform
      it is written in parts/teams.part, which is an included file, not a manifest
      (parts/teams.part:1:1)
      → add id: team_platform to the entry by hand
  ✗ sites/docs/spaces/main  id: ss_main
      it is the alias *main, shared with others (acme.yaml:7:34)
`);
  expect(stdout).toMatch(/\nPinned 2 objects in 1 file; 2 objects not pinned\.\n$/);
  expect(read(cwd, 'parts/teams.part')).toBe('platform: { title: Platform }\n');
});

test('does not pin an entry shared by two objects', async () => {
  const env = await serve([
    acme,
    { id: 'org_beta', title: 'Beta', teams: [{ id: 'team_beta', title: 'Platform' }] },
  ]);
  const team = 'platform: { title: Platform }\n';
  const manifestOf = (id: string) => `octavo: 1\norganization: ${id}\nteams: "\${yaml:teams.yml}"\n`;
  const files = { 'a.yaml': manifestOf('org_acme'), 'b.yaml': manifestOf('org_beta'), 'teams.yml': team };
  const cwd = folder(files);
  const { code, stdout } = await octavo(['drift', '--pin'], { cwd, env });
  expect(code).toBe(2);
  expect(stdout).toContain('✗ org_acme/teams/platform  id: team_platform');
  expect(stdout).toContain('the entry also declares org_beta/teams/platform');
  expect(stdout).toContain('Nothing pinned; 2 objects not pinned.');
  expect(read(cwd, 'teams.yml')).toBe(team);
});

test('does not pin an entry that others merge, but pins the rest of the file', async () => {
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
  const { code, stdout } = await octavo(['drift', '--pin'], { cwd, env });
  expect(code).toBe(2);
  expect(stdout).toContain('the entry also declares sites/more/spaces/main');
  expect(read(cwd, 'sites.yaml')).toBe(
    text
      .replace('docs:\n', 'docs:\n    id: site_docs\n')
      .replace('{ title: API guide }', '{ id: sp_guide, title: API guide }'),
  );
});

test('reports both ids if two live objects match, and writes no file', async () => {
  const duplicates = [
    { id: 'team_one', title: 'Platform' },
    { id: 'team_two', title: 'Platform' },
  ];
  const env = await serve([{ ...acme, teams: duplicates }]);
  const cwd = folder({ 'people.yaml': people, 'web/sites.yml': sites });
  expectOneError(await octavo(['drift', '--pin'], { cwd, env }), /team_one, team_two[\s\S]*people\.yaml:6:3/);
  expect([read(cwd, 'people.yaml'), read(cwd, 'web/sites.yml')]).toEqual([people, sites]);
});

test('rejects a read-only file with a remedy, and writes no file', async () => {
  const env = await serve();
  const cwd = folder({ 'people.yaml': people, 'web/sites.yml': sites });
  chmodSync(join(cwd, 'web/sites.yml'), 0o444);
  expectOneError(
    await octavo(['drift', '--pin'], { cwd, env }),
    /web\/sites\.yml is read-only[\s\S]*make it writable[\s\S]*nothing was written/,
  );
  expect([read(cwd, 'people.yaml'), read(cwd, 'web/sites.yml')]).toEqual([people, sites]);
  expect((await octavo(['drift', '--pin', '--dry-run'], { cwd, env })).stdout).toContain(
    'Would pin 5 objects',
  );
});

test('writes no file if a file changes during the run, or on Ctrl-C', async () => {
  const slow = [{ operations: ['teams.list'], type: 'latency', milliseconds: 1000 }];
  const env = await serve([acme], slow);
  const cwd = folder({ 'people.yaml': people, 'web/sites.yml': sites });
  const untilRequested = (child: ReturnType<typeof start>) =>
    new Promise<void>((done) => {
      child.stderr.on('data', (text) => String(text).includes('GET') && setTimeout(done, 200));
    });
  const cut = start(['drift', '--pin', '--verbose'], { cwd, env });
  await untilRequested(cut);
  cut.kill('SIGINT');
  expect(await cut.ended).toMatchObject({ code: 130, stdout: '' });
  const child = start(['drift', '--pin', '--verbose'], { cwd, env });
  await untilRequested(child);
  writeFileSync(join(cwd, 'web/sites.yml'), `${sites}# one more line\n`);
  const { code, stdout, stderr } = await child.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/web\/sites\.yml was changed[\s\S]*run drift --pin again\s+nothing was written/);
  expect(read(cwd, 'people.yaml')).toBe(people);
  expect(await octavo(['drift', '--pin'], { cwd, env })).toMatchObject({ code: 0 });
  expect(read(cwd, 'people.yaml')).not.toBe(people);
});

const shared = 'octavo: 1\norganization: "${env:ORG:-org_acme}"\nteams: { platform: { title: Platform } }\n';

test('does not pin files that serve several organizations', async () => {
  const env = await serve();
  const cwd = folder({ 'people.yaml': shared });
  const refused = await octavo(['drift', '--pin'], { cwd, env });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/error\[ids-of-one-organization\]: a variable chooses the organization/);
  expect(refused.stderr).toContain('write them into an overlay by hand: octavo list shows them');
  expect(read(cwd, 'people.yaml')).toBe(shared);
  const base = 'octavo: 1\norganization: org_staging\nteams: { platform: { title: Platform } }\n';
  const laid = folder({
    'base.yaml': base,
    'env/production.yaml': 'octavo: 1\noverlay: production\norganization: org_acme\n',
  });
  const also = await octavo(['drift', '--pin', '--overlay', 'production'], { cwd: laid, env });
  expect(also.code).toBe(1);
  expect(also.stderr).toContain('the overlay production chooses the organization');
  expect(read(laid, 'base.yaml')).toBe(base);
  const listed = await octavo(['list', '--overlay', 'production'], { cwd: laid, env });
  const id = /\bteam_\w+/.exec(listed.stdout)?.[0];
  writeFileSync(
    join(laid, 'env/production.yaml'),
    `octavo: 1\noverlay: production\norganization: org_acme\nteams: { platform: { id: ${id} } }\n`,
  );
  const pinned = await octavo(['drift', '--pin', '--overlay', 'production'], { cwd: laid, env });
  expect(pinned, pinned.stderr).toMatchObject({ code: 0 });
});

test('does not write ids that would change another object', async () => {
  const env = await serve();
  const text = 'samlProviders: { x: { label: X, entityID: "${file:people.yaml}" } }\n';
  const cwd = folder({ 'more.yaml': `octavo: 1\norganization: org_acme\n${text}`, 'people.yaml': people });
  const { code, stdout, stderr } = await octavo(['drift', '--pin'], { cwd, env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/error\[accept\]: the ids cannot be written: samlProviders\/x would change as well/);
  expect(read(cwd, 'people.yaml')).toBe(people);
});

test('rejects a link that points outside the workspace', async () => {
  const env = await serve();
  const outer = folder({ 'elsewhere.yaml': people, 'w/x': '' });
  symlinkSync('../elsewhere.yaml', join(outer, 'w/people.yaml'));
  const { code, stderr } = await octavo(['drift', '--pin'], { cwd: join(outer, 'w'), env });
  expect(code).toBe(1);
  expect(stderr).toContain('is a link to a place outside of the repository');
  expect(read(outer, 'elsewhere.yaml')).toBe(people);
});
