/** Branches behind their base, moved folders and merges, with real git repositories and the embedded service on a file. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { teams } from './clones.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';

interface Repository {
  readonly root: string;
  readonly env: { readonly OCTAVO_BASE_URL: string };
  readonly run: (...args: string[]) => ReturnType<typeof octavo>;
  /** Writes the manifest with these teams and commits it. */
  readonly commit: (titles: Readonly<Record<string, string>>, file?: string) => void;
}

function repository(): Repository {
  const outer = folder({ 'repo/base/acme.yaml': teams({ writers: 'Writers' }) });
  const root = join(outer, 'repo');
  const env = { OCTAVO_BASE_URL: `local:${join(outer, 'acme.db')}` };
  initRepository(root);
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '-m', 'first');
  const run = async (...args: string[]) => {
    const ran = await octavo(args, { cwd: root, env });
    // Messages are wrapped.
    return { ...ran, stderr: ran.stderr.replace(/\s+/g, ' ') };
  };
  const commit = (titles: Readonly<Record<string, string>>, file = 'base/acme.yaml') => {
    writeFileSync(join(root, file), teams(titles));
    git(root, 'add', file);
    git(root, 'commit', '--quiet', '-m', `Now ${Object.keys(titles).join(', ')}`);
  };
  return { root, env, run, commit };
}

/** Main, which was applied, adds a team that the branch lacks; the branch renames another one. */
async function behind(): Promise<Repository> {
  const one = repository();
  git(one.root, 'checkout', '--quiet', '-b', 'mine');
  one.commit({ writers: 'Authors' });
  git(one.root, 'checkout', '--quiet', 'main');
  one.commit({ writers: 'Writers', support: 'Support' });
  writeFileSync(join(one.root, 'README.md'), 'Not a manifest');
  git(one.root, 'add', '.');
  git(one.root, 'commit', '--quiet', '-m', 'Words');
  expect(await one.run('apply', '--auto-approve', '--record')).toMatchObject({ code: 0 });
  git(one.root, 'checkout', '--quiet', 'mine');
  return one;
}

test.each(['main', 'applied'])('refuses a base that is ahead of the branch (%s)', async (base) => {
  const { run } = await behind();
  for (const command of ['plan', 'apply']) {
    const ran = await run(command, '--base', base);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      /^error\[base-ahead\]: .* has 2 commits that HEAD lacks; 1 touches the manifests: \w+\s+Now/,
    );
    expect(ran.stderr).toContain('Now writers, support');
    expect(ran.stderr).not.toContain('Words');
    expect(ran.stderr).toMatch(/--ahead merge [\s\S]*--ahead own [\s\S]*--ahead back/);
  }
});

test('plans as documented with each value of --ahead', async () => {
  const { run, root } = await behind();
  const merged = await run('plan', '--base', 'main', '--ahead', 'merge');
  expect(merged).toMatchObject({ code: 0, stderr: '' });
  expect(merged.stdout).toContain('Plan: 0 to create, 1 to update, 0 to move, 0 to replace, 0 to delete.');
  const own = await run('plan', '--base', 'main', '--ahead', 'own');
  expect(own.stdout).toContain('title "Writers" → "Authors"');
  expect(own.stdout).toContain('1 to update, 0 to move, 0 to replace, 0 to delete.');
  const back = await run('plan', '--base', 'main', '--ahead', 'back');
  expect(back.stdout).toContain('- support');

  // After the merge, the plan is the same.
  expect(await run('plan', '--base', 'main', '--ahead', 'merge', '--out', 'plan.json')).toMatchObject({
    code: 0,
  });
  expect((await run('apply', 'plan.json')).stderr).toContain('error[plan-stale]');
  git(root, 'merge', '--quiet', '--no-edit', 'main');
  expect((await run('plan', '--base', 'main')).stdout).toBe(merged.stdout.replace(', merged with HEAD', ''));
  expect(await run('apply', 'plan.json', '--record')).toMatchObject({ code: 0 });
});

test('names the value of --ahead in the plan, also without changes', async () => {
  const { run, commit } = await behind();
  commit({ writers: 'Writers' });
  const merged = await run('plan', '--base', 'main', '--ahead', 'merge');
  expect(merged.stdout).toMatch(/base main@\w{7}, merged with HEAD\n/);
  expect(merged.stdout).toContain('No changes. Live state matches the merged manifests.');
  const own = await run('plan', '--base', 'main', '--ahead', 'own');
  expect(own.stdout).toMatch(/base main@\w{7}, the common ancestor\b/);
  const back = await run('plan', '--base', 'main', '--ahead', 'back');
  expect(back.stdout).toMatch(/base main@\w{7}, ahead of HEAD\b/);
});

test('ignores --ahead if the branch has all commits of its base', async () => {
  const { run, root } = await behind();
  git(root, 'merge', '--quiet', '--no-edit', 'main');
  const plain = await run('plan', '--base', 'main');
  for (const way of ['merge', 'own', 'back'])
    expect((await run('plan', '--base', 'main', '--ahead', way)).stdout).toContain(
      plain.stdout.split('\n')[5],
    );
});

test('names the files of a merge conflict, and refuses to merge uncommitted manifests', async () => {
  const { run, root, commit } = await behind();
  commit({ writers: 'Editors', support: 'Help' });
  const twice = await run('plan', '--base', 'main', '--ahead', 'merge');
  expect(twice.stderr).toContain('in the merge with main: duplicate key "support"');
  expect(twice.stderr).toContain('merge main, fix it, and plan again');
  git(root, 'checkout', '--quiet', 'main');
  commit({ writers: 'Reporters' });
  git(root, 'checkout', '--quiet', 'mine');
  const conflict = await run('plan', '--base', 'main', '--ahead', 'merge');
  expect(conflict).toMatchObject({ code: 1, stdout: '' });
  expect(conflict.stderr).toContain('error[merge-conflict]: HEAD and main conflict in base/acme.yaml');
  writeFileSync(join(root, 'base/acme.yaml'), teams({ writers: 'Nobody' }));
  const dirty = await run('plan', '--base', 'main', '--ahead', 'merge');
  expect(dirty.stderr).toContain('cannot merge uncommitted changes: base/acme.yaml');
  git(root, 'checkout', '--quiet', '.');
  expect(conflict.stderr).toContain('merge main, resolve the conflict, and plan again');
  expect(() => git(root, 'merge', '--quiet', 'main')).toThrow();
  commit({ writers: 'Both' });
  expect(await run('plan', '--base', 'main')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Both'),
  });
});

test('rejects --ahead without a base, history or common ancestor', async () => {
  const { run, root } = await behind();
  const errorFor = async (...args: string[]) => {
    const ran = await run('plan', ...args);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    return ran.stderr;
  };
  expect(await errorFor('--base', 'main', '--ahead', 'merge', '--ahead', 'own')).toContain(
    '--ahead is set more than once',
  );
  expect(await errorFor('--base', 'none', '--ahead', 'merge')).toContain(
    'there is no base that could be ahead',
  );
  expect(await errorFor('--base', 'base', '--ahead', 'merge')).toContain('a folder has no history');
  const saved = await run('plan', '--base', 'main', '--ahead', 'own', '--out', 'plan.json');
  expect(saved.stderr).toContain("cannot save a plan of this branch's own change");
  git(root, 'checkout', '--quiet', '--orphan', 'other');
  git(root, 'commit', '--quiet', '-m', 'another history');
  expect(await errorFor('--base', 'main', '--ahead', 'own')).toContain('have no common ancestor');
  expect(await errorFor('--base', 'main')).toContain('has 3 commits that HEAD lacks');
});

test('suggests the former folder as the base of a renamed one', async () => {
  const { root, run } = repository();
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  mkdirSync(join(root, 'docs'));
  git(root, 'mv', 'base', 'docs/prod');
  const moved = await run('plan', '-f', 'docs/prod', '--base', 'main');
  expect(moved).toMatchObject({ code: 1, stdout: '' });
  expect(moved.stderr).toContain(
    'error[base-moved]: main has no manifests in docs/prod: there they are in base',
  );
  expect(moved.stderr).toContain('help: pass --base main:base');
  writeFileSync(join(root, 'docs/prod/acme.yaml'), teams({ support: 'Support' }));
  const named = await run('plan', '-f', 'docs/prod', '--base', 'main:base');
  expect(named.stdout).toMatch(/^ +- writers .*team "Writers"/m);
  const relative = await octavo(['plan', '-f', 'prod', '--base', 'main:../base'], {
    cwd: join(root, 'docs'),
    env: { OCTAVO_BASE_URL: `local:${join(root, '..', 'acme.db')}` },
  });
  expect(relative.stdout).toBe(named.stdout.replace('base main:base@', 'base main:../base@'));
  expect((await run('plan', '-f', 'docs/prod', '--base', 'main:other')).stderr).toContain(
    'main has no manifests in other',
  );
});

test('finds a folder that was moved without git, and plans a new one as new', async () => {
  const { root, run } = repository();
  renameSync(join(root, 'base'), join(root, 'production'));
  const moved = await run('plan', '-f', 'production', '--base', 'main');
  expect(moved.stderr).toContain('help: pass --base main:base');
  git(root, 'checkout', '--quiet', '--', 'base');
  const fresh = await run('plan', '-f', 'production', '--base', 'main');
  expect(fresh).toMatchObject({ code: 0 });
  expect(fresh.stderr).toContain(
    'main has no manifests in production: everything there counts as added since',
  );
  expect(fresh.stdout).toContain('+ teams/writers');
});

test('rejects a repository without commits, and a base without manifests', async () => {
  const root = folder({ 'acme.yaml': teams({ writers: 'Writers' }), 'old/README.md': 'Nothing' });
  initRepository(root);
  const env = { OCTAVO_BASE_URL: 'local' };
  const none = await octavo(['plan', '--base', 'main'], { cwd: root, env });
  expect(none.stderr).toContain('the repository has no commits yet');
  const empty = await octavo(['plan', '--base', 'old'], { cwd: root, env });
  expect(empty.stderr).toContain('the base old has no manifests in old');
});

test('rejects a saved plan as stale if other manifests are checked out', async () => {
  const { root, run, commit } = repository();
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  commit({ writers: 'Authors' });
  expect(await run('plan', '--base', 'main~1', '--out', 'plan.json')).toMatchObject({ code: 0 });
  commit({ writers: 'Authors', support: 'Support' });
  const stale = await run('apply', 'plan.json');
  expect(stale).toMatchObject({ code: 1, stdout: '' });
  expect(stale.stderr).toContain(
    'error[plan-stale]: the manifests of this checkout are not the ones that the plan was made from: base/acme.yaml',
  );
  // The same manifests by another commit, as after a squash.
  git(root, 'revert', '--no-edit', 'HEAD');
  expect(await run('apply', 'plan.json', '--record')).toMatchObject({ code: 0 });
  const record = git(root, 'cat-file', 'blob', 'refs/octavo/applied/org_acme:applied.json');
  expect(JSON.parse(record).commit).toBe(git(root, 'rev-parse', 'HEAD').trim());
});

test('applies a saved plan in a folder without manifests', async () => {
  const { root, run, env } = repository();
  expect(await run('plan', '--out', 'plan.json')).toMatchObject({ code: 0 });
  const elsewhere = folder({});
  renameSync(join(root, 'plan.json'), join(elsewhere, 'plan.json'));
  const ran = await octavo(['apply', 'plan.json'], { cwd: elsewhere, env });
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).toContain('No manifests are checked out here');
  rmSync(elsewhere, { recursive: true });
});

test.each([['of a branch'], ['of a tag', '--branch', 'v2']])(
  'suggests git fetch --unshallow for a record in a shallow clone %s',
  async (_, ...how) => {
    const { root, run, commit, env } = repository();
    git(root, 'init', '--quiet', '--bare', '--initial-branch=main', '../origin.git');
    git(root, 'remote', 'add', 'origin', '../origin.git');
    git(root, 'push', '--quiet', 'origin', 'main');
    expect(await run('apply', '--auto-approve', '--record=origin')).toMatchObject({ code: 0 });
    commit({ support: 'Support' });
    git(root, 'tag', 'v2');
    git(root, 'push', '--quiet', 'origin', 'main', 'v2');
    const url = `file://${join(root, '../origin.git')}`;
    git(root, 'clone', '--quiet', '--depth', '1', ...how, url, '../clone');
    const plan = () => octavo(['plan'], { cwd: join(root, '../clone'), env });
    const shallow = await plan();
    expect(shallow).toMatchObject({ code: 1, stdout: '' });
    expect(shallow.stderr).toContain('git fetch --unshallow');
    git(join(root, '../clone'), 'fetch', '--quiet', '--unshallow');
    expect((await plan()).stdout).toContain('1 to create, 0 to update, 0 to move, 0 to replace, 1 to delete');
  },
);

test('applies a saved plan of a shard that was made with --ahead merge, whatever files other organizations include', async () => {
  const { root, run } = repository();
  const head = (id: string) =>
    `octavo: 1\norganization: { id: ${id} }\nsettings: { service: { profile: "2026" } }\n`;
  const spec = 'openapi: { shop: { source: { file: shop.json } }, other: { source: { file: shop.json } } }\n';
  writeFileSync(join(root, 'base/two.yaml'), `${head('org_two')}${spec}`);
  writeFileSync(join(root, 'base/acme.yaml'), `${head('org_acme')}teams: { writers: { title: Writers } }\n`);
  writeFileSync(
    join(root, 'base/shop.json'),
    '{ "openapi": "3.1.0", "info": { "title": "Shop", "version": "1" }, "paths": {} }',
  );
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '-m', 'two');
  const organizations = ['org_acme', 'org_two'].map((id) => ({ id, title: id }));
  writeFileSync(join(root, 's.json'), JSON.stringify({ organizations }));
  const plan = ['plan', '-f', 'base', '--shard', '2/2', '--out', 'p.json', '--seed', 's.json'];
  const planned = await run(...plan, '--base', 'HEAD', '--ahead', 'merge');
  expect(planned.code, planned.stderr).toBe(0);
  const applied = await run('apply', 'p.json');
  expect(applied.code, applied.stderr).toBe(0);
});
