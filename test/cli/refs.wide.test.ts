/** Refs of records and locks match by their full names, and records that no apply wrote are rejected or reported. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { lockRef } from '../../src/past/lock/ref-lock.ts';
import { ref, sharedRemote, teams } from './clones.ts';
import { git } from './git.ts';

/** A clone in which two teams were applied and recorded. */
async function recorded() {
  const manifest = (keys: readonly string[]) => ({
    'acme.yaml': teams(Object.fromEntries(keys.map((key) => [key, key]))),
  });
  const { service, bare, first } = await sharedRemote(manifest(['a', 'b']));
  const { root, run } = first;
  expect(await run('apply', '--auto-approve', '--record=origin')).toMatchObject({ code: 0 });
  return { service, root, bare, run, commit: (...keys: readonly string[]) => first.push(manifest(keys)) };
}

/** Creates a record by hand; returns its commit. */
function forge(root: string, content: unknown, parents: readonly string[]): string {
  const [input, text] = [{ cwd: root, encoding: 'utf8' as const }, JSON.stringify(content)];
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { ...input, input: text }).trim();
  const tree = execFileSync('git', ['mktree'], {
    ...input,
    input: `100644 blob ${blob}\tapplied.json\n`,
  }).trim();
  return git(root, 'commit-tree', tree, ...parents.flatMap((oid) => ['-p', oid]), '-m', 'Apply').trim();
}

test('a branch named like a record is neither used as a base nor blocks records', async () => {
  const { root, bare, run, commit } = await recorded();
  commit('a');
  // The branch claims that the removal was applied.
  const content = {
    format: 1,
    organization: 'org_acme',
    commit: git(root, 'rev-parse', 'HEAD').trim(),
    digest: 'x',
    time: new Date().toISOString(),
    run: 'r-x',
    ids: {},
  };
  const forged = forge(root, content, [content.commit]);
  git(root, 'push', '--quiet', 'origin', `${forged}:refs/heads/${ref}`);
  git(root, 'fetch', '--quiet', 'origin');
  const planned = await run('plan');
  expect(planned).toMatchObject({ code: 0, stderr: '' });
  expect(planned.stdout).toContain('- teams/b');
  expect(await run('apply', '--auto-approve', '--record=origin')).toMatchObject({ code: 0 });
  expect(JSON.parse(git(bare, 'cat-file', 'blob', `${ref}:applied.json`)).commit).toBe(content.commit);
  expect(git(bare, 'rev-parse', `refs/heads/${ref}`).trim()).toBe(forged);
  // The first record is not pushed to such a branch either.
  git(bare, 'update-ref', '-d', ref);
  git(root, 'update-ref', '-d', ref);
  expect(await run('apply', '--auto-approve', '--record=origin')).toMatchObject({ code: 0 });
  expect(git(bare, 'rev-parse', `refs/heads/${ref}`).trim()).toBe(forged);
  expect(git(bare, 'rev-parse', ref).trim()).not.toBe(forged);
});

test('a branch named like a lock neither blocks an apply nor is changed', async () => {
  const { service, root, bare, run, commit } = await recorded();
  commit('a', 'b', 'c');
  const name = lockRef('org_acme', service.url);
  git(root, 'push', '--quiet', 'origin', `HEAD:refs/heads/${name}`);
  const before = git(bare, 'for-each-ref', 'refs/heads/refs/');
  const ran = await run('apply', '--auto-approve', '--lock', 'git:origin');
  expect(ran).toMatchObject({ code: 0 });
  expect(git(bare, 'for-each-ref', 'refs/heads/refs/')).toBe(before);
  expect(git(bare, 'for-each-ref', 'refs/octavo/locks')).toBe('');
  expect(git(root, 'for-each-ref', 'refs/octavo/outgoing')).toBe('');
  expect(await run('unlock', '--lock', 'git:origin')).toMatchObject({ code: 0 });
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['whose commit is not its parent', { commit: 'HEAD~1' }, 'is not its parent'],
  ['of another organization', { organization: 'org_other' }, 'it is about "org_other"'],
  ['whose commit is a ref', { commit: 'refs/heads/main' }, 'its content is not a record'],
  ['whose commit is an option', { commit: '--output=x' }, 'its content is not a record'],
  ['without ids', { ids: 'none' }, 'its content is not a record'],
])('a record %s is rejected as not written by an apply', async (_name, change, flaw) => {
  const { root, run, commit } = await recorded();
  commit('a');
  const head = git(root, 'rev-parse', 'HEAD').trim();
  const good = JSON.parse(git(root, 'cat-file', 'blob', `${ref}:applied.json`));
  const named = change.commit === 'HEAD~1' ? git(root, 'rev-parse', 'HEAD~1').trim() : change.commit;
  const content = { ...good, commit: head, ...change, ...(named === undefined ? {} : { commit: named }) };
  git(root, 'push', '--quiet', '--force', 'origin', `${forge(root, content, [head])}:${ref}`);
  for (const command of [['plan'], ['drift'], ['apply', '--auto-approve', '--record']]) {
    const ran = await run(...command);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('was not written by octavo apply');
    expect(ran.stderr).toContain(flaw);
  }
  // Both remedies.
  expect((await run('plan', '--base', 'HEAD~1')).stdout).toContain('- teams/b');
  git(root, 'push', '--quiet', '--force', 'origin', `${git(root, 'rev-parse', ref).trim()}:${ref}`);
});

test('ids in a record that its commit does not declare are reported', async () => {
  const { root, run, commit } = await recorded();
  const good = JSON.parse(git(root, 'cat-file', 'blob', `${ref}:applied.json`));
  const content = { ...good, ids: { ...good.ids, 'teams/zed': 'team_1' } };
  git(root, 'push', '--quiet', '--force', 'origin', `${forge(root, content, [good.commit])}:${ref}`);
  git(root, 'update-ref', '-d', ref);
  commit('a');
  const ran = await run('plan');
  expect(ran.stderr).toContain('has ids of teams/zed, which the commit');
  expect(ran.stdout).toContain('- teams/b');
});
