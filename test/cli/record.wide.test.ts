/** Records of applies in git are shared between clones: a bare remote, several clones, one service. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { seed } from '../support/harness.ts';
import { git, initBare, initRepository } from './git.ts';
import { folder, octavo, type Ran } from './octavo.ts';
import { served } from './served.ts';

const ref = 'refs/octavo/applied/org_acme';

/** A manifest of teams, separated by lines so that git can merge changes of two teams. */
function teams(titles: Readonly<Record<string, string>>): string {
  const lines = Object.entries(titles).map(
    ([key, title]) => `  ${key}: { title: ${title} }\n  #\n  #\n  #\n`,
  );
  return `octavo: 1\norganization: { id: org_acme }\nteams:\n${lines.join('')}`;
}

interface Remote {
  readonly path: string;
  /** A new clone of a branch. */
  readonly clone: (branch?: string, ...flags: string[]) => Clone;
  /** The titles of all live teams. */
  readonly teamsLive: () => Promise<readonly string[]>;
}

interface Clone {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: (...args: string[]) => Promise<Ran>;
  readonly write: (titles: Readonly<Record<string, string>>) => void;
  /** Commits everything and pushes the branch. */
  readonly push: (branch: string) => void;
}

/** A remote with two teams on main, and a service to which they are not applied. */
async function remote(): Promise<Remote> {
  const { service, env } = await served({ seed });
  const outer = folder({ 'first/acme.yaml': teams({ first: 'First', writers: 'Writers' }) });
  const path = join(outer, 'remote.git');
  initBare(outer, path);
  let count = 0;
  const cloneOf = (root: string): Clone => ({
    root,
    env,
    run: async (...args) => {
      const ran = await octavo(args, { cwd: root, env });
      // Messages are wrapped.
      return { ...ran, stderr: ran.stderr.replace(/\s+/g, ' ') };
    },
    write: (titles) => writeFileSync(join(root, 'acme.yaml'), teams(titles)),
    push: (branch) => {
      git(root, 'add', '.');
      git(root, 'commit', '--quiet', '--allow-empty', '-m', `On ${branch}`);
      git(root, 'push', '--quiet', 'origin', `HEAD:${branch}`);
    },
  });
  const first = join(outer, 'first');
  initRepository(first);
  git(first, 'remote', 'add', 'origin', path);
  cloneOf(first).push('main');
  return {
    path,
    teamsLive: async () => {
      const headers = { authorization: `Bearer ${service.token}` };
      const response = await fetch(`${service.url}/v1/orgs/org_acme/teams`, { headers });
      const { items } = (await response.json()) as { readonly items: readonly { readonly title: string }[] };
      return items.map(({ title }) => title).sort();
    },
    clone: (branch = 'main', ...flags) => {
      count += 1;
      const root = join(outer, `clone-${count}`);
      git(outer, 'clone', '--quiet', '--branch', branch, ...flags, `file://${path}`, root);
      return cloneOf(root);
    },
  };
}

function recordIn(repository: string): { readonly commit: string; readonly ids: Record<string, string> } {
  return JSON.parse(git(repository, 'cat-file', 'blob', `${ref}:applied.json`));
}

const onMerge = ['apply', '--base', 'applied', '--record=origin', '--auto-approve'];

// One of the processes contacts the remote.
test('a plan with a record in a remote starts five git processes, and six if there are newer commits', async () => {
  const { clone } = await remote();
  const { root, write, push, run, env } = clone();
  expect(await run(...onMerge)).toMatchObject({ code: 0 });
  const programs = folder({
    log: '',
    git: `#!/bin/sh\necho >>"$(dirname "$0")/log"\nPATH="\${PATH#*:}" exec git "$@"\n`,
  });
  chmodSync(join(programs, 'git'), 0o755);
  const processes = async () => {
    writeFileSync(join(programs, 'log'), '');
    const counting = { ...env, PATH: `${programs}:${process.env.PATH}` };
    expect(await octavo(['plan'], { cwd: root, env: counting })).toMatchObject({ code: 0 });
    return readFileSync(join(programs, 'log'), 'utf8').length;
  };
  expect(await processes()).toBe(5);
  write({ first: 'First', writers: 'Authors' });
  push('main');
  expect(await processes()).toBe(6);
});

test('records again if the record is gone from the remote, or was made only here', async () => {
  const { clone, path } = await remote();
  const { root, write, push, run } = clone();
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
  write({ first: 'First', writers: 'Authors' });
  push('main');
  const here = ['apply', '--base', 'applied', '--record=none', '--auto-approve'];
  expect(await run(...here)).toMatchObject({ code: 0 });
  expect(await run(...onMerge)).toMatchObject({ code: 0 });
  expect(recordIn(path)).toEqual(recordIn(root));
});

describe('the CI recipe', () => {
  test('works on its first run, and then on a new clone each time', async () => {
    const { path, clone } = await remote();
    const first = await clone().run(...onMerge);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toContain(
      'warning[no-record]: nothing is recorded as applied for org_acme here or in origin',
    );
    expect(first.stderr).toContain('removals and drift are not detected');

    // A pull request, planned in a separate clone.
    const author = clone();
    author.write({ first: 'First', writers: 'Authors', support: 'Support' });
    author.push('mine');
    const reviewed = await clone('mine').run(
      'plan',
      '--base',
      'origin/main',
      '--ahead',
      'merge',
      '--detailed-exitcode',
    );
    expect(reviewed).toMatchObject({ code: 2 });
    expect(reviewed.stdout).toContain('1 to create, 1 to update');
    author.push('main');

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
    other.write({ first: 'First', writers: 'Writers', support: 'Support' });
    other.push('main');
    expect(await other.run(...onMerge)).toMatchObject({ code: 0 });
    expect((await one.run('plan', '--base', 'applied', '--offline')).stdout).toContain('No changes');
    expect(git(one.root, 'rev-parse', ref)).toBe(before);
    // The record names a commit that this clone lacks.
    const ahead = await one.run('plan', '--base', 'applied');
    expect(ahead.stderr).toContain('error[base-ahead]: applied (');
    expect(git(one.root, 'rev-parse', ref)).toBe(git(other.root, 'rev-parse', ref));
  });

  test('fails if the remote cannot be reached, with or without a local record, unless --offline or --base none', async () => {
    const { path, clone } = await remote();
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
    const { path, clone } = await remote();
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
    author.write({ first: 'First', writers: 'Authors' });
    author.push('main');
    const shallow = clone('main', '--depth', '1');
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

describe('concurrent work of two users is never deleted', () => {
  type Step = 'merge ada' | 'merge bob' | 'apply' | 'apply old main';
  const orders: readonly (readonly Step[])[] = [
    ['merge ada', 'apply', 'merge bob', 'apply'],
    ['merge bob', 'apply', 'merge ada', 'apply'],
    ['merge ada', 'merge bob', 'apply'],
    ['merge bob', 'merge ada', 'apply'],
    // Two pipelines, of which the older one is slower.
    ['merge ada', 'merge bob', 'apply', 'apply old main', 'apply'],
    ['merge bob', 'merge ada', 'apply', 'apply old main', 'apply'],
  ];
  test.each(orders)('with %s, %s, %s, %s', async (...steps) => {
    const { clone, teamsLive } = await remote();
    expect(await clone().run(...onMerge)).toMatchObject({ code: 0 });
    const [ada, bob] = [clone(), clone()];
    ada.write({ design: 'Design', first: 'First', writers: 'Writers' });
    ada.push('ada');
    bob.write({ first: 'First', writers: 'Authors', support: 'Support' });
    bob.push('bob');
    let old: Clone | undefined;
    for (const step of steps) {
      if (step === 'apply') {
        const ran = await clone().run(...onMerge);
        expect(ran).toMatchObject({ code: 0 });
        expect(ran.stdout).not.toMatch(/^ *- /m);
      } else if (step === 'apply old main') {
        const ran = await old?.run(...onMerge);
        expect(ran).toMatchObject({ code: 1, stdout: '' });
        expect(ran?.stderr).toContain('error[base-ahead]');
      } else {
        const merger = clone();
        const branch = step === 'merge ada' ? 'ada' : 'bob';
        // The plan of the pull request deletes no team, even if the branch is behind.
        const reviewed = await clone(branch).run('plan', '--base', 'origin/main', '--ahead', 'merge');
        expect(reviewed).toMatchObject({ code: 0 });
        expect(reviewed.stdout).not.toMatch(/^ *- /m);
        git(merger.root, 'merge', '--quiet', '--no-edit', `origin/${branch}`);
        git(merger.root, 'push', '--quiet', 'origin', 'HEAD:main');
        old ??= clone();
      }
    }
    expect(await teamsLive()).toEqual(['Authors', 'Design', 'First', 'Support']);
  });
});

test('drift after the approval is listed in the record as not applied', async () => {
  const { clone, teamsLive } = await remote();
  const { root, run, write, push } = clone();
  expect((await run('apply', '--auto-approve', '--record=origin')).code).toBe(0);
  write({ first: 'First', writers: 'Authors' });
  push('main');
  const { approval } = JSON.parse((await run('plan', '--format', 'json')).stdout) as { approval: string };
  const { items } = JSON.parse((await run('api', 'teams.list', 'organizationId=org_acme')).stdout) as {
    items: readonly { id: string; title: string }[];
  };
  const id = items.find(({ title }) => title === 'First')?.id ?? '';
  await run('api', 'teams.update', 'organizationId=org_acme', `teamId=${id}`, '-F', 'title=Renamed');
  const applied = await run('apply', '--auto-approve', '--record=origin', '--approved', approval);
  expect(applied).toMatchObject({ code: 0 });
  expect(applied.stdout).toContain('Left out: 1 difference (drift)');
  expect(await teamsLive()).toEqual(['Authors', 'Renamed']);
  const record = JSON.parse(git(root, 'show', `${ref}:applied.json`)) as object;
  expect(record).toMatchObject({ commit: git(root, 'rev-parse', 'HEAD').trim(), left: ['teams/first'] });
  expect((await run('drift')).stdout).toContain('title "Renamed" → "First"');
});
