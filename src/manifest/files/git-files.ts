/** Manifests of a git commit, read from the repository without a checkout. */
import path from 'node:path';
import { remembered, rememberedIn } from '../../util/remembered.ts';
import type { ManifestFiles } from './disk.ts';
import { isOutside } from './paths.ts';
import { GitError, type GitObject, type Repository } from './repository.ts';

export interface GitFiles extends ManifestFiles {
  /** Commits, keyed by path relative to the root. Their files belong to another repository. */
  readonly submodules: ReadonlyMap<string, string>;
  readonly blobs: ReadonlyMap<string, string>;
}

export interface GitSelection {
  readonly treeish: string;
  /** Paths must be absolute. Git lists only these and included files elsewhere. */
  readonly paths: readonly string[];
}

/** Limit for contents: larger files are not manifests. */
const mostBytes = 8 * 2 ** 20;

/** Keyed by commit or tree, which never change. */
const listingsOf = remembered((_repository: Repository) => new Map<string, GitListing>());

/** Files are addressed by their paths in the work tree, without links. */
export async function gitFiles(repository: Repository, { treeish, paths }: GitSelection): Promise<GitFiles> {
  const { root } = repository;
  const listing = rememberedIn(listingsOf(repository), treeish, () => new GitListing(repository, treeish));
  const inside = (file: string) => path.relative(root, file).split(path.sep).join('/');
  await listing.add(paths.filter((file) => !isOutside(root, file)).map(inside));
  await repository.prefetch(treeish, paths);
  const loading = new Map<string, Promise<GitObject>>();
  const load = (file: string): Promise<GitObject> => {
    const oid = listing.blobs.get(inside(file));
    if (oid === undefined) return Promise.reject(new GitError('it does not exist'));
    return rememberedIn(loading, oid, () => read(repository, oid));
  };
  return {
    submodules: listing.submodules,
    blobs: listing.blobs,
    type: (file) => listing.typeOf(inside(file)),
    isLink: (file) => listing.isLink(inside(file)),
    list: async (folder) => listing.list(inside(folder)),
    size: async (file) => (await load(file)).size,
    read: async (file) => {
      const { content } = await load(file);
      loading.delete(listing.blobs.get(inside(file)) ?? '');
      if (content === undefined) throw new GitError('it is too large');
      return content;
    },
    real: async (file) => file,
  };
}

async function read(repository: Repository, oid: string): Promise<GitObject> {
  const blob = await repository.find(oid, mostBytes);
  if (blob === undefined) throw new GitError(`git has no blob ${oid}`);
  return blob;
}

interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
}

const folderMode = '40000';

async function readTree(repository: Repository, name: string): Promise<ReadonlyMap<string, TreeEntry>> {
  const tree = await repository.find(name, Number.MAX_SAFE_INTEGER);
  if (tree?.content === undefined) throw new GitError(`git has no tree ${name}`);
  const bytes = Buffer.from(tree.content);
  const entries = new Map<string, TreeEntry>();
  // Each entry is `<mode> <name>`, a zero byte, and the bytes of the id.
  for (let at = 0; at < bytes.length; ) {
    const [space, zero] = [bytes.indexOf(0x20, at), bytes.indexOf(0, at)];
    const end = zero + 1 + tree.oid.length / 2;
    const oid = bytes.toString('hex', zero + 1, end);
    entries.set(bytes.toString('utf8', space + 1, zero), { mode: bytes.toString('latin1', at, space), oid });
    at = end;
  }
  return entries;
}

class GitListing {
  readonly blobs = new Map<string, string>();
  readonly submodules = new Map<string, string>();
  readonly #links = new Set<string>();
  readonly #trees = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>();
  readonly #repository: Repository;
  readonly #treeish: string;
  readonly #folders = new Map<string, Map<string, 'file' | 'folder'>>([['', new Map()]]);
  /** Files and folders whose listing is finished or in progress. */
  readonly #asked = new Map<string, Promise<void>>();

  constructor(repository: Repository, treeish: string) {
    this.#repository = repository;
    this.#treeish = treeish;
  }

  async add(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => this.#asking(name) === undefined);
    const listed = missing.length === 0 ? Promise.resolve() : this.#list(missing);
    for (const name of missing) this.#asked.set(name, listed);
    await Promise.all([listed, ...names.map((name) => this.#asking(name))]);
  }

  /** Walks the tree objects in the process that also reads the files. */
  async #list(names: readonly string[]): Promise<void> {
    const root: TreeEntry = { mode: folderMode, oid: `${this.#treeish}^{tree}` };
    await Promise.all(names.map((name) => this.#walk('', root, name === '' ? [] : name.split('/'))));
  }

  async #walk(name: string, { mode, oid }: TreeEntry, [next, ...below]: readonly string[]): Promise<void> {
    if (mode === '120000') this.#links.add(name);
    else if (mode === '160000') this.submodules.set(name, oid);
    else if (mode === folderMode) {
      const entries = await rememberedIn(this.#trees, oid, () => readTree(this.#repository, oid));
      const wanted = [...entries].filter(([part]) => next === undefined || part === next);
      const inside = name === '' ? '' : `${name}/`;
      await Promise.all(wanted.map(([part, entry]) => this.#walk(`${inside}${part}`, entry, below)));
    } else if (next === undefined) {
      this.blobs.set(name, oid);
      this.#addToFolders(name);
    }
  }

  async typeOf(name: string): Promise<'file' | 'folder' | 'missing'> {
    // A manifest may include files outside of the given paths.
    await this.add([name]);
    if (this.blobs.has(name)) return 'file';
    return this.#folders.has(name) ? 'folder' : 'missing';
  }

  /** True also for a commit of another repository (a submodule). */
  async isLink(name: string): Promise<boolean> {
    await this.add([name]);
    return this.#links.has(name) || this.submodules.has(name);
  }

  list(name: string): readonly { readonly name: string; readonly type: 'file' | 'folder' }[] {
    return [...(this.#folders.get(name) ?? [])].map(([entry, type]) => ({ name: entry, type }));
  }

  /** The listing that covers the name, or undefined. */
  #asking(name: string): Promise<void> | undefined {
    for (let at = name; at !== '.' && at !== ''; at = path.posix.dirname(at)) {
      const asking = this.#asked.get(at);
      if (asking !== undefined) return asking;
    }
    return this.#asked.get('') ?? (name.startsWith('../') ? Promise.resolve() : undefined);
  }

  #addToFolders(name: string): void {
    const parts = name.split('/');
    parts.forEach((part, index) => {
      const folder = parts.slice(0, index).join('/');
      const entries = rememberedIn(this.#folders, folder, () => new Map());
      entries.set(part, index === parts.length - 1 ? 'file' : 'folder');
    });
  }
}
