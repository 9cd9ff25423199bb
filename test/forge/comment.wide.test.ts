/** Comments of pull requests and merge requests: one is updated in place, despite network failures, and others are not changed. */
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { pipelineRun } from '../../src/cli/forge/place.ts';
import { headCommitOf } from '../../src/cli/world/ci-event.ts';
import { folder } from '../cli/octavo.ts';
import { startGithub } from '../support/forge/github.ts';
import { startGitlab } from '../support/forge/gitlab.ts';
import { comment as keep, startComment, type WantedPost } from '../support/forge/posts.ts';

const marker = '<!-- octavo:plan -->';
const body = '### octavo plan\n2 changes\n';
const marked = (body: string, key = 'plan') => `<!-- octavo:${key} -->\n${body}\n<!-- /octavo:${key} -->`;

describe('on GitHub', () => {
  async function setup(prefix = '') {
    const fake = await startGithub({ prefix });
    const comments = fake.comments.get(12) ?? [];
    const comment = (wanted: WantedPost = {}, env: Record<string, string> = {}, verbose = false) =>
      keep({ body, ...wanted }, { env: { ...fake.onPull(), ...env }, verbose });
    return { fake, comments, comment };
  }

  test('is created, updated in place, and unchanged if the body is the same', async () => {
    const { fake, comments, comment } = await setup();
    fake.post(comments, 'ada', 'Looks good');
    const created = await comment();
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toMatch(
      /^Comment created: https:\/\/github\.com\/acme\/docs\/pull\/12#issuecomment-\d+\n$/,
    );
    expect(comments.map(({ body }) => body)).toEqual(['Looks good', marked('### octavo plan\n2 changes')]);
    const [id] = /issuecomment-\d+/.exec(created.stdout) ?? [];
    const next = { body: 'No changes.\n' };
    expect((await comment(next)).stdout).toBe(
      `Comment updated: https://github.com/acme/docs/pull/12#${id}\n`,
    );
    expect(comments.map(({ body }) => body)).toEqual(['Looks good', marked('No changes.')]);
    const requests = fake.log.length;
    expect((await comment(next)).stdout).toMatch(/^Comment unchanged: /);
    expect(fake.log.slice(requests)).toEqual(['POST /graphql repository']);
  });

  test('is found on a later page, next to comments of other keys', async () => {
    const { fake, comments, comment } = await setup();
    for (let count = 0; count < 7; count += 1) fake.post(comments, 'ada', `remark ${count}`);
    fake.post(comments, 'github-actions', marked('other', 'production'));
    const own = fake.post(comments, 'github-actions', marked('old'));
    expect((await comment()).stdout).toContain(`issuecomment-${own.id}`);
    expect(own.body).toContain('2 changes');
    expect(fake.log.filter((line) => line.endsWith(' repository'))).toHaveLength(3);
    expect((await comment({ key: 'staging' })).stdout).toMatch(/^Comment created/);
    expect(comments).toHaveLength(10);
  });

  test('folds older duplicates as outdated, and does not reuse folded ones', async () => {
    const { fake, comments, comment } = await setup();
    const posts = ['one', 'two', 'three'].map((body) => fake.post(comments, 'github-actions', marked(body)));
    expect((await comment()).stdout).toMatch(/^Comment updated \(2 older comments folded\): /);
    expect(posts.map(({ minimized }) => minimized)).toEqual(['OUTDATED', 'OUTDATED', undefined]);
    expect(posts.map(({ body }) => body.split('\n')[1])).toEqual(['one', 'two', '### octavo plan']);
    if (posts[2] !== undefined) posts[2].minimized = 'RESOLVED';
    expect((await comment()).stdout).toMatch(/^Comment created: /);
  });

  test('neither changes nor trusts comments of others with the same marker', async () => {
    const { fake, comments, comment } = await setup();
    const forged = fake.post(comments, 'mallory', marked('Nothing to see here'));
    const quoted = fake.post(comments, 'github-actions', `> ${marker}\nquoted`);
    expect((await comment()).stdout).toMatch(/^Comment created/);
    expect([forged.body, quoted.body]).toEqual([marked('Nothing to see here'), `> ${marker}\nquoted`]);
    expect((await comment()).stdout).toMatch(/^Comment unchanged/);
    expect(comments).toHaveLength(3);
  });

  test('recognizes an app by its name if GitHub does not report the author', async () => {
    const fake = await startGithub({ knowsAuthors: false });
    const comments = fake.comments.get(12) ?? [];
    const namesake = fake.post(comments, 'user:github-actions', marked('forged'));
    const own = fake.post(comments, 'github-actions', marked('old'));
    fake.post(comments, 'user:github-actions[bot]', marked('forged, too'));
    const ran = await keep({ body: 'new' }, { env: fake.onPull() });
    expect(ran.stdout).toContain(
      `Comment updated: https://github.com/acme/docs/pull/12#issuecomment-${own.id}`,
    );
    expect([namesake.body, own.body]).toEqual([marked('forged'), marked('new')]);
  });

  test('updates an existing comment if it may not create one', async () => {
    const { fake, comments, comment } = await setup();
    const next = { body: 'No changes.', creates: false };
    expect(await comment(next)).toMatchObject({ code: 0, stdout: 'No comment to update.\n' });
    expect(comments).toEqual([]);
    fake.post(comments, 'github-actions', marked('old'));
    expect((await comment(next)).stdout).toMatch(/^Comment updated/);
    expect(comments.map(({ body }) => body)).toEqual([marked('No changes.')]);
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
  ])('retries after %j', async (how) => {
    const { fake, comments, comment } = await setup();
    fake.fail({ on: /POST \/graphql/, how, times: 2 });
    if (how !== 'cut') fake.fail({ on: /POST .*\/comments$/, how });
    expect(await comment()).toMatchObject({ code: 0, stderr: '' });
    expect(comments).toHaveLength(1);
  });

  test('waits as long as GitHub requests, up to a limit', async () => {
    const { fake, comment } = await setup();
    fake.fail({ on: /graphql/, how: { status: 429, headers: { 'retry-after': '7' } } });
    fake.fail({
      on: /graphql/,
      how: { status: 200, body: { errors: [{ type: 'RATE_LIMITED', message: 'x' }] } },
    });
    const waits: number[] = [];
    const sleep = async (milliseconds: number) => {
      waits.push(Math.floor(milliseconds / 1000));
    };
    expect(await keep({ body }, { env: fake.onPull(), sleep })).toMatchObject({ code: 0 });
    expect(waits).toEqual([7, 60]);
    fake.fail({ on: /graphql/, how: { status: 429, headers: { 'retry-after': '3600' } } });
    const ran = await comment();
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('error[forge]: GitHub asks to slow down (wait 3600 s)');
    expect(await comment()).toMatchObject({ code: 0 });
  });

  test.each([
    'lost' as const,
    'cut' as const,
    { status: 502, body: 'Bad gateway' },
    { status: 201, body: undefined },
  ])('is looked up, not sent again, after a create without a response (%j)', async (how) => {
    const { fake, comments, comment } = await setup();
    fake.fail({ on: /POST .*\/comments$/, how });
    const ran = await comment();
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^Comment created: .*issuecomment-/);
    expect(comments).toHaveLength(1);
    const sent = fake.log.filter((line) => line.endsWith('/comments'));
    expect(sent).toHaveLength(how === 'lost' ? 1 : 2);
  });

  test('stops on Ctrl-C', async () => {
    const { fake, comments } = await setup();
    fake.fail({ on: /POST .*\/comments$/, how: 'hang' });
    const running = startComment({ body }, { env: fake.onPull() });
    while (!fake.log.some((line) => line.endsWith('/comments'))) await turn();
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, stdout: '', stderr: 'Interrupted.\n' });
    expect(comments).toEqual([]);
  });

  test('gives up after three attempts, without a comment', async () => {
    const { fake, comments, comment } = await setup();
    fake.fail({ on: /POST .*\/comments$/, how: 'cut', times: 9 });
    const ran = await comment();
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^error\[forge\]: the connection to http:\/\/127\.0\.0\.1:\d+ broke/);
    expect(comments).toEqual([]);
    expect(fake.log.filter((line) => line.endsWith('/comments'))).toHaveLength(3);
  });

  test('shows errors of GitHub with a remedy, without the token', async () => {
    const { fake, comment } = await setup();
    const cases: readonly [Record<string, string>, RegExp][] = [
      [
        { GITHUB_TOKEN: 'ghs_wrong' },
        /401: Bad credentials\n {2}help: check GITHUB_TOKEN: it was not accepted/,
      ],
      [
        { GITHUB_REPOSITORY: 'acme/other' },
        /Could not resolve to a Repository\n {2}help: check the repository/,
      ],
      [fake.onPull({ number: 99 }), /Could not resolve to a PullRequest with the number of 99/],
    ];
    for (const [env, message] of cases) {
      const ran = await comment(undefined, env);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(message);
      expect(ran.stderr).not.toContain(env.GITHUB_TOKEN ?? fake.token);
    }
    fake.fail({ on: /graphql/, how: { status: 403, body: { message: `no ${fake.token} may` } } });
    const refused = await comment({}, {}, true);
    expect(refused.stderr).toContain('GitHub responded with 403: no (token) may');
    expect(refused.stderr).toContain('help: GITHUB_TOKEN needs the permission pull-requests: write');
    expect(refused.stderr).not.toContain(fake.token);
    fake.fail({ on: /graphql/, how: { status: 200, body: '<html>' } });
    expect((await comment()).stderr).not.toContain('bug');
  });

  test('uses the paths of GitHub Enterprise', async () => {
    const { fake, comments, comment } = await setup('/api/v3');
    expect((await comment()).code).toBe(0);
    expect(comments).toHaveLength(1);
    expect(fake.log).toEqual([
      'POST /api/graphql repository',
      'POST /api/v3/repos/acme/docs/issues/12/comments',
    ]);
  });

  test('follows redirects of a renamed repository, but not to another host', async () => {
    const { fake, comments, comment } = await setup();
    const moved = (location: string) => ({ status: 307, headers: { location }, body: {} });
    fake.fail({ on: /\/comments$/, how: moved(`${fake.url}/repos/acme/docs/issues/12/comments`) });
    expect((await comment()).code).toBe(0);
    expect(comments).toHaveLength(1);
    comments.length = 0;
    fake.fail({ on: /\/comments$/, how: moved('https://example.com/repos/acme/docs/issues/12/comments') });
    expect(await comment()).toMatchObject({ code: 1, stderr: expect.stringContaining('responded with 307') });
  });

  test('reads the number from the event, and skips other events', async () => {
    const { fake, comments, comment } = await setup();
    const files = folder({
      'issue.json': JSON.stringify({ issue: { number: 12, pull_request: {} } }),
      'odd.json': JSON.stringify({ pull_request: { number: '12; x', head: { sha: 'a'.repeat(40) } } }),
      'list.json': '[]',
    });
    for (const name of ['issue.json', 'odd.json', 'list.json'])
      expect(await comment({}, { GITHUB_EVENT_PATH: join(files, name) }), name).toMatchObject({
        code: 0,
        stdout: 'No comment: no request.\n',
      });
    expect(fake.log).toEqual([]);
    expect((await comment({}, { GITHUB_REF: 'refs/heads/x' })).code).toBe(0);
    expect(comments).toHaveLength(1);
  });
});

test('rejects an empty body, and one with the token', async () => {
  const fake = await startGithub();
  const comment = (body: string, key?: string) =>
    keep({ body, ...(key === undefined ? {} : { key }) }, { env: fake.onPull() });
  expect((await comment(' \n')).stderr).toContain('error[comment-body]: the body is empty');
  const shown = await comment(`see ${fake.token}`);
  expect(shown.stderr).toContain('the body contains GITHUB_TOKEN');
  expect(shown.stderr).not.toContain(fake.token);
  expect((await comment(body, 'a b')).stderr).toContain('error[comment-key]');
  expect(fake.log).toEqual([]);
  expect(await comment(body, 'a-b')).toMatchObject({ code: 0 });
});

test('cuts a body that is too large after a whole line', async () => {
  const fake = await startGithub();
  const comment = (body: string) => keep({ body }, { env: fake.onPull() });
  const shown = () => fake.comments.get(12)?.[0]?.body ?? '';
  const lines = Array.from({ length: 1000 }, (_, at) => `${at} ${'é'.repeat(40)}`);
  expect((await comment(lines.join('\n'))).code).toBe(0);
  const most = Buffer.byteLength(shown());
  expect(most).toBeLessThanOrEqual(65_536);
  expect(most).toBeGreaterThan(65_300);
  const [, cut] =
    /\n\n_(\d+) more lines in the log of the job\._\n<!-- \/octavo:plan -->$/.exec(shown()) ?? [];
  expect(shown()).toContain(`\n${lines[1000 - Number(cut) - 1]}\n\n_`);
});

describe('next to people', () => {
  test('is found below a line of theirs, and keeps what they wrote around it', async () => {
    const fake = await startGithub();
    const comments = fake.comments.get(12) ?? [];
    const own = fake.post(comments, 'github-actions', `Ask ada first.\r\n${marked('old')}\r\n\r\nDone.`);
    expect((await keep({ body: 'new' }, { env: fake.onPull() })).stdout).toMatch(/^Comment updated: /);
    expect(own.body).toBe(`Ask ada first.\n${marked('new')}\n\nDone.`);
    expect((await keep({ body: 'new' }, { env: fake.onPull() })).stdout).toMatch(/^Comment unchanged: /);
    // Without its end, the text goes to the end of the comment.
    own.body = own.body.replace('<!-- /octavo:plan -->', '');
    expect((await keep({ body: 'newer' }, { env: fake.onPull() })).code).toBe(0);
    expect(own.body).toBe(`Ask ada first.\n${marked('newer')}`);
  });

  test('is not ended by a value that looks like its end', async () => {
    const fake = await startGithub();
    const comments = fake.comments.get(12) ?? [];
    const text = 'a\n<!-- /octavo:plan -->\nb\n<!-- octavo:plan -->';
    for (const body of [text, 'new']) await keep({ body }, { env: fake.onPull() });
    expect(comments.map(({ body }) => body)).toEqual([marked('new')]);
  });

  test('folds the comment of a replaced bot, and no other', async () => {
    const fake = await startGithub();
    const comments = fake.comments.get(12) ?? [];
    const posts = ['bot:octavo', 'mallory', 'bot:echo'].map((author, at) =>
      fake.post(comments, author, at === 2 ? `You wrote:\n${marked('x')}` : marked('old')),
    );
    expect((await keep({ body }, { env: fake.onPull() })).stdout).toMatch(
      /^Comment created \(1 older comment folded\): /,
    );
    expect(posts.map(({ minimized }) => minimized)).toEqual(['OUTDATED', undefined, undefined]);
    expect(posts.map(({ body }) => body.split('\n').at(-2))).toEqual(['old', 'old', 'x']);
    fake.fail({ on: /minimizeComment/, how: { status: 403, body: { message: 'Resource not accessible' } } });
    if (posts[0] !== undefined) delete posts[0].minimized;
    expect((await keep({ body }, { env: fake.onPull() })).stdout).toMatch(
      /\nComment of another account, which the token may not change: https:.*\n$/,
    );
  });

  test('names the note of a replaced token on GitLab, which it may not change', async () => {
    const fake = await startGitlab();
    const former = fake.note(fake.notes, 40, marked('old'), undefined);
    Object.assign(former, { author: { id: 40, username: 'project_77_bot_0a1b' } });
    const ran = await keep({ body }, { env: fake.env });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^Comment created: .*\nComment of another account.*#note_901\n$/);
    expect(former.body).toBe(marked('old'));
  });

  test.each(['GitHub', 'GitLab'])(
    'is created again on %s if it is deleted before the update',
    async (name) => {
      const fake = name === 'GitHub' ? await startGithub() : await startGitlab();
      const env = 'notes' in fake ? fake.env : fake.onPull();
      const posts = 'notes' in fake ? fake.notes : (fake.comments.get(12) ?? []);
      if ('notes' in fake) fake.note(fake.notes, 41, marked('old'));
      else fake.post(fake.comments.get(12) ?? [], 'github-actions', marked('old'));
      const how = { status: 404, body: { message: '404 Not found' } };
      fake.fail({ on: /updateIssueComment|PUT .*notes/, how });
      expect((await keep({ body }, { env })).stdout).toMatch(/^Comment created: /);
      expect(posts).toHaveLength(2);
      fake.fail({ on: /updateIssueComment|PUT .*notes/, how });
      expect((await keep({ body: 'No changes.', creates: false }, { env })).stdout).toBe(
        'No comment to update.\n',
      );
    },
  );
});

test('names the missing variable if the request is not known', async () => {
  const fails = async (env: Record<string, string>) => (await keep({ body }, { env })).stderr;
  expect(await fails({})).toContain(
    'this does not run in GitHub or GitLab\n  help: run it in a GitHub workflow',
  );
  const both = { GITHUB_REPOSITORY: 'a/b', CI_PROJECT_ID: '1' };
  expect(await fails(both)).toContain('the variables of both GitHub and GitLab are set');
  expect(await fails({ GITHUB_REPOSITORY: 'docs' })).toContain('"docs" is not a repository of GitHub');
  expect(await fails({ GITHUB_REPOSITORY: 'a/b' })).toContain('no token: GITHUB_TOKEN is not set');
  expect(await fails({ CI_PROJECT_ID: '1', CI_JOB_TOKEN: 'abcd' })).toContain(
    'no token: GITLAB_TOKEN is not set',
  );
  expect(await fails({ GITHUB_REPOSITORY: 'a/b', GITHUB_TOKEN: 'a b' })).toContain(
    'GITHUB_TOKEN contains spaces',
  );
  const plain = { GITHUB_REPOSITORY: 'a/b', GH_TOKEN: 'abcd' };
  expect(await fails({ ...plain, GITHUB_API_URL: 'http://github.acme.dev' })).toContain(
    'GITHUB_API_URL would send the token to github.acme.dev unencrypted',
  );
  expect(await fails({ ...plain, GITHUB_API_URL: 'api' })).toContain('GITHUB_API_URL is not an http(s) URL');
  expect(await fails({ ...plain, GITHUB_EVENT_PATH: '/missing/event.json' })).toContain('GITHUB_EVENT_PATH');
  const push = { ...plain, GITHUB_REF: 'refs/heads/main', GITHUB_SHA: 'main' };
  expect(await fails(push)).toContain('the variables of the run name no commit: "main"');
});

test('the variables of a run identify its request', () => {
  const [own, merge] = ['a'.repeat(40), 'b'.repeat(40)];
  const file = (event: unknown) => join(folder({ 'event.json': JSON.stringify(event) }), 'event.json');
  const head = (full_name: string) => ({ sha: own, repo: { full_name } });
  const github = { GITHUB_REPOSITORY: 'acme/docs', GITHUB_SHA: merge };
  const onGithub = (pull_request: unknown) =>
    pipelineRun({ ...github, GITHUB_EVENT_PATH: file({ pull_request }) })?.request;
  const pull = { number: 12, base: { ref: 'main' } };
  expect(onGithub({ ...pull, head: head('acme/docs') })).toEqual({
    number: 12,
    head: own,
    isFork: false,
    target: 'main',
  });
  expect(onGithub({ ...pull, head: head('mallory/docs') })).toMatchObject({ isFork: true });
  // A deleted fork has no repository.
  expect(onGithub({ ...pull, head: { sha: own, repo: null } })).toMatchObject({ isFork: true });
  expect(pipelineRun({ ...github, GITHUB_REF: 'refs/tags/v1' })).toEqual({
    forge: 'github',
    repository: 'acme/docs',
  });
  const gitlab = {
    CI_PROJECT_ID: '77',
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_PROJECT_ID: '77',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '77',
    CI_COMMIT_SHA: merge,
  };
  expect(pipelineRun(gitlab)?.request).toMatchObject({ number: 7, head: merge, isFork: false });
  // For a merged result, the last commit of the branch is used.
  expect(pipelineRun({ ...gitlab, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: own })?.request).toMatchObject({
    head: own,
  });
  // Run in the fork, and in the project itself.
  for (const more of [{ CI_PROJECT_ID: '99' }, { CI_PROJECT_ID: '77' }])
    expect(
      pipelineRun({ ...gitlab, ...more, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '99' })?.request,
    ).toMatchObject({ isFork: true });
  for (const number of ['', '0', '-7', '7/notes', '1e3', '9'.repeat(10)])
    expect(pipelineRun({ ...gitlab, CI_MERGE_REQUEST_IID: number })?.request, number).toBeUndefined();
});

test('reports name the last commit of the request, not a temporary merge commit', () => {
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

test('after a merge on GitHub, the comment of its pull request is updated', async () => {
  const fake = await startGithub();
  const comments = fake.comments.get(12) ?? [];
  const plan = fake.post(comments, 'github-actions', marked('the plan'));
  const sha = 'a'.repeat(40);
  const head = { sha: 'b'.repeat(40) };
  const merged_at = '2026-11-22T06:00:00Z';
  fake.pulls.push({ number: 12, merged_at, merge_commit_sha: sha, base: { ref: 'main' }, head });
  const ran = await keep({ body: 'applied\n' }, { env: fake.onPush(sha) });
  expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Comment updated: ') });
  expect(plan.body).toBe(marked('applied'));
  const direct = await keep({ body: 'applied\n' }, { env: fake.onPush('c'.repeat(40)) });
  expect(direct).toMatchObject({
    code: 0,
    stdout: 'No comment: no merged pull request brought cccccccccccc into main.\n',
  });
});

describe('on GitLab', () => {
  async function setup() {
    const fake = await startGitlab();
    const comment = (body = '2 changes\n', env: Readonly<Record<string, string>> = fake.env) =>
      keep({ body }, { env });
    return { fake, comment };
  }

  test('is created, and updated in place on a later page', async () => {
    const { fake, comment } = await setup();
    for (let count = 0; count < 4; count += 1) fake.note(fake.notes, 5, `remark ${count}`);
    const forged = fake.note(fake.notes, 5, marked('forged'));
    expect((await comment()).stdout).toBe(
      'Comment created: https://gitlab.com/acme/docs/-/merge_requests/7#note_906\n',
    );
    expect((await comment('3 changes\n')).stdout).toMatch(/^Comment updated: .*#note_906\n$/);
    expect(fake.notes.at(-1)?.body).toBe(marked('3 changes'));
    expect(fake.log.filter((line) => line.startsWith('GET') && line.endsWith('/notes'))).toHaveLength(6);
    expect(forged.body).toBe(marked('forged'));
  });

  test('replaces older duplicates by a link to the newer note', async () => {
    const { fake, comment } = await setup();
    const old = fake.note(fake.notes, 41, marked('old'));
    const current = fake.note(fake.notes, 41, marked('newer'));
    expect((await comment()).stdout).toContain('Comment updated (1 older comment folded)');
    expect(old.body).toBe(
      `Outdated: see [the newer note](https://gitlab.com/acme/docs/-/merge_requests/7#note_${current.id}).`,
    );
    expect(current.body).toBe(marked('2 changes'));
  });

  test('looks up a note after a lost response, and waits for rate limits', async () => {
    const { fake, comment } = await setup();
    fake.fail({ on: /GET .*\/notes/, how: { status: 429, headers: { 'retry-after': '2' } } });
    fake.fail({ on: /POST .*\/notes/, how: 'lost' });
    expect(await comment()).toMatchObject({ code: 0, stderr: '' });
    expect(fake.notes).toHaveLength(1);
    expect(fake.log.filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  test('names a note by its number without the URL of the project', async () => {
    const { fake, comment } = await setup();
    const { CI_PROJECT_URL: _page, ...env } = fake.env;
    expect((await comment(undefined, env)).stdout).toBe('Comment created: note 901\n');
    const wrong = await comment(undefined, { ...env, CI_MERGE_REQUEST_IID: '8' });
    expect(wrong.stderr).toMatch(/GitLab responded with 404: 404 Not found\n {2}help: check the repository/);
    const refused = await comment(undefined, { ...env, GITLAB_TOKEN: 'glpat-wrong' });
    expect(refused.stderr).toContain('help: check GITLAB_TOKEN: it was not accepted');
    expect(refused.stderr).not.toContain('glpat-wrong');
  });

  test('updates the note of the merge request after a merge', async () => {
    const { fake, comment } = await setup();
    const [pushed, other] = ['a'.repeat(40), 'b'.repeat(40)];
    const merged = { state: 'merged', target_branch: 'main', squash_commit_sha: null, sha: other } as const;
    fake.requests.push(
      { ...merged, iid: 5, target_branch: 'next', merge_commit_sha: pushed },
      { ...merged, iid: 6, merge_commit_sha: other },
      { ...merged, iid: 7, merge_commit_sha: pushed },
    );
    const note = fake.note(fake.notes, 41, marked('the plan'));
    const ran = await comment(undefined, fake.onPush(pushed));
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(`Comment updated: `) });
    expect(note.body).toBe(marked('2 changes'));
    const none = await comment(undefined, fake.onPush('c'.repeat(40)));
    expect(none).toMatchObject({
      code: 0,
      stdout: 'No comment: no merged merge request brought cccccccccccc into main.\n',
    });
  });
});
