/**
 * `octavo ci drift --accept` on several nights, with fake forges, the embedded service and a repository with a remote.
 */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git, initBare, initRepository } from '../cli/git.ts';
import { folder, octavo } from '../cli/octavo.ts';
import { startGithub } from '../support/forge/github.ts';
import { type FakeGitlab, startGitlab } from '../support/forge/gitlab.ts';
import { patience } from '../support/runs.ts';

const timeout = patience(120_000);
const branch = 'octavo/drift';
const manifest = `octavo: 1
organization: org_acme
teams:
  docs: { title: Docs }
  ops: { title: "\${env:OPS:-Ops}" }
`;

interface Opened {
  readonly state: string | undefined;
  readonly text: string | undefined;
}

interface Forge {
  readonly env: Readonly<Record<string, string>>;
  readonly token: string;
  readonly log: readonly string[];
  /** Pull requests of the branch. */
  readonly opened: () => readonly Opened[];
  /** The variable with the commit of the run. */
  readonly sha: string;
}

async function github(): Promise<Forge> {
  const fake = await startGithub();
  return {
    ...{ log: fake.log, token: fake.token },
    env: { ...fake.env, GITHUB_ACTIONS: 'true', GITHUB_REF: 'refs/heads/main' },
    sha: 'GITHUB_SHA',
    opened: () =>
      fake.pulls.map(({ state, body }) => ({ state: state?.replace('open', 'opened'), text: body })),
  };
}

async function gitlab(given?: FakeGitlab): Promise<Forge> {
  const fake = given ?? (await startGitlab());
  const { CI_MERGE_REQUEST_IID: _none, ...env } = fake.env;
  return {
    ...{ log: fake.log, token: fake.token },
    env: { ...env, CI_COMMIT_BRANCH: 'main' },
    sha: 'CI_COMMIT_SHA',
    opened: () => fake.requests.map(({ state, description }) => ({ state, text: description })),
  };
}

/** A repository with a remote, whose manifests are applied. */
async function nights(forge: Forge, { record = true } = {}) {
  const outer = folder({
    'repo/docs/acme.yaml': manifest,
  });
  const [cwd, remote] = [join(outer, 'repo'), join(outer, 'origin.git')];
  initBare(outer, remote);
  initRepository(cwd);
  git(cwd, 'remote', 'add', 'origin', remote);
  const commit = (message: string) => {
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '--quiet', '-m', message);
    git(cwd, 'push', '--quiet', 'origin', 'HEAD:main');
  };
  commit('The workspace');
  const env = { OCTAVO_BASE_URL: `local:${join(outer, 'acme.db')}` };
  const inService = async (...args: string[]) => {
    const ran = await octavo(args, { cwd, env });
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
    });
    const text = ran.stdout + ran.stderr;
    expect(text).not.toContain(forge.token);
    return { code: ran.code, text };
  };
  const branchTip = () =>
    git(remote, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`).trim();
  return { cwd, remote, commit, renameTeam, night, branchTip };
}

describe.each([
  ['GitHub', github],
  ['GitLab', () => gitlab()],
])('on %s', (_, start) => {
  test('opens one pull request for drift, updates it the next nights, and closes it without drift', {
    timeout,
  }, async () => {
    const forge = await start();
    const { remote, renameTeam, night, branchTip } = await nights(forge);
    expect(await night()).toMatchObject({ code: 0, text: expect.stringContaining('No drift to accept.\n') });
    expect(forge.opened()).toEqual([]);
    expect(branchTip()).toBe('');

    await renameTeam('Docs', 'Docs <b>@everyone</b>');
    const first = await night();
    expect(first, first.text).toMatchObject({ code: 0, text: expect.stringContaining('Opened: https://') });
    expect(forge.opened()).toMatchObject([{ state: 'opened', text: expect.stringContaining('teams/docs') }]);
    // The title appears only in code, where it mentions no one.
    expect(forge.opened()[0]?.text?.replaceAll(/`[^`]*`/g, '')).not.toMatch(/<b>|@/);
    const tip = branchTip();
    expect(git(remote, 'rev-parse', `${branch}^`)).toBe(git(remote, 'rev-parse', 'main'));
    expect(git(remote, 'diff', '--stat', 'main', branch)).toContain('docs/acme.yaml | 2 +-\n 1 file changed');
    expect(git(remote, 'show', `${branch}:docs/acme.yaml`)).toContain(
      'docs: { title: Docs <b>@everyone</b> }',
    );

    // The next night opens no second one, and pushes no commit.
    expect((await night()).text).toContain('Updated: https://');
    expect(forge.opened()).toHaveLength(1);
    expect(branchTip()).toBe(tip);

    await renameTeam('Docs <b>@everyone</b>', 'Pages');
    expect((await night()).code).toBe(0);
    expect(forge.opened()).toMatchObject([{ state: 'opened', text: expect.stringContaining('Pages') }]);
    expect(branchTip()).not.toBe(tip);
    expect(git(remote, 'rev-list', '--count', `main..${branch}`).trim()).toBe('1');

    await renameTeam('Pages', 'Docs');
    expect((await night()).text).toContain('No drift to accept any more. Closed: https://');
    expect(forge.opened()).toMatchObject([{ state: 'closed' }]);
    expect(branchTip()).toBe('');
  });

  test('lists differences it cannot accept in the pull request, and fails without others', {
    timeout,
  }, async () => {
    const forge = await start();
    const { renameTeam, night, branchTip } = await nights(forge);
    await renameTeam('Ops', 'Operations');
    const alone = await night();
    expect(alone.code).toBe(1);
    expect(alone.text).toContain('none of it can be written into the manifests');
    expect(alone.text).toContain('teams/ops');
    expect(forge.opened()).toEqual([]);
    expect(branchTip()).toBe('');
    await renameTeam('Docs', 'Pages');
    const both = await night();
    expect(both, both.text).toMatchObject({ code: 0 });
    const [{ text = '' } = { text: '' }] = forge.opened();
    expect(text).toContain('teams/docs');
    expect(text).toMatch(/Not accepted:[\s\S]*teams\/ops/);
  });
});

test('keeps commits of others on the branch, and writes no branch without a record', {
  timeout,
}, async () => {
  const forge = await github();
  const { cwd, renameTeam, night, branchTip } = await nights(forge);
  await renameTeam('Docs', 'Pages');
  expect((await night()).code).toBe(0);
  git(cwd, 'fetch', '--quiet', 'origin', branch);
  git(cwd, 'checkout', '--quiet', '-B', 'mine', 'FETCH_HEAD');
  writeFileSync(join(cwd, 'docs/notes.txt'), 'mine\n');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '--quiet', '-m', 'Mine');
  git(cwd, 'push', '--quiet', 'origin', `HEAD:${branch}`);
  const tip = branchTip();
  await renameTeam('Pages', 'Texts');
  const kept = await night();
  expect(kept).toMatchObject({
    code: 1,
    text: expect.stringContaining('has commits of others (ada@acme.dev)'),
  });
  await renameTeam('Texts', 'Docs');
  expect((await night()).code).toBe(1);
  expect(branchTip()).toBe(tip);
  expect(forge.opened()).toMatchObject([{ state: 'opened' }]);

  const other = await github();
  const unrecorded = await nights(other, { record: false });
  await unrecorded.renameTeam('Docs', 'Pages');
  const ran = await unrecorded.night();
  expect(ran).toMatchObject({ code: 1, text: expect.stringContaining('nothing is recorded') });
  expect(other.log).toEqual([]);
  expect(unrecorded.branchTip()).toBe('');
  expect(existsSync(join(unrecorded.cwd, '.git/FETCH_HEAD'))).toBe(false);
});

test('keeps the merge request of a fork on GitLab', { timeout }, async () => {
  const fake = await startGitlab();
  const commits = { merge_commit_sha: null, squash_commit_sha: null, sha: '' };
  const theirs = { iid: 66, state: 'opened', source_project_id: 999, ...commits } as const;
  const between = { source_branch: branch, target_branch: 'main', title: 'Mine', description: 'mine' };
  fake.requests.push({ ...theirs, ...between });
  const forge = await gitlab(fake);
  const { renameTeam, night } = await nights(forge);
  await renameTeam('Docs', 'Pages');
  expect((await night()).text).toContain('Opened: https://');
  expect((await night()).text).toContain('Updated: https://');
  await renameTeam('Pages', 'Docs');
  expect((await night()).text).toContain('Closed: https://');
  const [first, second, ...more] = fake.requests;
  expect(first).toEqual({ ...theirs, ...between });
  expect(second).toMatchObject({ state: 'closed', description: expect.stringContaining('Pages') });
  expect(more).toEqual([]);
});

test('pushes an update despite another git identity of the runner', { timeout }, async () => {
  const forge = await github();
  const runner = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'Runner'],
      [`GIT_${who}_EMAIL`, 'runner@acme.dev'],
    ]),
  );
  const { renameTeam, night } = await nights({ ...forge, env: { ...forge.env, ...runner } });
  for (const [from, to] of [
    ['Docs', 'Pages'],
    ['Pages', 'Texts'],
  ] as const) {
    await renameTeam(from, to);
    expect(await night()).toMatchObject({ code: 0 });
  }
});
