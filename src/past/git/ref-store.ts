/**
 * Octavo's refs in git, here and in a remote: records, journals and locks are commits with one file each. Refs change from expected
 * commits to others, all or none.
 */
import {
  type Author,
  GitError,
  onGitError,
  type RefChange,
  type Refs,
  type RemoteName,
  type Repository,
} from '../../manifest/files/repository.ts';

/** Maximum of rounds for refs that others keep changing. */
const mostRounds = 30;
/** Unit: milliseconds, multiplied by the number of rounds, so that other runs can finish first. */
const pause = 5;

/** Locks are small; unit: bytes. */
const mostBytesThere = 2 ** 20;

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
  /** Defaults to Octavo, since machines often have no git author; `user` is the one of git's settings. */
  readonly author?: Author | 'user';
}

const octavo: Author = { name: 'Octavo', email: 'octavo@localhost' };

export interface Tries {
  readonly attempts?: number;
}

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
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /**
   * Repeats rounds until one has a result, since others may change the refs in between.
   * @throws GitError if they do so in every round; the reason of the signal if it ends the rounds.
   */
  async untilSettled<T>(round: () => Promise<T | undefined>, signal?: AbortSignal): Promise<T> {
    for (let count = 0; count < mostRounds; count += 1) {
      signal?.throwIfAborted();
      const result = await round();
      if (result !== undefined) return result;
      await this.#repository.sleep(pause * count);
    }
    throw new GitError(`its refs changed in each of ${mostRounds} attempts`);
  }

  /** Writes a commit with one file; returns its id. */
  async write({ file, text, author = octavo, ...about }: LooseRef): Promise<string> {
    const tree = await this.#repository.writeTree({ texts: { [file]: text } });
    return this.#repository.writeCommit({ ...about, tree, author: author === 'user' ? undefined : author });
  }

  /** Throws if the commit is not here. `mostBytes`: maximum size of the file. */
  async read(oid: string, file: string, mostBytes: number): Promise<StoredCommit> {
    const [commit, found] = await Promise.all([
      this.#repository.find(`${oid}^{commit}`, mostBytes),
      this.#repository.find(`${oid}:${file}`, mostBytes),
    ]);
    if (commit?.content === undefined) throw new GitError(`git has no commit ${oid}`);
    const [head = ''] = textOf(commit.content).split('\n\n');
    const parents = [...head.matchAll(/^parent (\S+)$/gm)].map(([, parent = '']) => parent);
    return { oid: commit.oid, parents, text: found?.content && textOf(found.content) };
  }

  /** Reads the file of a ref in a remote; undefined if that fails, for example because the ref has moved. */
  async readThere(remote: RemoteName, { ref, oid }: RemoteRef, file: string): Promise<string | undefined> {
    const text = async () => {
      const found = await this.#repository.find(`${oid}:${file}`, mostBytesThere);
      return found?.content && textOf(found.content);
    };
    const orNothing = onGitError(() => undefined);
    const here = await text().catch(orNothing);
    if (here !== undefined || remote === undefined) return here;
    await this.#repository.fetch(remote, [ref]).catch(orNothing);
    return text().catch(orNothing);
  }

  here(names: readonly string[]): Promise<Refs> {
    return this.there(undefined, names, { attempts: 1 });
  }

  /**
   * Existing refs of the remote, from names or folders such as `refs/octavo/applied/`. Names must be full: git matches the end of
   * names, and a branch may be called `refs/heads/refs/octavo/…`.
   */
  async there(
    remote: RemoteName,
    names: readonly string[],
    { attempts = defaultAttempts }: Tries = {},
  ): Promise<Refs> {
    const isMeant = ([ref]: readonly [string, string]) =>
      names.some((name) => (name.endsWith('/') ? ref.startsWith(name) : ref === name));
    for (let attempt = 1; ; attempt += 1) {
      try {
        return new Map([...(await this.#repository.refs(remote, names))].filter(isMeant));
      } catch (error) {
        if (!(error instanceof GitError) || attempt >= attempts) throw error;
        await this.#repository.sleep(delay * attempt);
      }
    }
  }

  /** Fetches commits whose objects are not here. */
  async fetchMissing(remote: string, refs: Refs): Promise<void> {
    const found = await Promise.all([...refs.values()].map((oid) => this.#repository.find(oid, 0)));
    await this.#repository.fetch(
      remote,
      [...refs.keys()].filter((_, at) => found[at] === undefined),
    );
  }

  /**
   * Returns false if a ref is not as expected. A push whose response was lost is looked up, not treated as a failure. Throws if git
   * refuses the change for another reason, or cannot reach the remote: the refs may have moved then.
   */
  async change(
    remote: RemoteName,
    { attempts = defaultAttempts, ...change }: RefChange & Tries,
  ): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.#repository.changeRefs(remote, change);
      if (failure === undefined) return true;
      const now = await this.#stateOf(remote, change);
      if (now !== 'unchanged') return now === 'changed';
      if (failure.type === 'stale') return false;
      if (failure.type === 'final' || attempt >= attempts) throw new GitError(failure.problem);
      await this.#repository.sleep(delay * attempt);
    }
  }

  /** Returns `unchanged` also if the remote does not answer. */
  async #stateOf(remote: RemoteName, { from, to }: RefChange): Promise<'changed' | 'unchanged' | 'other'> {
    const listed = await this.#repository.refs(remote, [...from.keys()]).catch(onGitError(() => undefined));
    if (listed === undefined) return 'unchanged';
    if ([...from.keys()].every((ref) => listed.get(ref) === to)) return 'changed';
    return [...from].every(([ref, oid]) => listed.get(ref) === oid) ? 'unchanged' : 'other';
  }
}

function textOf(content: Uint8Array): string {
  return Buffer.from(content).toString('utf8');
}
