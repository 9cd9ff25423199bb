/** A clone, or a bare remote, in memory: what runs ask of git, and what people do with it. */
import { relative } from 'node:path';
import {
  type Author,
  type Commit,
  type CommitRange,
  GitError,
  type GitObject,
  type NewCommit,
  type RefChange,
  type RefFailure,
  type Refs,
  type RemoteName,
  type Repository,
  type TrackedFile,
  type TreeContent,
} from '../../src/manifest/files/repository.ts';
import { MemoryObjects, type Paths } from './memory-objects.ts';

/** Files of a work tree by path, without ignored ones. */
export interface WorkTree {
  readonly read: () => ReadonlyMap<string, string>;
  readonly write: (changes: ReadonlyMap<string, string | undefined>) => void;
}

/** Who commits, and when. */
export interface By {
  readonly author: Author;
  readonly time: string;
}

export class MemoryRepository implements Repository {
  readonly root: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly sleep = async (): Promise<void> => undefined;
  readonly #objects = new MemoryObjects();
  readonly #refs = new Map<string, string>();
  readonly #remote: MemoryRepository | undefined;
  readonly #tree: WorkTree;
  /** A commit, or the ref of a branch. */
  #head = 'refs/heads/main';

  private constructor(root: string, tree: WorkTree, remote: MemoryRepository | undefined) {
    this.root = root;
    this.#tree = tree;
    this.#remote = remote;
    const settings = { 'remote.origin.url': '/remote', 'branch.main.remote': 'origin' };
    this.settings = new Map(remote === undefined ? [] : Object.entries(settings));
  }

  static bare(): MemoryRepository {
    return new MemoryRepository('/remote', { read: () => new Map(), write: () => undefined }, undefined);
  }

  clone(root: string, tree: WorkTree): MemoryRepository {
    const clone = new MemoryRepository(root, tree, this);
    clone.fetchBranches();
    const main = clone.#refs.get('refs/remotes/origin/main');
    if (main !== undefined) clone.reset(main);
    return clone;
  }

  // What runs ask.

  async find(name: string, mostBytes: number): Promise<GitObject | undefined> {
    const oid = this.#find(name);
    const object = oid === undefined ? undefined : this.#objects.get(oid);
    if (object === undefined) return undefined;
    const { type, content } = object;
    const about = { oid: object.oid, type, size: content.length };
    return content.length > mostBytes ? about : { ...about, content: Uint8Array.from(content) };
  }

  async prefetch(): Promise<void> {}

  async mergeBase(commits: readonly string[]): Promise<string | undefined> {
    const [first, ...others] = commits.map((name) => this.resolve(name));
    return others.reduce(
      (base, other) => (base === undefined || other === undefined ? undefined : this.#baseOf(base, other)),
      first,
    );
  }

  async independent(commits: readonly string[]): Promise<readonly string[]> {
    return [...new Set(commits)].filter(
      (one) => !commits.some((other) => other !== one && this.#objects.history(other).has(one)),
    );
  }

  async commits({
    of,
    not,
    isFirstParent = false,
    skip = 0,
    most,
    touching,
  }: CommitRange): Promise<readonly Commit[]> {
    const start = this.#require(of);
    const without = not === undefined ? new Set<string>() : this.#objects.history(this.#require(not));
    const waiting = [start];
    const found: Commit[] = [];
    const seen = new Set(waiting);
    while (waiting.length > 0) {
      const oid = waiting.shift() ?? '';
      if (without.has(oid)) continue;
      const { tree, parents, email, subject } = this.#objects.commit(oid);
      if (touching === undefined || this.#touches(oid, touching))
        found.push({ oid, short: oid.slice(0, 7), tree, parents, email, subject });
      for (const parent of isFirstParent ? parents.slice(0, 1) : parents)
        if (!seen.has(parent)) waiting.push(parent);
      for (const parent of parents) seen.add(parent);
      waiting.sort((left, right) => this.#objects.commit(right).time - this.#objects.commit(left).time);
    }
    return found.slice(skip, most === undefined ? undefined : skip + most);
  }

  async merge(ours: string, theirs: string) {
    const [one, other] = [this.#require(ours), this.#require(theirs)];
    return this.#merged(this.#baseOf(one, other), one, other);
  }

  async tracked(paths: readonly string[], folders: readonly string[] = []): Promise<readonly TrackedFile[]> {
    const isWhole = paths.length + folders.length === 0;
    const isMeant = (file: string) =>
      isWhole ||
      paths.some((path) => file === path || file.startsWith(`${path}/`)) ||
      folders.some((name) => `/${file}`.includes(`/${name}/`));
    const files = [...this.#headPaths().keys()].filter(isMeant);
    return files.map((file) => ({ file, mode: '100644', tag: 'H' }));
  }

  async renamedSince(commit: string): Promise<readonly (readonly [string, string])[]> {
    const [before, after] = [this.#pathsOf(this.#require(commit)), this.#headPaths()];
    const gone = [...before].filter(([file]) => !after.has(file));
    return [...after].flatMap(([file, oid]) => {
      const former = before.has(file) ? undefined : gone.find(([, other]) => other === oid)?.[0];
      return former === undefined ? [] : [[former, file] as const];
    });
  }

  async search(commit: string, pattern: string): Promise<readonly string[]> {
    const wanted = new RegExp(pattern.replaceAll('[[:space:]]', '\\s'), 'm');
    return [...this.#pathsOf(this.#require(commit))].flatMap(([file, oid]) =>
      /\.ya?ml$/.test(file) && wanted.test(this.#objects.text(oid)) ? [file] : [],
    );
  }

  async branch(): Promise<string | undefined> {
    return this.#head.startsWith('refs/heads/') ? this.#head.slice('refs/heads/'.length) : undefined;
  }

  async isShallow(): Promise<boolean> {
    return false;
  }

  async refs(remote: RemoteName): Promise<Refs> {
    return new Map([...this.#at(remote).#refs].sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  async fetch(remote: string, refs: readonly string[]): Promise<void> {
    const there = this.#at(remote);
    for (const ref of refs) {
      const oid = there.#refs.get(ref);
      if (oid === undefined) throw new GitError(`couldn't find remote ref ${ref}`);
      this.#objects.take(oid, there.#objects);
    }
  }

  async changeRefs(remote: RemoteName, { from, to }: RefChange): Promise<RefFailure | undefined> {
    const place = this.#at(remote);
    for (const [ref, oid] of from)
      if (place.#refs.get(ref) !== oid) return { type: 'stale', problem: `${ref} is not as expected` };
    if (to !== undefined) place.#objects.take(to, this.#objects);
    for (const ref of from.keys())
      if (to === undefined) place.#refs.delete(ref);
      else place.#refs.set(ref, to);
    return undefined;
  }

  async setRef(ref: string, oid: string | undefined): Promise<void> {
    if (oid === undefined) this.#refs.delete(ref);
    else this.#refs.set(ref, oid);
  }

  async writeTree(content: TreeContent): Promise<string> {
    if ('texts' in content) return this.#writeTexts(Object.entries(content.texts));
    const files = this.#tree.read();
    const paths = new Map(this.#pathsOf(this.#require(content.of)));
    for (const file of content.files) {
      const name = relative(this.root, file);
      const text = files.get(name);
      if (text === undefined) paths.delete(name);
      else paths.set(name, this.#objects.writeText(text));
    }
    return this.#objects.writePaths(paths);
  }

  async writeCommit({ tree, parents = [], message, author, time }: NewCommit): Promise<string> {
    const by = author ?? { name: 'Settings', email: 'settings@localhost' };
    return this.#write(tree, parents, message, { author: by, time: time ?? '2026-01-01T00:00:00Z' });
  }

  // What people do.

  files(): ReadonlyMap<string, string> {
    return this.#tree.read();
  }

  write(changes: ReadonlyMap<string, string | undefined>): void {
    this.#tree.write(changes);
  }

  resolve(name: string): string | undefined {
    const oid = this.#find(name);
    return oid !== undefined && this.#objects.get(oid)?.type === 'commit' ? oid : undefined;
  }

  parentsOf(commit: string): readonly string[] {
    return this.#objects.commit(commit).parents;
  }

  contains(commit: string, other: string): boolean {
    return this.#objects.history(commit).has(other);
  }

  /** All files of the work tree. */
  commit(message: string, by: By, ...merged: readonly string[]): string {
    const own = this.resolve('HEAD');
    const parents = own === undefined ? merged : [own, ...merged];
    const oid = this.#write(this.#writeTexts([...this.#tree.read()]), parents, message, by);
    this.#moveHead(oid);
    return oid;
  }

  /** A detached head, as in a job. */
  checkout(commit: string): void {
    this.#place(this.#pathsOf(commit));
    this.#head = commit;
  }

  reset(name: string): void {
    const commit = this.#require(name);
    this.#place(this.#pathsOf(commit));
    this.#moveHead(commit);
  }

  fetchBranches(): void {
    const there = this.#at('origin');
    for (const [ref, oid] of there.#refs) {
      if (!ref.startsWith('refs/heads/')) continue;
      this.#objects.take(oid, there.#objects);
      this.#refs.set(ref.replace('refs/heads/', 'refs/remotes/origin/'), oid);
    }
  }

  pull(by: By): 'merged' | 'conflict' {
    this.fetchBranches();
    const [own, theirs] = [this.resolve('HEAD'), this.resolve('origin/main')];
    if (theirs === undefined || own === theirs) return 'merged';
    if (own === undefined || this.#objects.history(theirs).has(own)) this.reset(theirs);
    else if (!this.#objects.history(own).has(theirs)) {
      const merged = this.#merged(this.#baseOf(own, theirs), own, theirs);
      if ('conflicts' in merged) return 'conflict';
      this.#place(this.#objects.paths(merged.tree));
      this.commit('Merge main', by, theirs);
    }
    return 'merged';
  }

  push(): 'pushed' | 'rejected' {
    const [own, there] = [this.#require('HEAD'), this.#at('origin')];
    const before = there.#refs.get('refs/heads/main');
    if (
      before !== undefined &&
      (this.#objects.get(before) === undefined || !this.#objects.history(own).has(before))
    )
      return 'rejected';
    there.#objects.take(own, this.#objects);
    there.#refs.set('refs/heads/main', own);
    return 'pushed';
  }

  revert(name: string, by: By): 'reverted' | 'conflict' {
    const commit = this.resolve(name);
    const [parent] = commit === undefined ? [] : this.#objects.commit(commit).parents;
    if (commit === undefined || parent === undefined) return 'conflict';
    const merged = this.#merged(commit, this.#require('HEAD'), parent);
    if ('conflicts' in merged) return 'conflict';
    this.#place(this.#objects.paths(merged.tree));
    this.commit(`Revert ${commit.slice(0, 7)}`, by);
    return 'reverted';
  }

  rebase(onto: string, by: By): 'rebased' | 'conflict' {
    const [head, target] = [this.#require('HEAD'), this.#require(onto)];
    const known = this.#objects.history(target);
    const own = [...this.#objects.history(head)].filter((oid) => !known.has(oid)).reverse();
    this.reset(target);
    for (const oid of own) {
      const { parents, subject } = this.#objects.commit(oid);
      const [parent] = parents;
      if (parents.length > 1 || parent === undefined) continue;
      const merged = this.#merged(parent, this.#require('HEAD'), oid);
      if ('conflicts' in merged) {
        this.reset(head);
        return 'conflict';
      }
      this.#place(this.#objects.paths(merged.tree));
      this.commit(subject, by);
    }
    return 'rebased';
  }

  #at(remote: RemoteName): MemoryRepository {
    if (remote === undefined) return this;
    if (remote === 'origin' && this.#remote !== undefined) return this.#remote;
    throw new GitError(`'${remote}' does not appear to be a git repository`);
  }

  #require(name: string): string {
    const commit = this.resolve(name);
    if (commit === undefined) throw new GitError(`bad revision '${name}'`);
    return commit;
  }

  #find(name: string): string | undefined {
    const colon = name.indexOf(':');
    if (colon > 0) {
      const commit = this.resolve(name.slice(0, colon));
      return commit === undefined ? undefined : this.#pathsOf(commit).get(name.slice(colon + 1));
    }
    const [, start = name, end = ''] = /^(.*?)(\^\{\w+\}|\^|~\d*)$/s.exec(name) ?? [];
    const oid = start === name ? this.#named(name) : this.#find(start);
    if (oid === undefined || end === '') return oid;
    const isCommit = this.#objects.get(oid)?.type === 'commit';
    if (end === '^{tree}') return isCommit ? this.#objects.commit(oid).tree : oid;
    if (!isCommit) return undefined;
    if (end === '^{commit}') return oid;
    let at: string | undefined = oid;
    for (let steps = end === '^' ? 1 : Number(end.slice(1) || 1); steps > 0 && at !== undefined; steps -= 1)
      at = this.#objects.commit(at).parents[0];
    return at;
  }

  #named(name: string): string | undefined {
    if (name === 'HEAD') return this.#head.startsWith('refs/') ? this.#refs.get(this.#head) : this.#head;
    const ref = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'].find((start) =>
      this.#refs.has(`${start}${name}`),
    );
    if (ref !== undefined) return this.#refs.get(`${ref}${name}`);
    if (!/^[0-9a-f]{7,40}$/.test(name)) return undefined;
    return this.#objects.get(name)?.oid ?? (name.length < 40 ? this.#objects.abbreviated(name) : undefined);
  }

  #moveHead(commit: string): void {
    if (this.#head.startsWith('refs/')) this.#refs.set(this.#head, commit);
    else this.#head = commit;
  }

  #pathsOf(commit: string): Paths {
    return this.#objects.paths(this.#objects.commit(commit).tree);
  }

  #headPaths(): Paths {
    const head = this.resolve('HEAD');
    return head === undefined ? new Map() : this.#pathsOf(head);
  }

  #place(paths: Paths): void {
    const gone = [...this.#tree.read().keys()].filter((file) => !paths.has(file));
    const texts = [...paths].map(([file, oid]) => [file, this.#objects.text(oid)] as const);
    this.#tree.write(new Map([...gone.map((file) => [file, undefined] as const), ...texts]));
  }

  #writeTexts(texts: readonly (readonly [string, string])[]): string {
    return this.#objects.writePaths(
      new Map(texts.map(([file, text]) => [file, this.#objects.writeText(text)])),
    );
  }

  #write(tree: string, parents: readonly string[], message: string, { author, time }: By): string {
    const by = `${author.name} <${author.email}> ${Math.floor(Date.parse(time) / 1000)} +0000`;
    const head = [
      `tree ${tree}`,
      ...parents.map((oid) => `parent ${oid}`),
      `author ${by}`,
      `committer ${by}`,
    ];
    return this.#objects.write('commit', Buffer.from(`${head.join('\n')}\n\n${message}\n`));
  }

  #merged(base: string | undefined, ours: string, theirs: string) {
    const was = base === undefined ? new Map<string, string>() : this.#pathsOf(base);
    return this.#objects.merge(was, this.#pathsOf(ours), this.#pathsOf(theirs));
  }

  /** The newest common commit that no other common one contains. */
  #baseOf(one: string, other: string): string | undefined {
    const theirs = this.#objects.history(other);
    const common = [...this.#objects.history(one)].filter((oid) => theirs.has(oid));
    const best = common.filter(
      (oid) => !common.some((later) => later !== oid && this.#objects.history(later).has(oid)),
    );
    return best.sort((left, right) => this.#objects.commit(right).time - this.#objects.commit(left).time)[0];
  }

  #touches(oid: string, { manifests, files }: NonNullable<CommitRange['touching']>): boolean {
    const [parent, ...more] = this.#objects.commit(oid).parents;
    if (more.length > 0) return false;
    const [before, after] = [parent === undefined ? new Map() : this.#pathsOf(parent), this.#pathsOf(oid)];
    const folders = manifests.map((file) => relative(this.root, file));
    const others = new Set(files.map((file) => relative(this.root, file)));
    const isIn = (file: string) =>
      /\.ya?ml$/.test(file) &&
      folders.some((folder) => folder === '' || file === folder || file.startsWith(`${folder}/`));
    return [...new Set([...before.keys(), ...after.keys()])].some(
      (file) => before.get(file) !== after.get(file) && (others.has(file) || isIn(file)),
    );
  }
}
