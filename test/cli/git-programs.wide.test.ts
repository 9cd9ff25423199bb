/**
 * No content of a checkout makes git run a program. Each place that a contribution could use gets every setting of git
 * that names a program; each program would write a file, and no file may be written.
 */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runs } from '../support/runs.ts';
import { git, initBare, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';

const manifest = (teams: string) => `octavo: 1\norganization: org_acme\nteams: { ${teams} }\n`;

/** Settings that name a program, by key. */
function programs(run: (name: string) => string): readonly (readonly [string, string])[] {
  const keys = [
    'core.sshCommand',
    'core.fsmonitor',
    'core.pager',
    'core.editor',
    'core.askPass',
    'core.gitProxy',
    'core.alternateRefsCommand',
    'credential.helper',
    'diff.external',
    'diff.evil.command',
    'diff.evil.textconv',
    'filter.evil.clean',
    'filter.evil.smudge',
    'filter.evil.process',
    'filter.lfs.clean',
    'filter.lfs.process',
    'merge.evil.driver',
    'gpg.program',
    'gpg.ssh.program',
    'gpg.ssh.defaultKeyCommand',
    'sequence.editor',
    'interactive.diffFilter',
    'uploadpack.packObjectsHook',
    'pager.log',
    'pager.config',
    'remote.origin.uploadpack',
    'remote.origin.receivepack',
    'submodule.docs/sub.update',
    'alias.status',
    'alias.rev-parse',
    'trailer.evil.command',
  ];
  return [
    ...keys.map((key) => [key, (/^(alias|submodule)/.test(key) ? '!' : '') + run(key)] as const),
    ['filter.evil.required', 'true'],
    ['log.showSignature', 'true'],
    ['commit.gpgSign', 'true'],
    ['push.gpgSign', 'if-asked'],
    ['push.recurseSubmodules', 'on-demand'],
    ['fetch.recurseSubmodules', 'true'],
    ['protocol.ext.allow', 'always'],
    ['url.ext::sh -c touch% ran-by-url% .insteadOf', 'file://'],
  ];
}

function configText(settings: readonly (readonly [string, string])[]): string {
  return settings
    .map(([key, value]) => {
      const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
      const section =
        first === last ? key.slice(0, first) : `${key.slice(0, first)} "${key.slice(first + 1, last)}"`;
      return `[${section}]\n\t${key.slice(last + 1)} = ${JSON.stringify(value)}\n`;
    })
    .join('');
}

const attributes = '*.yaml filter=evil diff=evil merge=evil\n*.txt filter=lfs\n';

const hooks = [
  'pre-push',
  'reference-transaction',
  'post-index-change',
  'post-checkout',
  'pre-auto-gc',
  'fsmonitor-watchman',
  'pre-receive',
  'update',
  'post-receive',
  'post-update',
  'proc-receive',
  'push-to-checkout',
];

interface Victim {
  /** Where commands are run. */
  readonly cwd: string;
  /** The folder to which programs write files. */
  readonly traces: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where the record is pushed to and fetched from. */
  readonly bare: string;
}

interface TestRepository {
  readonly outer: string;
  readonly root: string;
  readonly traces: string;
  readonly bare: string;
  /** A command line that writes a file to `traces`. */
  readonly run: (name: string) => string;
  readonly commit: () => void;
}

/** A repository with one commit and a remote, and a folder for the files of programs. */
function setUp(): TestRepository {
  const outer = folder({ 'repo/docs/acme.yaml': manifest('platform: { title: Platform }') });
  const root = join(outer, 'repo');
  const traces = join(outer, 'traces');
  mkdirSync(traces);
  const script = join(outer, 'evil.sh');
  writeFileSync(script, `#!/bin/sh\nname="$1"; shift\ntouch "${traces}/$name"\nexit 1\n`);
  chmodSync(script, 0o755);
  initRepository(root);
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '-m', 'first');
  const bare = join(outer, 'remote.git');
  initBare(outer, bare);
  git(root, 'remote', 'add', 'origin', bare);
  git(root, 'push', '--quiet', 'origin', 'main');
  const commit = () => {
    git(root, 'add', '--force', '--all');
    git(root, 'commit', '--quiet', '-m', 'a contribution');
  };
  return {
    outer,
    root,
    traces,
    bare,
    run: (name) => `${script} ${name.replaceAll(/[^\w.-]/g, '_')}`,
    commit,
  };
}

/** Writes plain files that git recognizes as a repository. */
function repositoryLike(path: string, { run }: TestRepository, worktree: string): void {
  for (const name of ['objects', 'refs', 'hooks']) mkdirSync(join(path, name), { recursive: true });
  writeFileSync(join(path, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(path, 'objects/.keep'), '');
  writeFileSync(join(path, 'refs/.keep'), '');
  const own = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${worktree}\n[remote "origin"]\n\turl = ssh://localhost/x\n`;
  writeFileSync(join(path, 'config'), own + configText(programs(run)));
  writeHooks(join(path, 'hooks'), run);
}

function writeHooks(path: string, run: (name: string) => string): void {
  mkdirSync(path, { recursive: true });
  for (const name of hooks) {
    writeFileSync(join(path, name), `#!/bin/sh\n${run(`hook.${name}`)}\n`);
    chmodSync(join(path, name), 0o755);
  }
}

/** Sets settings of the repository itself, which run scripts of the checkout. */
function configure(root: string, settings: readonly (readonly [string, string])[]): void {
  for (const [key, value] of settings) git(root, 'config', key, value);
}

const places: Readonly<Record<string, (repository: TestRepository) => Partial<Victim>>> = {
  'a manifest folder that looks like a repository': (one) => {
    repositoryLike(join(one.root, 'docs'), one, '.');
    one.commit();
    return {};
  },
  'the same, whose work tree is the folder above': (one) => {
    repositoryLike(join(one.root, 'docs'), one, '..');
    one.commit();
    return { cwd: join(one.root, 'docs') };
  },
  'a folder between the root and the manifests': (one) => {
    repositoryLike(join(one.root, 'sub'), one, '.');
    renameSync(join(one.root, 'docs'), join(one.root, 'sub/docs'));
    one.commit();
    return { cwd: join(one.root, 'sub') };
  },
  'a .git file that names a folder of the checkout': (one) => {
    repositoryLike(join(one.root, 'evil'), one, '../docs');
    one.commit();
    writeFileSync(join(one.root, 'docs/.git'), 'gitdir: ../evil\n');
    return {};
  },
  'a submodule with settings of its own': (one) => {
    const sub = join(one.outer, 'sub');
    mkdirSync(sub);
    initRepository(sub);
    writeFileSync(join(sub, 'more.yaml'), manifest('more: { title: More }'));
    repositoryLike(join(sub, 'like'), one, '..');
    git(sub, 'add', '--force', '.');
    git(sub, 'commit', '--quiet', '-m', 'sub');
    git(one.root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', sub, 'docs/sub');
    const update = `\tupdate = !${one.run('gitmodules')}\n\tfetchRecurseSubmodules = true\n`;
    writeFileSync(
      join(one.root, '.gitmodules'),
      `[submodule "docs/sub"]\n\tpath = docs/sub\n\turl = ${sub}\n${update}`,
    );
    one.commit();
    return {};
  },
  'a linked work tree': (one) => {
    repositoryLike(join(one.root, 'docs'), one, '.');
    one.commit();
    git(one.root, 'worktree', 'add', '--quiet', '--detach', '../linked');
    return { cwd: join(one.outer, 'linked') };
  },
  'a file that the settings of the repository include': (one) => {
    writeFileSync(join(one.root, '.gitconfig'), configText(programs(one.run)));
    writeFileSync(join(one.root, '.gitattributes'), attributes);
    one.commit();
    git(one.root, 'config', 'include.path', '../.gitconfig');
    return {};
  },
  'attributes that choose filters, textconv and merge drivers': (one) => {
    writeFileSync(join(one.root, '.gitattributes'), attributes);
    writeFileSync(join(one.root, '.lfsconfig'), '[lfs]\n\turl = http://localhost:1/\n');
    one.commit();
    const chosen = /^(filter|diff|merge)\.(evil|lfs)\./;
    configure(
      one.root,
      programs(one.run).filter(([key]) => chosen.test(key)),
    );
    // The file looks changed, so that git would filter it.
    utimesSync(join(one.root, 'docs/acme.yaml'), 1, 1);
    return {};
  },
  'hooks in a folder of the checkout': (one) => {
    writeHooks(join(one.root, '.husky'), one.run);
    one.commit();
    git(one.root, 'config', 'core.hooksPath', '.husky');
    return {};
  },
  'a file monitor that is a script of the checkout': (one) => {
    writeHooks(join(one.root, 'scripts'), one.run);
    one.commit();
    git(one.root, 'config', 'core.fsmonitor', 'scripts/fsmonitor-watchman');
    return {};
  },
  'a remote inside the checkout, named by its configuration': (one) => {
    git(one.root, 'init', '--quiet', '--bare', 'docs-remote');
    writeHooks(join(one.root, 'docs-remote/hooks'), one.run);
    writeFileSync(join(one.root, 'octavo.config.yaml'), 'lock: git:./docs-remote\n');
    one.commit();
    return {};
  },
  'a program called git on the path': (one) => {
    const bin = join(one.root, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    for (const name of ['git', 'ssh', 'sh', 'git-lfs']) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${one.run(`path.${name}`)}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    symlinkSync('node_modules/.bin', join(one.root, 'bin'));
    const path = `${bin}:${join(one.root, 'bin')}:./node_modules/.bin:${process.env.PATH}`;
    return { env: { PATH: path } };
  },
};

/** A few commands that together start git in each way. */
const few: readonly (readonly string[])[] = [
  ['plan', '-f', 'docs', '--base', 'other', '--ahead', 'merge'],
  ['plan', '-f', 'docs', '--out', '../plan.json'],
  ['apply', '../plan.json', '--record=origin'],
  ['apply', '-f', 'docs', '--auto-approve', '--lock', 'git:origin', '--record=origin'],
  ['apply', '-f', 'docs', '--auto-approve'],
  ['history', '--verbose'],
  ['doctor', '-f', 'docs'],
];

/** All commands that use git, in an order in which each has work to do. */
const all: readonly (readonly string[])[] = [
  ['plan', '-f', 'docs'],
  ['plan', '-f', 'docs', '--base', 'applied'],
  ['plan', '-f', 'docs', '--base', 'HEAD'],
  ['plan', '-f', 'docs', '--base', 'other', '--ahead', 'merge'],
  ['plan', '-f', 'docs', '--base', 'other', '--ahead', 'own'],
  ['plan', '-f', 'docs', '--out', '../plan.json'],
  ['apply', '../plan.json', '--record=origin'],
  ['apply', '-f', 'docs', '--auto-approve', '--record'],
  ['apply', '-f', 'docs', '--auto-approve', '--record=origin'],
  ['apply', '-f', 'docs', '--auto-approve', '--lock', 'git:origin'],
  ['apply', '-f', 'docs', '--auto-approve'],
  ['drift', '-f', 'docs'],
  ['drift', '-f', 'docs', '--accept'],
  ['plan', '--rehearse', '-f', 'docs', '--base', 'applied'],
  ['history', '--verbose'],
  ['doctor', '-f', 'docs'],
  ['unlock'],
  ['unlock', '--lock', 'git:origin'],
  ['list', '-f', 'docs'],
  ['validate', '-f', 'docs'],
  ['drift', '-f', 'docs', '--pin', '--dry-run'],
  ['export', '--organization', 'org_acme', '--out', 'docs', '--dry-run'],
  ['fmt', '--check', 'docs'],
];

/** All commands in deep runs. */
const commands = runs(1) > 1 ? all : few;

async function traced(place: string): Promise<readonly string[]> {
  const one = setUp();
  const local = { OCTAVO_BASE_URL: `local:${join(one.outer, 'acme.db')}` };
  const first = await octavo(['apply', '-f', 'docs', '--auto-approve', '--record=origin'], {
    cwd: one.root,
    env: local,
  });
  expect(first).toMatchObject({ code: 0 });
  // A branch to merge.
  git(one.root, 'checkout', '--quiet', '-b', 'other');
  writeFileSync(join(one.root, 'docs/acme.yaml'), manifest('platform: { title: Platform }, c: { title: C }'));
  git(one.root, 'commit', '--quiet', '--all', '-m', 'other');
  git(one.root, 'checkout', '--quiet', 'main');
  writeFileSync(join(one.root, 'docs/acme.yaml'), manifest('platform: { title: Platform }, d: { title: D }'));
  git(one.root, 'commit', '--quiet', '--all', '-m', 'main, in conflict with it');
  const { cwd = one.root, env } = places[place]?.(one) ?? {};
  for (const name of readdirSync(one.traces)) rmSync(join(one.traces, name));
  const from = cwd.endsWith('docs')
    ? (args: readonly string[]) => args.map((arg) => (arg === 'docs' ? '.' : arg))
    : (args: readonly string[]) => args;
  for (const args of commands)
    await octavo(from(args), { cwd, env: { ...local, OCTAVO_TOKEN: 'do-not-read', ...env } });
  return [...readdirSync(one.traces), ...readdirSync(one.root).filter((name) => name.startsWith('ran-by'))];
}

test.each(Object.keys(places))(
  '%s runs no program',
  async (place) => {
    expect(await traced(place)).toEqual([]);
  },
  120_000,
);

test('plain git runs programs with the same settings', () => {
  const one = setUp();
  repositoryLike(join(one.root, 'docs'), one, '.');
  try {
    git(join(one.root, 'docs'), 'status');
  } catch {
    // The program fails as a file monitor.
  }
  expect(readdirSync(one.traces)).not.toEqual([]);
});
