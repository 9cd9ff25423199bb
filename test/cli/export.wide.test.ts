/** `octavo export`: to stdout, into files, and rejected flags; exported manifests have an empty plan. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleSeed } from '../../src/server/seed/sample.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo, start } from './octavo.ts';
import { served } from './served.ts';

async function serve(faults: readonly object[] = []) {
  const { env } = await served({ seed: sampleSeed, faults: faults as never });
  return env;
}

const read = (cwd: string, name: string) => readFileSync(join(cwd, name), 'utf8');

test('prints manifests with an empty plan, and lists omissions on stderr', async () => {
  const env = await serve();
  const cwd = folder({});
  const { code, stdout, stderr } = await octavo(['export', '--organization', 'acme'], { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^octavo: 1\n\norganization:\n {2}id: org_acme\n/);
  expect(stderr).toBe(`Not exported:
  spaces that are neither in a collection nor on a site: the API does not list them
  link invites: the API does not list them
`);
  writeFileSync(join(cwd, 'octavo.yaml'), stdout);
  expect((await octavo(['validate'], { cwd, env })).code).toBe(0);
  expect((await octavo(['plan', '--detailed-exitcode'], { cwd, env })).code).toBe(0);
  expect((await octavo(['export', '--organization', 'Acme', '--quiet'], { cwd, env })).stderr).toBe('');
});

test('keeps the case of slugs with the 2026 API, and names kinds that Octavo does not manage there', async () => {
  const organization = {
    id: 'org_acme',
    title: 'Acme',
    openapi: [{ slug: 'PetStore', url: 'https://acme.dev/a.json' }],
  };
  const seed = { organizations: [{ ...organization, translations: [{ id: 'tr_one', title: 'French' }] }] };
  const { env } = await served({ seed, form: '2026' });
  const cwd = folder({});
  const { stdout, stderr } = await octavo(['export'], { cwd, env });
  expect(stdout).toContain('openapi:\n  PetStore:\n    source:\n');
  expect(stderr).toContain('  translations: this service has others, which Octavo does not manage\n');
  expect(stderr).not.toMatch(/PetStore|custom field/);
  writeFileSync(join(cwd, 'octavo.yaml'), stdout);
  expect(await octavo(['plan', '--detailed-exitcode'], { cwd, env })).toMatchObject({ code: 0 });
});

test('lists the organizations if there are several', async () => {
  const env = await serve();
  const cwd = folder({});
  const none = await octavo(['export'], { cwd, env });
  expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 1, stdout: '' });
  expect(none.stderr).toMatch(
    /error\[organization-not-found\]: the token can see 2 organizations\n.*org_acme \(Acme\)/,
  );
  const unknown = await octavo(['export', '--organization', 'org_nowhere'], { cwd, env });
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toMatch(
    /none of the token's 2 organizations is called "org_nowhere"[\s\S]*org_globex \(Globex\)/,
  );
});

test('writes split files once, and no file on a second run', async () => {
  const env = await serve();
  const cwd = folder({});
  const args = ['export', '--organization', 'org_acme', '--out', 'docs', '--split'];
  const dry = await octavo([...args, '--dry-run'], { cwd, env });
  expect(dry.stdout).toMatch(
    / {2}\+ docs\/sites\/developer-hub\.yaml\n[\s\S]*\nWould export 40 objects of Acme to 11 files\. A plan of them is empty\.\n$/,
  );
  expect(existsSync(join(cwd, 'docs'))).toBe(false);
  const first = await octavo(args, { cwd, env });
  expect(first.stdout).toBe(dry.stdout.replace('Would export', 'Exported'));
  expect(readdirSync(join(cwd, 'docs/sites')).sort()).toEqual(['developer-hub.yaml', 'status.yaml']);
  expect((await octavo(['plan', '-f', 'docs', '--detailed-exitcode'], { cwd, env })).code).toBe(0);
  const again = await octavo(args, { cwd, env });
  expect(again.stdout).toMatch(
    /40 objects of Acme in 11 files: nothing to write\. A plan of them is empty\.\n$/,
  );
  const file = await octavo(
    ['export', '--organization', 'org_acme', '--only', 'sites', '--out', 'sites.yaml'],
    { cwd, env },
  );
  expect(file.code).toBe(0);
  expect(read(cwd, 'sites.yaml')).toMatch(/^sites:$/m);
});

test('prints counts, omissions and the text as JSON', async () => {
  const env = await serve();
  const cwd = folder({});
  const { stdout } = await octavo(['export', '--organization', 'org_acme', '--format', 'json'], { cwd, env });
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({
    format: 1,
    organization: { id: 'org_acme', title: 'Acme' },
    objects: 40,
    dryRun: false,
  });
  expect(report.files).toEqual([{ action: 'shown', text: expect.stringMatching(/^octavo: 1$/m) }]);
  expect(report.leftOut).toHaveLength(2);
});

test('rejects contradictory flags and unknown addresses', async () => {
  const env = await serve();
  const cwd = folder({});
  const refused = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await octavo(['export', '--organization', 'org_acme', ...args], {
      cwd,
      env,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    return stderr;
  };
  expect(await refused('--split')).toMatch(
    /--split writes several files\n {2}help: name a folder with --out/,
  );
  expect(await refused('--split', '--out', 'a.yaml')).toMatch(
    /--split writes several files, and a\.yaml is one/,
  );
  expect(await refused('--only', 'sites/nothing')).toMatch(
    /error\[no-such-address\]: --only sites\/nothing matches no address/,
  );
  mkdirSync(join(cwd, 'taken.yaml'));
  expect(await refused('--out', 'taken.yaml')).toMatch(/taken\.yaml: it is a folder/);
  expect(await refused('--pin', 'some')).toMatch(/--pin/);
});

test('writes no file if interrupted', async () => {
  const env = await serve([{ operations: ['siteSpaces.list'], type: 'latency', milliseconds: 2000 }]);
  const cwd = folder({});
  const child = start(['export', '--organization', 'org_acme', '--out', 'docs', '--verbose'], { cwd, env });
  await new Promise<void>((done) => {
    child.stderr.on('data', (text) => String(text).includes('/members') && setTimeout(done, 200));
  });
  child.kill('SIGINT');
  expect((await child.ended).code).toBe(130);
  expect(readdirSync(cwd)).toEqual([]);
});

test('writes differences into existing manifests, flags risks, and lists fields it cannot write', async () => {
  const env = await serve();
  const cwd = folder({});
  const args = ['export', '--out', 'docs'];
  expect((await octavo([...args, '--split', '--organization', 'acme'], { cwd, env })).code).toBe(0);
  const platform = await octavo(['api', 'teams.list', 'organizationId=org_acme'], {
    cwd,
    env,
  });
  const { id } = JSON.parse(platform.stdout).items[0];
  const title = ['api', 'teams.update', 'organizationId=org_acme', `teamId=${id}`, '-F', 'title=Foundation'];
  expect((await octavo(title, { cwd, env })).code).toBe(0);
  const before = read(cwd, 'docs/teams.yaml');
  writeFileSync(
    join(cwd, 'docs/teams.yaml'),
    before.replace('  platform:', `  # ours\n  platform:\n    id: ${id}`),
  );
  // The organization is taken from the manifests.
  const { code, stdout } = await octavo(args, { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^docs\/teams\.yaml\n.*teams\/platform {2}title "Platform" → "Foundation"\n\nExported 40 objects of Acme: 1 difference written to 1 file\. A plan of them is empty\.\n$/,
  );
  expect(read(cwd, 'docs/teams.yaml')).toBe(
    before
      .replace('  platform:', `  # ours\n  platform:\n    id: ${id}`)
      .replace('title: Platform', 'title: Foundation'),
  );
  const calls = [
    ['shareLinks.create', 'siteId=site_hub', '-F', 'name=leaked'],
    ['members.update', 'userId=user_gus', '-F', 'role=admin'],
  ];
  for (const [operation = '', ...rest] of calls)
    expect(await octavo(['api', operation, 'organizationId=org_acme', ...rest], { cwd, env })).toMatchObject({
      code: 0,
    });
  const risky = await octavo([...args, '--dry-run'], { cwd, env });
  expect(risky.stdout).toMatch(
    /members\/gus@.* {2}role guest → admin {2}! was made an administrator outside git\n/,
  );
  expect(risky.stdout).toMatch(
    /shareLinks\/leaked {2}added: share link \S+ {2}! anyone with the link can see the site\n/,
  );
  const teams = folder({ 'teams.yaml': before });
  const whole = await octavo(['export', '--out', 'teams.yaml', '--dry-run'], { cwd: teams, env });
  expect(whole.stdout).toMatch(/members\/\S+ +added: member user_gus {2}! administrator\n/);
  expect(whole.stdout).toMatch(
    /samlProviders\/\S+ +added: SAML provider \S+ {2}! people can sign in through it\n/,
  );
  const fixed = read(cwd, 'docs/teams.yaml').replace('title: Foundation', `title: \${env:TITLE}`);
  writeFileSync(join(cwd, 'docs/teams.yaml'), fixed);
  const refused = await octavo(args, { cwd, env: { ...env, TITLE: 'Other' } });
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(
    /Not written:\n.*teams\/platform {2}title\n.*\$\{env:\w+\}.*docs\/teams\.yaml:\d+:\d+/,
  );
  expect(read(cwd, 'docs/teams.yaml')).toBe(fixed);
});

test('marks objects added to an overlay as new', async () => {
  const env = await serve();
  const overlay = 'octavo: 1\noverlay: eu\nteams:\n  platform: { new: true, title: Platform }\n';
  const cwd = folder({ 'a.yaml': 'octavo: 1\norganization: org_acme\n', 'eu.yaml': overlay });
  const args = ['export', '--out', '.', '--only', 'teams', '--overlay', 'eu'];
  expect(await octavo(args, { cwd, env })).toMatchObject({ code: 0 });
  expect(read(cwd, 'eu.yaml')).toMatch(/^ {2}writers:\n {4}new: true\n {4}title: Writers$/m);
  expect(await octavo(['validate'], { cwd, env })).toMatchObject({ code: 0, stderr: '' });
});

async function recorded() {
  const env = await serve();
  const cwd = folder({ '.gitignore': '.octavo\n' });
  const exporting = ['export', '--organization', 'org_acme', '--only', 'teams', '--out', 'teams.yaml'];
  expect((await octavo(exporting, { cwd, env })).code).toBe(0);
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '--message', 'teams');
  expect((await octavo(['apply', '--record', '--auto-approve'], { cwd, env })).code).toBe(0);
  const call = (...words: string[]) => octavo(['api', ...words], { cwd, env });
  const rename = (teamId: string, title: string) =>
    call('teams.update', 'organizationId=org_acme', `teamId=${teamId}`, '-F', `title=${title}`);
  return { env, cwd, exporting, rename };
}

test('keeps key and comments of a recorded object under another title', async () => {
  const { env, cwd, exporting, rename } = await recorded();
  const before = read(cwd, 'teams.yaml').replace('title: Writers', 'title: Writers # who write');
  writeFileSync(join(cwd, 'teams.yaml'), before);
  await rename('team_writers', 'Authors');
  expect((await octavo(exporting, { cwd, env })).stdout).toContain('teams/writers  title');
  expect(read(cwd, 'teams.yaml')).toBe(before.replace('Writers #', 'Authors #'));
  expect((await octavo(['plan', '--detailed-exitcode'], { cwd, env })).code).toBe(0);
});

test('keeps recorded keys in a new export, so that swapped titles have an empty plan', async () => {
  const { env, cwd, rename } = await recorded();
  await rename('team_writers', 'Some');
  await rename('team_platform', 'Writers');
  await rename('team_writers', 'Platform');
  writeFileSync(join(cwd, 'teams.yaml'), '');
  const { code } = await octavo(
    ['export', '--organization', 'org_acme', '--only', 'teams', '--out', 'all.yaml'],
    {
      cwd,
      env,
    },
  );
  expect(code).toBe(0);
  for (const at of [[], ['--base', 'applied']]) {
    const { stdout, code: planned } = await octavo(['plan', '-f', 'all.yaml', '--detailed-exitcode', ...at], {
      cwd,
      env,
    });
    expect({ stdout: planned === 0 ? '' : stdout, planned }).toEqual({ stdout: '', planned: 0 });
  }
});
