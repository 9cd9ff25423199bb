/** The drift issue: one is open while drift exists, and closed without drift. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, initRepository } from '../cli/git.ts';
import { folder, manifest, octavo } from '../cli/octavo.ts';
import { certificate } from '../support/certificate.ts';
import { startGithub } from '../support/forge/github.ts';
import { startGitlab } from '../support/forge/gitlab.ts';
import { issue as keep, type WantedPost } from '../support/forge/posts.ts';

const marked = (body: string, key = 'drift') => `<!-- octavo:${key} -->\n${body}\n<!-- /octavo:${key} -->`;
const title = 'Drift in Acme';
const open = { title, body: '1 team renamed' };
const more = { title, body: '2 teams renamed' };
/** The closing note is prepended to the last body. */
const close = { ending: '**No drift since noon.**' };
const ended = marked('**No drift since noon.**\n\n2 teams renamed');

test('is created, updated, closed and created again on GitHub', async () => {
  const fake = await startGithub();
  const issue = (wanted: WantedPost = open) => keep(wanted, { env: fake.env });
  for (let count = 0; count < 4; count += 1) fake.post(fake.issues, 'ada', 'a wish', `Wish ${count}`);
  const forged = fake.post(fake.issues, 'mallory', marked('forged'), 'Drift in Acme');
  expect((await issue(close)).stdout).toBe('No issue to close.\n');
  fake.fail({ on: /POST .*\/issues$/, how: 'lost' });
  const created = await issue();
  expect(created.stdout).toMatch(/^Issue created: https:\/\/github\.com\/acme\/docs\/issues\/\d+\n$/);
  const made = fake.issues.at(-1);
  expect(made).toMatchObject({ title: 'Drift in Acme', body: marked('1 team renamed'), state: 'open' });
  expect(fake.issues).toHaveLength(6);
  expect((await issue()).stdout).toMatch(/^Issue unchanged/);
  expect((await issue(more)).stdout).toMatch(/^Issue updated/);
  expect(made?.body).toBe(marked('2 teams renamed'));
  expect((await issue(close)).stdout).toBe(created.stdout.replace('created', 'closed'));
  expect(made).toMatchObject({ state: 'closed', reason: 'completed' });
  expect(made?.body).toBe(ended);
  expect(forged).toMatchObject({ body: marked('forged'), state: 'open' });
  expect((await issue()).stdout).toMatch(/^Issue created/);
  expect(fake.issues).toHaveLength(7);
});

test('keeps the newest of several open issues on GitHub', async () => {
  const fake = await startGithub();
  const issues = ['one', 'two'].map((body) =>
    fake.post(fake.issues, 'github-actions', marked(body), 'Drift in Acme'),
  );
  const other = fake.post(fake.issues, 'github-actions', marked('other', 'drift-eu'), 'Drift in Acme EU');
  const ran = await keep({ title, body: 'drift' }, { env: fake.env });
  expect(ran.stdout).toMatch(/^Issue updated \(1 older issue folded\)/);
  expect(issues.map(({ state, reason }) => [state, reason])).toEqual([
    ['closed', 'not_planned'],
    ['open', undefined],
  ]);
  expect(other.state).toBe('open');
});

test('is created, updated and closed on GitLab', async () => {
  const fake = await startGitlab();
  const issue = (wanted: WantedPost = open) => keep(wanted, { env: fake.env });
  for (let count = 0; count < 3; count += 1) fake.note(fake.issues, 41, 'another', `Task ${count}`);
  fake.note(fake.issues, 5, marked('forged'), 'Drift in Acme');
  fake.fail({ on: /POST .*\/issues$/, how: 'lost' });
  const created = await issue();
  expect(created.stdout).toBe('Issue created: https://gitlab.com/acme/docs/-/issues/905\n');
  expect((await issue(more)).stdout).toMatch(/^Issue updated/);
  expect(fake.issues.at(-1)).toMatchObject({ body: marked('2 teams renamed'), state: 'opened' });
  expect((await issue(close)).stdout).toMatch(/^Issue closed/);
  expect(fake.issues.at(-1)?.body).toBe(ended);
  expect(fake.issues.map(({ state }) => state)).toEqual(['opened', 'opened', 'opened', 'opened', 'closed']);
});

test('keeps the title and the text of people, and closes the issue of a replaced bot', async () => {
  const [github, gitlab] = [await startGithub(), await startGitlab()];
  const theirs = `Do not merge before Monday.\n${marked('1 team renamed')}\nSee #12.`;
  const own = [
    github.post(github.issues, 'github-actions', theirs, 'Mine'),
    gitlab.note(gitlab.issues, 41, theirs, 'Mine'),
  ];
  const former = [
    github.post(github.issues, 'bot:octavo', marked('1 team renamed'), title),
    gitlab.note(gitlab.issues, 40, marked('1 team renamed'), title),
  ];
  Object.assign(former[1] ?? {}, { author: { id: 40, username: 'group_5_bot_0a1b' } });
  for (const [at, { env }] of [github, gitlab].entries()) {
    expect((await keep(more, { env })).stdout).toMatch(/^Issue updated \(1 older issue folded\): /);
    const body = theirs.replace('1 team renamed', '2 teams renamed');
    expect(own[at]).toMatchObject({ title: 'Mine', body });
    expect(former[at]).toMatchObject({ state: 'closed', body: marked('1 team renamed') });
    expect((await keep({ ...close, title }, { env })).stdout).toMatch(/^Issue closed: /);
    expect(own[at]).toMatchObject({ title: 'Mine', state: 'closed' });
    expect(own[at]?.body).toBe(`Do not merge before Monday.\n${ended}\nSee #12.`);
  }
});

test('is created by octavo ci drift for an expiring certificate', async () => {
  const fake = await startGithub();
  const okta =
    'samlProviders: { okta: { label: Okta, ssoURL: https://okta.example/sso, certificate: "${file:okta.txt}" } }\n';
  const cwd = folder({ 'docs/acme.yaml': `${manifest}${okta}`, 'docs/okta.txt': certificate });
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'docs');
  const sha = git(cwd, 'rev-parse', 'HEAD').trim();
  const env = { OCTAVO_BASE_URL: `local:${join(folder({}), 'acme.db')}`, ...fake.onPush(sha) };
  const at = (day: string, ...args: string[]) =>
    octavo([...args, '-f', 'docs'], { cwd, env, now: () => Date.parse(day) });
  expect((await at('2026-06-01', 'apply', '--auto-approve', '--record')).code).toBe(0);
  expect((await at('2119-12-01', 'ci', 'drift')).stderr).toContain('No issue to close.\n');
  expect((await at('2119-12-10', 'ci', 'drift')).stderr).toMatch(/^Issue created: /m);
  expect(fake.issues[0]?.body).toContain(
    '`samlProviders/okta` certificate expires on 2120-01-01, in 22 days',
  );
  expect(fake.issues[0]?.body).toContain('no drift');
});

test('is created by octavo ci drift for access that ends soon, and that is still there after its end', async () => {
  const fake = await startGithub();
  const link = (until: string) =>
    `sites: { hub: { title: Hub, shareLinks: { press: { name: Press, until: ${until} } } } }\n`;
  const cwd = folder({ 'docs/acme.yaml': `${manifest}${link('2027-01-31')}` });
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'docs');
  const sha = git(cwd, 'rev-parse', 'HEAD').trim();
  const env = { OCTAVO_BASE_URL: `local:${join(folder({}), 'acme.db')}`, ...fake.onPush(sha) };
  const at = (day: string, ...args: string[]) =>
    octavo([...args, '-f', 'docs'], { cwd, env, now: () => Date.parse(day) });
  const apply = (day: string) => at(day, 'apply', '--auto-approve', '--record');
  expect((await apply('2027-01-01')).code).toBe(0);
  expect((await at('2027-01-16', 'ci', 'drift')).stderr).toContain('No issue to close.\n');
  expect((await at('2027-01-17', 'ci', 'drift')).stderr).toMatch(/^Issue created: /m);
  expect(fake.issues[0]?.body).toContain('ends on 2027-01-31, in 14 days');
  expect((await at('2027-02-01', 'ci', 'drift')).stderr).toMatch(/^Issue updated: /m);
  expect(fake.issues[0]?.body).toContain('ended on 2027-01-31');
  expect((await apply('2027-02-01')).code).toBe(0);
  expect((await at('2027-02-02', 'ci', 'drift')).stderr).toMatch(/^Issue closed: /m);
});

test('is named by its key, and closed with time and commit, by octavo ci drift', async () => {
  const fake = await startGithub();
  const cwd = folder({ 'docs/acme.yaml': manifest });
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'docs');
  const sha = git(cwd, 'rev-parse', 'HEAD').trim();
  const service = { OCTAVO_BASE_URL: `local:${join(folder({}), 'acme.db')}` };
  const now = () => Date.UTC(2026, 10, 22, 6, 5);
  const run = async (...args: string[]) => {
    const ran = await octavo(args, { cwd, env: { ...service, ...fake.onPush(sha) }, now });
    expect(ran.stdout + ran.stderr).not.toContain(fake.token);
    return ran;
  };
  const drift = (...args: string[]) => run('ci', 'drift', '-f', 'docs', ...args);
  // Without a record, changes that are not applied yet would be reported as drift.
  expect(await drift()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nothing is recorded'),
  });
  expect((await run('apply', '-f', 'docs', '--auto-approve', '--record')).code).toBe(0);
  expect((await drift()).stderr).toContain('No issue to close.\n');
  const rename = await renamingWriters(run);
  await rename('Authors');
  expect((await drift()).stderr).toMatch(/^Issue created: /m);
  expect((await drift()).stderr).toMatch(/^Issue unchanged: /m);
  expect((await drift('--key', 'eu')).stderr).toMatch(/^Issue created: /m);
  expect(fake.issues.map((one) => [one.title, one.body.split('\n')[0]])).toEqual([
    ['Drift of the documentation workspace', '<!-- octavo:drift -->'],
    ['Drift of the documentation workspace (eu)', '<!-- octavo:drift-eu -->'],
  ]);
  await rename('Writers');
  expect((await drift()).stderr).toMatch(/^Issue closed: /m);
  expect(fake.issues.map(({ state }) => state)).toEqual(['closed', 'open']);
  expect(fake.issues[0]?.body.split('\n').slice(0, 3)).toEqual([
    '<!-- octavo:drift -->',
    `**No drift since 2026-11-22 06:05 UTC (commit \`${sha.slice(0, 10)}\`).**`,
    '',
  ]);
  writeFileSync(join(cwd, 'octavo.config.yaml'), `ci: { issueTitle: ${'x'.repeat(256)} }\n`);
  expect((await drift()).stderr).toContain('octavo.config.yaml');
});

async function renamingWriters(run: (...args: string[]) => ReturnType<typeof octavo>) {
  const { stdout } = await run('api', 'teams.list', 'organizationId=org_acme');
  const { items } = JSON.parse(stdout) as { items: { id: string; title: string }[] };
  const { id } = items.find(({ title }) => title === 'Writers') ?? {};
  return (title: string) =>
    run('api', 'teams.update', 'organizationId=org_acme', `teamId=${id}`, '-F', `title=${title}`);
}

test.each(['GitHub', 'GitLab'])(
  'stays closed on %s until there is other drift, or a night without',
  async (forge) => {
    const [github, gitlab] = [await startGithub(), await startGitlab()];
    const cwd = folder({ 'docs/acme.yaml': manifest });
    initRepository(cwd);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '--quiet', '-m', 'docs');
    const sha = git(cwd, 'rev-parse', 'HEAD').trim();
    const service = { OCTAVO_BASE_URL: `local:${join(folder({}), 'acme.db')}` };
    const place = forge === 'GitHub' ? github.onPush(sha) : gitlab.onPush(sha);
    const run = (...args: string[]) => octavo(args, { cwd, env: { ...service, ...place } });
    const issues: { state?: string; body: string }[] = forge === 'GitHub' ? github.issues : gitlab.issues;
    const night = async () => {
      const { code, stderr } = await run('ci', 'drift', '-f', 'docs');
      expect(code, stderr).toBe(0);
      return stderr;
    };
    const close = () => {
      for (const issue of issues) issue.state = 'closed';
    };
    expect((await run('apply', '-f', 'docs', '--auto-approve', '--record')).code).toBe(0);
    const rename = await renamingWriters(run);

    await rename('Authors');
    expect(await night()).toMatch(/^Issue created: /m);
    close();
    for (const _ of [1, 2])
      expect(await night()).toMatch(/^Closed already, and there is no other drift: https:/m);
    expect(issues).toHaveLength(1);
    await rename('Poets');
    expect(await night()).toMatch(/^Issue created: /m);
    // Of an open issue, the drift of a closed one is news.
    await rename('Authors');
    expect(await night()).toMatch(/^Issue updated: /m);
    close();
    expect(await night()).toMatch(/^Closed already/m);
    await rename('Writers');
    expect(await night()).toContain('No issue to close.\n');
    expect(issues.map(({ body }) => /<!-- drift /.test(body))).toEqual([false, false]);
    expect(issues[1]?.body).toContain('**No drift since ');
    await rename('Authors');
    expect(await night()).toMatch(/^Issue created: /m);
    await rename('Writers');
    expect(await night()).toMatch(/^Issue closed: /m);
    await rename('Authors');
    // The issue that Octavo closed is no decision.
    expect(await night()).toMatch(/^Issue created: /m);
    expect(issues.map(({ state }) => state?.slice(0, 4))).toEqual(['clos', 'clos', 'clos', 'open']);
  },
);
