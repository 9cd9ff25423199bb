/** Plans and records cover whole commits: no removal is lost, and no object in the commit counts as removed. */
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../src/server/index.ts';
import { teams as manifest, ref, sharedRemote } from './clones.ts';
import { git, initRepository } from './git.ts';

/** A manifest with teams by key, whose titles are their keys. */
const teams = (...keys: readonly string[]) => manifest(Object.fromEntries(keys.map((key) => [key, key])));

const apply = ['apply', '--auto-approve'];
const recorded = [...apply, '--record=origin'];

describe('the record is the base', () => {
  test('of plan, apply and drift if it exists, and is named in the first line of the plan', async () => {
    const { first, live } = await sharedRemote({ 'acme.yaml': teams('a', 'b') });
    const before = await first.run('plan');
    expect(before.stdout).toMatch(/^Acme \(org_acme\) {3}base none /);
    expect(await first.run(...recorded)).toMatchObject({ code: 0 });
    first.push({ 'acme.yaml': teams('a') });
    const head = git(first.root, 'rev-parse', '--short=7', 'HEAD~1').trim();
    for (const command of [['plan'], ['drift']]) {
      const ran = await first.run(...command);
      expect(ran).toMatchObject({ code: 0 });
      if (command[0] === 'plan') expect(ran.stdout).toMatch(`Acme (org_acme)   base applied@${head}`);
    }
    const none = await first.run('plan', '--base', 'none');
    expect(none.stdout).toContain('base none');
    expect(none.stdout).not.toMatch(/^ *- /m);
    expect(await first.run(...apply, '--record')).toMatchObject({ code: 0 });
    expect(await live()).toEqual(['a']);
    expect(await first.run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
  });

  test('unless the configuration or --base sets another base', async () => {
    const { first } = await sharedRemote({
      'acme.yaml': teams('a', 'b'),
      'octavo.config.yaml': 'base: none\n',
    });
    expect(await first.run(...recorded)).toMatchObject({ code: 0 });
    first.push({ 'acme.yaml': teams('a') });
    expect((await first.run('plan')).stdout).toContain('base none');
    expect((await first.run('plan', '--base', 'applied')).stdout).toContain('- teams/b');
    first.write({ 'octavo.config.yaml': 'base: HEAD~1\n' });
    expect((await first.run('plan')).stdout).toContain('base HEAD~1@');
  });

  test.each([
    ['--base', 'none'],
    ['--base', 'HEAD'],
    ['--prune', 'never'],
    ['--target', 'teams/a'],
  ])('no removal is recorded as applied with %s %s', async (...flags) => {
    const { first, live } = await sharedRemote({ 'acme.yaml': teams('a', 'b') });
    expect(await first.run(...recorded)).toMatchObject({ code: 0 });
    const record = git(first.root, 'rev-parse', ref);
    first.push({ 'acme.yaml': teams('a') });
    for (const how of ['--record', '--record=origin']) {
      const ran = await first.run(...apply, how, ...flags);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toContain('error[record]');
      expect(git(first.root, 'rev-parse', ref)).toBe(record);
    }
    expect(await live()).toEqual(['a', 'b']);
    expect((await first.run('plan')).stdout).toContain('- teams/b');
  });

  test('running the command again after a failed push records, and applies removals by others', async () => {
    const { bare, clone, first, live } = await sharedRemote({ 'acme.yaml': teams('a', 'b', 'c') });
    expect(await first.run(...recorded)).toMatchObject({ code: 0 });
    first.push({ 'acme.yaml': teams('a', 'b', 'c', 'd') });
    const hook = join(bare, 'hooks/update');
    writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const failed = await first.run(...recorded);
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stderr).toContain('run the same command again');
    rmSync(hook);
    const colleague = clone();
    colleague.push({ 'acme.yaml': teams('a', 'c', 'd') });
    git(first.root, 'pull', '--quiet');
    expect(await first.run(...recorded)).toMatchObject({ code: 0 });
    expect(await live()).toEqual(['a', 'c', 'd']);
  });
});

describe('base and work tree are read the same way', () => {
  const two = { 'docs/a/o.yaml': teams('a1', 'a2'), 'docs/b/o.yaml': teams('b1') };

  test.each([['cone'], ['no-cone']])(
    'a sparse checkout (%s) is rejected without deleting objects',
    async (mode) => {
      const { first, clone, live } = await sharedRemote(two);
      expect(await first.run(...recorded, '-f', 'docs')).toMatchObject({ code: 0 });
      const sparse = clone('--no-checkout');
      git(sparse.root, 'sparse-checkout', 'set', `--${mode}`, mode === 'cone' ? 'docs/a' : '/docs/a/');
      git(sparse.root, 'checkout', '--quiet');
      const commands = [
        ['plan'],
        recorded,
        ['drift'],
        ['plan', '--base', 'HEAD'],
        ['plan', '--base', 'none'],
      ];
      for (const command of commands) {
        const ran = await sparse.run(...command, '-f', 'docs');
        expect(ran).toMatchObject({ code: 1, stdout: '' });
        expect(ran.stderr).toContain('docs/b/o.yaml is in git, but left out of the work tree');
      }
      // Both remedies.
      expect(await sparse.run('plan', '-f', 'docs/a')).toMatchObject({ code: 0 });
      git(sparse.root, 'sparse-checkout', 'add', mode === 'cone' ? 'docs/b' : '/docs/b/');
      expect(await sparse.run('plan', '-f', 'docs', '--detailed-exitcode')).toMatchObject({ code: 0 });
      expect(await live()).toEqual(['a1', 'a2', 'b1']);
    },
  );

  test.each(['--skip-worktree', '--assume-unchanged'])(
    'a file with %s is neither recorded when edited nor deleted when missing',
    async (mark) => {
      const { first, live } = await sharedRemote(two);
      expect(await first.run(...recorded, '-f', 'docs')).toMatchObject({ code: 0 });
      git(first.root, 'update-index', mark, 'docs/b/o.yaml');
      first.write({ 'docs/b/o.yaml': teams('b1', 'b2') });
      expect(git(first.root, 'status', '--porcelain')).toBe('');
      const edited = await first.run(...recorded, '-f', 'docs');
      expect(edited).toMatchObject({ code: 1, stdout: '' });
      expect(edited.stderr).toContain(
        'the manifests differ from the commit that would be recorded: docs/b/o.yaml',
      );
      rmSync(join(first.root, 'docs/b/o.yaml'));
      expect(await first.run('plan', '-f', 'docs')).toMatchObject({ code: 1, stdout: '' });
      git(first.root, 'update-index', `--no${mark.slice(1)}`, 'docs/b/o.yaml');
      // The file is deleted and git reports it, so this is a removal.
      expect((await first.run('plan', '-f', 'docs')).stdout).toContain('- teams/b1');
      expect(await live()).toEqual(['a1', 'a2', 'b1']);
    },
  );

  test('a submodule below the manifests is an error', async () => {
    const { first, outer } = await sharedRemote({ 'm/org.yaml': teams('a') });
    const sub = join(outer, 'sub');
    mkdirSync(sub);
    initRepository(sub);
    writeFileSync(join(sub, 'sub.yaml'), teams('s1', 's2'));
    git(sub, 'add', '.');
    git(sub, 'commit', '--quiet', '-m', 'sub');
    expect(await first.run(...recorded, '-f', 'm')).toMatchObject({ code: 0 });
    git(first.root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', sub, 'm/sub');
    first.push();
    for (const command of [['plan'], recorded, ['drift']]) {
      const ran = await first.run(...command, '-f', 'm');
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toContain('m/sub/sub.yaml is in the submodule m/sub');
    }
    // The remedies.
    expect(await first.run('plan', '-f', 'm', '--base', 'none')).toMatchObject({ code: 0 });
    expect(await first.run('plan', '-f', 'm/sub')).toMatchObject({ code: 0 });
  });

  test('a symbolic link to manifests is an error', async () => {
    const { first } = await sharedRemote({ 'm/org.yaml': teams('a'), 'shared/more.yaml': teams('b') });
    expect(await first.run(...recorded, '-f', 'm')).toMatchObject({ code: 0 });
    symlinkSync('../shared/more.yaml', join(first.root, 'm/more.yaml'));
    first.push();
    const ran = await first.run('plan', '-f', 'm');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('m/more.yaml is read through the link m/more.yaml');
    expect(await first.run('plan', '-f', 'm', '-f', 'shared')).toMatchObject({ code: 1 });
  });

  test('an included file must match the commit to be recorded', async () => {
    const include = `${teams('a')}openapi:\n  petstore: { source: { url: "https://acme.example/\${file:url.txt}" } }\n`;
    const { first } = await sharedRemote({ 'acme.yaml': include, 'url.txt': 'one' });
    expect(await first.run(...recorded)).toMatchObject({ code: 0 });
    first.write({ 'url.txt': 'two' });
    const ran = await first.run(...recorded);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('url.txt differs there');
  });

  test('a renamed folder needs the former names in --base', async () => {
    const { first, live } = await sharedRemote({ 'x/o.yaml': teams('x1'), 'y/o.yaml': teams('y1', 'y2') });
    expect(await first.run(...recorded, '-f', 'x', '-f', 'y')).toMatchObject({ code: 0 });
    renameSync(join(first.root, 'y'), join(first.root, 'z'));
    first.push({ 'z/o.yaml': teams('y1') });
    const named = await first.run('plan', '-f', 'x', '-f', 'z', '--base', 'HEAD~1');
    expect(named).toMatchObject({ code: 1, stdout: '' });
    expect(named.stderr).toContain('pass --base HEAD~1:x,y');
    const both = await first.run('plan', '-f', 'x', '-f', 'z', '--base', 'HEAD~1:x,y');
    expect(both.stdout).toContain('- teams/y2');
    expect(await first.run(...recorded, '-f', 'x', '-f', 'z')).toMatchObject({ code: 0 });
    expect(await live()).toEqual(['x1', 'y1']);
    expect(await first.run('plan', '-f', 'x', '-f', 'z', '--detailed-exitcode')).toMatchObject({ code: 0 });
  });

  test('a folder that this run does not read keeps its objects, until it is deleted', async () => {
    const { first, live } = await sharedRemote({ 'x/o.yaml': teams('x1'), 'y/o.yaml': teams('y1', 'y2') });
    expect(await first.run(...recorded, '-f', 'x', '-f', 'y')).toMatchObject({ code: 0 });
    first.push({ 'y/o.yaml': teams('y1') });
    const part = await first.run('plan', '-f', 'x');
    expect(part.stderr).toContain('was applied with -f y, which this run does not read');
    expect(part.stdout).not.toMatch(/^ *- /m);
    const refused = await first.run(...recorded, '-f', 'x');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('was applied with -f y, which this run does not read');
    expect(await live()).toEqual(['x1', 'y1', 'y2']);
    rmSync(join(first.root, 'y'), { recursive: true });
    first.push();
    expect((await first.run('plan', '-f', 'x')).stdout).toContain('2 to delete');
  });

  test('an overlay that this run does not read keeps its objects, until it is deleted', async () => {
    const overlay =
      'octavo: 1\noverlay: production\norganization: org_acme\nteams: { p: { new: true, title: p } }\n';
    const { first, live } = await sharedRemote({ 'acme.yaml': teams('a'), 'production.yaml': overlay });
    expect(await first.run(...recorded, '--overlay', 'production')).toMatchObject({ code: 0 });
    const part = await first.run('plan');
    expect(part.stderr).toContain('was applied with --overlay production, which this run does not read');
    expect(part.stdout).not.toMatch(/^ *- /m);
    expect(await first.run(...recorded)).toMatchObject({ code: 1, stdout: '' });
    expect(await live()).toEqual(['a', 'p']);
    rmSync(join(first.root, 'production.yaml'));
    first.push();
    expect((await first.run('plan')).stdout).toContain('- teams/p');
  });

  test('a plan in a partial, sparse clone fetches a constant number of packs', async () => {
    const others = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`assets/${at}.txt`, `${at}\n`]),
    );
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`docs/${at}.yaml`, teams(`t${at}`)]),
    );
    const { first, clone } = await sharedRemote({ ...others, ...many });
    expect(await first.run(...recorded, '-f', 'docs')).toMatchObject({ code: 0 });
    first.push({ 'docs/7.yaml': teams('t7', 'more') });
    const partial = clone('--filter=blob:none', '--sparse');
    git(partial.root, 'sparse-checkout', 'add', 'docs');
    const packs = () =>
      readdirSync(join(partial.root, '.git/objects/pack')).filter((name) => name.endsWith('.pack')).length;
    const before = packs();
    const ran = await partial.run('plan', '-f', 'docs');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('+ teams/more');
    // One pack each for the record, its content, and files that only the base has, for any number of files.
    expect(packs() - before).toBeLessThanOrEqual(3);
  });
});

test('a failed run is reported as left over until it is undone, even if its commit was reverted', async () => {
  const fault: FaultRule = { type: 'status', operations: ['teams.create'], skip: 3, times: 1, status: 403 };
  const { first, live } = await sharedRemote({ 'acme.yaml': teams('a') }, { faults: [fault] });
  expect(await first.run(...recorded)).toMatchObject({ code: 0 });
  first.push({ 'acme.yaml': teams('a', 'b', 'c', 'd') });
  const failing = await first.run(...recorded);
  expect(failing.code).toBe(1);
  expect((await live()).length).toBeGreaterThan(1);
  const created = (await live()).filter((title) => title !== 'a');
  git(first.root, 'revert', '--no-edit', 'HEAD');
  first.push();
  const [run = ''] = /r-[0-9a-z]+-[0-9a-f]{8}/.exec(failing.stdout + failing.stderr) ?? [];
  for (const command of [['plan'], ['drift'], recorded]) {
    const ran = await first.run(...command);
    expect(ran.stdout).not.toMatch(/No changes|No drift\./);
    expect(ran.stdout).toContain(`Left over from run ${run}, which is not recorded`);
    for (const key of created) expect(ran.stdout).toContain(`teams/${key}`);
    if (command[0] === 'drift') expect(ran.code).toBe(2);
    if (command === recorded) expect(ran.stderr).toContain('Not recorded: run');
  }
  expect(await first.run('undo', run, '--auto-approve')).toMatchObject({ code: 0 });
  expect(await live()).toEqual(['a']);
  expect(await first.run('plan')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('No changes. Live state matches the manifests.'),
  });
  expect(await first.run(...recorded)).toMatchObject({ code: 0 });
});
