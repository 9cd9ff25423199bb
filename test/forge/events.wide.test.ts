/**
 * What each command of `octavo ci` does for each event, with the payloads of GitHub and the variables of GitLab. The rows are those of
 * the table in docs/ci.md.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { git } from '../cli/git.ts';
import { manifest } from '../cli/octavo.ts';
import { pullEvent, startGithub } from '../support/forge/github.ts';
import { startGitlab } from '../support/forge/gitlab.ts';
import { project } from '../support/forge/project.ts';
import { patience } from '../support/runs.ts';

type Env = Readonly<Record<string, string>>;
type Command = 'plan' | 'apply' | 'drift';

const timeout = patience(120_000);
const wrong = (command: Command) => ({ code: 1, stderr: `octavo ci ${command} is for` });

/** A request whose commit renames a team, on `topic`, and its merge in `main`. */
async function world(config = 'ci: { approval: none }\n') {
  const repository = await project(config);
  const { cwd, commit, push, run } = repository;
  const base = git(cwd, 'rev-parse', 'HEAD').trim();
  git(cwd, 'checkout', '--quiet', '-b', 'topic');
  const head = commit({ 'docs/acme.yaml': manifest.replace('title: Writers', 'title: Authors') });
  const ran = async (command: Command, env: Env) => {
    const { code, stdout, stderr } = await run(['ci', command, '-f', 'docs'], env);
    return { code, text: (stdout + stderr).replace(/\s+/g, ' ') };
  };
  return { ...repository, base, head, ran, push };
}

type World = Awaited<ReturnType<typeof world>>;
const state = {} as { world: World };

/** None of these events is for an apply: nothing is sent and nothing is recorded, even with `approval: none`. */
async function expectRefused(env: Env, commands: readonly Command[]) {
  const { ran, titles, cwd } = state.world;
  const records = () => git(cwd, 'ls-remote', 'origin', 'refs/octavo/*');
  const before = [await titles(), records()];
  for (const command of commands) {
    const { code, text } = await ran(command, env);
    expect({ code, text }).toMatchObject({ code: 1, text: expect.stringContaining(wrong(command).stderr) });
  }
  expect([await titles(), records()]).toEqual(before);
}

const rows: Readonly<Record<string, () => Promise<void>>> = {
  'a request, also a draft; its labels, reviews': async () => {
    const { head, ran } = state.world;
    const github = await startGithub();
    const event = pullEvent({ head });
    const draft = { ...event, action: 'labeled', pull_request: { ...event.pull_request, draft: true } };
    const review = { ...event, action: 'submitted', review: { state: 'approved', commit_id: head } };
    for (const [name, payload] of [
      ['pull_request', draft],
      ['pull_request_review', review],
    ] as const) {
      github.onPull({ head });
      const env = github.onEvent(name, 'refs/pull/12/merge', payload, { GITHUB_BASE_REF: 'main' });
      expect(await ran('plan', env)).toMatchObject({ code: 0 });
      expect(github.comments.get(12)).toMatchObject([{ body: expect.stringContaining('Authors') }]);
      await expectRefused(env, ['apply', 'drift']);
    }
    const gitlab = await startGitlab();
    gitlab.heads.set(7, head);
    const env = { ...gitlab.env, CI_COMMIT_SHA: head };
    expect(await ran('plan', env)).toMatchObject({ code: 0 });
    expect(gitlab.notes).toHaveLength(1);
    await expectRefused(env, ['apply', 'drift']);
  },
  'a request of a fork or of Dependabot, without secrets': async () => {
    const { head, cwd, run } = state.world;
    const [github, gitlab] = [await startGithub(), await startGitlab()];
    const fork = github.onPull({ head, from: 'mallory/docs' });
    const deleted = { ...pullEvent({ head }) };
    Object.assign(deleted.pull_request.head, { repo: null });
    const cases: readonly (readonly [Env, string])[] = [
      [fork, 'is from a fork'],
      [github.onEvent('pull_request', 'refs/pull/12/merge', deleted), 'is from a fork'],
      [{ ...github.onPull({ head }), GITHUB_ACTOR: 'dependabot[bot]' }, 'is from Dependabot'],
      [{ ...gitlab.env, CI_COMMIT_SHA: head, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '88' }, 'is from a fork'],
    ];
    for (const [env, said] of cases) {
      const ran = await run(['ci', 'plan', '-f', 'docs'], { ...env, OCTAVO_TOKEN: '' });
      expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining(said) });
      await expectRefused(env, ['apply', 'drift']);
    }
    expect([github.log, gitlab.log, github.checks]).toEqual([[], [], []]);
    expect(git(cwd, 'status', '--porcelain')).toBe('');
  },
  pull_request_target: async () => {
    const { head, base } = state.world;
    const github = await startGithub();
    const env = github.onEvent('pull_request_target', 'refs/heads/main', pullEvent({ head }), {
      GITHUB_SHA: base,
      GITHUB_BASE_REF: 'main',
    });
    await expectRefused(env, ['plan', 'apply', 'drift']);
    expect(github.log).toEqual([]);
  },
  'a merge queue, a merge train': async () => {
    const { head, base, ran } = state.world;
    const [github, gitlab] = [await startGithub(), await startGitlab()];
    const train = {
      ...gitlab.env,
      CI_COMMIT_SHA: head,
      CI_MERGE_REQUEST_EVENT_TYPE: 'merge_train',
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head,
      CI_MERGE_REQUEST_TARGET_BRANCH_SHA: base,
    };
    for (const env of [github.onQueue({ base, head }), train]) {
      const planned = await ran('plan', env);
      expect(planned).toMatchObject({ code: 0, text: expect.stringContaining('merge queue of main') });
      expect(planned.text).toContain('Authors');
      await expectRefused(env, ['apply', 'drift']);
    }
    expect([github.log, gitlab.log]).toEqual([[], []]);
  },
  'a commit of another branch, also of a queue': async () => {
    const { head } = state.world;
    const [github, gitlab] = [await startGithub(), await startGitlab()];
    const queue = 'gh-readonly-queue/main/pr-12-0a1b';
    for (const env of [
      github.onPush(head, 'topic'),
      github.onPush(head, queue),
      github.onEvent(
        'workflow_dispatch',
        'refs/heads/topic',
        { ref: 'refs/heads/topic' },
        { GITHUB_SHA: head },
      ),
      { ...gitlab.onPush(head, 'topic'), CI_OPEN_MERGE_REQUESTS: 'acme/docs!7' },
    ])
      await expectRefused(env, ['plan', 'apply']);
  },
  'a tag': async () => {
    const { head } = state.world;
    const [github, gitlab] = [await startGithub(), await startGitlab()];
    const push = { ref: 'refs/tags/v1', after: head };
    const { CI_COMMIT_BRANCH: _branch, ...tag }: Env = { ...gitlab.onPush(head), CI_COMMIT_TAG: 'v1' };
    for (const env of [github.onEvent('push', 'refs/tags/v1', push, { GITHUB_SHA: head }), tag])
      await expectRefused(env, ['plan', 'apply', 'drift']);
  },
  'a commit of the default branch, with a merged request': async () => {
    const { cwd, head, ran, run, push, titles, base } = await world('ci: { rehearse: false }\n');
    const github = await startGithub();
    expect(await ran('plan', github.onPull({ head }))).toMatchObject({ code: 0 });
    git(cwd, 'checkout', '--quiet', '-B', 'main', base);
    git(cwd, 'merge', '--quiet', '--no-ff', '-m', 'Merge', 'topic');
    push();
    const merged = git(cwd, 'rev-parse', 'HEAD').trim();
    github.pulls.push({
      ...{ number: 12, merged_at: '2026-11-22T06:00:00Z', merge_commit_sha: merged },
      ...{ base: { ref: 'main', repo: { id: 1 } }, head: { sha: head, repo: { id: 1 } } },
    });
    const env = github.onPush(merged, 'main', base);
    expect(await ran('plan', env)).toMatchObject({
      code: 1,
      text: expect.stringContaining(wrong('plan').stderr),
    });
    expect(await ran('apply', env)).toMatchObject({ code: 0 });
    expect(await titles()).toContain('Authors');
    expect(await ran('drift', env)).toMatchObject({ code: 0 });
    // The job again, with the same payload.
    const again = await run(['ci', 'apply', '-f', 'docs'], env);
    expect(again, again.stderr).toMatchObject({ code: 0 });
  },
  'a commit of the default branch, without a request': async () => {
    const { cwd, ran, push, titles, base, head } = await world('ci: { rehearse: false }\n');
    const github = await startGithub();
    git(cwd, 'checkout', '--quiet', '-B', 'main', 'topic');
    push();
    const applied = await ran('apply', github.onPush(head, 'main', base));
    expect(applied).toMatchObject({ code: 1, text: expect.stringContaining('error[no-approval]') });
    expect(await titles()).not.toContain('Authors');
  },
  'workflow_dispatch, a schedule, a pipeline by hand': async () => {
    const { cwd, ran, push, titles, head, write } = await world();
    const [github, gitlab] = [await startGithub(), await startGitlab()];
    git(cwd, 'checkout', '--quiet', '-B', 'main', 'topic');
    push();
    const dispatch = { inputs: null, ref: 'refs/heads/main', workflow: '.github/workflows/apply.yml' };
    const ref = 'refs/heads/main';
    const envs: readonly Env[] = [
      github.onEvent('workflow_dispatch', ref, dispatch, { GITHUB_SHA: head }),
      github.onEvent('schedule', ref, { schedule: '23 5 * * *' }, { GITHUB_SHA: head }),
      { ...gitlab.onPush(head), CI_PIPELINE_SOURCE: 'web', CI_COMMIT_BEFORE_SHA: '0'.repeat(40) },
      { ...gitlab.onPush(head), CI_PIPELINE_SOURCE: 'schedule', CI_COMMIT_BEFORE_SHA: '0'.repeat(40) },
    ];
    for (const env of envs) {
      expect((await ran('plan', env)).text).toContain(wrong('plan').stderr);
      const applied = await ran('apply', { ...env, CI_PROJECT_DIR: cwd });
      expect(applied, applied.text).toMatchObject({ code: 0 });
      expect(await titles()).toContain('Authors');
      expect(await ran('drift', env)).toMatchObject({ code: 0 });
    }
    write({ 'octavo-ci/apply.md': '' });
  },
  'a plan job again, of a commit that is not the last one': async () => {
    const { cwd, head, ran, commit } = await world('ci: { rehearse: false }\n');
    const [github, gitlab] = [await startGithub(), await startGitlab()];
    const first = github.onPull({ head });
    expect(await ran('plan', first)).toMatchObject({ code: 0 });
    const next = commit({ 'docs/acme.yaml': manifest.replace('title: Writers', 'title: Editors') });
    expect(await ran('plan', github.onPull({ head: next }))).toMatchObject({ code: 0 });
    git(cwd, 'checkout', '--quiet', head);
    const again = await ran('plan', first);
    expect(again).toMatchObject({ code: 0, text: expect.stringContaining('its comment stays') });
    expect(github.comments.get(12)).toMatchObject([{ body: expect.stringContaining('Editors') }]);
    expect(github.checks.map(({ head_sha: sha }) => sha)).toEqual([head, next, head]);
    gitlab.heads.set(7, next);
    expect((await ran('plan', { ...gitlab.env, CI_COMMIT_SHA: head })).text).toContain('its comment stays');
    expect(gitlab.notes).toEqual([]);
  },
};

describe('the table in docs/ci.md', () => {
  test('has a test for each row', () => {
    const text = readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8');
    const [, table = ''] = /\n## Events\n[\s\S]*?\n\|-[^\n]*\n((?:\|[^\n]*\n)+)/.exec(text) ?? [];
    const named = table
      .trim()
      .split('\n')
      .map((row) => row.split('|')[1]?.trim().replaceAll('`', ''));
    expect(named).toEqual(Object.keys(rows));
  });

  test.each(Object.entries(rows))('does what it says for %s', { timeout }, async (_, check) => {
    state.world = await world();
    await check();
  });
});

test('applies a branch that the last record names, and no other', { timeout }, async () => {
  const { cwd, head, ran, push, titles, run } = await world(
    'ci: { approval: none, branches: [production] }\n',
  );
  const github = await startGithub();
  push();
  expect((await ran('apply', github.onPush(head, 'main'))).text).toContain(
    'commits of production, not of main',
  );
  // The commit itself cannot add its branch.
  git(cwd, 'checkout', '--quiet', '-b', 'other');
  const own = await world('ci: { approval: none }\n');
  const named = own.commit({ 'octavo.config.yaml': 'ci: { approval: none, branches: [topic] }\n' });
  expect((await own.ran('apply', github.onPush(named, 'topic'))).text).toContain(
    'commits of main, not of topic',
  );
  expect(await own.titles()).not.toContain('Authors');
  const applied = await run(['ci', 'apply', '-f', 'docs'], github.onPush(head, 'production'));
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  expect(await titles()).toContain('Authors');
});
