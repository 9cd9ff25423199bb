/** The advice of `octavo undo` about the commits of the run: what it prints works. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, initRepository } from './git.ts';
import { folder, manifest, octavo } from './octavo.ts';
import { local, withTeams } from './plans.ts';

const undo = (cwd: string, args: readonly string[]) => octavo(['undo', ...args], { cwd, env: local });

test('names the commit to revert, after which the plan is empty', async () => {
  const cwd = folder({ 'acme.yaml': manifest, '.gitignore': 'w.db*\n' });
  initRepository(cwd);
  const apply = async (text: string) => {
    writeFileSync(join(cwd, 'acme.yaml'), text);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '--quiet', '-m', 'changed');
    const ran = await octavo(['apply', '--auto-approve', '--record'], { cwd, env: local });
    expect(ran).toMatchObject({ code: 0 });
  };
  await apply(manifest);
  await apply(withTeams({ platform: '{ title: Infrastructure, was: Platform }' }));
  const commit = git(cwd, 'rev-parse', 'HEAD').trim();
  const ran = await undo(cwd, ['--auto-approve']);
  expect(ran.stderr.replace(/\s+/g, ' ')).toContain(
    `revert it: git revert --no-edit ${commit}; otherwise the next apply applies it again`,
  );
  // Plans behave as the message describes.
  const drifted = await octavo(['plan', '--base', 'applied'], { cwd, env: local });
  expect(drifted.stdout).toContain('Drift: changed outside git, will be reverted');
  git(cwd, 'revert', '--no-edit', commit);
  const after = await octavo(['plan', '--base', 'applied'], { cwd, env: local });
  expect(after.stdout).toContain('No changes. Live state matches the manifests.');
  const [, second = ''] = readdirSync(join(cwd, '.octavo/journal'))
    .map((name) => name.replace('.ndjson', ''))
    .sort();
  expect((await undo(cwd, [second, '--auto-approve'])).stderr).toContain('If the manifests still declare');
});

test('names commands that revert a merge and the commits since the record, after which the plan is empty', async () => {
  const cwd = folder({ 'acme.yaml': manifest, '.gitignore': 'w.db*\n' });
  initRepository(cwd);
  const commit = (text: string) => {
    writeFileSync(join(cwd, 'acme.yaml'), text);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '--quiet', '-m', 'changed');
  };
  const apply = () => octavo(['apply', '--auto-approve', '--record'], { cwd, env: local });
  commit(manifest);
  expect(await apply()).toMatchObject({ code: 0 });
  commit(withTeams({ platform: '{ title: Platforms, was: Platform }', writers: '{ title: Writers }' }));
  git(cwd, 'checkout', '--quiet', '-b', 'request');
  commit(withTeams({ platform: '{ title: Platforms }', writers: '{ title: Editors, was: Writers }' }));
  git(cwd, 'checkout', '--quiet', '-');
  git(cwd, 'merge', '--quiet', '--no-ff', '-m', 'Merge the request', 'request');
  expect(await apply()).toMatchObject({ code: 0 });
  const ran = await undo(cwd, ['--auto-approve']);
  expect(ran.code).toBe(0);
  const [, commands = ''] = /revert it: (.*?); otherwise/.exec(ran.stderr.replace(/\s+/g, ' ')) ?? [];
  expect(commands).toMatch(/^git revert --no-edit -m 1 \w+ && git revert --no-edit \w+$/);
  for (const command of commands.split(' && ')) git(cwd, ...command.split(' ').slice(1));
  const after = await octavo(['plan', '--detailed-exitcode'], { cwd, env: local });
  expect(after).toMatchObject({ code: 0 });
});
