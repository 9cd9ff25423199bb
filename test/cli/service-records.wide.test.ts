/** A record applies only to its service. */
import { readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git } from './git.ts';
import { folder, octavo } from './octavo.ts';
import { clone, manifest, ref } from './service-clones.ts';

describe('a record', () => {
  const prepared = async () => {
    const one = clone();
    const record = ['apply', '--record', '--auto-approve'];
    one.write(manifest('  extra: { title: Extra }\n'));
    for (const service of ['local:stage.db', 'local:prod.db'])
      expect(await one.at(service, 'apply', '--seed', 'sample', '--auto-approve')).toMatchObject({ code: 0 });
    expect(await one.at('local:stage.db', ...record)).toMatchObject({ code: 0 });
    return { ...one, record };
  };

  test('applies to its service in each spelling', async () => {
    const { cwd, at } = await prepared();
    symlinkSync('stage.db', join(cwd, 'link.db'));
    const spellings = [
      'local:stage.db',
      'local:./x/../stage.db',
      'local:link.db',
      `local:${join(cwd, 'stage.db')}`,
    ];
    for (const spelled of spellings) expect((await at(spelled, 'plan')).output).toContain('base applied@');
  });

  test('applies to its database from another work tree, and after its folder is moved', async () => {
    const { cwd, at } = await prepared();
    const tree = join(folder({}), 'tree');
    git(cwd, 'worktree', 'add', '--quiet', tree, 'HEAD');
    const plan = (where: string, service: string) =>
      octavo(['plan'], { cwd: where, env: { OCTAVO_BASE_URL: service } });
    expect((await plan(tree, `local:${join(cwd, 'stage.db')}`)).stdout).toContain('base applied@');
    const moved = `${cwd}-moved`;
    renameSync(cwd, moved);
    expect((await plan(moved, 'local:stage.db')).stdout).toContain('base applied@');
    renameSync(moved, cwd);
    expect((await at('local:prod.db', 'plan')).output).toContain('error[other-service]');
  });

  test('applies to a database that was recreated at the same path', async () => {
    const { cwd, at } = await prepared();
    for (const name of readdirSync(cwd)) if (name.startsWith('stage.db')) rmSync(join(cwd, name));
    for (const args of [['plan', '--seed', 'sample'], ['plan']])
      expect((await at('local:stage.db', ...args)).output).toContain('base applied@');
  });

  test('does not apply to another database of the same name, such as in another clone', async () => {
    const { cwd } = await prepared();
    const other = join(folder({}), 'other');
    git(cwd, 'clone', '--quiet', '.', other);
    git(other, 'fetch', '--quiet', 'origin', `${ref}:${ref}`);
    const at = (...args: string[]) =>
      octavo(args, { cwd: other, env: { OCTAVO_BASE_URL: 'local:stage.db' } });
    for (const args of [['plan'], ['api', '--seed', 'sample', 'orgs.list'], ['plan']])
      if (args[0] === 'plan') expect((await at(...args)).stderr).toContain('error[other-service]');
      else expect((await at(...args)).code).toBe(0);
  });

  test('does not include a folder of this machine', async () => {
    const { cwd, at, record } = await prepared();
    git(cwd, 'update-ref', '-d', ref);
    expect(await at(`local:${join(cwd, 'stage.db')}`, ...record)).toMatchObject({ code: 0 });
    const refs = git(cwd, 'for-each-ref', '--format=%(refname)', 'refs/octavo').trim().split('\n');
    for (const one of refs)
      for (const name of git(cwd, 'ls-tree', '--name-only', '-r', one).trim().split('\n'))
        expect(git(cwd, 'show', `${one}:${name}`)).not.toContain(cwd);
  });

  test.each(['plan', 'drift', 'apply --auto-approve'])(
    'of another service is rejected as the base of %s',
    async (words) => {
      const { at } = await prepared();
      const { code, output } = await at('local:prod.db', ...words.split(' '));
      expect(code).toBe(1);
      expect(output).toMatch(
        /error\[other-service\]: the record of org_acme is of "local:stage\.db#\w+", .* against "local:prod\.db#\w+"/,
      );
      expect(output).toContain('--base <ref>');
      expect(output).not.toContain('No changes');
    },
  );

  test('of another service is not replaced, and is not needed with --base', async () => {
    const { cwd, at, write, record } = await prepared();
    const recorded = git(cwd, 'rev-parse', ref);
    write(manifest());
    const refused = await at('local:prod.db', ...record, '--base', 'HEAD~1');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('error[other-service]');
    expect(git(cwd, 'rev-parse', ref)).toBe(recorded);
    const applied = await at('local:prod.db', 'apply', '--auto-approve', '--base', 'HEAD~1');
    expect(applied.code).toBe(0);
    expect(applied.output).toContain('1 deleted');
    // The remedy for a service that has moved.
    git(cwd, 'update-ref', '-d', ref);
    expect((await at('local:prod.db', ...record)).code).toBe(0);
    expect((await at('local:prod.db', 'plan')).output).toContain('No changes');
  });
});
