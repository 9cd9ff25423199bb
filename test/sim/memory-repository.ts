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
import { entriesOf, type MemoryObject, MemoryObjects, type Paths } from './memory-objects.ts';

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
  /** Blobs of added files; undefined for deleted ones. */
  readonly #added = new Map<string, string | undefined>();
  readonly #remote: MemoryRepository | undefined;
  readonly #tree: WorkTree;
  /** Reason of this remote against a change of the ref. */
  refuse: (ref: string) => string | undefined = () => undefined;
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
    const known = commits.flatMap((name) => this.resolve(name) ?? []);
    return known.length < commits.length ? undefined : this.#objects.bases(known)[0];
  }

  async independent(commits: readonly string[]): Promise<readonly string[]> {
    const all = [...new Set(commits.map((name) => this.#require(name)))];
    return all.filter((one) => !all.some((other) => other !== one && this.contains(other, one)));
  }

  async commits(range: CommitRange): Promise<readonly Commit[]> {
    const { of, not, isFirstParent = false, skip = 0, most, touching } = range;
    const found = this.#objects.log({
      of: this.#require(of),
      not: not === undefined ? undefined : this.#require(not),
      isFirstParent,
      isMeant: touching && this.#isMeantBy(touching),
    });
    return found.slice(skip, most === undefined ? undefined : skip + most).map((oid) => {
      const { tree, parents, emails, subject } = this.#objects.commit(oid);
      return { oid, short: oid.slice(0, 7), tree, parents, emails, subject };
    });
  }

  async merge(ours: string, theirs: string) {
    const [one, other] = [this.#require(ours), this.#require(theirs)];
    const [base] = this.#objects.bases([one, other]);
    if (base === undefined) throw new GitError('refusing to merge unrelated histories');
    return this.#merged(base, one, other);
  }

  async tracked(paths: readonly string[], folders: readonly string[] = []): Promise<readonly TrackedFile[]> {
    const isWhole = paths.length + folders.length === 0;
    const isMeant = (file: string) =>
      isWhole ||
      paths.some((path) => file === path || file.startsWith(`${path}/`)) ||
      folders.some((name) => `/${file}`.includes(`/${name}/`));
    const files = [...this.#index().keys()].filter(isMeant);
    return files.map((file) => ({ file, mode: '100644', tag: 'H' }));
  }

  async renamedSince(commit: string): Promise<readonly (readonly [string, string])[]> {
    const renames = this.#objects.renames(this.#objects.pathsOf(this.#require(commit)), this.#index());
    return [...renames].sort(([, left], [, right]) => (left < right ? -1 : 1));
  }

  async search(commit: string, pattern: string): Promise<readonly string[]> {
    const classes = {
      space: ' \\t\\v\\f\\r',
      blank: ' \\t',
      digit: '0-9',
      alpha: 'A-Za-z',
      alnum: 'A-Za-z0-9',
    };
    const source = Object.entries(classes).reduce(
      (text, [name, characters]) => text.replaceAll(`[:${name}:]`, characters),
      pattern,
    );
    const wanted = new RegExp(source, 'm');
    const found = this.resolve(commit);
    return [...(found === undefined ? [] : this.#objects.pathsOf(found))].flatMap(([file, oid]) =>
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
    if (refs.length === 0) return;
    const there = this.#at(remote);
    const wanted = refs.map((ref) => {
      const oid = there.#refs.get(ref);
      if (oid === undefined) throw new GitError(`couldn't find remote ref ${ref}`);
      return oid;
    });
    wanted.forEach((oid, at) => {
      this.#objects.take(oid, there.#objects);
      this.#track(refs[at] ?? '', oid);
    });
  }

  async changeRefs(remote: RemoteName, { from, to }: RefChange): Promise<RefFailure | undefined> {
    const place = this.#at(remote);
    if (remote !== undefined && to !== undefined) this.#require(to);
    for (const [ref, oid] of from) {
      const now = place.#refs.get(ref);
      if (remote === undefined) {
        const isPossible = to === undefined ? oid !== undefined : this.resolve(to) !== undefined;
        if (!isPossible || now !== oid) return { type: 'other', problem: `cannot lock ref '${ref}'` };
      } else if (now !== to && now !== oid) return { type: 'stale', problem: `${ref} is not as expected` };
    }
    for (const ref of from.keys()) {
      const problem = remote === undefined || place.#refs.get(ref) === to ? undefined : place.refuse(ref);
      if (problem !== undefined) return { type: 'final', problem };
    }
    if (to !== undefined) place.#objects.take(to, this.#objects);
    for (const ref of from.keys()) {
      place.#set(ref, to);
      if (remote !== undefined) this.#track(ref, to);
    }
    return undefined;
  }

  async setRef(ref: string, oid: string | undefined): Promise<void> {
    if (oid !== undefined && this.#objects.get(oid) === undefined) throw new GitError(`bad object ${oid}`);
    this.#set(ref, oid);
  }

  async writeTree(content: TreeContent): Promise<string> {
    if ('texts' in content) return this.#writeTexts(Object.entries(content.texts));
    const files = this.#tree.read();
    const paths = new Map(this.#objects.pathsOf(this.#require(content.of)));
    for (const file of content.files) {
      const name = relative(this.root, file);
      const text = files.get(name);
      if (text === undefined && !paths.has(name))
        throw new GitError(`pathspec '${file}' did not match any files`);
      if (text === undefined) paths.delete(name);
      else paths.set(name, this.#objects.writeText(text));
    }
    return this.#objects.writePaths(paths);
  }

  async writeCommit({ tree, parents = [], message, author, time }: NewCommit): Promise<string> {
    const by = author ?? { name: 'Settings', email: 'settings@localhost' };
    for (const oid of [tree, ...parents])
      if (this.#objects.get(oid) === undefined) throw new GitError(`not a valid object name ${oid}`);
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

  textsOf(commit: string): ReadonlyMap<string, string> {
    const paths = this.#objects.pathsOf(this.#require(commit));
    return new Map([...paths].map(([file, oid]) => [file, this.#objects.text(oid)]));
  }

  /** Puts files as they are in the work tree into the index. */
  add(...files: readonly string[]): void {
    const texts = this.#tree.read();
    for (const file of files) {
      const text = texts.get(file);
      this.#added.set(file, text === undefined ? undefined : this.#objects.writeText(text));
    }
  }

  /** All files of the work tree. */
  commit(message: string, by: By, ...merged: readonly string[]): string {
    const own = this.resolve('HEAD');
    const parents = own === undefined ? merged : [own, ...merged];
    const oid = this.#write(this.#writeTexts([...this.#tree.read()]), parents, message, by);
    this.#moveHead(oid);
    return oid;
  }

  /** `name`: a branch, created here if wanted; or a commit, which detaches the head. */
  checkout(name: string, { creates = false }: { readonly creates?: boolean } = {}): void {
    const [commit, ref] = [this.#require(creates ? 'HEAD' : name), `refs/heads/${name}`];
    if (creates) this.#set(ref, commit);
    this.#place(this.#objects.pathsOf(commit));
    if (name !== 'HEAD') this.#head = this.#refs.has(ref) ? ref : commit;
  }

  reset(name: string): void {
    const commit = this.#require(name);
    this.#place(this.#objects.pathsOf(commit));
    this.#moveHead(commit);
  }

  fetchBranches(): void {
    const there = this.#at('origin');
    for (const [ref, oid] of there.#refs) {
      if (!ref.startsWith('refs/heads/')) continue;
      this.#objects.take(oid, there.#objects);
      this.#track(ref, oid);
    }
  }

  pull(by: By): 'merged' | 'conflict' {
    this.fetchBranches();
    return this.resolve('origin/main') === undefined ? 'merged' : this.mergeBranch('origin/main', by);
  }

  /** `as`: one commit of the merge's content, or a merge also where the branch could move ahead. */
  mergeBranch(name: string, by: By, as?: 'squash' | 'merge'): 'merged' | 'conflict' {
    const [own, theirs] = [this.resolve('HEAD'), this.#require(name)];
    if (own !== undefined && this.contains(own, theirs)) return 'merged';
    if (own === undefined || (as === undefined && this.contains(theirs, own))) {
      this.reset(theirs);
      return 'merged';
    }
    const [base] = this.#objects.bases([own, theirs]);
    const merged = base === undefined ? undefined : this.#merged(base, own, theirs);
    if (merged === undefined || 'conflicts' in merged) return 'conflict';
    this.#place(this.#objects.paths(merged.tree));
    this.commit(`Merge ${name.replace('origin/', '')}`, by, ...(as === 'squash' ? [] : [theirs]));
    return 'merged';
  }

  /** Pushes the head to the branch. */
  push(branch = 'main', { isForced = false }: { readonly isForced?: boolean } = {}): 'pushed' | 'rejected' {
    const [own, there, ref] = [this.#require('HEAD'), this.#at('origin'), `refs/heads/${branch}`];
    const before = there.#refs.get(ref);
    if (!isForced && before !== undefined && !this.contains(own, before)) return 'rejected';
    if (before !== own && there.refuse(ref) !== undefined) return 'rejected';
    there.#objects.take(own, this.#objects);
    there.#set(ref, own);
    this.#track(ref, own);
    return 'pushed';
  }

  /** Of a merge, what it brought to its first parent. */
  revert(name: string, by: By): 'reverted' | 'conflict' {
    const commit = this.resolve(name);
    const [parent] = commit === undefined ? [] : this.parentsOf(commit);
    if (commit === undefined || parent === undefined) return 'conflict';
    const merged = this.#merged(commit, this.#require('HEAD'), parent);
    if ('conflicts' in merged) return 'conflict';
    this.#place(this.#objects.paths(merged.tree));
    this.commit(`Revert ${commit.slice(0, 7)}`, by);
    return 'reverted';
  }

  /** Replays own commits without merges, and leaves out those that change nothing there. */
  rebase(onto: string, by: By): 'rebased' | 'conflict' {
    const [of, not] = [this.#require('HEAD'), this.#require(onto)];
    const own = this.#objects.log({ of, not, isFirstParent: false, isMeant: undefined });
    this.reset(not);
    for (const oid of [...own].reverse()) {
      const { tree, parents, message, author } = this.#objects.commit(oid);
      const [parent] = parents;
      const head = this.#require('HEAD');
      if (parents.length > 1 || parent === undefined) continue;
      if (parent === head) {
        this.reset(oid);
        continue;
      }
      const merged = this.#merged(parent, head, oid);
      if ('conflicts' in merged) {
        this.reset(of);
        return 'conflict';
      }
      const wasEmpty = tree === this.#objects.commit(parent).tree;
      if (!wasEmpty && merged.tree === this.#objects.commit(head).tree) continue;
      this.#place(this.#objects.paths(merged.tree));
      this.#moveHead(this.#write(merged.tree, [head], message, { ...by, original: author }));
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
      return commit === undefined ? undefined : this.#inTree(commit, name.slice(colon + 1));
    }
    const [, start = name, end = ''] = /^(.*?)(\^\{\w+\}|\^|~\d*)$/s.exec(name) ?? [];
    const oid = start === name ? this.#named(name) : this.#find(start);
    if (oid === undefined || end === '') return oid;
    const isCommit = this.#objects.get(oid)?.type === 'commit';
    const isTree = this.#objects.get(oid)?.type === 'tree';
    if (end === '^{tree}' && !isCommit) return isTree ? oid : undefined;
    if (end === '^{tree}') return this.#objects.commit(oid).tree;
    if (!isCommit) return undefined;
    if (end === '^{commit}') return oid;
    let at: string | undefined = oid;
    for (let steps = end === '^' ? 1 : Number(end.slice(1) || 1); steps > 0 && at !== undefined; steps -= 1)
      at = this.#objects.commit(at).parents[0];
    return at;
  }

  /** A file or folder. */
  #inTree(commit: string, path: string): string | undefined {
    let at: string | undefined = this.#objects.commit(commit).tree;
    for (const part of path.split('/').filter((one) => one !== '')) {
      const tree: MemoryObject | undefined = this.#objects.get(at);
      if (tree?.type !== 'tree') return undefined;
      at = [...entriesOf(tree.content)].find(({ name }) => name === part)?.oid ?? '';
    }
    return this.#objects.get(at)?.oid;
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
    this.#added.clear();
    if (this.#head.startsWith('refs/')) this.#refs.set(this.#head, commit);
    else this.#head = commit;
  }

  #set(ref: string, oid: string | undefined): void {
    if (oid === undefined) this.#refs.delete(ref);
    else this.#refs.set(ref, oid);
  }

  /** Git does so after each fetch and push of a branch. */
  #track(ref: string, oid: string | undefined): void {
    if (ref.startsWith('refs/heads/')) this.#set(ref.replace('refs/heads/', 'refs/remotes/origin/'), oid);
  }

  #index(): Paths {
    const head = this.resolve('HEAD');
    const paths = new Map(head === undefined ? [] : this.#objects.pathsOf(head));
    for (const [file, oid] of this.#added)
      if (oid === undefined) paths.delete(file);
      else paths.set(file, oid);
    return new Map([...paths].sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  #place(paths: Paths): void {
    this.#added.clear();
    const gone = [...this.#tree.read().keys()].filter((file) => !paths.has(file));
    const texts = [...paths].map(([file, oid]) => [file, this.#objects.text(oid)] as const);
    this.#tree.write(new Map([...gone.map((file) => [file, undefined] as const), ...texts]));
  }

  #writeTexts(texts: readonly (readonly [string, string])[]): string {
    return this.#objects.writePaths(
      new Map(texts.map(([file, text]) => [file, this.#objects.writeText(text)])),
    );
  }

  #write(
    tree: string,
    parents: readonly string[],
    message: string,
    { author, time, original }: By & { readonly original?: string },
  ): string {
    const zone = /([+-]\d\d):?(\d\d)$/.exec(time)?.slice(1).join('') ?? '+0000';
    const by = `${author.name} <${author.email}> ${Math.floor(Date.parse(time) / 1000)} ${zone}`;
    const head = [
      `tree ${tree}`,
      ...[...new Set(parents)].map((oid) => `parent ${oid}`),
      `author ${original ?? by}`,
      `committer ${by}`,
    ];
    const text = message.endsWith('\n') ? message : `${message}\n`;
    return this.#objects.write('commit', Buffer.from(`${head.join('\n')}\n\n${text}`));
  }

  #merged(base: string, ours: string, theirs: string) {
    const [was, own, other] = [base, ours, theirs].map((commit) => this.#objects.pathsOf(commit));
    return this.#objects.merge(was ?? new Map(), own ?? new Map(), other ?? new Map());
  }

  /** Undefined without paths: git takes that for all files. */
  #isMeantBy({ manifests, files }: NonNullable<CommitRange['touching']>) {
    if (manifests.length + files.length === 0) return undefined;
    const isIn = (file: string, folder: string) =>
      folder === '' || file === folder || file.startsWith(`${folder}/`);
    const isManifest = /\.ya?ml$/i;
    const folders = manifests.map((file) => relative(this.root, file));
    const others = files.map((file) => relative(this.root, file));
    return (file: string) =>
      others.some((one) => isIn(file, one)) ||
      folders.some((one) => isIn(file, one) && (isManifest.test(one) || isManifest.test(file)));
  }
}
