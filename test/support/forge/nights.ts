/** Nights of `octavo ci drift --accept`, with a fake forge, the embedded service and a repository with a remote. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { git, initBare, initRepository } from '../../cli/git.ts';
import { folder, octavo } from '../../cli/octavo.ts';
import { startGithub } from './github.ts';
import { startGitlab } from './gitlab.ts';

export const branch = 'octavo/drift';
const manifest = `octavo: 1
organization: org_acme
teams:
  docs: { title: Docs }
  ops: { title: "\${env:OPS:-Ops}" }
`;

/** A request from the branch of drift, as people see and change it. */
export interface SeenRequest {
  state: 'open' | 'closed' | 'merged';
  title: string;
  text: string;
  target: string;
  head: string;
  readonly labels: string[];
}

export interface NightForge {
  readonly env: Readonly<Record<string, string>>;
  readonly token: string;
  readonly log: readonly string[];
  readonly fail: Awaited<ReturnType<typeof startGithub>>['fail'];
  readonly requests: () => readonly SeenRequest[];
  /** The variable with the commit of the run. */
  readonly sha: string;
}

export async function githubNights(): Promise<NightForge> {
  const fake = await startGithub();
  const seen = (pull: (typeof fake.pulls)[number]): SeenRequest => ({
    get state() {
      return pull.merged_at === null ? (pull.state ?? 'open') : 'merged';
    },
    set state(state) {
      pull.state = state === 'open' ? 'open' : 'closed';
      if (state === 'merged') pull.merged_at = '2026-11-22T06:00:00Z';
    },
    get title() {
      return pull.title ?? '';
    },
    set title(title) {
      pull.title = title;
    },
    get text() {
      return pull.body ?? '';
    },
    set text(text) {
      pull.body = text;
    },
    get target() {
      return pull.base.ref;
    },
    set target(ref) {
      pull.base.ref = ref;
    },
    get head() {
      return pull.head.sha;
    },
    set head(sha) {
      pull.head.sha = sha;
    },
    labels: pull.labels ?? [],
  });
  return {
    ...{ log: fake.log, token: fake.token, fail: fake.fail },
    env: { ...fake.env, GITHUB_ACTIONS: 'true', GITHUB_REF: 'refs/heads/main' },
    sha: 'GITHUB_SHA',
    requests: () => fake.pulls.map(seen),
  };
}

export async function gitlabNights(given?: Awaited<ReturnType<typeof startGitlab>>): Promise<NightForge> {
  const fake = given ?? (await startGitlab());
  const { CI_MERGE_REQUEST_IID: _none, ...env } = fake.env;
  const seen = (request: (typeof fake.requests)[number]): SeenRequest => ({
    get state() {
      return request.state === 'opened' ? 'open' : request.state;
    },
    set state(state) {
      request.state = state === 'open' ? 'opened' : state;
    },
    get title() {
      return request.title ?? '';
    },
    set title(title) {
      request.title = title;
    },
    get text() {
      return request.description ?? '';
    },
    set text(text) {
      request.description = text;
    },
    get target() {
      return request.target_branch;
    },
    set target(target) {
      request.target_branch = target;
    },
    get head() {
      return request.sha;
    },
    set head(sha) {
      request.sha = sha;
    },
    labels: request.labels ?? [],
  });
  return {
    ...{ log: fake.log, token: fake.token, fail: fake.fail },
    env: { ...env, CI_COMMIT_BRANCH: 'main' },
    sha: 'CI_COMMIT_SHA',
    requests: () => fake.requests.map(seen),
  };
}

/** A repository with a remote, whose manifests are applied. */
export async function nights(forge: NightForge, { record = true, now = Date.now } = {}) {
  const outer = folder({
    'repo/docs/acme.yaml': manifest,
  });
  const [cwd, remote] = [join(outer, 'repo'), join(outer, 'origin.git')];
  initBare(outer, remote);
  initRepository(cwd);
  git(cwd, 'remote', 'add', 'origin', remote);
  const commit = (message: string, files: Readonly<Record<string, string>> = {}) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '--quiet', '--allow-empty', '-m', message);
    git(cwd, 'push', '--quiet', 'origin', 'HEAD:main');
  };
  commit('The workspace');
  const env = { OCTAVO_BASE_URL: `local:${join(outer, 'acme.db')}` };
  const inService = async (...args: string[]) => {
    const ran = await octavo(args, { cwd, env, now });
    expect(ran.code, ran.stderr).toBe(0);
    return ran.stdout;
  };
  await inService('apply', '-f', 'docs', '--auto-approve', ...(record ? ['--record=origin'] : []));
  /** Changes the title of a team outside git. */
  const renameTeam = async (from: string, to: string) => {
    const { items } = JSON.parse(await inService('api', 'teams.list', 'organizationId=org_acme')) as {
      items: { id: string; title: string }[];
    };
    const { id } = items.find(({ title }) => title === from) ?? {};
    await inService('api', 'teams.update', 'organizationId=org_acme', `teamId=${id}`, '-F', `title=${to}`);
  };
  /** Runs the job of one night in a new clone of main. */
  const night = async () => {
    const work = mkdtempSync(join(outer, 'night-'));
    git(outer, 'clone', '--quiet', '--branch', 'main', remote, work);
    const sha = git(work, 'rev-parse', 'HEAD').trim();
    const ran = await octavo(['ci', 'drift', '-f', 'docs', '--accept'], {
      cwd: work,
      env: { ...env, ...forge.env, [forge.sha]: sha },
      now,
    });
    const text = ran.stdout + ran.stderr;
    expect(text).not.toContain(forge.token);
    return { code: ran.code, text };
  };
  const branchTip = () =>
    git(remote, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`).trim();
  /** Commits of a person on the branch; returns the last one. */
  const pushToBranch = (file: string, text: string, ...amend: string[]) => {
    git(cwd, 'fetch', '--quiet', 'origin', branch);
    git(cwd, 'checkout', '--quiet', '-B', 'mine', 'FETCH_HEAD');
    writeFileSync(join(cwd, file), text);
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '--quiet', '-m', 'Mine', ...amend);
    git(cwd, 'push', '--quiet', '--force', 'origin', `HEAD:${branch}`);
    git(cwd, 'checkout', '--quiet', '-');
    return branchTip();
  };
  /** Brings the branch into main; the service has that state already. */
  const bring = async (...how: string[]) => {
    git(cwd, 'fetch', '--quiet', 'origin', branch);
    git(cwd, 'merge', '--quiet', ...how, 'FETCH_HEAD');
    commit('Accept drift');
    await inService('apply', '-f', 'docs', '--auto-approve', '--record=origin');
  };
  return { cwd, remote, commit, inService, bring, renameTeam, night, branchTip, pushToBranch };
}
