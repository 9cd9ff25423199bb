/** A project with a remote and a fake forge: requests are planned, merged and applied by its pipelines. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { git, initBare, initRepository } from '../../cli/git.ts';
import { folder, manifest, octavo } from '../../cli/octavo.ts';
import { type FakeGithub, startGithub } from './github.ts';
import { type FakeGitlab, startGitlab } from './gitlab.ts';

type Env = Readonly<Record<string, string>>;

/** A repository with a remote, whose main branch is applied and recorded. */
export async function project(config?: string, more: Readonly<Record<string, string>> = {}) {
  const outer = folder({ 'work/docs/acme.yaml': manifest, 'work/.gitignore': '.octavo\n' });
  const cwd = join(outer, 'work');
  initRepository(cwd);
  initBare(outer, 'origin.git');
  git(cwd, 'remote', 'add', 'origin', join(outer, 'origin.git'));
  const service = {
    OCTAVO_BASE_URL: `local:${join(folder({}), 'acme.db')}`,
  };
  const run = (args: readonly string[], env: Env = {}) => octavo(args, { cwd, env: { ...service, ...env } });
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(cwd, name, '..'), { recursive: true });
      if (text === '') rmSync(join(cwd, name), { force: true });
      else writeFileSync(join(cwd, name), text);
    }
  };
  const commit = (files: Readonly<Record<string, string>>) => {
    write(files);
    git(cwd, 'add', '-A');
    const own = Object.keys(files).filter((name) => /^(?:octavo-ci|\.octavo)\//.test(name));
    if (own.length > 0) git(cwd, 'add', '--force', ...own);
    git(cwd, 'commit', '--quiet', '--allow-empty', '-m', 'change');
    return git(cwd, 'rev-parse', 'HEAD').trim();
  };
  const push = () => git(cwd, 'push', '--quiet', 'origin', 'HEAD:main');
  commit({ ...more, ...(config === undefined ? {} : { 'octavo.config.yaml': config }) });
  push();
  const first = await run(['apply', '--auto-approve', '-f', 'docs', '--record=origin']);
  expect(first, first.stderr).toMatchObject({ code: 0 });
  const titles = async () => {
    const { stdout } = await run(['api', 'teams.list', 'organizationId=org_acme', '--paginate']);
    return (JSON.parse(stdout) as { title: string }[]).map(({ title }) => title).sort();
  };
  return { cwd, run, write, commit, push, titles };
}

export type Project = Awaited<ReturnType<typeof project>>;

export interface Forge {
  readonly plan: (head: string, ...args: string[]) => ReturnType<Project['run']>;
  /** The job of a commit of the branch, or of the last merge. */
  readonly apply: (commit?: string) => ReturnType<Project['run']>;
  /** Texts of the comments of the request. */
  readonly comments: () => readonly string[];
  /** Merges the request with this last commit. */
  readonly merge: (head: string, more?: { readonly isFork?: boolean }) => void;
}

/** `of`: another request of the same project. */
export async function onGithub(
  { cwd, run }: Project,
  { of, number = 12 }: { readonly of?: FakeGithub | undefined; readonly number?: number } = {},
): Promise<Forge & { readonly fake: FakeGithub }> {
  const fake = of ?? (await startGithub());
  if (!fake.comments.has(number)) fake.comments.set(number, []);
  let merged = '';
  return {
    fake,
    plan: (head, ...args) => run(['ci', 'plan', '-f', 'docs', ...args], fake.onPull({ head, number })),
    apply: (commit = merged) => run(['ci', 'apply', '-f', 'docs'], fake.onPush(commit)),
    comments: () => (fake.comments.get(number) ?? []).map(({ body }) => body),
    merge: (sha, { isFork = false } = {}) => {
      merged = git(cwd, 'rev-parse', 'HEAD').trim();
      const repo = { head: { id: isFork ? 2 : 1 }, base: { id: 1 } };
      fake.pulls.push({
        number,
        merged_at: '2026-11-22T06:00:00Z',
        merge_commit_sha: merged,
        base: { ref: 'main', repo: repo.base },
        head: { sha, repo: repo.head },
      });
    },
  };
}

export async function onGitlab(
  { cwd, run }: Project,
  { of, number = 7 }: { readonly of?: FakeGitlab | undefined; readonly number?: number } = {},
): Promise<Forge & { readonly fake: FakeGitlab }> {
  const fake = of ?? (await startGitlab());
  fake.notesOf(number);
  let [merged, ids] = ['', 500 + 100 * number];
  const names = ['approval.json', 'plan.md'];
  return {
    fake,
    plan: async (head, ...args) => {
      fake.heads.set(number, head);
      const ran = await run(['ci', 'plan', '-f', 'docs', ...args], {
        ...fake.env,
        CI_COMMIT_SHA: head,
        CI_MERGE_REQUEST_IID: String(number),
        CI_PROJECT_DIR: cwd,
      });
      const found = names.filter((name) => existsSync(join(cwd, 'octavo-ci', name)));
      const files = Object.fromEntries(
        found.map((name) => [`octavo-ci/${name}`, readFileSync(join(cwd, 'octavo-ci', name), 'utf8')]),
      );
      ids += 2;
      fake.pipelines.push({ id: ids, iid: number, project: 77, jobs: [{ id: ids + 1, files }] });
      return ran;
    },
    apply: (commit = merged) =>
      run(['ci', 'apply', '-f', 'docs'], { ...fake.onPush(commit), CI_PROJECT_DIR: cwd }),
    comments: () => fake.notesOf(number).map(({ body }) => body),
    merge: (sha, { isFork = false } = {}) => {
      merged = git(cwd, 'rev-parse', 'HEAD').trim();
      fake.requests.push({
        ...{
          iid: number,
          state: 'merged',
          target_branch: 'main',
          merge_commit_sha: merged,
          squash_commit_sha: null,
          sha,
        },
        ...{ source_project_id: isFork ? 88 : 77, target_project_id: 77 },
      });
    },
  };
}
