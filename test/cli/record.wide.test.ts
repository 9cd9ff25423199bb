/** Records of applies in git are shared between clones: a bare remote, several clones, one service. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ref, sharedRemote, teams } from './clones.ts';
import { git } from './git.ts';
import { folder, octavo } from './octavo.ts';

const manifest = (others: Readonly<Record<string, string>>) => ({
  'acme.yaml': teams({ first: 'First', ...others }),
});

/** Two teams on main, which are not applied. */
const remote = () => sharedRemote(manifest({ writers: 'Writers' }));

function recordIn(repository: string): { readonly commit: string; readonly ids: Record<string, string> } {
  return JSON.parse(git(repository, 'cat-file', 'blob', `${ref}:applied.json`));
}

const onMerge = ['apply', '--base', 'applied', '--record=origin', '--auto-approve'];

test('records again if the record is gone from the remote, or was made only here', async () => {
  const { clone, bare: path } = await remote();
  const { root, push, run } = clone();
  expect(await run(...onMerge)).toMatchObject({ code: 0 });
  git(path, 'update-ref', '-d', ref);
  const warning =
    'the record of org_acme in this repository is not in origin: a new clone plans without a base';
  expect((await run('plan')).stderr.replace(/\s+/g, ' ')).toContain(warning);
  expect(await run(...onMerge)).toMatchObject({ code: 0 });
  expect(recordIn(path)).toEqual(recordIn(root));
  expect((await run('plan')).stderr).toBe('');
  // The other advice.
  for (const repository of [path, root]) git(repository, 'update-ref', '-d', ref);
  expect((await run('plan')).stderr.replace(/\s+/g, ' ')).not.toContain(warning);
  expect(await run(...onMerge)).toMatchObject({ code: 0 });
  push(manifest({ writers: 'Authors' }));
  const here = ['apply', '--base', 'applied', '--record=none', '--auto-approve'];
  expect(await run(...here)).toMatchObject({ code: 0 });
  expect(await run(...onMerge)).toMatchObject({ code: 0 });
  expect(recordIn(path)).toEqual(recordIn(root));
});

describe('the CI recipe', () => {
  test('works on its first run, and then on a new clone each time', async () => {
    const { bare: path, clone } = await remote();
    const first = await clone().run(...onMerge);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toContain(
      'warning[no-record]: nothing is recorded as applied for org_acme here or in origin',
    );
    expect(first.stderr).toContain('removals and drift are not detected');

    // A pull request, planned in a separate clone.
    const author = clone();
    author.push(manifest({ writers: 'Authors', support: 'Support' }), 'mine');
    const reviewed = await clone('--branch', 'mine').run(
      'plan',
      '--base',
      'origin/main',
      '--ahead',
      'merge',
      '--detailed-exitcode',
    );
    expect(reviewed).toMatchObject({ code: 2 });
    expect(reviewed.stdout).toContain('1 to create, 1 to update');
    author.push();

    const third = clone();
    expect(() => git(third.root, 'rev-parse', '--verify', ref)).toThrow();
    const second = await third.run(...onMerge);
    expect(second).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
    expect(second.stdout).toContain('title "Writers" → "Authors"');
    expect(recordIn(path).commit).toBe(git(third.root, 'rev-parse', 'HEAD').trim());
    expect(git(path, 'log', '--first-parent', '--format=%s', ref).trim().split('\n')).toHaveLength(3);
    const unchanged = await clone().run('plan', '--base', 'applied', '--detailed-exitcode');
    expect(unchanged).toMatchObject({ code: 0, stderr: '' });
  });

  test('fetches a newer record from the remote, unless --offline', async () => {
    const { clone } = await remote();
    const one = clone();
    expect(await one.run(...onMerge)).toMatchObject({ code: 0 });
    const before = git(one.root, 'rev-parse', ref);
    const other = clone();
    other.push(manifest({ writers: 'Writers', support: 'Support' }));
    expect(await other.run(...onMerge)).toMatchObject({ code: 0 });
    expect((await one.run('plan', '--base', 'applied', '--offline')).stdout).toContain('No changes');
    expect(git(one.root, 'rev-parse', ref)).toBe(before);
    // The record names a commit that this clone lacks.
    const ahead = await one.run('plan', '--base', 'applied');
    expect(ahead.stderr).toContain('error[base-ahead]: applied (');
    expect(git(one.root, 'rev-parse', ref)).toBe(git(other.root, 'rev-parse', ref));
  });

  test('fails if the remote cannot be reached, with or without a local record, unless --offline or --base none', async () => {
    const { bare: path, clone } = await remote();
    const one = clone();
    git(one.root, 'remote', 'set-url', 'origin', `${path}-gone`);
    const expectRemoteErrors = async () => {
      for (const command of [
        ['plan'],
        ['plan', '--base', 'applied'],
        ['drift'],
        ['apply', '--auto-approve'],
      ]) {
        const ran = await one.run(...command);
        expect(ran).toMatchObject({ code: 1, stdout: '' });
        expect(ran.stderr).toContain('cannot read records from origin');
        expect(ran.stderr).toContain('--offline');
        expect(ran.stderr).toContain('--base none');
      }
    };
    await expectRemoteErrors();
    for (const way of [['--offline'], ['--base', 'none']])
      expect(await one.run('plan', ...way)).toMatchObject({ code: 0 });
    const offline = await one.run('plan', '--base', 'applied', '--offline');
    expect(offline).toMatchObject({ code: 0 });
    expect(offline.stderr).toContain('nothing is recorded as applied for org_acme here:');
    // A record in the remote would be ignored, so an apply that must record is rejected.
    for (const how of [['--record'], ['--record', '--offline'], ['--record=origin']]) {
      const refused = await one.run('apply', '--auto-approve', ...how);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toMatch(/cannot read records from origin/);
    }
    git(one.root, 'remote', 'set-url', 'origin', path);
    expect(await one.run('apply', '--record', '--auto-approve')).toMatchObject({ code: 0 });
    git(one.root, 'remote', 'set-url', 'origin', `${path}-gone`);
    await expectRemoteErrors();
    const recorded = await one.run('plan', '--offline');
    expect(recorded).toMatchObject({ code: 0 });
    expect(recorded.stdout).toContain('base applied@');
  });

  test('does not fail if several clones record concurrently', async () => {
    const { bare: path, clone } = await remote();
    const [one, two] = [clone(), clone()];
    expect(await one.run('apply', '--auto-approve')).toMatchObject({ code: 0 });
    // None has changes to apply, and none knows of the records of the others.
    const unlocked = [...onMerge, '--lock', 'none'];
    const ran = await Promise.all([one, two, clone()].map(({ run }) => run(...unlocked)));
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0]);
    const records = git(path, 'log', '--first-parent', '--format=%s', ref).trim().split('\n');
    expect(records.filter((subject) => subject === 'Apply org_acme').length).toBeGreaterThan(0);
    expect(await two.run('plan', '--base', 'applied')).toMatchObject({ code: 0, stderr: '' });
  });

  test('rejects a commit of manifests as a record', async () => {
    const { clone } = await remote();
    const one = clone();
    git(one.root, 'update-ref', ref, 'HEAD');
    const ran = await one.run('plan', '--base', 'applied', '--offline');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('was not written by octavo apply: its content is not a record');
    const [, command = ''] =
      /plan with --base <ref>: (git update-ref -d \S+)/.exec(ran.stderr.replace(/\s+/g, ' ')) ?? [];
    git(one.root, ...command.split(' ').slice(1));
    expect(await one.run('plan', '--base', 'HEAD', '--offline')).toMatchObject({ code: 0 });
  });

  test('applies in a shallow clone, or names the missing fetch-depth', async () => {
    const { clone } = await remote();
    expect(await clone().run(...onMerge)).toMatchObject({ code: 0 });
    const author = clone();
    author.push(manifest({ writers: 'Authors' }));
    const shallow = clone('--depth', '1');
    const ran = await shallow.run(...onMerge);
    if (ran.code !== 0) expect(ran.stderr).toContain('fetch-depth: 0');
    else expect(ran.stdout).toContain('title "Writers" → "Authors"');
  });

  test('records without a git identity', async () => {
    const { clone } = await remote();
    const one = clone();
    const home = folder({});
    const ran = await octavo(['apply', '--record', '--auto-approve', '--base-url', 'local'], {
      cwd: one.root,
      env: { HOME: home, XDG_CONFIG_HOME: home },
    });
    expect(ran).toMatchObject({ code: 0 });
    expect(git(one.root, 'log', '-1', '--format=%an', ref).trim()).toMatch(/./);
    expect(existsSync(join(one.root, 'applied.json'))).toBe(false);
  });
});

test('drift after the approval is listed in the record as not applied', async () => {
  const { clone, live } = await remote();
  const { root, run, push } = clone();
  expect((await run('apply', '--auto-approve', '--record=origin')).code).toBe(0);
  push(manifest({ writers: 'Authors' }));
  const { approval } = JSON.parse((await run('plan', '--format', 'json')).stdout) as { approval: string };
  const { items } = JSON.parse((await run('api', 'teams.list', 'organizationId=org_acme')).stdout) as {
    items: readonly { id: string; title: string }[];
  };
  const id = items.find(({ title }) => title === 'First')?.id ?? '';
  await run('api', 'teams.update', 'organizationId=org_acme', `teamId=${id}`, '-F', 'title=Renamed');
  const applied = await run('apply', '--auto-approve', '--record=origin', '--approved', approval);
  expect(applied).toMatchObject({ code: 0 });
  expect(applied.stdout).toContain('Left out: 1 difference (drift)');
  expect(await live()).toEqual(['Authors', 'Renamed']);
  const record = JSON.parse(git(root, 'show', `${ref}:applied.json`)) as object;
  expect(record).toMatchObject({ commit: git(root, 'rev-parse', 'HEAD').trim(), left: ['teams/first'] });
  expect((await run('drift')).stdout).toContain('title "Renamed" → "First"');
});
