/** Manifests as a git commit has them, read from the repository itself: no work tree is touched, nothing is checked out. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ManifestFiles } from './disk.ts';

const execute = promisify(execFile);

/** A git command failed; `message` says why. */
export class GitError extends Error {}

/** Runs git, with those variables of the environment that it needs and that change nothing about which repository is meant. */
export class Git {
  readonly #env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const names = ['PATH', 'HOME', 'SSH_AUTH_SOCK', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'SystemRoot'];
    const needed = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
    this.#env = { ...Object.fromEntries(needed), LC_ALL: 'C' };
  }

  /** What git prints. Throws a GitError with git's own first line. */
  async run(folder: string, args: readonly string[]): Promise<Buffer> {
    try {
      const options = { encoding: 'buffer', maxBuffer: 256 * 1024 * 1024, env: this.#env } as const;
      return (await execute('git', ['-C', folder, ...args], options)).stdout;
    } catch (error) {
      const { code, stderr } = error as { code?: unknown; stderr?: Buffer };
      if (code === 'ENOENT') throw new GitError('git is not installed, or not on the PATH');
      const [line = ''] = String(stderr ?? '')
        .trim()
        .split('\n');
      throw new GitError(line.replace(/^fatal: /, '') || 'git failed');
    }
  }

  /** The root of the repository that contains a folder, or undefined where there is none. */
  async repositoryOf(folder: string): Promise<string | undefined> {
    try {
      return String(await this.run(folder, ['rev-parse', '--show-toplevel'])).trim();
    } catch (error) {
      if (error instanceof GitError && /not a git repository/i.test(error.message)) return undefined;
      throw error;
    }
  }

  /** The commit that a ref names, or undefined where there is none. */
  async commitOf(repository: string, ref: string): Promise<string | undefined> {
    if (ref.startsWith('-')) return undefined;
    try {
      const commit = String(
        await this.run(repository, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]),
      );
      return commit.trim() || undefined;
    } catch {
      return undefined;
    }
  }

  /** The files of a commit, by the paths that they have in the work tree. Links are skipped. */
  async files(repository: string, commit: string): Promise<ManifestFiles> {
    const listing = String(
      await this.run(repository, ['ls-tree', '-r', '-z', '--long', '--full-tree', commit]),
    );
    const blobs = new Map<string, { readonly oid: string; readonly size: number }>();
    const folders = new Map<string, Map<string, 'file' | 'folder'>>([['', new Map()]]);
    for (const entry of listing.split('\0')) {
      const [, mode = '', oid = '', size = '', name = ''] =
        /^(\d+) blob (\S+)\s+(\d+)\t(.*)$/s.exec(entry) ?? [];
      if (name === '' || mode === '120000') continue;
      blobs.set(name, { oid, size: Number(size) });
      addToFolders(folders, name);
    }
    const inside = (file: string) => path.relative(repository, file).split(path.sep).join('/');
    return {
      type: async (file) =>
        blobs.has(inside(file)) ? 'file' : folders.has(inside(file)) ? 'folder' : 'missing',
      list: async (folder) =>
        [...(folders.get(inside(folder)) ?? [])].map(([name, type]) => ({ name, type })),
      size: async (file) => blobs.get(inside(file))?.size ?? 0,
      read: (file) => this.run(repository, ['cat-file', 'blob', blobs.get(inside(file))?.oid ?? '']),
      real: async (file) => file,
    };
  }
}

function addToFolders(folders: Map<string, Map<string, 'file' | 'folder'>>, name: string): void {
  const parts = name.split('/');
  parts.forEach((part, index) => {
    const folder = parts.slice(0, index).join('/');
    const entries = folders.get(folder) ?? new Map<string, 'file' | 'folder'>();
    entries.set(part, index === parts.length - 1 ? 'file' : 'folder');
    folders.set(folder, entries);
  });
}
