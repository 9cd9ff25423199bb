/** `octavo ci drift --accept` on several nights. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git } from '../cli/git.ts';
import { startGitlab } from '../support/forge/gitlab.ts';
import { branch, githubNights, gitlabNights, nights } from '../support/forge/nights.ts';
import { patience } from '../support/runs.ts';

const timeout = patience(120_000);

describe.each([
  ['GitHub', githubNights],
  ['GitLab', () => gitlabNights()],
])('on %s', (_, start) => {
  test('opens one pull request for drift, updates it the next nights, and closes it without drift', {
    timeout,
  }, async () => {
    const forge = await start();
    const { remote, renameTeam, night, branchTip } = await nights(forge);
    expect(await night()).toMatchObject({ code: 0, text: expect.stringContaining('No drift to accept.\n') });
    expect(forge.requests()).toEqual([]);
    expect(branchTip()).toBe('');

    await renameTeam('Docs', 'Docs <b>@everyone</b>');
    const first = await night();
    expect(first, first.text).toMatchObject({
      code: 0,
      text: expect.stringContaining('Request created: https://'),
    });
    expect(forge.requests()).toMatchObject([{ state: 'open', text: expect.stringContaining('teams/docs') }]);
    // The title appears only in code, where it mentions no one.
    expect(forge.requests()[0]?.text?.replaceAll(/`[^`]*`/g, '')).not.toMatch(/<b>|@/);
    const tip = branchTip();
    expect(git(remote, 'rev-parse', `${branch}^`)).toBe(git(remote, 'rev-parse', 'main'));
    expect(git(remote, 'diff', '--stat', 'main', branch)).toContain('docs/acme.yaml | 2 +-\n 1 file changed');
    expect(git(remote, 'show', `${branch}:docs/acme.yaml`)).toContain(
      'docs: { title: Docs <b>@everyone</b> }',
    );

    // The next night opens no second one, and pushes no commit.
    expect((await night()).text).toMatch(/Request (updated|unchanged): https:/);
    expect(forge.requests()).toHaveLength(1);
    expect(branchTip()).toBe(tip);

    await renameTeam('Docs <b>@everyone</b>', 'Pages');
    expect((await night()).code).toBe(0);
    expect(forge.requests()).toMatchObject([{ state: 'open', text: expect.stringContaining('Pages') }]);
    expect(branchTip()).not.toBe(tip);
    expect(git(remote, 'rev-list', '--count', `main..${branch}`).trim()).toBe('1');

    await renameTeam('Pages', 'Docs');
    expect((await night()).text).toContain('No drift to accept any more. Closed: https://');
    expect(forge.requests()).toMatchObject([{ state: 'closed' }]);
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
    expect(forge.requests()).toEqual([]);
    expect(branchTip()).toBe('');
    await renameTeam('Docs', 'Pages');
    const both = await night();
    expect(both, both.text).toMatchObject({ code: 0 });
    const [{ text = '' } = { text: '' }] = forge.requests();
    expect(text).toContain('teams/docs');
    expect(text).toMatch(/Not accepted:[\s\S]*teams\/ops/);
  });
});

test('opens a request that takes access out that has ended', { timeout }, async () => {
  const forge = await githubNights();
  let day = '2027-01-30';
  const { remote, commit, inService, bring, night } = await nights(forge, { now: () => Date.parse(day) });
  const links = (until: string) =>
    `octavo: 1\norganization: org_acme\nsites: { hub: { title: Hub, shareLinks: { press: { name: Press${until} } } } }\n`;
  commit('Share', { 'docs/hub.yaml': links(', until: 2027-01-31') });
  await inService('apply', '-f', 'docs', '--auto-approve', '--record=origin');
  expect((await night()).text).toContain('No drift to accept.\n');
  day = '2027-02-01';
  const ended = await night();
  expect(ended, ended.text).toMatchObject({ code: 0, text: expect.stringContaining('Request created: ') });
  expect(git(remote, 'show', `${branch}:docs/hub.yaml`)).toContain('shareLinks: {}');
  await bring();
  expect(await inService('api', 'sites.list', 'organizationId=org_acme')).toContain('Hub');
  expect(await inService('plan', '-f', 'docs')).toContain('No changes');
  expect((await night()).text).toContain('No drift to accept');
});

test('keeps commits of others on the branch, and writes no branch without a record', {
  timeout,
}, async () => {
  const forge = await githubNights();
  const { renameTeam, night, branchTip, pushToBranch } = await nights(forge);
  await renameTeam('Docs', 'Pages');
  expect((await night()).code).toBe(0);
  pushToBranch('docs/notes.txt', 'mine\n');
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
  expect(forge.requests()).toMatchObject([{ state: 'open' }]);

  const other = await githubNights();
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
  const forge = await gitlabNights(fake);
  const { renameTeam, night } = await nights(forge);
  await renameTeam('Docs', 'Pages');
  expect((await night()).text).toContain('Request created: https://');
  expect((await night()).text).toMatch(/Request (updated|unchanged): https:/);
  await renameTeam('Pages', 'Docs');
  expect((await night()).text).toContain('Closed: https://');
  const [first, second, ...more] = fake.requests;
  expect(first).toEqual({ ...theirs, ...between });
  expect(second).toMatchObject({ state: 'closed', description: expect.stringContaining('Pages') });
  expect(more).toEqual([]);
});

test('pushes an update despite another git identity of the runner', { timeout }, async () => {
  const forge = await githubNights();
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
