/** Comments of pull requests and merge requests: one is kept up to date, whatever the network does, and others are left alone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { headCommitOf } from '../../src/cli/world/ci-event.ts';
import { folder, octavo, start } from '../cli/octavo.ts';
import { startGithub } from '../support/forge/github.ts';
import { startGitlab } from '../support/forge/gitlab.ts';

const marker = '<!-- octavo:plan -->';
const marked = (body: string, key = 'plan') => `<!-- octavo:${key} -->\n${body}`;

describe('on GitHub', () => {
  async function setup(prefix = '') {
    const fake = await startGithub({ prefix });
    const comments = fake.comments.get(12) ?? [];
    const cwd = folder({ 'plan.md': '### octavo plan\n2 changes\n' });
    const comment = (
      args: readonly string[] = ['--body', 'plan.md'],
      env: Record<string, string> = {},
      input = '',
    ) => octavo(['comment', ...args], { cwd, env: { ...fake.env, ...env }, input });
    return { fake, comments, cwd, comment };
  }

  test('is created, updated in place, and left alone while nothing changed', async () => {
    const { fake, comments, cwd, comment } = await setup();
    fake.post(comments, 'ada', 'Looks good');
    const created = await comment();
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toMatch(
      /^Comment created: https:\/\/github\.com\/acme\/docs\/pull\/12#issuecomment-\d+\n$/,
    );
    expect(comments.map(({ body }) => body)).toEqual(['Looks good', marked('### octavo plan\n2 changes')]);
    writeFileSync(join(cwd, 'plan.md'), 'No changes.\n');
    const [id] = /issuecomment-\d+/.exec(created.stdout) ?? [];
    expect((await comment()).stdout).toBe(`Comment updated: https://github.com/acme/docs/pull/12#${id}\n`);
    expect(comments.map(({ body }) => body)).toEqual(['Looks good', marked('No changes.')]);
    const requests = fake.log.length;
    expect((await comment()).stdout).toMatch(/^Comment unchanged: /);
    expect(fake.log.slice(requests)).toEqual(['POST /graphql repository']);
  });

  test('is found on a later page, among those of other keys', async () => {
    const { fake, comments, comment } = await setup();
    for (let count = 0; count < 7; count += 1) fake.post(comments, 'ada', `remark ${count}`);
    fake.post(comments, 'github-actions', marked('other', 'production'));
    const own = fake.post(comments, 'github-actions', marked('old'));
    expect((await comment()).stdout).toContain(`issuecomment-${own.id}`);
    expect(own.body).toContain('2 changes');
    expect(fake.log.filter((line) => line.endsWith(' repository'))).toHaveLength(3);
    expect((await comment(['--body', 'plan.md', '--key', 'staging'])).stdout).toMatch(/^Comment created/);
    expect(comments).toHaveLength(10);
  });

  test('older duplicates are folded as outdated, and folded ones are not used again', async () => {
    const { fake, comments, comment } = await setup();
    const posts = ['one', 'two', 'three'].map((body) => fake.post(comments, 'github-actions', marked(body)));
    expect((await comment()).stdout).toMatch(/^Comment updated \(2 older comments folded\): /);
    expect(posts.map(({ minimized }) => minimized)).toEqual(['OUTDATED', 'OUTDATED', undefined]);
    expect(posts.map(({ body }) => body.split('\n')[1])).toEqual(['one', 'two', '### octavo plan']);
    if (posts[2] !== undefined) posts[2].minimized = 'RESOLVED';
    expect((await comment()).stdout).toMatch(/^Comment created: /);
  });

  test('comments of others with the same marker are neither changed nor trusted', async () => {
    const { fake, comments, comment } = await setup();
    const forged = fake.post(comments, 'mallory', marked('Nothing to see here'));
    const quoted = fake.post(comments, 'github-actions', `> ${marker}\nquoted`);
    expect((await comment()).stdout).toMatch(/^Comment created/);
    expect([forged.body, quoted.body]).toEqual([marked('Nothing to see here'), `> ${marker}\nquoted`]);
    expect((await comment(['--delete'])).stdout).toMatch(/^Comment deleted/);
    expect(comments).toEqual([forged, quoted]);
  });

  test('an app is recognised by its name where GitHub does not say who wrote what', async () => {
    const fake = await startGithub({ knowsAuthors: false });
    const comments = fake.comments.get(12) ?? [];
    const namesake = fake.post(comments, 'user:github-actions', marked('forged'));
    const own = fake.post(comments, 'github-actions', marked('old'));
    fake.post(comments, 'user:github-actions[bot]', marked('forged, too'));
    const cwd = folder({ 'plan.md': 'new' });
    const ran = await octavo(['comment', '--body', 'plan.md'], { cwd, env: fake.env });
    expect(ran.stdout).toContain(
      `Comment updated: https://github.com/acme/docs/pull/12#issuecomment-${own.id}`,
    );
    expect([namesake.body, own.body]).toEqual([marked('forged'), marked('new')]);
  });

  test('--update-only makes none, --delete deletes all of its own', async () => {
    const { fake, comments, comment } = await setup();
    expect(await comment(['--body', 'plan.md', '--update-only'])).toMatchObject({
      code: 0,
      stdout: 'No comment to update or delete.\n',
    });
    expect((await comment(['--delete'])).stdout).toBe('No comment to update or delete.\n');
    fake.post(comments, 'github-actions', marked('old'));
    expect((await comment(['--body', '-', '--update-only'], {}, 'No changes.')).stdout).toMatch(
      /^Comment updated/,
    );
    expect(comments.map(({ body }) => body)).toEqual([marked('No changes.')]);
    fake.post(comments, 'github-actions', marked('another'));
    fake.fail({ on: /deleteIssueComment/, how: 'lost' });
    expect((await comment(['--delete'])).code).toBe(0);
    expect(comments).toEqual([]);
  });

  test.each([
    [{ status: 429, headers: { 'retry-after': '7' } }],
    [
      {
        status: 403,
        headers: { 'retry-after': '1' },
        body: { message: 'You have exceeded a secondary rate limit' },
      },
    ],
    [
      {
        status: 403,
        body: { message: 'You have exceeded a secondary rate limit. Please wait a few minutes' },
      },
    ],
    [{ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' } }],
    ['cut' as const],
  ])('goes on after %j', async (how) => {
    const { fake, comments, comment } = await setup();
    fake.fail({ on: /POST \/graphql/, how, times: 2 });
    if (how !== 'cut') fake.fail({ on: /POST .*\/comments$/, how });
    expect(await comment()).toMatchObject({ code: 0, stderr: '' });
    expect(comments).toHaveLength(1);
  });

  test('waits as long as it is asked to', async () => {
    const { fake, comment, cwd } = await setup();
    fake.fail({ on: /graphql/, how: { status: 429, headers: { 'retry-after': '7' } } });
    fake.fail({
      on: /graphql/,
      how: { status: 200, body: { errors: [{ type: 'RATE_LIMITED', message: 'x' }] } },
    });
    const waits: number[] = [];
    const sleep = async (milliseconds: number) => {
      waits.push(Math.floor(milliseconds / 1000));
    };
    const env = fake.env;
    expect(await octavo(['comment', '--body', 'plan.md'], { cwd, env, sleep })).toMatchObject({ code: 0 });
    expect(waits).toEqual([7, 60]);
    fake.fail({ on: /graphql/, how: { status: 429, headers: { 'retry-after': '3600' } } });
    const ran = await comment();
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('error[forge]: GitHub asks to slow down (wait 3600 s)');
  });

  test.each([
    'lost' as const,
    'cut' as const,
    { status: 502, body: 'Bad gateway' },
    { status: 201, body: undefined },
  ])('a comment whose creation got no response (%j) is looked up, not repeated', async (how) => {
    const { fake, comments, comment } = await setup();
    fake.fail({ on: /POST .*\/comments$/, how });
    const ran = await comment();
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^Comment created: .*issuecomment-/);
    expect(comments).toHaveLength(1);
    const sent = fake.log.filter((line) => line.endsWith('/comments'));
    expect(sent).toHaveLength(how === 'lost' ? 1 : 2);
  });

  test('Ctrl-C ends it at once', async () => {
    const { fake, comments, cwd } = await setup();
    fake.fail({ on: /POST .*\/comments$/, how: 'hang' });
    const running = start(['comment', '--body', 'plan.md'], { cwd, env: fake.env });
    while (!fake.log.some((line) => line.endsWith('/comments'))) await turn();
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, stdout: '', stderr: 'Interrupted.\n' });
    expect(comments).toEqual([]);
  });

  test('gives up in the end, without a second comment', async () => {
    const { fake, comments, comment } = await setup();
    fake.fail({ on: /POST .*\/comments$/, how: 'cut', times: 9 });
    const ran = await comment();
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^error\[forge\]: the connection to http:\/\/127\.0\.0\.1:\d+ broke/);
    expect(comments).toEqual([]);
    expect(fake.log.filter((line) => line.endsWith('/comments'))).toHaveLength(3);
  });

  test('what GitHub refuses is shown with what to do, and never the token', async () => {
    const { fake, comment } = await setup();
    const cases: readonly [Record<string, string>, string, RegExp][] = [
      [
        { GITHUB_TOKEN: 'ghs_wrong' },
        '',
        /401: Bad credentials\n {2}help: check GITHUB_TOKEN: it was not accepted/,
      ],
      [
        { GITHUB_REPOSITORY: 'acme/other' },
        '',
        /Could not resolve to a Repository\n {2}help: check the repository/,
      ],
      [{ GITHUB_REF: 'refs/pull/99/merge' }, '', /Could not resolve to a PullRequest with the number of 99/],
    ];
    for (const [env, , message] of cases) {
      const ran = await comment(undefined, env);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(message);
      expect(ran.stderr).not.toContain(env.GITHUB_TOKEN ?? fake.token);
    }
    fake.fail({ on: /graphql/, how: { status: 403, body: { message: `no ${fake.token} may` } } });
    const refused = await comment(['--body', 'plan.md', '--verbose']);
    expect(refused.stderr).toContain('GitHub responded with 403: no (token) may');
    expect(refused.stderr).toContain('help: GITHUB_TOKEN needs the permission pull-requests: write');
    expect(refused.stderr).not.toContain(fake.token);
    fake.fail({ on: /graphql/, how: { status: 200, body: '<html>' } });
    expect((await comment()).stderr).not.toContain('bug');
  });

  test('GitHub Enterprise has its own paths', async () => {
    const { fake, comments, comment } = await setup('/api/v3');
    expect((await comment()).code).toBe(0);
    expect(comments).toHaveLength(1);
    expect(fake.log).toEqual([
      'POST /api/graphql repository',
      'POST /api/v3/repos/acme/docs/issues/12/comments',
    ]);
  });

  test('a renamed repository is followed, but not to another host', async () => {
    const { fake, comments, comment } = await setup();
    const moved = (location: string) => ({ status: 307, headers: { location }, body: {} });
    fake.fail({ on: /\/comments$/, how: moved(`${fake.url}/repos/acme/docs/issues/12/comments`) });
    expect((await comment()).code).toBe(0);
    expect(comments).toHaveLength(1);
    comments.length = 0;
    fake.fail({ on: /\/comments$/, how: moved('https://example.com/repos/acme/docs/issues/12/comments') });
    expect(await comment()).toMatchObject({ code: 1, stderr: expect.stringContaining('responded with 307') });
  });

  test('the number is taken from the event', async () => {
    const { comments, comment, cwd } = await setup();
    writeFileSync(join(cwd, 'event.json'), JSON.stringify({ pull_request: { number: 12 } }));
    const env = { GITHUB_REF: 'refs/heads/x', GITHUB_EVENT_PATH: join(cwd, 'event.json') };
    expect((await comment(undefined, env)).code).toBe(0);
    expect(comments).toHaveLength(1);
    writeFileSync(join(cwd, 'event.json'), JSON.stringify({ issue: { number: 12 } }));
    expect((await comment(undefined, env)).stderr).toContain('which pull request?');
    writeFileSync(join(cwd, 'event.json'), JSON.stringify({ issue: { number: 12, pull_request: {} } }));
    expect((await comment(undefined, env)).stdout).toMatch(/^Comment unchanged/);
    expect((await comment(['--body', 'plan.md', '--pull', '13'], env)).stderr).toContain('number of 13');
  });
});

test('a body must be there, fit, and hold no token; nothing is sent otherwise', async () => {
  const fake = await startGithub();
  const cwd = folder({
    'full.md': 'x'.repeat(65_536 - marker.length - 1),
    'long.md': 'x'.repeat(65_536 - marker.length),
    'wide.md': 'é'.repeat(40_000),
    'empty.md': ' \n',
    'token.md': `see ${fake.token}`,
  });
  const comment = (...args: string[]) => octavo(['comment', ...args], { cwd, env: fake.env });
  expect((await comment('--body', 'long.md')).stderr).toBe(
    'error[comment-body]: the body is too large for a comment: 65537 characters and 65537 bytes, and\n' +
      '    65536 of each fit\n  help: make it with --format markdown, which always fits\n\n1 error\n',
  );
  expect((await comment('--body', 'wide.md')).stderr).toContain('40021 characters and 80021 bytes');
  for (const args of [['--body', 'empty.md'], []])
    expect((await comment(...args)).stderr).toContain('error[comment-body]: the body is empty');
  const shown = await comment('--body', 'token.md');
  expect(shown.stderr).toContain('the body contains GITHUB_TOKEN');
  expect(shown.stderr).not.toContain(fake.token);
  expect((await comment('--body', 'missing.md')).stderr).toContain(
    'cannot read missing.md: it does not exist',
  );
  expect((await comment('--body', 'full.md', '--key', 'a b')).stderr).toContain('error[comment-key]');
  expect((await comment('--delete', '--body', 'full.md')).stderr).toContain('--delete takes no body');
  expect(fake.log).toEqual([]);
  expect((await comment('--body', 'full.md')).code).toBe(0);
});

test('where nothing says what is meant, the message names the flag', async () => {
  const cwd = folder({ 'plan.md': 'x' });
  const fails = async (env: Record<string, string>, ...args: string[]) =>
    (await octavo(['comment', '--body', 'plan.md', ...args], { cwd, env })).stderr;
  expect(await fails({})).toContain(
    'neither GitHub nor GitLab runs this\n  help: pass --forge github or --forge gitlab',
  );
  const both = { GITHUB_REPOSITORY: 'a/b', CI_PROJECT_ID: '1' };
  expect(await fails(both)).toContain('the variables of both GitHub and GitLab are set');
  expect(await fails({}, '--forge', 'github')).toContain('pass --repository owner/name');
  expect(await fails({ GITHUB_REPOSITORY: 'docs' })).toContain('"docs" is not a repository of GitHub');
  expect(await fails({ GITHUB_REPOSITORY: 'a/b' })).toContain('no token: GITHUB_TOKEN is not set');
  expect(await fails({ GITHUB_REPOSITORY: 'a/b', GITHUB_TOKEN: 'a b' })).toContain(
    'GITHUB_TOKEN contains spaces',
  );
  expect(await fails({ GITHUB_REPOSITORY: 'a/b', GH_TOKEN: 'abcd' })).toContain('which pull request?');
  const plain = { GITHUB_REPOSITORY: 'a/b', GITHUB_TOKEN: 'abcd' };
  expect(await fails(plain, '--api-url', 'http://github.acme.dev')).toContain(
    '--api-url would send the token to github.acme.dev unencrypted',
  );
  expect(await fails({ ...plain, GITHUB_API_URL: 'api' })).toContain('GITHUB_API_URL is not an http(s) URL');
  expect(await fails({ ...plain, GITHUB_EVENT_PATH: '/missing/event.json' })).toContain('GITHUB_EVENT_PATH');
});

test('reports name the last commit of the request, not a merge that is thrown away', () => {
  const [own, merge] = ['a'.repeat(40), 'b'.repeat(40)];
  const event = join(
    folder({ 'event.json': JSON.stringify({ pull_request: { head: { sha: own } } }) }),
    'event.json',
  );
  const github = { GITHUB_ACTIONS: 'true', GITHUB_SHA: merge };
  expect(headCommitOf({ ...github, GITHUB_EVENT_PATH: event })).toBe(own);
  expect(headCommitOf({ ...github, GITHUB_EVENT_PATH: '/nowhere' })).toBe(merge);
  expect(headCommitOf({ CI_COMMIT_SHA: merge, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: own })).toBe(own);
  expect(headCommitOf({ CI_COMMIT_SHA: merge, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '' })).toBe(merge);
});

test('after a merge on GitHub it is the one of the pull request that brought the commit', async () => {
  const fake = await startGithub();
  const comments = fake.comments.get(12) ?? [];
  const plan = fake.post(comments, 'github-actions', marked('the plan'));
  const sha = 'a'.repeat(40);
  const head = { sha: 'b'.repeat(40) };
  const merged_at = '2026-11-22T06:00:00Z';
  fake.pulls.push({ number: 12, merged_at, merge_commit_sha: sha, base: { ref: 'main' }, head });
  const cwd = folder({ 'apply.md': 'applied\n', 'push.json': '{}' });
  const env = {
    ...fake.env,
    GITHUB_EVENT_PATH: join(cwd, 'push.json'),
    GITHUB_REF: 'refs/heads/main',
    GITHUB_SHA: sha,
  };
  const ran = await octavo(['comment', '--body', 'apply.md'], { cwd, env });
  expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Comment updated: ') });
  expect(plan.body).toBe(marked('applied'));
  const direct = await octavo(['comment', '--body', 'apply.md'], {
    cwd,
    env: { ...env, GITHUB_SHA: 'c'.repeat(40) },
  });
  expect(direct).toMatchObject({
    code: 0,
    stdout: 'No comment: no merged pull request brought cccccccccccc into main.\n',
  });
});

describe('on GitLab', () => {
  async function setup() {
    const fake = await startGitlab();
    const cwd = folder({ 'plan.md': '2 changes\n' });
    const comment = (...args: string[]) =>
      octavo(['comment', '--body', 'plan.md', ...args], { cwd, env: fake.env });
    return { fake, cwd, comment };
  }

  test('is created, updated in place on a later page, and deleted', async () => {
    const { fake, cwd, comment } = await setup();
    for (let count = 0; count < 4; count += 1) fake.note(fake.notes, 5, `remark ${count}`);
    const forged = fake.note(fake.notes, 5, marked('forged'));
    expect((await comment()).stdout).toBe(
      'Comment created: https://gitlab.com/acme/docs/-/merge_requests/7#note_906\n',
    );
    writeFileSync(join(cwd, 'plan.md'), '3 changes\n');
    expect((await comment()).stdout).toMatch(/^Comment updated: .*#note_906\n$/);
    expect(fake.notes.at(-1)?.body).toBe(marked('3 changes'));
    expect(fake.log.filter((line) => line.startsWith('GET') && line.endsWith('/notes'))).toHaveLength(6);
    const gone = await octavo(['comment', '--delete'], { cwd, env: fake.env });
    expect(gone.stdout).toMatch(/^Comment deleted/);
    expect(fake.notes).toHaveLength(5);
    expect(forged.body).toBe(marked('forged'));
  });

  test('older duplicates become a line that leads to the newer one', async () => {
    const { fake, comment } = await setup();
    const old = fake.note(fake.notes, 41, marked('old'));
    const current = fake.note(fake.notes, 41, marked('newer'));
    expect((await comment()).stdout).toContain('Comment updated (1 older comment folded)');
    expect(old.body).toBe(
      `Outdated: see [the newer note](https://gitlab.com/acme/docs/-/merge_requests/7#note_${current.id}).`,
    );
    expect(current.body).toBe(marked('2 changes'));
  });

  test('a lost creation is looked up, and limits are waited for', async () => {
    const { fake, comment } = await setup();
    fake.fail({ on: /GET .*\/notes/, how: { status: 429, headers: { 'retry-after': '2' } } });
    fake.fail({ on: /POST .*\/notes/, how: 'lost' });
    expect(await comment()).toMatchObject({ code: 0, stderr: '' });
    expect(fake.notes).toHaveLength(1);
    expect(fake.log.filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  test('flags name a project by its path', async () => {
    const { fake, cwd } = await setup();
    const env = { GITLAB_TOKEN: fake.token };
    const flags = ['--forge', 'gitlab', '--repository', 'acme/docs', '--api-url', `${fake.url}/api/v4`];
    const ran = await octavo(['comment', '--body', 'plan.md', ...flags, '--pull', '7'], { cwd, env });
    expect(ran.stdout).toBe('Comment created: note 901\n');
    const wrong = await octavo(['comment', '--body', 'plan.md', ...flags, '--pull', '8'], { cwd, env });
    expect(wrong.stderr).toMatch(/GitLab responded with 404: 404 Not found\n {2}help: check the repository/);
  });

  test('after a merge it is the one of the merge request that brought the commit', async () => {
    const { fake, cwd } = await setup();
    const [pushed, other] = ['a'.repeat(40), 'b'.repeat(40)];
    const merged = { state: 'merged', target_branch: 'main', squash_commit_sha: null, sha: other } as const;
    fake.requests.push(
      { ...merged, iid: 5, target_branch: 'next', merge_commit_sha: pushed },
      { ...merged, iid: 6, merge_commit_sha: other },
      { ...merged, iid: 7, merge_commit_sha: pushed },
    );
    const note = fake.note(fake.notes, 41, marked('the plan'));
    const env = { ...fake.env, CI_MERGE_REQUEST_IID: '', CI_COMMIT_BRANCH: 'main', CI_COMMIT_SHA: pushed };
    const ran = await octavo(['comment', '--body', 'plan.md'], { cwd, env });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(`Comment updated: `) });
    expect(note.body).toBe(marked('2 changes'));
    const none = await octavo(['comment', '--body', 'plan.md'], {
      cwd,
      env: { ...env, CI_COMMIT_SHA: 'c'.repeat(40) },
    });
    expect(none).toMatchObject({
      code: 0,
      stdout: 'No comment: no merged merge request brought cccccccccccc into main.\n',
    });
  });
});
