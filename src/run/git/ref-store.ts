/**
 * Octavo's refs in git, here and in a remote: records, journals and locks are commits with one file each. Refs change from expected
 * commits to others, all or none.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Git, GitError, type Repository } from '../../manifest/files/git.ts';

/** Maps full ref names to commits. */
export type Refs = ReadonlyMap<string, string>;

/** Maximum of rounds for refs that others keep changing. */
const mostRounds = 30;
/** Unit: milliseconds, multiplied by the number of rounds, so that other runs can finish first. */
const pause = 5;

/**
 * Repeats rounds until one has a result, since others may change the refs in between.
 * @throws GitError if they do so in every round; the reason of the signal if it ends the rounds.
 */
export async function untilSettled<T>(round: () => Promise<T | undefined>, signal?: AbortSignal): Promise<T> {
  for (let count = 0; count < mostRounds; count += 1) {
    signal?.throwIfAborted();
    const result = await round();
    if (result !== undefined) return result;
    await wait(pause * count);
  }
  throw new GitError(`its refs changed in each of ${mostRounds} attempts`);
}

/** Attempts of a request; the delay in milliseconds is multiplied by the number of failed attempts. */
const defaultAttempts = 5;
const delay = 200;

export interface LooseRef {
  readonly file: string;
  readonly text: string;
  readonly message: string;
  /** Format: ISO 8601. */
  readonly time: string;
  readonly parents?: readonly string[];
  /** Defaults to Octavo, since machines often have no git author. */
  readonly author?: Readonly<Record<string, string>>;
}

/** Hooks, tags and submodules are only for branches. */
const fetching = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];

const octavo = {
  GIT_AUTHOR_NAME: 'Octavo',
  GIT_AUTHOR_EMAIL: 'octavo@localhost',
  GIT_COMMITTER_NAME: 'Octavo',
  GIT_COMMITTER_EMAIL: 'octavo@localhost',
};

/** Changes all refs or none. An undefined commit means that the ref does not exist. */
export interface RefChange {
  /** Expected commits by ref. */
  readonly from: ReadonlyMap<string, string | undefined>;
  readonly to: string | undefined;
  readonly attempts?: number;
}

/** Undefined for this repository. */
type RemoteName = string | undefined;

export interface RemoteRef {
  readonly ref: string;
  readonly oid: string;
}

export interface StoredCommit {
  readonly oid: string;
  readonly parents: readonly string[];
  readonly text: string | undefined;
}

/** Every method throws a GitError if git fails, or if the remote does not answer. */
export class RefStore {
  readonly #git: Git;
  readonly #root: string;

  constructor({ git, root }: Pick<Repository, 'git' | 'root'>) {
    this.#git = git;
    this.#root = root;
  }

  /** Writes a commit with one file; returns its id. */
  async write({ file, text, message, time, parents = [], author = octavo }: LooseRef): Promise<string> {
    const blob = await this.#git.writeBlob(this.#root, text);
    const tree = await this.#git.writeTree(this.#root, { [file]: blob });
    const dates = { GIT_AUTHOR_DATE: time, GIT_COMMITTER_DATE: time };
    const command = ['commit-tree', tree, ...parents.flatMap((oid) => ['-p', oid]), '-m', message];
    const { exitCode, stdout, problem } = await this.#git.attempt(this.#root, command, {
      ...author,
      ...dates,
    });
    if (exitCode !== 0) throw new GitError(problem);
    return String(stdout).trim();
  }

  /** Throws if the commit is not here. `mostBytes`: maximum size of the file. */
  async read(oid: string, file: string, mostBytes: number): Promise<StoredCommit> {
    const objects = this.#git.objects(this.#root);
    const [commit, found] = await Promise.all([
      objects.find(`${oid}^{commit}`, mostBytes),
      objects.find(`${oid}:${file}`, mostBytes),
    ]);
    if (commit?.content === undefined) throw new GitError(`git has no commit ${oid}`);
    const [head = ''] = textOf(commit.content).split('\n\n');
    const parents = [...head.matchAll(/^parent (\S+)$/gm)].map(([, parent = '']) => parent);
    return { oid: commit.oid, parents, text: found?.content && textOf(found.content) };
  }

  /** Reads the file of a ref in a remote; undefined if that fails, for example because the ref has moved. */
  async readThere(remote: RemoteName, { ref, oid }: RemoteRef, file: string): Promise<string | undefined> {
    const show = () => this.#git.attempt(this.#root, ['cat-file', 'blob', `${oid}:${file}`]);
    const here = await show();
    if (here.exitCode === 0) return String(here.stdout);
    if (remote === undefined) return undefined;
    await this.#git.attempt(this.#root, [...fetching, '--', remote, ref]);
    const fetched = await show();
    return fetched.exitCode === 0 ? String(fetched.stdout) : undefined;
  }

  here(names: readonly string[]): Promise<Refs> {
    return this.there(undefined, names, { attempts: 1 });
  }

  /** An undefined `oid` deletes the ref. */
  async move(ref: string, oid: string | undefined): Promise<void> {
    await this.#git.run(this.#root, ['update-ref', ...(oid === undefined ? ['-d', ref] : [ref, oid])]);
  }

  /**
   * Existing refs of the remote, from names or folders such as `refs/octavo/applied/`. Names must be full: git matches the end of
   * names, and a branch may be called `refs/heads/refs/octavo/…`.
   */
  async there(
    remote: RemoteName,
    names: readonly string[],
    { attempts = defaultAttempts }: { readonly attempts?: number } = {},
  ): Promise<Refs> {
    const isMeant = ([ref]: readonly [string, string]) =>
      names.some((name) => (name.endsWith('/') ? ref.startsWith(name) : ref === name));
    for (let attempt = 1; ; attempt += 1) {
      const listed = await this.#list(remote, names);
      if ('refs' in listed) return new Map([...listed.refs].filter(isMeant));
      if (attempt >= attempts) throw new GitError(listed.problem);
      await wait(delay * attempt);
    }
  }

  async fetch(remote: string, refs: readonly string[]): Promise<void> {
    if (refs.length === 0) return;
    const lines = refs.map((ref) => `${ref}\n`).join('');
    await this.#git.withInput(this.#root, [...fetching, '--stdin', '--', remote], lines);
  }

  /** Fetches commits whose objects are not here. */
  async fetchMissing(remote: string, refs: Refs): Promise<void> {
    const objects = this.#git.objects(this.#root);
    const found = await Promise.all([...refs.values()].map((oid) => objects.find(oid, 0)));
    await this.fetch(
      remote,
      [...refs.keys()].filter((_, at) => found[at] === undefined),
    );
  }

  /**
   * Returns false if a ref is not as expected. A push whose response was lost is looked up, not treated as a failure. Throws if git
   * refuses the change for another reason, or cannot reach the remote: the refs may have moved then.
   */
  async change(remote: RemoteName, change: RefChange): Promise<boolean> {
    const { attempts = defaultAttempts } = change;
    for (let attempt = 1; ; attempt += 1) {
      const failure = remote === undefined ? await this.#update(change) : await this.#push(remote, change);
      if (failure === undefined) return true;
      const now = await this.#stateOf(remote, change);
      if (now !== 'unchanged') return now === 'changed';
      if (failure.type === 'stale') return false;
      if (failure.type === 'final' || attempt >= attempts) throw new GitError(failure.problem);
      await wait(delay * attempt);
    }
  }

  /** One transaction. It can fail because another process has the file of a ref open. */
  async #update({ from, to }: RefChange): Promise<RefFailure | undefined> {
    const lines = [...from].map(([ref, oid]) =>
      to === undefined
        ? `delete ${ref} ${oid}`
        : oid === undefined
          ? `create ${ref} ${to}`
          : `update ${ref} ${to} ${oid}`,
    );
    try {
      await this.#updateRefs(lines);
      return undefined;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return { type: 'other', problem: error.message };
    }
  }

  async #push(remote: string, { from, to }: RefChange): Promise<RefFailure | undefined> {
    // Repository hooks are meant for branches.
    const push = [
      'push',
      '--porcelain',
      '--no-verify',
      '--no-follow-tags',
      ...(to === undefined ? ['--prune'] : []),
      ...(from.size > 1 ? ['--atomic'] : []),
    ];
    const leases = [...from].map(([ref, oid]) => `--force-with-lease=${ref}:${oid ?? ''}`);
    const names = [...from.keys()];
    const outgoing = names.map((_, at) => `refs/octavo/outgoing/${to ?? 'none'}/${at}/ref`);
    const specs = names.map((ref, at) => `${patternOf(outgoing[at] ?? '')}:${patternOf(ref)}`);
    if (to !== undefined) await this.#updateRefs(outgoing.map((ref) => `update ${ref} ${to}`));
    try {
      const { exitCode, stdout, problem } = await this.#git.attempt(this.#root, [
        ...push,
        ...leases,
        '--',
        remote,
        ...specs,
      ]);
      if (exitCode === 0) return undefined;
      const said = String(stdout);
      // The ref had another commit when git pushed.
      if (/\[rejected\] \(stale info\)/.test(said)) return { type: 'stale', problem };
      const refusal = refusalIn(said);
      // Retry concurrent pushes, but not a refusal by the remote.
      const isFinal = refusal !== undefined && !/lock|update ref|reference|atomic/i.test(refusal);
      return { type: isFinal ? 'final' : 'other', problem: refusal ?? problem };
    } finally {
      if (to !== undefined) await this.#updateRefs(outgoing.map((ref) => `delete ${ref}`));
    }
  }

  async #updateRefs(lines: readonly string[]): Promise<void> {
    await this.#git.withInput(
      this.#root,
      ['update-ref', '--stdin'],
      lines.map((line) => `${line}\n`).join(''),
    );
  }

  /** Returns `unchanged` also if the remote does not answer. */
  async #stateOf(remote: RemoteName, { from, to }: RefChange): Promise<'changed' | 'unchanged' | 'other'> {
    const listed = await this.#list(remote, [...from.keys()]);
    if (!('refs' in listed)) return 'unchanged';
    const now = (ref: string) => listed.refs.get(ref);
    if ([...from.keys()].every((ref) => now(ref) === to)) return 'changed';
    return [...from].every(([ref, oid]) => now(ref) === oid) ? 'unchanged' : 'other';
  }

  /** The response includes refs with the same ending. */
  async #list(
    remote: RemoteName,
    names: readonly string[],
  ): Promise<{ readonly refs: ReadonlyMap<string, string> } | { readonly problem: string }> {
    const command =
      remote === undefined
        ? ['for-each-ref', '--format=%(objectname)%09%(refname)', ...names]
        : ['ls-remote', '--quiet', '--', remote, ...names.map((name) => name.replace(/\/$/, '/*'))];
    const { exitCode, stdout, problem } = await this.#git.attempt(this.#root, command);
    if (exitCode !== 0) return { problem };
    const lines = String(stdout)
      .split('\n')
      .filter((line) => line !== '');
    return { refs: new Map(lines.map((line) => line.split('\t')).map(([oid = '', ref = '']) => [ref, oid])) };
  }
}

interface RefFailure {
  readonly type: 'stale' | 'final' | 'other';
  readonly problem: string;
}

function textOf(content: Uint8Array): string {
  return Buffer.from(content).toString('utf8');
}

/**
 * A pattern that finds one ref. Git maps patterns by whole names, whereas a single name is also looked for among branches:
 *
 *   refs/octavo/applied/org_acme   may be the branch refs/heads/refs/octavo/applied/org_acme
 *   refs/octavo/applied/org_acm*e  is the ref
 */
function patternOf(ref: string): string {
  return `${ref.slice(0, -1)}*${ref.slice(-1)}`;
}

/** The remote's refusal in its own words, or undefined. */
function refusalIn(porcelain: string): string | undefined {
  return /^!\t\S+\t\[remote rejected\] \((.*)\)$/m.exec(porcelain)?.[1];
}
