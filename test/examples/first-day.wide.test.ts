/**
 * From a live workspace to the first approved apply, the first drift issue and the first accepted drift: the commands of README,
 * and the pipelines that init writes, with fake forges.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { sampleSeed } from '../../src/server/index.ts';
import { git, initBare, initRepository } from '../cli/git.ts';
import { folder, octavo } from '../cli/octavo.ts';
import { served } from '../cli/served.ts';
import { startGithub } from '../support/forge/github.ts';
import { startGitlab } from '../support/forge/gitlab.ts';
import { patience } from '../support/runs.ts';

const timeout = patience(120_000);
const token = 'token-of-the-tests';

interface Step {
  readonly uses?: string;
  readonly with?: { readonly command?: string; readonly args?: string };
}

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

async function firstDay() {
  const { service } = await served({ token, seed: sampleSeed });
  const outer = folder({});
  const [cwd, remote] = [join(outer, 'acme'), join(outer, 'origin.git')];
  initBare(outer, remote);
  initRepository(cwd);
  git(cwd, 'remote', 'add', 'origin', remote);
  const env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: token };
  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const ran = await octavo(args, { cwd, env: { ...env, ...more } });
    return { code: ran.code, text: ran.stdout + ran.stderr };
  };
  const commit = (message: string) => {
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '--quiet', '-m', message);
    return git(cwd, 'rev-parse', 'HEAD').trim();
  };
  const push = (branch: string) => git(cwd, 'push', '--quiet', 'origin', `HEAD:${branch}`);
  /** Someone changes the title of a team in the app. */
  const renameTeam = async (from: string, to: string) => {
    const { text } = await run(['api', 'teams.list', 'organizationId=org_acme']);
    const { items } = JSON.parse(text) as { items: { id: string; title: string }[] };
    const { id } = items.find(({ title }) => title === from) ?? {};
    const ran = await run([
      'api',
      'teams.update',
      'organizationId=org_acme',
      `teamId=${id}`,
      '-F',
      `title=${to}`,
    ]);
    expect(ran.code, ran.text).toBe(0);
  };
  return { cwd, run, commit, push, renameTeam };
}

/** Differences between the forges. */
interface Forge {
  readonly ci: 'github' | 'gitlab';
  /** The command line of an event, in the pipelines that init wrote. */
  readonly lineOf: (cwd: string, event: 'plan' | 'apply' | 'drift') => readonly string[];
  readonly onRequest: (cwd: string, head: string) => Readonly<Record<string, string>>;
  readonly onMain: (commit: string) => Readonly<Record<string, string>>;
  /** After the plan: stores artifacts as the pipeline does. */
  readonly planned: (cwd: string) => void;
  readonly merged: (head: string, commit: string) => void;
  readonly comment: () => string;
  readonly issue: () => string;
  readonly saying: RegExp;
}

async function github(): Promise<Forge> {
  const fake = await startGithub();
  const env = { ...fake.env, GITHUB_ACTIONS: 'true' };
  return {
    ci: 'github',
    lineOf: (cwd, event) => {
      const text = readFileSync(join(cwd, `.github/workflows/octavo-${event}.yml`), 'utf8');
      const steps = Object.values((parse(text) as Workflow).jobs).flatMap((job) => job.steps);
      const { command = '', args = '' } =
        steps.find(({ uses }) => uses?.startsWith('<owner>/octavo'))?.with ?? {};
      return ['ci', command, ...args.split(' ')];
    },
    onRequest: (cwd, head) => {
      const event = join(cwd, '../event.json');
      const pull = {
        number: 12,
        base: { ref: 'main' },
        head: { sha: head, repo: { full_name: 'acme/docs' } },
      };
      writeFileSync(event, JSON.stringify({ pull_request: pull }));
      fake.onPull({ head });
      return { ...env, GITHUB_EVENT_PATH: event };
    },
    onMain: (commit) => ({ ...env, GITHUB_REF: 'refs/heads/main', GITHUB_SHA: commit }),
    planned: () => undefined,
    merged: (sha, commit) => {
      const merge = { merged_at: '2026-11-22T06:00:00Z', merge_commit_sha: commit };
      fake.pulls.push({ number: 12, ...merge, base: { ref: 'main' }, head: { sha } });
    },
    comment: () => fake.comments.get(12)?.[0]?.body ?? '',
    issue: () => fake.issues.find(({ state }) => state === 'open')?.body ?? '',
    saying:
      /^pull request 12 of acme\/docs, base what was applied, or main@[0-9a-f]{7}, approval by check run$/m,
  };
}

async function gitlab(): Promise<Forge> {
  const fake = await startGitlab();
  return {
    ci: 'gitlab',
    lineOf: (cwd, event) => {
      const jobs = parse(readFileSync(join(cwd, '.gitlab-ci.yml'), 'utf8')) as Record<
        string,
        { readonly script: readonly string[] }
      >;
      const [octavo, ...line] = jobs[event]?.script[0]?.split(' ') ?? [];
      expect(octavo).toBe('octavo');
      return line;
    },
    onRequest: (_, head) => {
      fake.heads.set(7, head);
      return { ...fake.env, CI_COMMIT_SHA: head };
    },
    onMain: (commit) => fake.onPush(commit),
    planned: (cwd) => {
      const name = 'octavo-ci/approval.json';
      const job = { id: 31, files: { [name]: readFileSync(join(cwd, name)) } };
      fake.pipelines.push({ id: 30, iid: 7, project: 77, jobs: [job] });
      rmSync(join(cwd, 'octavo-ci'), { recursive: true });
    },
    merged: (sha, commit) => {
      const commits = { merge_commit_sha: commit, squash_commit_sha: null, sha };
      fake.requests.push({ iid: 7, state: 'merged', target_branch: 'main', ...commits });
    },
    comment: () => fake.notes[0]?.body ?? '',
    issue: () => fake.issues.find(({ state }) => state === 'opened')?.body ?? '',
    saying: /^merge request 7 of acme\/docs, base [^\n]*main@[0-9a-f]{7}, approval by artifact$/m,
  };
}

test.each([
  ['GitHub', github],
  ['GitLab', gitlab],
])('the commands of README and the pipelines from init work on %s', { timeout }, async (_, start) => {
  const forge = await start();
  const { cwd, run, commit, push, renameTeam } = await firstDay();
  const started = await run(['init', '--from-live', '--organization', 'Acme', '--ci', forge.ci]);
  expect(started.code, started.text).toBe(0);
  commit('The workspace');
  const recorded = await run(['apply', '--record', '--auto-approve']);
  expect(recorded.text).toContain('as applied. The record was pushed to origin.');
  push('main');
  const onMain = (event: 'apply' | 'drift', more: readonly string[] = []) =>
    run([...forge.lineOf(cwd, event), ...more], forge.onMain(git(cwd, 'rev-parse', 'HEAD').trim()));
  // The first push to main has no changes, so it needs no approval.
  const unchanged = await onMain('apply');
  expect(unchanged, unchanged.text).toMatchObject({ code: 0 });

  git(cwd, 'checkout', '--quiet', '-b', 'topic');
  const file = git(cwd, 'grep', '--name-only', 'title: Platform', '--', 'docs').split('\n')[0] ?? '';
  const manifest = join(cwd, file);
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('title: Platform', 'title: Infrastructure'));
  const head = commit('The platform team is called infrastructure');
  const planned = await run(forge.lineOf(cwd, 'plan'), forge.onRequest(cwd, head));
  expect(planned, planned.text).toMatchObject({ code: 0 });
  expect(planned.text).toMatch(forge.saying);
  expect(forge.comment()).toContain('Infrastructure');
  forge.planned(cwd);

  git(cwd, 'checkout', '--quiet', 'main');
  git(cwd, 'merge', '--quiet', '--no-ff', '-m', 'Merge', 'topic');
  push('main');
  forge.merged(head, git(cwd, 'rev-parse', 'HEAD').trim());
  const applied = await onMain('apply');
  expect(applied, applied.text).toMatchObject({ code: 0 });
  expect(forge.comment()).toMatch(/### octavo apply[\s\S]*Undo: octavo undo r-/);

  await renameTeam('Infrastructure', 'Base');
  const drifted = await onMain('drift');
  expect(drifted, drifted.text).toMatchObject({ code: 0 });
  expect(forge.issue()).toContain('Base');
  const accepted = await onMain('drift', ['--accept']);
  expect(accepted, accepted.text).toMatchObject({
    code: 0,
    text: expect.stringContaining('Request created: https://'),
  });
  expect(git(cwd, 'ls-remote', 'origin', 'refs/heads/octavo/drift')).not.toBe('');
});
