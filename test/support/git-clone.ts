/** What people do with a clone, by git itself: the same verbs as those of the repository in memory. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, initRepository } from '../cli/git.ts';
import type { By, MemoryRepository } from '../sim/memory-repository.ts';

/** A clone as people use it. */
export type Clone = Pick<
  MemoryRepository,
  | 'root'
  | 'resolve'
  | 'write'
  | 'add'
  | 'commit'
  | 'checkout'
  | 'reset'
  | 'fetchBranches'
  | 'pull'
  | 'mergeBranch'
  | 'push'
  | 'revert'
  | 'rebase'
>;

export class GitClone implements Clone {
  readonly root: string;

  constructor(root: string, remote: string) {
    this.root = root;
    mkdirSync(root);
    initRepository(root);
    git(root, 'remote', 'add', 'origin', remote);
    git(root, 'config', 'branch.main.remote', 'origin');
    git(root, 'config', 'user.name', 'Settings');
    git(root, 'config', 'user.email', 'settings@localhost');
    this.fetchBranches();
    if (this.resolve('origin/main') !== undefined) this.reset('origin/main');
  }

  resolve(name: string): string | undefined {
    return this.#try('rev-parse', '--verify', '--quiet', `${name}^{commit}`)?.trim();
  }

  write(changes: ReadonlyMap<string, string | undefined>): void {
    for (const [name, text] of changes) {
      const file = join(this.root, name);
      if (text === undefined) rmSync(file);
      else {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
    }
  }

  add(...files: readonly string[]): void {
    git(this.root, 'add', '--', ...files);
  }

  commit(message: string, by: By): string {
    git(this.root, 'add', '--all');
    this.#as(by, 'commit', '--quiet', '--allow-empty', '--message', message);
    return this.#head();
  }

  checkout(name: string, { creates = false }: { readonly creates?: boolean } = {}): void {
    git(this.root, 'checkout', '--quiet', ...(creates ? ['-B'] : []), name);
  }

  reset(name: string): void {
    git(this.root, 'reset', '--quiet', '--hard', name);
    git(this.root, 'clean', '-fdq');
  }

  fetchBranches(): void {
    git(this.root, 'fetch', '--quiet', '--no-tags', 'origin');
  }

  pull(by: By): 'merged' | 'conflict' {
    this.fetchBranches();
    return this.resolve('origin/main') === undefined ? 'merged' : this.mergeBranch('origin/main', by);
  }

  mergeBranch(name: string, by: By): 'merged' | 'conflict' {
    const message = `Merge ${name.replace('origin/', '')}`;
    if (this.#try('merge', '--quiet', '--no-commit', name) === undefined) {
      this.#try('merge', '--abort');
      return 'conflict';
    }
    if (this.resolve('MERGE_HEAD') !== undefined) this.#as(by, 'commit', '--quiet', '--message', message);
    return 'merged';
  }

  push(branch = 'main', { isForced = false }: { readonly isForced?: boolean } = {}): 'pushed' | 'rejected' {
    const force = isForced ? ['--force'] : [];
    const pushed = this.#try('push', '--quiet', ...force, 'origin', `HEAD:refs/heads/${branch}`);
    return pushed === undefined ? 'rejected' : 'pushed';
  }

  revert(name: string, by: By): 'reverted' | 'conflict' {
    const commit = this.resolve(name);
    const parents =
      commit === undefined ? [] : git(this.root, 'show', '-s', '--format=%P', commit).split(' ');
    if (commit === undefined || parents.join('').trim() === '') return 'conflict';
    const main = parents.length > 1 ? ['--mainline', '1'] : [];
    if (this.#try('revert', '--no-commit', ...main, commit) === undefined) {
      this.reset('HEAD');
      this.#try('revert', '--quit');
      return 'conflict';
    }
    this.#as(by, 'commit', '--quiet', '--allow-empty', '--message', `Revert ${commit.slice(0, 7)}`);
    return 'reverted';
  }

  rebase(onto: string, by: By): 'rebased' | 'conflict' {
    try {
      this.#as(by, 'rebase', '--quiet', onto);
      return 'rebased';
    } catch {
      git(this.root, 'rebase', '--abort');
      return 'conflict';
    }
  }

  #head(): string {
    return git(this.root, 'rev-parse', 'HEAD').trim();
  }

  #try(...args: string[]): string | undefined {
    try {
      return git(this.root, ...args);
    } catch {
      return undefined;
    }
  }

  #as({ author, time }: By, ...args: string[]): void {
    const roles = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, author.name],
      [`GIT_${role}_EMAIL`, author.email],
      [`GIT_${role}_DATE`, time],
    ]);
    const env = { ...process.env, ...Object.fromEntries(roles) };
    execFileSync('git', ['-c', 'commit.gpgsign=false', ...args], { cwd: this.root, env, stdio: 'pipe' });
  }
}
