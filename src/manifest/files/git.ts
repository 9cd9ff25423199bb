/**
 * Runs git. Never changes the work tree or the index, and runs no program that the checkout chooses: git starts only at the root
 * of the repository, without hooks, monitors and filters, and ignores settings in files of the checkout.
 */
import { type ExecFileException, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import path from 'node:path';
import { rememberedIn } from '../../util/remembered.ts';
import { GitObjects } from './git-objects.ts';
import { isOutside } from './paths.ts';
import { GitError } from './repository.ts';

// biome-ignore format: a list of words
/** Variables that git needs and that do not affect the choice of repository. Tokens are not passed on. */
const passedOn = [
  'HOME', 'XDG_CONFIG_HOME', 'SSH_AUTH_SOCK', 'GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'HTTP_PROXY',
  'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'SystemRoot',
];

/** Each setting prevents git from using a program or repository that a checkout could contain. */
const guards = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  'protocol.ext.allow=never',
  'log.showSignature=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'maintenance.auto=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

export class Git {
  readonly #env: Readonly<Record<string, string>>;
  readonly #path: readonly string[];
  #checkout: string | undefined;
  readonly #objects = new Map<string, GitObjects>();

  /** Unit: milliseconds. A remote that does not respond must not block a run. */
  readonly #longest: number;

  constructor(env: Readonly<Record<string, string | undefined>>, longest = 120_000) {
    this.#longest = longest;
    const needed = passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
    // Git must never prompt, because there may be no one to answer.
    this.#env = { ...Object.fromEntries(needed), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' };
    this.#path = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  }

  async run(
    folder: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Buffer> {
    const { exitCode, stdout, problem } = await this.attempt(folder, args, env);
    if (exitCode !== 0) throw new GitError(problem);
    return stdout;
  }

  /** Runs a command that may fail. Throws a GitError only if git itself cannot run. */
  attempt(
    folder: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly exitCode: number; readonly stdout: Buffer; readonly problem: string }> {
    const options = {
      encoding: 'buffer',
      maxBuffer: 256 * 1024 * 1024,
      env: { ...this.#envIn(folder), ...env },
      timeout: this.#longest,
    } as const;
    return new Promise((done, fail) => {
      execFile('git', ['-C', folder, ...guards, ...args], options, (error, stdout, stderr) => {
        const impossible = impossibleRun(error, args, this.#longest);
        if (impossible === undefined) {
          const failure = typeof error?.code === 'number' ? error.code : 1;
          done({ exitCode: error === null ? 0 : failure, stdout, problem: firstLine(stderr) });
        } else fail(impossible);
      });
    });
  }

  /**
   * Finds the repository by its `.git`, which a commit cannot contain; git itself would accept any folder with HEAD, objects and refs.
   * @throws GitError if a file of the checkout contributes to git's settings.
   */
  async repositoryOf(
    folder: string,
  ): Promise<{ readonly root: string; readonly settings: ReadonlyMap<string, string> } | undefined> {
    const root = rootAbove(path.resolve(folder));
    if (root === undefined) return undefined;
    this.#checkout = root;
    refuseOwnRepository(root);
    const { exitCode, stdout, problem } = await this.attempt(root, [
      'config',
      '--list',
      '--show-origin',
      '--show-scope',
      '--includes',
      '-z',
    ]);
    if (exitCode !== 0) throw new GitError(problem);
    const parts = String(stdout).split('\0');
    const settings = new Map<string, string>();
    let isRepository = false;
    for (let at = 0; at + 2 < parts.length; at += 3) {
      const [scope, origin = '', setting = ''] = parts.slice(at, at + 3);
      isRepository ||= scope === 'local';
      this.#refuseFromCheckout(origin, root);
      const end = setting.indexOf('\n');
      settings.set(end < 0 ? setting : setting.slice(0, end), end < 0 ? 'true' : setting.slice(end + 1));
    }
    if (!isRepository && !(await this.#isRepository(root))) return undefined;
    return { root, settings };
  }

  objects(root: string): GitObjects {
    const start = () =>
      spawn('git', ['-C', root, ...guards, 'cat-file', '--batch'], { env: this.#envIn(root) });
    const fail = (problem: string) => new GitError(problem);
    return rememberedIn(this.#objects, root, () => new GitObjects({ start, longest: this.#longest, fail }));
  }

  withInput(folder: string, args: readonly string[], input: string): Promise<string> {
    return new Promise((done, fail) => {
      const env = this.#envIn(folder);
      const child = spawn('git', ['-C', folder, ...guards, ...args], { env, timeout: this.#longest });
      const [out, wrong]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => wrong.push(chunk));
      child.on('error', () => fail(new GitError('git is not installed, or not on the PATH')));
      child.on('close', (code) => {
        if (code === 0) done(String(Buffer.concat(out)).trim());
        else fail(new GitError(firstLine(Buffer.concat(wrong))));
      });
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
  }

  async #isRepository(root: string): Promise<boolean> {
    const { exitCode, problem } = await this.attempt(root, ['rev-parse', '--git-dir']);
    if (exitCode === 0) return true;
    if (/not a git repository/i.test(problem)) return false;
    throw new GitError(problem);
  }

  /** Refuses settings in files of the checkout, which may name programs. */
  #refuseFromCheckout(origin: string, root: string): void {
    if (!origin.startsWith('file:')) return;
    const file = path.resolve(root, origin.slice('file:'.length));
    const { HOME = '', XDG_CONFIG_HOME = path.join(HOME, '.config') } = this.#env;
    const isOfUser =
      file === path.join(HOME, '.gitconfig') || file === path.join(XDG_CONFIG_HOME, 'git/config');
    const outer = rootAbove(path.dirname(root));
    const checkouts =
      outer === undefined || statSync(path.join(root, '.git')).isDirectory() ? [root] : [root, outer];
    if (isOfUser || !checkouts.some((checkout) => isOfCheckout(file, checkout))) return;
    throw new GitError(
      `git's settings include ${path.relative(root, file)}, a file of the checkout, and could run any program; copy what is needed into .git/config and unset include.path`,
    );
  }

  /** Returns the environment with a PATH without folders of a checkout: `npm run` puts `node_modules/.bin` first. */
  #envIn(folder: string): Readonly<Record<string, string>> {
    const root = rootAbove(path.resolve(folder)) ?? this.#checkout;
    const real = root === undefined ? undefined : realOf(root);
    const outside = this.#path.filter((one) => real === undefined || isOutside(real, realOf(one)));
    return { ...this.#env, PATH: outside.join(path.delimiter) };
  }
}

function impossibleRun(
  error: ExecFileException | null,
  [command]: readonly string[],
  longest: number,
): GitError | undefined {
  if (error?.code === 'ENOENT') return new GitError('git is not installed, or not on the PATH');
  if (error?.killed === true)
    return new GitError(`git ${command} took longer than ${longest / 1000} seconds`);
  return undefined;
}

/** Searches upwards for `.git`, which is a folder, or a file in a work tree or submodule. */
export function rootAbove(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    const marker = statSync(path.join(at, '.git'), { throwIfNoEntry: false });
    if (marker?.isFile() === true || existsSync(path.join(at, '.git/HEAD'))) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** Throws for a `.git` file that names a folder inside the surrounding checkout. */
function refuseOwnRepository(root: string): void {
  const file = path.join(root, '.git');
  if (!statSync(file).isFile()) return;
  const named = /^gitdir: (.*?)\n*$/s.exec(readFileSync(file, 'utf8'))?.[1];
  const outer = rootAbove(path.dirname(root));
  if (named === undefined || outer === undefined || !statSync(path.join(outer, '.git')).isDirectory()) return;
  if (!isOfCheckout(path.resolve(root, named), outer)) return;
  throw new GitError(`${file} names a repository inside the checkout: ${named}; remove that file`);
}

/** True for a file inside the folder but outside `.git`, because git may have checked it out. */
function isOfCheckout(file: string, root: string): boolean {
  const [real, at] = [realOf(root), realOf(file)];
  return !isOutside(real, at) && !path.relative(real, at).split(path.sep).includes('.git');
}

function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function firstLine(stderr: Buffer): string {
  const lines = String(stderr).trim().split('\n');
  const line = lines.find((one) => /^(fatal|error): /.test(one)) ?? lines[0] ?? '';
  return line.replace(/^(fatal|error): /, '') || 'git failed';
}
