/** Plans against a base, with real git repositories and the embedded service on a file. */

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, initRepository } from './git.ts';
import { folder, manifest, octavo } from './octavo.ts';

const env = { OCTAVO_BASE_URL: 'local:../acme.db' };

/** A repository with the manifests in a folder of it, all committed. */
function repository(): { readonly root: string; readonly cwd: string } {
  const outer = folder({ 'repo/docs/acme.yaml': manifest });
  const root = join(outer, 'repo');
  initRepository(root);
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '-m', 'first');
  return { root, cwd: join(root, 'docs') };
}

const ref = 'refs/octavo/applied/org_acme';

/** The last record of a repository. */
function applied(repository: string): { readonly commit: string; readonly ids: Record<string, string> } {
  return JSON.parse(git(repository, 'cat-file', 'blob', `${ref}:applied.json`));
}

function head(root: string): string {
  return git(root, 'rev-parse', 'HEAD').trim();
}

test('updates the object whose title changed in git, and deletes one that was removed', async () => {
  const { root, cwd } = repository();
  expect((await octavo(['apply', '--auto-approve', '--record'], { cwd, env })).code).toBe(0);
  const first = applied(root);
  expect(first).toMatchObject({ format: 1, organization: 'org_acme', commit: head(root) });
  expect(Object.keys(first.ids)).toEqual(['organization', 'teams/platform', 'teams/writers']);

  // The file is renamed, one team gets another title, and the other team is removed.
  renameSync(join(cwd, 'acme.yaml'), join(cwd, 'teams.yaml'));
  writeFileSync(
    join(cwd, 'teams.yaml'),
    'octavo: 1\norganization: { id: org_acme, title: Acme }\nteams:\n  platform: { title: Infrastructure }\n',
  );
  const ran = await octavo(['plan', '--base', 'HEAD'], { cwd, env });
  expect(ran.stdout).toContain('title "Platform" → "Infrastructure"');
  expect(ran.stdout).toContain('- writers   team "Writers", no longer in the manifests');
  expect(ran.stdout).toContain('Plan: 0 to create, 1 to update, 0 to move, 0 to replace, 1 to delete.\n');
  expect(ran.stdout).toContain('Changes from this commit\n');
  expect(ran.stdout).not.toContain('This commit:');
  expect(ran.stdout).not.toMatch(/drifted|Without a base/);
  const recorded = await octavo(['plan', '--base', 'applied'], { cwd, env });
  expect(recorded.stdout).toBe(ran.stdout.replace('base HEAD@', 'base applied@'));

  const dirty = await octavo(['apply', '--auto-approve', '--base', 'applied', '--record'], { cwd, env });
  expect(dirty.code).toBe(1);
  expect(dirty.stderr).toContain('the manifests differ from the commit that would be recorded');

  git(root, 'add', '-A');
  git(root, 'commit', '--quiet', '-m', 'second');
  expect(
    (await octavo(['apply', '--auto-approve', '--base', 'applied', '--record'], { cwd, env })).code,
  ).toBe(0);
  expect(applied(root)).toMatchObject({
    commit: head(root),
    ids: { 'teams/platform': first.ids['teams/platform'] },
  });
  expect(Object.keys(applied(root).ids)).toEqual(['organization', 'teams/platform']);
  const [record, previous] = git(root, 'log', '--first-parent', '--format=%s', ref).split('\n');
  expect([record, previous]).toEqual(['Apply org_acme', 'Apply org_acme']);
  expect(git(root, 'rev-parse', `${ref}^2`).trim()).toBe(head(root));
  expect(await octavo(['plan', '--base', 'applied', '--detailed-exitcode'], { cwd, env })).toMatchObject({
    code: 0,
  });
});

test('plans against a folder, and pushes the record to a remote', async () => {
  const { root, cwd } = repository();
  const remote = join(root, '..', 'remote.git');
  git(root, 'init', '--quiet', '--bare', remote);
  const pushed = await octavo(['apply', '--auto-approve', `--record=${remote}`], { cwd, env });
  expect(pushed).toMatchObject({ code: 0 });
  expect(applied(remote).commit).toBe(head(root));
  mkdirSync(join(root, 'before'));
  writeFileSync(join(root, 'before', 'acme.yaml'), manifest);
  writeFileSync(join(cwd, 'acme.yaml'), manifest.replace('title: Writers', 'title: Authors'));
  const ran = await octavo(['plan', '--base', '../before'], { cwd, env });
  expect(ran.stdout).toContain('title "Writers" → "Authors"');
  expect(ran.stdout).toContain('0 to create, 1 to update');
});

test('does not record an apply that cannot reach the service', async () => {
  const { root, cwd } = repository();
  writeFileSync(join(cwd, 'acme.yaml'), manifest.replace('Writers', 'W'.repeat(3)));
  git(root, 'commit', '--quiet', '-am', 'second');
  const bad = await octavo(['apply', '--auto-approve', '--record', '--base-url', 'http://127.0.0.1:9'], {
    cwd,
    env: { OCTAVO_TOKEN: 'token' },
  });
  expect(bad.code).toBe(1);
  expect(() => git(root, 'rev-parse', '--verify', 'refs/octavo/applied/org_acme')).toThrow();
});

test('explains how to fix a base that cannot be read', async () => {
  const { root, cwd } = repository();
  const errorFor = async (base: string) => {
    const { code, stdout, stderr } = await octavo(['plan', '--base', base], { cwd, env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    return stderr;
  };
  expect(await errorFor('nowhere')).toContain('there is no git ref or folder named nowhere');
  expect(await errorFor('--upload-pack=x')).not.toContain(' at ');
  writeFileSync(join(cwd, 'acme.yaml'), 'octavo: 1\norganization: org_acme\nteams: { a: { titel: A } }\n');
  git(root, 'commit', '--quiet', '-am', 'broken');
  writeFileSync(join(cwd, 'acme.yaml'), manifest);
  expect(await errorFor('HEAD')).toMatch(
    /in the base HEAD: unknown key "titel" in a team[\s\S]*name another one with --base/,
  );
  const drift = await octavo(['plan', '--ignore-drift'], { cwd, env });
  expect(drift.stderr).toContain('cannot tell drift from changes without a base');
  const outside = await octavo(['plan', '--base', 'HEAD'], {
    cwd: folder({ 'a.yaml': manifest }),
    env: { OCTAVO_BASE_URL: 'local' },
  });
  expect(outside.stderr).toContain('is not in a git repository');
});

test('does not record a partial apply', async () => {
  const { root, cwd } = repository();
  const part = await octavo(['apply', '--auto-approve', '--record', '--target', 'teams/writers'], {
    cwd,
    env,
  });
  expect(part).toMatchObject({ code: 1, stdout: '' });
  expect(part.stderr).toContain('cannot record a part of the manifests as applied');
  expect((await octavo(['apply', '--auto-approve'], { cwd, env })).code).toBe(0);
  writeFileSync(
    join(cwd, 'acme.yaml'),
    'octavo: 1\norganization: { id: org_acme, title: Acme Inc }\nsettings: { protect: ["teams/**"] }\nteams: { platform: { title: Platform } }\n',
  );
  git(root, 'commit', '--quiet', '-am', 'second');
  const flags = ['apply', '--auto-approve', '--base', 'HEAD~1', '--record'];
  expect((await octavo(flags, { cwd, env })).code).toBe(1);
  const skipped = await octavo([...flags, '--skip-refused'], { cwd, env });
  expect(skipped.code).toBe(0);
  expect(skipped.stdout).toContain('1 change is refused and left out.');
  expect(skipped.stderr).toContain('Not recorded: refused changes were left out.');
  expect(git(root, 'for-each-ref', 'refs/octavo/applied')).toBe('');
});

test('refuses a swap of two names against an older base, until ids identify each team', async () => {
  const { root, cwd } = repository();
  const commit = (teams: string) => {
    writeFileSync(join(cwd, 'acme.yaml'), `octavo: 1\norganization: org_acme\nteams: ${teams}\n`);
    git(root, 'commit', '--quiet', '-am', teams);
    return head(root);
  };
  const apply = (...args: string[]) => octavo(['apply', '--auto-approve', ...args], { cwd, env });
  const live = async () =>
    (await octavo(['api', 'teams.list', 'organizationId=org_acme'], { cwd, env })).stdout;
  const idsIn = (text: string) => [...text.matchAll(/teams\/[ab]: id: (\S+)/g)].map(([, id]) => id);
  const swapped = '{ a: { title: Blue }, b: { title: Red } }';

  const base = commit('{ a: { title: Red }, b: { title: Blue } }');
  expect((await apply()).code).toBe(0);
  const before = await live();
  commit(swapped);
  expect((await octavo(['plan', '--base', base], { cwd, env })).code).toBe(3);
  const first = await apply('--base', base);
  expect(first.code).toBe(1);
  expect(first.stdout).toContain('✗ teams/a  guard: swap-or-swapped');
  expect(await live()).toBe(before);

  // First option of the help: the swap is still to be made.
  const [pendingA, pendingB] = idsIn(first.stdout);
  commit(`{ a: { id: ${pendingA}, title: Blue }, b: { id: ${pendingB}, title: Red } }`);
  expect((await apply('--base', base)).code).toBe(0);
  const after = await live();
  expect(after).not.toBe(before);

  // Second option: the swap was already made.
  commit(swapped);
  const second = await apply('--base', base);
  expect(second.code).toBe(1);
  const [, , madeA, madeB] = idsIn(second.stdout);
  commit(`{ a: { id: ${madeA}, title: Blue }, b: { id: ${madeB}, title: Red } }`);
  expect((await apply('--base', base, '--record')).code).toBe(0);
  expect(await live()).toBe(after);

  // Recorded ids also identify the teams.
  commit(swapped);
  expect((await apply('--base', base)).code).toBe(0);
  expect(await live()).toBe(after);
});

test('explains why git cannot be used, and works without a base', async () => {
  const { root, cwd } = repository();
  writeFileSync(join(root, '.gitconfig'), '[core]\n\tsshCommand = x\n');
  git(root, 'config', 'include.path', '../.gitconfig');
  const included = await octavo(['plan'], { cwd, env });
  expect(included).toMatchObject({ code: 1, stdout: '' });
  expect(included.stderr).toContain("git's settings include .gitconfig, a file of the");
  const without = await octavo(['plan'], { cwd, env: { ...env, PATH: '/nowhere' } });
  expect(without.stderr).toContain('git is not installed');
  for (const PATH of ['/nowhere', process.env.PATH ?? ''])
    expect(await octavo(['plan', '--base', 'none'], { cwd, env: { ...env, PATH } })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('base none'),
    });
});
