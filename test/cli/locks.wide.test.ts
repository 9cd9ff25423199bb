/** One apply at a time per organization: locks here and in a remote, with real sockets, clones and work trees. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lockRef } from '../../src/past/lock/ref-lock.ts';
import type { FaultRule, Service } from '../../src/server/index.ts';
import { patience, runs } from '../support/runs.ts';
import { realSleep, startApply, twoApplies } from '../support/two-applies.ts';
import { git, initBare, initRepository } from './git.ts';
import { folder, octavo, type Ran, start } from './octavo.ts';
import { served } from './served.ts';

/** Sections have no unique title, so a concurrent apply would duplicate them. */
const sections = Array.from(
  { length: 6 },
  (_, at) => `      s${at}: { title: Section ${at}, spaces: { main: { space: guide } } }`,
);
const manifest = `octavo: 1
organization: { id: org_acme, title: Acme }
teams:
  platform: { title: Platform }
  writers: { title: Writers }
collections:
  handbook: { title: Handbook, spaces: { guide: { id: sp_guide, title: Guide } } }
sites:
  hub:
    title: Hub
    sections:
${sections.join('\n')}
`;

const seed = {
  organizations: [
    { id: 'org_acme', title: 'Acme', spaces: [{ id: 'sp_guide', title: 'Guide' }] },
    { id: 'org_match', title: 'Matched', hostname: 'matched' },
  ],
};

const serve = (faults: readonly FaultRule[] = []) => served({ seed, faults });

/** Two clones of a bare repository with the manifest. `config` is their octavo.config.yaml. */
function twoClones(config = ''): { readonly bare: string; readonly clones: readonly [string, string] } {
  const outer = folder({ 'first/acme.yaml': manifest, 'first/octavo.config.yaml': config });
  const [bare, first, second] = ['bare.git', 'first', 'second'].map((name) => join(outer, name)) as [
    string,
    string,
    string,
  ];
  initBare(outer, bare);
  initRepository(first);
  git(first, 'remote', 'add', 'origin', bare);
  git(first, 'add', '.');
  git(first, 'commit', '--quiet', '-m', 'First');
  git(first, 'push', '--quiet', 'origin', 'main');
  git(outer, 'clone', '--quiet', bare, second);
  return { bare, clones: [first, second] };
}

/** A repository with the files. */
function repository(files: Readonly<Record<string, string>>): string {
  const cwd = folder(files);
  initRepository(cwd);
  return cwd;
}

/** Two work trees of one repository with the manifest. */
function twoTrees(): readonly [string, string] {
  const { clones } = twoClones();
  const tree = `${clones[0]}-tree`;
  git(clones[0], 'worktree', 'add', '--quiet', '--detach', tree);
  return [clones[0], tree];
}

/** The number of objects of each kind, which is the same after one apply and after two. */
function counts({ store }: Service): Readonly<Record<string, number>> {
  const kinds = ['team', 'site', 'section', 'siteSpace', 'collection', 'space'] as const;
  return Object.fromEntries(kinds.map((kind) => [kind, store.every(kind).length]));
}

/** The output of octavo unlock, which lists held locks. */
async function locks(cwd: string): Promise<string> {
  return (await octavo(['unlock'], { cwd })).stdout;
}

describe.each([
  ['a lock of two work trees', twoTrees],
  ['a lock in a remote of two clones', () => twoClones('lock: git:origin\n').clones],
])('two concurrent applies with %s', (_, make) => {
  async function both(args: readonly string[], apart: number) {
    const { service: started, env } = await serve([
      { operations: ['teams.create'], type: 'latency', milliseconds: 100 },
    ]);
    const folders = make();
    const ran = await twoApplies({ service: started, folders, args, apart });
    return { started, ran, cwd: folders[0], env };
  }

  async function expectWhole({ started, cwd, env }: Awaited<ReturnType<typeof both>>): Promise<void> {
    expect(counts(started)).toEqual({ team: 2, site: 1, section: 6, siteSpace: 6, collection: 1, space: 1 });
    expect(await octavo(['plan', '--detailed-exitcode'], { cwd, env })).toMatchObject({ code: 0 });
  }

  /** Evenly spaced delays in milliseconds. */
  const moments = Array.from({ length: runs(1) }, (__, at) => (patience(200) * (at + 1)) / runs(1) / 2);

  test('wait for each other with a timeout', async () => {
    for (const apart of moments) {
      const all = await both(['--lock-timeout', '60s'], apart);
      expect(all.ran.map(({ code }) => code)).toEqual([0, 0]);
      expect(all.ran.filter(({ stdout }) => stdout.includes('No changes'))).toHaveLength(1);
      await expectWhole(all);
    }
  });

  test('reject one with the holder of the lock without a timeout', async () => {
    for (const apart of moments) {
      const all = await both([], apart);
      const [refused] = all.ran.filter(({ code }) => code !== 0);
      const [done] = all.ran.filter(({ code }) => code === 0);
      expect(done?.code).toBe(0);
      if (refused === undefined) expect(apart).toBeGreaterThan(0);
      else expectRefusal(refused);
      await expectWhole(all);
    }
  });
});

/** Expects a refusal that names organization, holder, time and both remedies. */
function expectRefusal({ code, stdout, stderr }: Ran): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.replace(/\s+/g, ' ')).toMatch(
    /error\[locked\]: org_acme is locked by \S+@\S+ \(octavo apply, run r-[0-9a-z-]+, process \d+\) since 20\S+Z help: wait for it with --lock-timeout 10m; if that run has ended, remove its lock with: octavo unlock r-/,
  );
}

/** Starts an apply that hangs in its first create and holds its locks. */
async function hanging(args: readonly string[] = [], cwd = repository({ 'acme.yaml': manifest })) {
  const { service: started, env } = await serve([
    { operations: ['teams.create'], type: 'latency', milliseconds: 20_000 },
  ]);
  const first = startApply(cwd, { service: started, args });
  // From then on, Ctrl-C waits for requests.
  await first.stderr.until('Applying to');
  return { started, first, cwd, env };
}

test('names the holder it waits for, and Ctrl-C ends the wait', async () => {
  const { cwd, started } = await hanging();
  const second = startApply(cwd, { service: started, args: ['--lock-timeout', '5m'] });
  await second.stderr.until(
    /Waiting up to 5 min for the lock on org_acme, held by \S+ \(octavo apply, run r-/,
  );
  second.kill('SIGINT');
  expect(await second.ended).toMatchObject({
    code: 130,
    stdout: '',
    stderr: expect.stringMatching(/Interrupted\.\n$/),
  });
});

test('re-reads the record after waiting, and rejects an older commit', async () => {
  const { clones } = twoClones('lock: git:origin\n');
  const [newer, older] = clones;
  const slow = { type: 'latency', milliseconds: 1500, skip: 2 } as const;
  const { service: started } = await serve([{ ...slow, operations: ['teams.create'] }]);
  const args = ['--base', 'applied', '--record=origin', '--lock-timeout', '60s'];
  expect(await startApply(newer, { service: started, args }).ended).toMatchObject({ code: 0 });
  writeFileSync(
    join(newer, 'acme.yaml'),
    manifest.replace('teams:', 'teams:\n  support: { title: Support }'),
  );
  git(newer, 'commit', '--quiet', '-am', 'Support');
  git(newer, 'push', '--quiet', 'origin', 'main');
  git(older, 'fetch', '--quiet', 'origin');
  const first = startApply(newer, { service: started, args });
  await first.stdout.until('Digest');
  const second = startApply(older, { service: started, args });
  await second.stderr.until('Waiting up to');
  expect(await first.ended).toMatchObject({ code: 0 });
  const { code, stderr } = await second.ended;
  expect(code).toBe(1);
  expect(stderr).toContain('error[base-ahead]: applied (');
  expect(stderr).toContain('merge or rebase first');
  git(older, 'fetch', '--quiet', 'origin');
  git(older, 'rebase', '--quiet', 'origin/main');
  expect(await startApply(older, { service: started, args }).ended).toMatchObject({ code: 0 });
});

test('rejects an apply whose lock timeout expires', async () => {
  const { cwd, env } = await hanging();
  const ran = await octavo(['apply', '--auto-approve', '--lock-timeout', '500ms'], {
    cwd,
    env,
    sleep: realSleep,
  });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('waited') });
});

test('releases the lock on Ctrl-C, and if the apply is not approved', async () => {
  const { first, cwd, env } = await hanging();
  expect(await locks(cwd)).toMatch(/^1 lock in this repository:\n {2}org_acme of http/);
  first.kill('SIGINT');
  await first.stderr.until('Waiting for requests');
  first.kill('SIGINT');
  expect(await first.ended).toMatchObject({ code: 130 });
  expect(await locks(cwd)).toBe('No locks in this repository.\n');
  expect(await octavo(['apply'], { cwd, env })).toMatchObject({ code: 1 });
  expect(await locks(cwd)).toBe('No locks in this repository.\n');
});

test('releases a git lock on Ctrl-C', async () => {
  const { bare, clones } = twoClones('lock: git:origin\n');
  const { first } = await hanging([], clones[0]);
  const refs = () => git(bare, 'for-each-ref', 'refs/octavo');
  expect(refs()).toContain('refs/octavo/locks/org_acme/');
  first.kill('SIGINT');
  await first.stderr.until('Waiting for requests');
  first.kill('SIGINT');
  expect(await first.ended).toMatchObject({ code: 130 });
  expect(refs()).toBe('');
  expect(git(clones[0], 'for-each-ref', 'refs/octavo')).toBe('');
});

test('takes over a git lock whose lease expires, even without a timeout', async () => {
  const { bare, clones } = twoClones('lock: git:origin\n');
  const { service: started } = await serve();
  const content = {
    format: 1,
    organizations: ['org_acme'],
    baseUrl: started.url,
    owner: 'ci@runner',
    host: 'runner',
    process: { pid: 7 },
    since: '2026-01-01T00:00:00.000Z',
    run: 'r-gone',
    command: 'octavo apply',
    url: 'https://ci.acme.dev/jobs/7',
    lease: 1,
  };
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: bare,
    input: JSON.stringify(content),
    encoding: 'utf8',
  }).trim();
  const tree = execFileSync('git', ['mktree'], {
    cwd: bare,
    input: `100644 blob ${blob}\tlock.json\n`,
    encoding: 'utf8',
  }).trim();
  const ref = lockRef('org_acme', started.url);
  git(bare, 'update-ref', ref, git(bare, 'commit-tree', tree, '-m', 'Lock').trim());
  const ran = await startApply(clones[1], { service: started }).ended;
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).toContain(
    'The lock on org_acme was not renewed by ci@runner (octavo apply, run r-gone, process 7, https://ci.acme.dev/jobs/7)',
  );
  expect(ran.stderr).toContain('Took over the lock of run r-gone, which did not renew it for 1 s.');
});

test('stops the apply if a git lock is lost, and records nothing', async () => {
  const { bare, clones } = twoClones('lock: git:origin\nlockLease: 8s\n');
  const { service: started } = await serve([
    { operations: ['teams.create'], type: 'latency', milliseconds: 6000 },
  ]);
  const args = ['--parallelism', '1', '--record'];
  const first = startApply(clones[0], { service: started, args });
  await first.stdout.until('Digest');
  const ref = git(bare, 'for-each-ref', '--format=%(refname)', 'refs/octavo/locks').trim();
  git(bare, 'update-ref', '-d', ref);
  const { code, stdout, stderr } = await first.ended;
  expect(code).toBe(1);
  expect(stdout).toMatch(/Not started:/);
  expect(stderr).toMatch(
    /error\[lock-lost\]: lost the lock on org_acme: it (was removed by octavo unlock|could not be renewed)/,
  );
  expect(started.store.every('section')).toHaveLength(0);
  expect(git(clones[0], 'for-each-ref', 'refs/octavo/applied')).toBe('');
});

describe('octavo unlock', () => {
  test('lists locks, asks, and removes the lock of a run, which starts no further step', async () => {
    const { first, started, cwd } = await hanging(['--parallelism', '1']);
    const run = /run (r-[0-9a-z-]+)/.exec(await locks(cwd))?.[1] ?? '';
    expect(await octavo(['unlock', run], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--force'),
    });
    const no = await octavo(['unlock', run], { cwd, isTerminal: true, input: 'no\n' });
    expect(no).toMatchObject({ code: 1, stderr: expect.stringContaining('Not removed.') });
    const yes = await octavo(['unlock', run], { cwd, isTerminal: true, input: 'yes\n' });
    expect(yes).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Removed the lock on org_acme of http/),
    });
    const again = await octavo(['unlock', run, '--force'], { cwd });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`run ${run} holds no lock`) });
    await realSleep(patience(2500));
    first.kill('SIGINT');
    first.kill('SIGINT');
    expect((await first.ended).stderr).toContain('error[lock-lost]');
    expect(started.store.every('section')).toHaveLength(0);
  });

  test('removes a git lock', async () => {
    const { clones } = twoClones('lock: git:origin\n');
    await hanging([], clones[0]);
    const listed = await octavo(['unlock'], { cwd: clones[1] });
    expect(listed.stdout).toMatch(/^1 lock in this repository and origin:/);
    const run = /run (r-[0-9a-z-]+)/.exec(listed.stdout)?.[1] ?? '';
    expect(await octavo(['unlock', run, '--force'], { cwd: clones[1] })).toMatchObject({ code: 0 });
    expect((await octavo(['unlock'], { cwd: clones[1] })).stdout).toBe(
      'No locks in this repository and origin.\n',
    );
  });

  test('rejects --lock none', async () => {
    expect((await octavo(['unlock', '--lock', 'none'])).stderr).toContain('there are no locks to remove');
  });
});

describe('locking', () => {
  test('looks up a matched organization once, before the lock', async () => {
    const { env } = await serve();
    const cwd = folder({
      'm.yaml': 'octavo: 1\norganization: { match: { hostname: matched } }\nteams: { a: { title: A } }\n',
    });
    const ran = await octavo(['apply', '--auto-approve', '--verbose'], { cwd, env });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr.match(/GET \/v1\/orgs /g)).toHaveLength(1);
  });

  test('applies to the organizations of a saved plan', async () => {
    const { cwd, env } = await hanging();
    expect(await octavo(['plan', '--out', 'plan.json'], { cwd, env })).toMatchObject({ code: 0 });
    const ran = await octavo(['apply', 'plan.json'], { cwd, env });
    expect(ran.stderr).toContain('error[locked]: org_acme is locked by');
  });

  test('applies to an undo, but not to saving its plan', async () => {
    const hang = { type: 'latency', milliseconds: 20_000 } as const;
    const { service: started, env } = await serve([{ ...hang, operations: ['teams.create'], skip: 1 }]);
    const text = (teams: string) => `octavo: 1\norganization: { id: org_acme }\nteams: { ${teams} }\n`;
    const cwd = repository({ 'acme.yaml': text('a: { title: A }') });
    expect(await octavo(['apply', '--auto-approve'], { cwd, env })).toMatchObject({ code: 0 });
    writeFileSync(join(cwd, 'acme.yaml'), text('a: { title: A }, b: { title: B }'));
    const second = startApply(cwd, { service: started });
    await second.stdout.until('Digest');
    const [, first = ''] =
      /(r-[0-9a-z-]+)[^\n]*complete/.exec((await octavo(['history'], { cwd })).stdout) ?? [];
    const undone = await octavo(['undo', first, '--auto-approve'], { cwd, env });
    expect(undone).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('error[locked]: org_acme'),
    });
    expect(started.store.every('team')).toHaveLength(1);
    expect(await octavo(['undo', first, '--out', 'undo.json'], { cwd, env })).toMatchObject({ code: 0 });
  });

  test('does not apply to plans, other services or --lock none', async () => {
    const { cwd, env } = await hanging();
    expect(await octavo(['plan'], { cwd, env })).toMatchObject({ code: 0 });
    const { env: elsewhere } = await serve();
    expect(await octavo(['apply', '--auto-approve'], { cwd, env: elsewhere })).toMatchObject({ code: 0 });
    const third = start(['apply', '--auto-approve', '--lock', 'none'], { cwd, env });
    await third.stdout.until('Digest');
  });

  test('stores no token, and rejects invalid settings', async () => {
    const { env, cwd } = await hanging();
    const [ref = '', ...others] = git(cwd, 'for-each-ref', '--format=%(refname)').trim().split('\n');
    expect(others).toEqual([]);
    expect(git(cwd, 'show', `${ref}:lock.json`)).not.toContain(env.OCTAVO_TOKEN);
    const bad = (...args: string[]) => octavo(['apply', ...args]);
    expect((await bad('--lock', 'redis:x')).stderr).toContain(
      'error[lock]: there is no lock "redis:x"\n  help: use local, git:<remote> or none\n',
    );
    expect((await bad('--lock', 'git:')).code).toBe(1);
    expect((await bad('--lock', 'git:--upload-pack=x')).stderr).toContain('error[lock]: there is no lock');
    expect((await bad('--lock-timeout', 'soon')).stderr).toContain(
      'error[lock]: the lock timeout "soon" is not a duration\n  help: write a duration such as 30s, 5m or 1h',
    );
    expect((await bad('--lock', 'none', '--lock', 'local')).stderr).toContain('--lock is set more than once');
    expect((await bad('--no-lock')).stderr).toContain('unknown flag --no-lock');
    const config = folder({ 'octavo.config.yaml': 'lockTimeout: soon\n', 'acme.yaml': manifest });
    expect((await octavo(['apply'], { cwd: config })).stderr).toMatch(
      /octavo\.config\.yaml:1:14[\s\S]*write a duration/,
    );
    const outside = folder({ 'acme.yaml': manifest });
    const none = await octavo(['apply', '--lock', 'git:origin'], { cwd: outside, env });
    expect(none.stderr.replace(/\s+/g, ' ')).toContain('is not in a git repository, has no such remote');
  });

  test('locks all organizations of an apply or none', async () => {
    const { env, cwd } = await hanging();
    writeFileSync(
      join(cwd, 'more.yaml'),
      'octavo: 1\norganization: { match: { hostname: matched } }\nteams: { a: { title: A } }\n',
    );
    const ran = await octavo(['apply', '--auto-approve'], { cwd, env });
    expect(ran.stderr).toContain('error[locked]: org_acme is locked by');
    expect(await locks(cwd)).toMatch(/^1 lock in this repository:/);
  });

  test('excludes a run with a lock in a remote from a run with a local one, in both orders', async () => {
    for (const [first, second] of [
      ['git:origin', 'local'],
      ['local', 'git:origin'],
    ]) {
      const { clones } = twoClones();
      const { env, cwd } = await hanging(['--lock', `${first}`], clones[0]);
      const ran = await octavo(['apply', '--auto-approve', '--lock', `${second}`], { cwd, env });
      expectRefusal(ran);
    }
  });

  test('refuses a repository that it cannot write to, and names what to do', async () => {
    if (process.getuid?.() === 0) return;
    const cwd = repository({ 'acme.yaml': manifest });
    const { service: started } = await serve();
    const closed = [join(cwd, '.git/objects'), join(cwd, '.git/refs')];
    for (const name of closed) chmodSync(name, 0o500);
    onTestFinished(() => {
      for (const name of closed) chmodSync(name, 0o700);
    });
    const refused = await startApply(cwd, { service: started }).ended;
    expect(refused.stderr).toMatch(
      /error\[lock\]: the lock in this repository cannot be read or written: .*permission/i,
    );
    expect(refused.stderr).toContain('--lock none works without a lock');
    expect(await startApply(cwd, { service: started, args: ['--lock', 'none'] }).ended).toMatchObject({
      code: 0,
    });
  });
});

describe('without git', () => {
  /** An apply that waits in its first create, with its journal on the disk. */
  async function begun() {
    const { first, env, ...more } = await hanging(['--parallelism', '1'], folder({ 'acme.yaml': manifest }));
    const { cwd } = more;
    while (!(await locks(cwd)).startsWith('1 lock')) await realSleep(50);
    return { first, env, ...more };
  }

  test('the journal of a live run is the lock', async () => {
    const { first, env, cwd } = await begun();
    const ran = await octavo(['apply', '--auto-approve'], { cwd, env });
    expect(ran.stderr.replace(/\s+/g, ' ')).toMatch(
      /error\[locked\]: org_acme is locked by \S+ \(octavo apply, run r-[0-9a-z-]+, process \d+\) since 20/,
    );
    first.kill('SIGINT');
    first.kill('SIGINT');
    await first.ended;
    expect(await locks(cwd)).toBe('No locks in this workspace.\n');
    expect(readdirSync(cwd).sort()).toEqual(['.octavo', 'acme.yaml']);
    expect(readdirSync(join(cwd, '.octavo')).sort()).toEqual(['.gitignore', 'journal']);
  });

  test('octavo unlock ends the journal, and the run sends nothing more', async () => {
    const { first, started, cwd } = await begun();
    const [, run = ''] = /run (r-[0-9a-z-]+)/.exec(await locks(cwd)) ?? [];
    expect(await octavo(['unlock', run, '--force'], { cwd })).toMatchObject({ code: 0 });
    expect(await locks(cwd)).toBe('No locks in this workspace.\n');
    first.kill('SIGINT');
    first.kill('SIGINT');
    expect((await first.ended).code).not.toBe(0);
    expect(started.store.every('section')).toHaveLength(0);
  });

  test('two runs that start at the same time never both go on', async () => {
    for (let count = 0; count < runs(2); count += 1) {
      const { service: started } = await serve([
        { operations: ['teams.create'], type: 'latency', milliseconds: 300 },
      ]);
      const cwd = folder({ 'acme.yaml': manifest });
      const ran = await twoApplies({ service: started, folders: [cwd, cwd], apart: 5 * count });
      for (const { code, stderr } of ran) if (code !== 0) expect(stderr).toMatch(/error\[lock(ed|-lost)\]/);
      expect(await startApply(cwd, { service: started }).ended).toMatchObject({ code: 0 });
      expect(counts(started)).toEqual({
        team: 2,
        site: 1,
        section: 6,
        siteSpace: 6,
        collection: 1,
        space: 1,
      });
    }
  });
});
