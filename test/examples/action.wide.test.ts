/**
 * The action as a runner runs it: its scripts and the built command, with a fake GitHub, the embedded service and a
 * repository with a remote.
 */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { git, initRepository } from '../cli/git.ts';
import { folder, manifest, octavo, root, stateHome } from '../cli/octavo.ts';
import { type FakeGithub, startGithub } from '../support/forge/github.ts';
import { patience } from '../support/runs.ts';

/** The result of a run of the action. */
interface ActionRun {
  readonly code: number;
  /** The id of the process that a runner signals. */
  readonly pid: number | undefined;
  /** The output on stdout and stderr. */
  readonly text: string;
  readonly outputs: Readonly<Record<string, string>>;
}

interface Runner {
  readonly fake: FakeGithub;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly commit: (text: string) => string;
  readonly onPull: (head: string, inputs?: Record<string, string>) => Promise<ActionRun>;
  readonly onMain: (inputs: Record<string, string>) => Promise<ActionRun>;
  readonly merge: (head: string) => string;
}

/** Each run takes several processes. */
const timeout = patience(120_000);

const given = '-f docs';
const first = ['apply', '-f', 'docs', '--record', '--auto-approve'];

/** `action` is the checkout of the action. */
async function startRunner(action = root): Promise<Runner> {
  const fake = await startGithub();
  const outer = folder({ 'repo/docs/acme.yaml': manifest, 'event.json': '{}' });
  const cwd = join(outer, 'repo');
  git(outer, 'init', '--quiet', '--bare', 'origin.git');
  initRepository(cwd);
  git(cwd, 'remote', 'add', 'origin', join(outer, 'origin.git'));
  git(cwd, 'config', 'user.name', 'Ada');
  git(cwd, 'config', 'user.email', 'ada@acme.dev');
  const env = { OCTAVO_BASE_URL: `local:${join(outer, 'acme.db')}` };
  const commit = (text: string) => {
    writeFileSync(join(cwd, 'docs/acme.yaml'), text);
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '--quiet', '--allow-empty', '-m', 'change');
    return git(cwd, 'rev-parse', 'HEAD').trim();
  };
  commit(manifest);
  git(cwd, 'push', '--quiet', 'origin', 'main');
  const applied = await octavo(first, { cwd, env });
  expect(applied.code, applied.stderr).toBe(0);

  let runs = 0;
  const run = (given: Record<string, string>): Promise<ActionRun> => {
    runs += 1;
    const [outputs, summary] = ['outputs', 'summary'].map((name) => join(outer, `${name}-${runs}`)) as [
      string,
      string,
    ];
    for (const file of [outputs, summary]) writeFileSync(file, '');
    const { PATH = '', HOME = '' } = process.env;
    return new Promise((done) => {
      const child = execFile(
        join(action, 'scripts/action/run.sh'),
        {
          cwd,
          env: {
            ...{ PATH, HOME, XDG_STATE_HOME: stateHome, RUNNER_TEMP: outer },
            ...{ CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '5', GITHUB_OUTPUT: outputs },
            ...{ GITHUB_STEP_SUMMARY: summary },
            ...fake.env,
            ...env,
            ...given,
          },
        },
        (error, stdout, stderr) => {
          const lines = readFileSync(outputs, 'utf8').matchAll(/^(\w+)=(.*)$/gm);
          const code = typeof error?.code === 'number' ? error.code : 0;
          const text = stdout + stderr;
          expect(text).not.toContain(fake.token);
          done({
            pid: child.pid,
            code,
            text,
            outputs: Object.fromEntries([...lines].map(([, key, value]) => [key, value])),
          });
        },
      );
      onTestFinished(() => void child.kill());
    });
  };
  const onPull: Runner['onPull'] = (head, inputs = {}) => {
    const event = join(outer, 'event.json');
    // The forge knows the head of the request.
    fake.onPull({ head });
    const pull = { number: 12, base: { ref: 'main' }, head: { sha: head, repo: { full_name: 'acme/docs' } } };
    if (!('GITHUB_EVENT_PATH' in inputs)) writeFileSync(event, JSON.stringify({ pull_request: pull }));
    return run({ ACTION_COMMAND: 'plan', ACTION_ARGS: given, GITHUB_EVENT_PATH: event, ...inputs });
  };
  const onMain: Runner['onMain'] = (inputs) => {
    const sha = git(cwd, 'rev-parse', 'HEAD').trim();
    return run({ GITHUB_REF: 'refs/heads/main', GITHUB_SHA: sha, ...inputs });
  };
  return {
    fake,
    cwd,
    env,
    commit,
    onPull,
    onMain,
    merge: (head) => {
      git(cwd, 'checkout', '--quiet', 'main');
      git(cwd, 'merge', '--quiet', '--no-ff', '-m', 'Merge', head);
      git(cwd, 'push', '--quiet', 'origin', 'main');
      const sha = git(cwd, 'rev-parse', 'HEAD').trim();
      const merged_at = '2026-11-22T06:00:00Z';
      fake.pulls.push({
        number: 12,
        merged_at,
        merge_commit_sha: sha,
        base: { ref: 'main' },
        head: { sha: head },
      });
      return sha;
    },
  };
}

/** Changes the title of a team outside git, as a user of the app could. */
async function renameTeam({ cwd, env }: Runner, from: string, to: string): Promise<void> {
  const teams = await octavo(['api', 'teams.list', 'organizationId=org_acme'], { cwd, env });
  const { items } = JSON.parse(teams.stdout) as { items: { id: string; title: string }[] };
  const { id } = items.find(({ title }) => title === from) ?? {};
  const ran = await octavo(
    ['api', 'teams.update', 'organizationId=org_acme', `teamId=${id}`, '-F', `title=${to}`],
    { cwd, env },
  );
  expect(ran.code, ran.stderr).toBe(0);
}

const apply = { ACTION_COMMAND: 'apply', ACTION_ARGS: given };

test('keeps one comment from the first plan to the apply, which applies only the approved plan', {
  timeout,
}, async () => {
  const runner = await startRunner();
  const { fake, cwd, env, commit, onPull, onMain, merge } = runner;
  const comments = fake.comments.get(12) ?? [];
  git(cwd, 'checkout', '--quiet', '-b', 'topic');

  const renamed = manifest.replace('title: Platform', 'title: Infrastructure');
  const first = await onPull(commit(renamed));
  expect(first.code, first.text).toBe(0);
  expect(first.outputs).toMatchObject({ changes: '1', deletes: '0', failure_reason: '' });
  expect(first.outputs.digest).toMatch(/^[0-9a-f]{16,64}$/);
  expect(comments).toHaveLength(1);
  expect(comments[0]?.body).toContain('Infrastructure');
  expect(first.text).toMatch(
    /^::notice file=docs\/acme\.yaml,line=4,.*::teams\/platform: title "Platform" → "Infrastructure"$/m,
  );

  const head = commit(`${renamed}  editors: { title: Editors }\n`);
  const second = await onPull(head);
  expect(second.outputs).toMatchObject({ changes: '2' });
  expect(comments).toHaveLength(1);
  expect(comments[0]?.body).toContain('Editors');
  expect(fake.checks.map(({ conclusion }) => conclusion)).toEqual(['success', 'success']);

  merge(head);
  const applied = await onMain(apply);
  expect(applied.code, applied.text).toBe(0);
  expect(applied.text).toContain('Approved by the merge of request 12');
  expect(comments).toHaveLength(1);
  expect(comments[0]?.body).toMatch(/^<!-- octavo:plan -->\n### octavo apply · org\\_acme · complete\n/);
  expect(comments[0]?.body).toMatch(/Undo: octavo undo r-[0-9a-z]+-[0-9a-f]{8}/);
  const unchanged = await onMain(apply);
  expect(unchanged.code, unchanged.text).toBe(0);
  expect(comments).toMatchObject([{ body: expect.stringContaining('· nothing to apply') }]);
  const after = await octavo(['plan', '-f', 'docs', '--base', 'applied'], { cwd, env });
  expect(after.stdout).toContain('No changes.');
});

test('a label lifts a rule of the base, for the pull request and for its apply', { timeout }, async () => {
  const { fake, cwd, env, commit, onPull, onMain, merge } = await startRunner();
  writeFileSync(
    join(cwd, 'octavo.rules.yaml'),
    'rules: { frozen: { when: { kind: team }, message: teams are frozen, exempt: { label: thaw } } }\n',
  );
  commit(manifest);
  git(cwd, 'push', '--quiet', 'origin', 'main');
  const based = await octavo(first, { cwd, env });
  expect(based.code, based.stderr).toBe(0);
  git(cwd, 'checkout', '--quiet', '-b', 'topic');
  rmSync(join(cwd, 'octavo.rules.yaml'));
  const head = commit(manifest.replace('title: Platform', 'title: Infrastructure'));
  const refused = await onPull(head);
  expect(refused.code, refused.text).toBe(3);
  expect(fake.comments.get(12)?.[0]?.body).toContain('**Rules** 1 refuses: frozen');
  fake.review.labels.push('thaw');
  fake.review.events.push({ event: 'labeled', label: { name: 'thaw' }, actor: { login: 'eve' } });
  const lifted = await onPull(head);
  expect(lifted.code, lifted.text).toBe(0);
  expect(fake.comments.get(12)?.[0]?.body).toContain('lifted by eve, label thaw on pull request 12');
  merge(head);
  const applied = await onMain(apply);
  expect(applied.code, applied.text).toBe(0);
  const record = git(cwd, 'show', 'refs/octavo/applied/org_acme:applied.json');
  expect(JSON.parse(record)).toMatchObject({
    exemptions: [
      { rule: 'frozen', address: 'teams/platform', by: 'eve', why: 'label thaw on pull request 12' },
    ],
  });
});

test('an apply fails and sends no change if an object of the plan changed since', {
  timeout,
}, async () => {
  const runner = await startRunner();
  const { fake, cwd, env, commit, onPull, onMain, merge } = runner;
  git(cwd, 'checkout', '--quiet', '-b', 'topic');
  const head = commit(manifest.replace('title: Platform', 'title: Infrastructure'));
  expect((await onPull(head)).code).toBe(0);
  merge(head);
  await renameTeam(runner, 'Platform', 'Base');
  fake.fail({ on: /updateIssueComment/, how: { status: 403, body: { message: 'no' } } });
  const ran = await onMain(apply);
  expect(ran.code).not.toBe(0);
  expect(ran.text).toContain('teams/platform');
  expect(ran.text).toContain('not approved');
  expect(ran.outputs.failure_reason).toBe('unexpected-plan');
  const teams = await octavo(['api', 'teams.list', 'organizationId=org_acme'], {
    cwd,
    env,
  });
  const titles = JSON.parse(teams.stdout).items.map(({ title }: { title: string }) => title);
  expect(titles.sort()).toEqual(['Base', 'Writers']);

  expect(ran.text).toContain(
    'warning[comment]: the result could not be written in the comment: GitHub responded',
  );
  await onMain(apply);
  const [failed, ...others] = fake.comments.get(12) ?? [];
  expect(others).toEqual([]);
  expect(failed?.body).toContain('### octavo apply · ✗ failed · 1 error');
  expect(failed?.body).toContain('not approved');
});

test('drift of other objects since the plan is kept and reported', { timeout }, async () => {
  const runner = await startRunner();
  const { cwd, commit, onPull, onMain, merge } = runner;
  git(cwd, 'checkout', '--quiet', '-b', 'topic');
  const head = commit(manifest.replace('title: Platform', 'title: Infrastructure'));
  expect((await onPull(head)).code).toBe(0);
  merge(head);
  await renameTeam(runner, 'Writers', 'Authors');
  const ran = await onMain(apply);
  expect(ran.code, ran.text).toBe(0);
  expect(ran.text).toContain('drifted since the approval, and is left alone: teams/writers');
  expect(ran.text).toContain('1 updated');
});

test('errors of a plan are in the comment until a push fixes them', {
  timeout,
}, async () => {
  const { fake, cwd, commit, onPull } = await startRunner();
  const comments = fake.comments.get(12) ?? [];
  git(cwd, 'checkout', '--quiet', '-b', 'topic');
  const hostile = manifest.replace('title: Platform', '"titel</details>@ada": Platform');
  const head = commit(hostile);
  const wrong = await onPull(head, { GITHUB_SHA: 'b'.repeat(40) });
  expect(wrong.code).toBe(1);
  const [comment] = comments;
  expect(comment?.body).toContain('### octavo validate · ✗ failed · 1 error');
  expect(comment?.body).toContain('at `docs/acme.yaml:4:');
  expect(comment?.body).toContain(`head \`${head.slice(0, 7)}\``);
  expect(comment?.body).not.toContain('bbbbbbb');
  expect(comment?.body).not.toMatch(/<\/details>|@ada/);
  expect((await onPull(commit(manifest.replace('title: Platform', 'title: Infrastructure')))).code).toBe(0);
  expect(comments).toEqual([comment]);
  expect(comment?.body).toContain('Infrastructure');
  expect(comment?.body).not.toContain('failed');
});

test('a commit without a pull request is not applied, and a fork gets no plan', { timeout }, async () => {
  const { fake, cwd, env, commit, onPull, onMain } = await startRunner();
  const pushed = commit(manifest.replace('title: Platform', 'title: Infrastructure'));
  const ran = await onMain(apply);
  expect(ran).toMatchObject({ code: 1, outputs: { failure_reason: 'no-approval' } });
  expect(ran.text).toContain(`no merged pull request brought ${pushed.slice(0, 12)}`);
  expect(ran.text).toContain('::error title=octavo%3A no-approval::no merged pull request brought');
  expect((await octavo(['plan', '-f', 'docs', '--base', 'applied'], { cwd, env })).stdout).toContain(
    'Infrastructure',
  );

  const event = join(cwd, '../fork.json');
  writeFileSync(
    event,
    JSON.stringify({
      pull_request: {
        number: 12,
        base: { ref: 'main' },
        head: { sha: pushed, repo: { full_name: 'mallory/docs' } },
      },
    }),
  );
  const fork = await onPull(pushed, { GITHUB_EVENT_PATH: event });
  expect(fork, fork.text).toMatchObject({ code: 0 });
  expect(fork.text).toContain(
    'pull request 12 of acme/docs is from a fork, which has no token to plan with: it is validated only.',
  );
  expect(fork.text).toContain('Valid: 1 organization');
  expect(fake.comments.get(12)).toEqual([]);
  expect(fake.checks).toEqual([]);
});

test('one issue is open while drift exists', { timeout }, async () => {
  const runner = await startRunner();
  const { fake, onMain } = runner;
  writeFileSync(join(runner.cwd, 'octavo.config.yaml'), 'ci: { issueTitle: Drift in Acme }\n');
  const drift = { ACTION_COMMAND: 'drift', ACTION_ARGS: given };
  expect(await onMain(drift)).toMatchObject({ code: 0, outputs: { drift: '0' } });
  expect(fake.issues).toEqual([]);
  await renameTeam(runner, 'Writers', 'Authors');
  const found = await onMain(drift);
  expect(found, found.text).toMatchObject({ code: 0, outputs: { drift: '1', failure_reason: '' } });
  expect(fake.issues).toMatchObject([
    { title: 'Drift in Acme', state: 'open', body: expect.stringContaining('Authors') },
  ]);
  await renameTeam(runner, 'Authors', 'Writers');
  await onMain(drift);
  expect(fake.issues).toMatchObject([
    { state: 'closed', reason: 'completed', body: expect.stringContaining('**No drift since ') },
  ]);
});

test('manifests are validated without a token, and inputs are not executed', { timeout }, async () => {
  const { cwd, commit, onMain } = await startRunner();
  const validate = { ACTION_COMMAND: 'validate', GITHUB_TOKEN: '', ACTION_ARGS: '-f docs' };
  expect(await onMain(validate)).toMatchObject({ code: 0 });
  commit(manifest.replace('title: Platform', 'titel: Platform'));
  const wrong = await onMain(validate);
  expect(wrong.code).toBe(1);
  expect(wrong.text).toMatch(/::error .*file=docs\/acme\.yaml,line=4/);
  const hostile = await onMain({
    ...validate,
    ACTION_ARGS: '-f docs $(touch pwned) `touch pwned` ; touch pwned *',
  });
  expect(hostile.code).toBe(1);
  expect(existsSync(join(cwd, 'pwned'))).toBe(false);
  const unclosed = await onMain({ ...validate, ACTION_ARGS: `-f "docs` });
  expect(unclosed).toMatchObject({ code: 1, outputs: { failure_reason: '1' } });
  expect(unclosed.text).toBe('::error title=octavo::the input args has a quote (") that is not closed\n');
  const unknown = await onMain({ ...validate, ACTION_COMMAND: '../../evil\n::warning::x' });
  expect(unknown.text).toContain(
    '::error title=octavo::command must be validate, plan, apply, drift, matrix, join or install, is "../../evil%0A::warning::x"',
  );
});

test.each([
  [' -f docs\n\t--quiet ', ['-f', 'docs', '--quiet']],
  ['-f "docs dir"', ['-f', 'docs dir']],
  [`--x='a "b"'"'s"c ''`, ['--x=a "b"\'sc', '']],
  [`"$(touch pwned)" \`id\` '$HOME' * a\\ b`, ['$(touch pwned)', '`id`', '$HOME', '*', 'a\\', 'b']],
  ['', []],
])('the input args %j is split at unquoted spaces', async (args, words) => {
  const action = folder({ 'dist/octavo.js': '#!/bin/sh\nprintf "<%s>" "$@"\n', 'dist/.built': '' });
  chmodSync(join(action, 'dist/octavo.js'), 0o755);
  cpSync(join(root, 'scripts/action'), join(action, 'scripts/action'), { recursive: true });
  const { onMain } = await startRunner(action);
  const { text } = await onMain({ ACTION_COMMAND: 'validate', ACTION_ARGS: args });
  expect(text).toContain(`<validate><--format><github>${words.map((word) => `<${word}>`).join('')}`);
});

test('the apply replaces its shell, so that it gets the signals of a cancelled run', async () => {
  const action = folder({ 'dist/octavo.js': '#!/bin/sh\necho "apply is $$: $*"\n', 'dist/.built': '' });
  chmodSync(join(action, 'dist/octavo.js'), 0o755);
  cpSync(join(root, 'scripts/action'), join(action, 'scripts/action'), { recursive: true });
  const { onMain } = await startRunner(action);
  const ran = await onMain({ ...apply, ACTION_KEY: 'production' });
  expect(ran.code).toBe(0);
  expect(ran.text).toBe(`apply is ${ran.pid}: ci apply --key production -f docs\n`);
});
