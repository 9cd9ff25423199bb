/** Runs git and reads what it says of commits and refs. Never changes the work tree or the index. */
import { type ExecFileException, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { GitBlobs } from './git-blobs.ts';

/** A git command failed; `message` says why. */
export class GitError extends Error {}

/** What a git command that may fail printed. */
export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** Git's first line of what went wrong, without `fatal:`. */
  readonly problem: string;
}

/** Variables that git needs and that change nothing about which repository is meant. */
const passedOn = [
  'PATH',
  'HOME',
  'XDG_CONFIG_HOME',
  'SSH_AUTH_SOCK',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_ASKPASS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SystemRoot',
];

/** Git in any repository. */
export class Git {
  readonly #env: Readonly<Record<string, string>>;

  /** Longest that a command may take, in milliseconds: a remote that does not answer must not hang a run. */
  readonly #longest: number;

  constructor(env: Readonly<Record<string, string | undefined>>, longest = 120_000) {
    this.#longest = longest;
    const needed = passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
    // Git must never ask: nobody may be there to answer.
    this.#env = { ...Object.fromEntries(needed), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' };
  }

  /** What git prints. Throws a GitError with git's own first line. */
  async run(folder: string, args: readonly string[]): Promise<Buffer> {
    const { exitCode, stdout, problem } = await this.attempt(folder, args);
    if (exitCode !== 0) throw new GitError(problem);
    return stdout;
  }

  /** Runs a command whose failure is an answer. Throws a GitError only where git itself cannot be run. */
  attempt(
    folder: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<GitResult> {
    const options = {
      encoding: 'buffer',
      maxBuffer: 256 * 1024 * 1024,
      env: { ...this.#env, ...env },
      timeout: this.#longest,
    } as const;
    return new Promise((done, fail) => {
      execFile('git', ['-C', folder, ...args], options, (error, stdout, stderr) => {
        const impossible = impossibleRun(error, args, this.#longest);
        if (impossible === undefined) {
          const failure = typeof error?.code === 'number' ? error.code : 1;
          done({ exitCode: error === null ? 0 : failure, stdout, problem: firstLine(stderr) });
        } else fail(impossible);
      });
    });
  }

  /** Reads blobs of a repository, all by one process. */
  blobs(repository: string): GitBlobs {
    return new GitBlobs({
      start: () => spawn('git', ['-C', repository, 'cat-file', '--batch'], { env: this.#env }),
      longest: this.#longest,
      fail: (problem) => new GitError(problem),
    });
  }

  /** Stores a text as a blob; returns its object id. */
  async writeBlob(repository: string, text: string): Promise<string> {
    return this.#withInput(repository, ['hash-object', '-w', '--stdin'], text);
  }

  /** Stores a tree with these blobs, by file name; returns its object id. */
  async writeTree(repository: string, blobs: Readonly<Record<string, string>>): Promise<string> {
    const entries = Object.entries(blobs).map(([name, oid]) => `100644 blob ${oid}\t${name}\n`);
    return this.#withInput(repository, ['mktree'], entries.join(''));
  }

  /** The root of the repository that contains a folder, or undefined where there is none. */
  async repositoryOf(folder: string): Promise<string | undefined> {
    // Most commands need no git: where no folder above has a .git, it is not even started.
    if (!isBelowRepository(folder)) return undefined;
    const { exitCode, stdout, problem } = await this.attempt(folder, ['rev-parse', '--show-toplevel']);
    if (exitCode === 0) return String(stdout).trim();
    if (/not a git repository/i.test(problem)) return undefined;
    throw new GitError(problem);
  }

  /** The commit that a ref names, or undefined where there is none. */
  async commitOf(repository: string, ref: string): Promise<string | undefined> {
    if (ref.startsWith('-')) return undefined;
    const { stdout } = await this.attempt(repository, [
      'rev-parse',
      '--verify',
      '--quiet',
      `${ref}^{commit}`,
    ]);
    return String(stdout).trim() || undefined;
  }

  /** True when a commit is another one or among its ancestors. */
  async isAncestor(repository: string, ancestor: string, commit: string): Promise<boolean> {
    const { exitCode } = await this.attempt(repository, ['merge-base', '--is-ancestor', ancestor, commit]);
    return exitCode === 0;
  }

  /** The lines that a command prints. */
  async lines(repository: string, args: readonly string[]): Promise<readonly string[]> {
    return String(await this.run(repository, args))
      .split('\n')
      .filter((line) => line !== '');
  }

  #withInput(folder: string, args: readonly string[], input: string): Promise<string> {
    return new Promise((done, fail) => {
      const child = spawn('git', ['-C', folder, ...args], { env: this.#env, timeout: this.#longest });
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
}

/** Why git could not be run to its end; undefined where it was. */
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

/** True where the folder, or one that contains it, has a `.git`: a folder, or a file of a work tree. */
function isBelowRepository(folder: string): boolean {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) return true;
    if (at === path.dirname(at)) return false;
  }
}

function firstLine(stderr: Buffer): string {
  const lines = String(stderr).trim().split('\n');
  const line = lines.find((one) => /^(fatal|error): /.test(one)) ?? lines[0] ?? '';
  return line.replace(/^(fatal|error): /, '') || 'git failed';
}
