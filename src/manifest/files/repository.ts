/** A git repository with its remotes, as far as runs use it. Raw git words are in the real one only. */

export class GitError extends Error {}

/** Handler for `catch` that rethrows other errors. */
export function onGitError<T>(handle: (error: GitError) => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof GitError) return handle(error);
    throw error;
  };
}

/**
 * Opens the repository of a folder. `longest`: milliseconds until a remote that does not respond counts as broken.
 * @throws GitError if git cannot run, or if a file of the checkout contributes to its settings.
 */
export type OpenRepository = (folder: string, longest?: number) => Promise<Repository | undefined>;

export interface GitObject {
  readonly oid: string;
  readonly type: string;
  /** Unit: bytes. */
  readonly size: number;
  /** Absent if too large to keep. */
  readonly content?: Uint8Array;
}

export interface Commit {
  readonly oid: string;
  readonly short: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** Of the author and the committer. */
  readonly emails: readonly string[];
  readonly subject: string;
}

export interface CommitRange {
  readonly of: string;
  /** Leaves out the commits that this one has. */
  readonly not?: string | undefined;
  readonly isFirstParent?: boolean;
  readonly skip?: number;
  readonly most?: number;
  /** Only commits that change these: absolute paths of manifests, of folders of manifests, and of other files. */
  readonly touching?: { readonly manifests: readonly string[]; readonly files: readonly string[] };
}

export interface TrackedFile {
  /** Relative to the root. */
  readonly file: string;
  readonly mode: string;
  /** `H` for a file that is in the work tree as usual; else the letter of git, for example `S` for a sparse checkout. */
  readonly tag: string;
}

export interface Author {
  readonly name: string;
  readonly email: string;
}

export interface NewCommit {
  readonly tree: string;
  readonly parents?: readonly string[];
  readonly message: string;
  /** Undefined: the author that git's settings name. */
  readonly author: Author | undefined;
  /** ISO 8601; today's by default. */
  readonly time?: string;
}

/** Maps full ref names to commits. */
export type Refs = ReadonlyMap<string, string>;

/** Changes all refs or none. An undefined commit means that the ref does not exist. */
export interface RefChange {
  /** Expected commits by ref. */
  readonly from: ReadonlyMap<string, string | undefined>;
  readonly to: string | undefined;
}

export interface RefFailure {
  /** `stale`: a ref is not as expected; `final`: the remote refused the change. */
  readonly type: 'stale' | 'final' | 'other';
  readonly problem: string;
}

/** Undefined for this repository. */
export type RemoteName = string | undefined;

/** Every method throws a GitError if git fails, or if a remote does not answer. */
export interface Repository {
  /** Absolute path of the work tree. */
  readonly root: string;
  /** Keyed as git writes the settings: `branch.main.remote`. */
  readonly settings: ReadonlyMap<string, string>;
  /** Pauses between two attempts. */
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** `name`: an id, a ref, or `commit:path`; undefined if the object is not here. Leaves out larger contents. */
  find(name: string, mostBytes: number): Promise<GitObject | undefined>;
  /** Gets the manifests of a commit at once, if objects may be missing here. `paths` are absolute. */
  prefetch(treeish: string, paths: readonly string[]): Promise<void>;
  /** Undefined if the commits have nothing in common, or are not here. */
  mergeBase(commits: readonly string[]): Promise<string | undefined>;
  /** Those of the commits that no other one of them contains. */
  independent(commits: readonly string[]): Promise<readonly string[]>;
  /** Newest first. */
  commits(range: CommitRange): Promise<readonly Commit[]>;
  /** The tree of a merge, or the files in conflict. Neither commits nor touches the work tree. */
  merge(
    ours: string,
    theirs: string,
  ): Promise<{ readonly tree: string } | { readonly conflicts: readonly string[] }>;
  /** Entries of the index at `paths`, which are relative to the root, and in folders with one of the names; all without either. */
  tracked(paths: readonly string[], folders?: readonly string[]): Promise<readonly TrackedFile[]>;
  /** Paths in the commit and in the index, relative to the root. */
  renamedSince(commit: string): Promise<readonly (readonly [before: string, after: string])[]>;
  /** YAML files of a commit with a line that matches an extended regular expression. */
  search(commit: string, pattern: string): Promise<readonly string[]>;
  /** The branch that is checked out. */
  branch(): Promise<string | undefined>;
  isShallow(): Promise<boolean>;
  /** Existing refs, from full names and folders such as `refs/octavo/applied/`; the result may have others too. */
  refs(remote: RemoteName, names: readonly string[]): Promise<Refs>;
  /** Creates no refs here. */
  fetch(remote: string, refs: readonly string[]): Promise<void>;
  changeRefs(remote: RemoteName, change: RefChange): Promise<RefFailure | undefined>;
  /** Without an expectation. An undefined `oid` deletes the ref. */
  setRef(ref: string, oid: string | undefined): Promise<void>;
  /** A tree with these texts by name; or that of a commit with files as they are in the work tree, by absolute path. */
  writeTree(content: TreeContent): Promise<string>;
  writeCommit(commit: NewCommit): Promise<string>;
}

export type TreeContent =
  | { readonly texts: Readonly<Record<string, string>> }
  | { readonly of: string; readonly files: readonly string[] };

/** `name`: any form that git accepts. */
export async function commitOf(repository: Repository, name: string): Promise<string | undefined> {
  return name.includes('\n') ? undefined : (await repository.find(`${name}^{commit}`, 0))?.oid;
}

/** True also for the commit itself. */
export async function isAncestor(repository: Repository, ancestor: string, commit: string): Promise<boolean> {
  return ancestor === commit || (await repository.mergeBase([ancestor, commit])) === ancestor;
}

/** Returns the checked-out commit; undefined in a repository without commits. */
export function headOf(repository: Repository): Promise<string | undefined> {
  return commitOf(repository, 'HEAD');
}
