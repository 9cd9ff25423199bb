/** `octavo drift`: reports changes made outside git, and writes them into the manifests with minimal edits. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Seed } from '../../src/server/index.ts';
import { certificate } from '../support/certificate.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

const acme: Seed['organizations'][number] = {
  id: 'org_acme',
  title: 'Acme',
  emailDomains: ['acme.dev'],
  members: [
    { id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada', role: 'admin' },
    { id: 'user_bob', email: 'bob@acme.dev', displayName: 'Bob', role: 'read' },
    { id: 'user_kai', email: 'kai@acme.dev', displayName: 'Kai', role: 'read' },
  ],
  teams: [
    { id: 'team_platform', title: 'Platform' },
    { id: 'team_writers', title: 'Writers' },
  ],
  content: [
    { id: 'sp_guide', title: 'API guide' },
    { id: 'sp_next', title: 'Next' },
  ],
  sites: [{ id: 'site_docs', title: 'Docs', visibility: 'public' }],
};

const people = `# The people of Acme.
octavo: 1
organization:
  id: org_acme
  title: \${env:TITLE:-Acme}   # from outside
  emailDomains: [ acme.dev ]   # ours

teams:
  # The first one
  platform: { title: Platform }   # known to all

  writers: &writers
    title: 'Writers'
    # who writes
    members:
      Ada@acme.dev: owner   # boss
      kai@acme.dev: member
`;

const sites = `octavo: 1
organization: org_acme
spaces:
  api-guide: { id: sp_guide, title: API guide }
  next: { id: sp_next }
sites:
    docs:
        title: Docs # the site
        visibility: &seen public
        sections:
            guides:
                title: Guides
                path: guides
                spaces: { main: { space: api-guide } }
            # the reference
            reference: { title: Reference, path: reference, spaces: { main: { space: next } } }
            more:
                # comes last
                title: More
                path: more
                spaces:
                    main: { space: api-guide }
`;

/** A workspace whose live state matches its manifests. */
async function setUp(
  files: Readonly<Record<string, string>> = { 'people.yaml': people, 'web/sites.yaml': sites },
) {
  const { env, send: call } = await served({ seed: { organizations: [acme] } });
  const cwd = folder(files);
  const applied = await octavo(['apply', '--auto-approve', '--lock', 'none'], { cwd, env });
  expect(applied.stderr).not.toContain('error');
  expect(applied.code).toBe(0);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd, encoding: 'utf8' });
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  const sections = async () => (await call('GET', 'orgs/org_acme/sites/site_docs/sections')).items;
  return { env, cwd, git, call, read, sections };
}

/** The lines of a diff that are added or removed. */
function changedLines(diff: string): readonly string[] {
  return diff.split('\n').filter((line) => /^[+-](?![+-])/.test(line));
}

test('accepts five edits with a minimal diff that keeps comments and anchors', async () => {
  const { env, cwd, git, call, sections } = await setUp();
  git('init', '--quiet', '-b', 'main');
  git('add', '.');
  git('commit', '--quiet', '-m', 'start');
  expect(await octavo(['drift'], { cwd, env })).toMatchObject({
    code: 0,
    stdout: 'Acme (org_acme)   base none\n\nNo drift.\n',
  });

  const all = await sections();
  const idOf = (title: string) => all.find((one: { title: string }) => one.title === title).id;
  await call('PATCH', 'orgs/org_acme', { emailDomains: ['acme.dev', 'acme.com'] });
  await call('PATCH', 'orgs/org_acme/sites/site_docs', { visibility: 'unlisted' });
  await call('PATCH', `orgs/org_acme/sites/site_docs/sections/${idOf('Reference')}`, { title: 'API: all' });
  await call('POST', `orgs/org_acme/sites/site_docs/sections/${idOf('More')}/move`, {
    position: { before: { type: 'site-section', siteSection: idOf('Guides') } },
  });
  await call('PUT', 'orgs/org_acme/teams/team_writers/members', {
    memberships: { user_ada: { role: 'member' } },
    add: ['user_bob'],
    remove: ['user_kai'],
  });

  const seen = await octavo(['drift'], { cwd, env });
  expect(seen.code).toBe(2);
  expect(seen.stdout).toContain('Drift: 4 changed, 1 moved.');
  const dry = await octavo(['drift', '--accept', '--dry-run'], { cwd, env });
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(git('diff')).toBe('');
  const done = await octavo(['drift', '--accept'], { cwd, env });
  expect(done.stdout).toContain('Accepted 5 differences in 2 files.');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(changedLines(git('diff'))).toEqual([
    '-  emailDomains: [ acme.dev ]   # ours',
    '+  emailDomains: [ acme.dev, acme.com ]   # ours',
    '-      Ada@acme.dev: owner   # boss',
    '-      kai@acme.dev: member',
    '+      Ada@acme.dev: member   # boss',
    '+      bob@acme.dev: member',
    '-        visibility: &seen public',
    '+        visibility: &seen unlisted',
    '-            guides:',
    '-                title: Guides',
    '-                path: guides',
    '-                spaces: { main: { space: api-guide } }',
    '-            # the reference',
    '-            reference: { title: Reference, path: reference, spaces: { main: { space: next } } }',
    '+            guides:',
    '+                title: Guides',
    '+                path: guides',
    '+                spaces: { main: { space: api-guide } }',
    '+            # the reference',
    '+            reference: { title: "API: all", path: reference, spaces: { main: { space: next } } }',
  ]);
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain(
    'No changes. Live state matches the manifests.',
  );
  expect((await octavo(['drift', '--accept'], { cwd, env })).stdout).toBe('Nothing to accept.\n');
});

test('rejects fields with variables and shared anchors at their position, and writes a text file that is the value', async () => {
  const { env, cwd, call, read } = await setUp({
    'acme.yaml': `octavo: 1
organization: { id: org_acme, title: "\${env:TITLE:-Acme}", defaultRole: &role read }
members: { bob@acme.dev: { role: *role } }
teams:
  platform: { id: team_platform, title: "\${file:platform.txt}" }
  writers: { title: Writers }
samlProviders:
  okta: { label: Okta, entityID: x, ssoURL: https://acme.okta.com/x, certificate: CERT, defaultTeam: writers }
`,
    'platform.txt': 'Platform\r\n',
  });
  await call('PATCH', 'orgs/org_acme', { title: 'Acme Inc', defaultRole: 'create' });
  await call('PATCH', 'orgs/org_acme/teams/team_platform', { title: 'Infrastructure' });
  const { code, stdout } = await octavo(['drift', '--accept'], { cwd, env });
  expect(stdout).toContain(`Not accepted:
  ✗ organization  title
      its value comes from \${env:TITLE} (acme.yaml:2:38)
      → change the variable where the manifests are applied, or write the value itself
  ✗ organization  defaultRole
      it has the anchor &role, which *role uses elsewhere (acme.yaml:2:79)
      → edit the manifest by hand
`);
  expect(stdout).toContain('Accepted 1 difference in 1 file; 2 differences not accepted.');
  expect(code).toBe(2);
  expect(read('platform.txt')).toBe('Infrastructure\r\n');
  expect(await octavo(['drift', '--accept', 'teams/platfrom'], { cwd, env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('teams/platfrom matches no address'),
  });
});

test('counts a member added and one removed from a list as one difference', async () => {
  const { env, cwd, call } = await setUp();
  await call('PUT', 'orgs/org_acme/teams/team_writers/members', { add: ['user_bob'], remove: ['user_kai'] });
  const { stdout } = await octavo(['drift', '--accept', '--dry-run'], { cwd, env });
  expect(stdout.match(/✓ teams\/writers/g)).toHaveLength(1);
  expect(stdout).toContain('Would accept 1 difference in 1 file.');
});

test('accepts moved, deleted and unmanaged objects', async () => {
  const { env, cwd, call, sections, read } = await setUp({
    'acme.yaml': `octavo: 1
organization: org_acme
teams:
  platform: { title: Platform }
  # They write.
  writers: { title: Writers }
spaces: { guide: { id: sp_guide } }
sites:
  docs:
    title: Docs
    sections:
      guides: { title: Guides, path: guides, spaces: { main: { space: guide } } }
      group:
        title: Group
        sections:
          # The first one
          one: { title: One, path: one, spaces: { main: { space: guide } } }
          # The second one
          two:
            title: Two
            path: two
            spaces: { main: { space: guide } }
`,
  });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd, encoding: 'utf8' });
  git('init', '--quiet', '-b', 'main');
  git('add', '.');
  git('commit', '--quiet', '-m', 'start');
  const all = await sections();
  const idOf = (title: string) => all.find((one: { title: string }) => one.title === title).id;
  const [group] = (await call('GET', 'orgs/org_acme/sites/site_docs/section-groups')).items;
  await call('DELETE', `orgs/org_acme/sites/site_docs/section-groups/${group.id}/sections/${idOf('Two')}`);
  await call('DELETE', 'orgs/org_acme/teams/team_writers');
  await call('PUT', 'orgs/org_acme/teams', { title: 'Yes' });

  const unknown = await octavo(['drift', '--accept', 'teams/writers'], { cwd, env });
  expect(unknown.stdout).toContain('without a base, it may simply not be applied yet');
  expect(unknown.code).toBe(2);
  const report = await octavo(['drift', '--base', 'HEAD', '--unmanaged'], { cwd, env });
  expect(report.stdout).toContain('Drift: 1 moved, 1 deleted. Also: 1 unmanaged team.');
  expect(report.code).toBe(2);
  const done = await octavo(['drift', '--base', 'HEAD', '--accept', '**'], { cwd, env });
  expect(done.code).toBe(0);
  expect(read('acme.yaml')).toBe(`octavo: 1
organization: org_acme
teams:
  platform: { title: Platform }
  "yes":
    title: "Yes"
    members: {}
spaces: { guide: { id: sp_guide } }
sites:
  docs:
    title: Docs
    sections:
      guides: { title: Guides, path: guides, spaces: { main: { space: guide } } }
      group:
        title: Group
        sections:
          # The first one
          one: { title: One, path: one, spaces: { main: { space: guide } } }
      # The second one
      two:
        title: Two
        path: two
        spaces: { main: { space: guide } }
`);
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain(
    'No changes. Live state matches the manifests.',
  );
});

test('adds a section that a plan would delete, in its live order, if an accepted value refers to it', async () => {
  const text = `octavo: 1
organization: org_acme
settings: { prune: unlisted }
spaces: { guide: { id: sp_guide }, next: { id: sp_next } }
sites:
  docs:
    title: Docs
    sections:
      # The first one
      guides: { title: Guides, path: guides, spaces: { main: { space: guide } } }
    default: guides # opens first
`;
  const { env, cwd, git, call, read } = await setUp({ 'acme.yaml': text });
  git('init', '--quiet', '-b', 'main');
  git('add', '.');
  git('commit', '--quiet', '-m', 'start');
  const all = 'orgs/org_acme/sites/site_docs';
  const { id } = await call('POST', `${all}/sections`, { spaceId: 'sp_next', title: 'News' });
  const first = await call('POST', `${all}/site-spaces`, { spaceId: 'sp_guide', sectionId: id });
  const [{ id: last }] = (await call('GET', `${all}/site-spaces`)).items.filter(
    (one: { space: { id: string } }) => one.space.id === 'sp_next',
  );
  await call('POST', `${all}/site-spaces/${first.id}/move`, {
    position: { before: { type: 'site-space', siteSpace: last } },
  });
  await call('PATCH', all, { defaultSiteSection: id });
  const done = await octavo(['drift', '--base', 'HEAD', '--accept', 'sites/docs'], { cwd, env });
  expect(done).toMatchObject({ code: 0, stderr: '' });
  const news = `      news:
        title: News
        path: news
        default: next
        spaces:
          api-guide: { space: guide, path: api-guide }
          next: { space: next, path: next }
    default: news # opens first
`;
  expect(read('acme.yaml')).toBe(text.replace('    default: guides # opens first\n', news));
});

test('deletes a space from the manifests if no object refers to it, and edits none of its fields', async () => {
  const declared = 'next: { id: sp_next, title: Next, editMode: live } # soon';
  const shown = sites.replace('next: { id: sp_next }', declared);
  const unshown = shown.replace('{ main: { space: next } }', '{ main: { space: api-guide } }');
  for (const [text, isKept] of [
    [shown, true],
    [unshown, false],
  ] as const) {
    const { env, cwd, git, call, read } = await setUp({ 'people.yaml': people, 'web/sites.yaml': text });
    git('init', '--quiet', '-b', 'main');
    git('add', '.');
    git('commit', '--quiet', '-m', 'start');
    await call('DELETE', 'spaces/sp_next');
    const { stdout, code } = await octavo(['drift', '--base', 'HEAD', '--accept'], { cwd, env });
    if (isKept) {
      expect(stdout).toContain(
        'spaces/next  not live any more\n      sites/docs/sections/reference/spaces/main still refers to it (space) (web/sites.yaml:16:86)\n      → remove the reference, then accept again',
      );
      expect([code, read('web/sites.yaml')]).toEqual([2, text]);
    } else {
      expect([code, read('web/sites.yaml')]).toEqual([0, text.replace(`  ${declared}\n`, '')]);
      const plan = await octavo(['plan'], { cwd, env });
      expect(plan.stdout).toContain('No changes. Live state matches the manifests.');
    }
  }
});

test('plans other changes if a pinned team was deleted, and deletes it from the manifests on accept', async () => {
  const pinned = people.replace("title: 'Writers'", "id: team_writers\n    title: 'Writers'");
  const { env, cwd, git, call, read } = await setUp({ 'people.yaml': pinned, 'web/sites.yaml': sites });
  git('init', '--quiet', '-b', 'main');
  git('add', '.');
  git('commit', '--quiet', '-m', 'start');
  await call('DELETE', 'orgs/org_acme/teams/team_writers');
  await call('PATCH', 'orgs/org_acme/sites/site_docs', { visibility: 'unlisted' });
  const base = ['--base', 'HEAD'];

  const plan = await octavo(['plan', ...base], { cwd, env });
  expect(plan.code).toBe(3);
  expect(plan.stdout).toContain('visibility unlisted → public');
  expect(plan.stdout).toContain('team "Writers" not found: no team here has the id team_writers');
  const one = await octavo(['plan', ...base, '--target', 'sites/docs'], { cwd, env });
  expect([one.code, one.stdout.includes('refused')]).toEqual([0, false]);
  const drift = await octavo(['drift', ...base], { cwd, env });
  expect(drift.code).toBe(2);
  expect(drift.stdout).toMatch(/✗ teams\/writers/);

  const part = await octavo(['drift', ...base, '--accept', 'sites/docs'], { cwd, env });
  expect([part.code, read('people.yaml'), read('web/sites.yaml')]).toEqual([
    0,
    pinned,
    sites.replace('&seen public', '&seen unlisted'),
  ]);
  const rest = await octavo(['drift', ...base, '--accept'], { cwd, env });
  expect(rest.code).toBe(0);
  expect(read('people.yaml')).not.toContain('team_writers');
  const after = await octavo(['plan'], { cwd, env });
  expect(after.stdout).toContain('No changes. Live state matches the manifests.');
});

describe('fields filled in by variables', () => {
  const collections = `octavo: 1
organization: org_acme
collections:
  shelf: { title: Shelf, description: "\${env:ABOUT:-All of it}" }
samlProviders:
  okta: { label: Okta, entityID: "urn:\${secret:ENTITY}", ssoURL: https://okta.example/sso, certificate: "\${env:CERT}" }
`;

  async function applied(more: readonly string[]) {
    const { env, cwd, git, call } = await setUp({ 'people.yaml': people });
    writeFileSync(join(cwd, 'people.yaml'), collections);
    git('init', '--quiet', '-b', 'main');
    git('add', '.');
    git('commit', '--quiet', '-m', 'start');
    const world = { ...env, CERT: certificate, ENTITY: 'first-3nt1ty' };
    const run = (args: string, changed: Readonly<Record<string, string>> = {}) =>
      octavo(args.trim().split(' '), { cwd, env: { ...world, ...changed } });
    const first = await run(`apply --auto-approve --lock none ${more.join(' ')}`);
    expect(first.code).toBe(0);
    const [{ id }] = (await call('GET', 'orgs/org_acme/collections')).items;
    const change = (description: string) => call('PATCH', `collections/${id}`, { description });
    return { run, change, git };
  }

  test('are attributed with a record to the app, a variable or a secret', async () => {
    const { run, change, git } = await applied(['--record']);
    const record = git('show', 'refs/octavo/applied/org_acme:applied.json');
    expect(record).not.toMatch(/All of it|first-3nt1ty|BEGIN/);
    expect(Object.keys(JSON.parse(record).inputs.digests)).toEqual([
      'collections/shelf description',
      'samlProviders/okta certificate',
    ]);
    expect(await run('drift')).toMatchObject({ code: 0 });

    const pending = await run('drift', { ABOUT: 'Half of it' });
    expect(pending.code).toBe(0);
    expect(pending.stdout).toContain('Left out: changes of 1 object (not applied yet).');

    await change('By hand');
    const drift = await run('drift');
    expect([drift.code, drift.stdout.includes('"By hand"')]).toEqual([2, true]);
    const accepted = await run('drift --accept');
    expect(accepted.stdout).toContain('its value comes from ${env:ABOUT} (people.yaml:4:39)');
    const plan = await run('plan --format json');
    const [step] = JSON.parse(plan.stdout).organizations[0].steps;
    expect(step.fields[0]).toMatchObject({ cause: 'drift' });
    expect(step.fields[0].undecided).toBeUndefined();

    const both = await run('plan --format json', { ABOUT: 'Half of it' });
    const [field] = JSON.parse(both.stdout).organizations[0].steps[0].fields;
    expect(field).toMatchObject({ cause: 'conflict' });
    // The base is filled in with the current variable, so it does not show the applied value.
    expect(field.base).toBeUndefined();

    await change('All of it');
    const rotated = await run('drift --format json', { ENTITY: 'other-3nt1ty' });
    expect(rotated.code).toBe(2);
    expect(JSON.parse(rotated.stdout).organizations[0].steps[0].fields).toMatchObject([
      { field: 'entityID', cause: 'input', undecided: 'secret' },
    ]);
  });

  test('are listed without a record, and never reported as "No drift"', async () => {
    const { run, change } = await applied([]);
    await change('By hand');
    const drift = await run('drift --base HEAD');
    expect(drift.code).toBe(2);
    expect(drift.stdout).not.toContain('No drift');
    expect(drift.stdout).toContain('(from a variable: cause not known)');
    const markdown = await run('drift --base HEAD --format markdown');
    expect(markdown.stdout).toContain('(from a variable: cause not known)');
    const accepted = await run('drift --base HEAD --accept');
    expect(accepted.stdout).not.toContain('Nothing to accept');
    expect(accepted.stdout).toContain('its value comes from ${env:ABOUT}');
    expect((await run('apply --auto-approve --lock none --base HEAD')).code).toBe(0);
    expect(await run('drift --base HEAD')).toMatchObject({ code: 0 });
  });
});

test('reports unmanaged objects as drift in each format and the exit code with --unmanaged', async () => {
  const { env, cwd, call, read } = await setUp();
  await call('PUT', 'orgs/org_acme/teams', { title: 'Strangers' });
  const views = ['markdown', 'json', 'github', 'html'].flatMap((format) => [
    '--format',
    `${format}=out.${format}`,
  ]);
  const shown = async (...way: string[]) => {
    const ran = await octavo(['drift', ...way, '--format', 'text', ...views], { cwd, env });
    const page = read('out.html');
    return {
      code: ran.code,
      text: ran.stdout,
      headline: read('out.markdown').split('\n')[0],
      empty: JSON.parse(read('out.json')).empty,
      annotated: /::warning [^\n]*unmanaged::teams\/id=\w+: team "Strangers"/.test(read('out.github')),
      chip: page.includes('<li class="moved">1 unmanaged team</li>'),
    };
  };
  const failing = await shown('--unmanaged');
  expect(failing).toMatchObject({
    code: 2,
    empty: false,
    annotated: true,
    chip: true,
  });
  expect(failing.headline).toContain('1 unmanaged team');
  expect(failing.text).not.toContain('no drift');
  const listed = await shown();
  expect(listed).toMatchObject({
    code: 0,
    empty: true,
    annotated: false,
    chip: false,
  });
  expect(listed.headline).toContain('no drift');
});
