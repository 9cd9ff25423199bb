/** Refs of a git remote that change from expected commits to another one, all or none. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Git, GitError } from '../manifest/git.ts';

/** A repository, and the remote that is asked through it. */
export interface GitRemote {
  readonly git: Git;
  /** The root of the repository here. */
  readonly root: string;
  /** Name or address of the remote. */
  readonly remote: string;
}

/** Rounds after which refs that others change all the time are given up. */
const mostRounds = 20;

/**
 * Runs rounds until one has a result: others may change the refs meanwhile.
 *
 * @throws GitError where they do so in every round; the reason of the signal when it ends the rounds.
 */
export async function untilSettled<T>(round: () => Promise<T | undefined>, signal?: AbortSignal): Promise<T> {
  for (let count = 0; count < mostRounds; count += 1) {
    signal?.throwIfAborted();
    const result = await round();
    if (result !== undefined) return result;
  }
  throw new GitError(`its refs changed in each of ${mostRounds} attempts`);
}

/** How often a request that failed is sent, and the milliseconds before the next, times the number of attempts. */
const defaultAttempts = 5;
const delay = 200;

/** The file in the commits of locks. */
const lockFile = 'lock.json';

/** Locks name nobody as their author: machines often have no one. */
const author = {
  GIT_AUTHOR_NAME: 'Octavo',
  GIT_AUTHOR_EMAIL: 'octavo@localhost',
  GIT_COMMITTER_NAME: 'Octavo',
  GIT_COMMITTER_EMAIL: 'octavo@localhost',
};

/** Makes a commit without parents that holds the text; returns its id. */
export async function writeLockCommit({ git, root }: GitRemote, text: string, time: string): Promise<string> {
  const blob = await git.writeBlob(root, text);
  const tree = await git.writeTree(root, { [lockFile]: blob });
  const dates = { GIT_AUTHOR_DATE: time, GIT_COMMITTER_DATE: time };
  const command = ['commit-tree', tree, '-m', 'Lock'];
  const { exitCode, stdout, problem } = await git.attempt(root, command, { ...author, ...dates });
  if (exitCode !== 0) throw new GitError(problem);
  return String(stdout).trim();
}

/** The text that a commit of the remote's ref holds; undefined where it cannot be read, as when the ref has moved. */
export async function readLockCommit(
  { git, root, remote }: GitRemote,
  { ref, oid }: RemoteRef,
): Promise<string | undefined> {
  const show = () => git.attempt(root, ['cat-file', 'blob', `${oid}:${lockFile}`]);
  const here = await show();
  if (here.exitCode === 0) return String(here.stdout);
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  await git.attempt(root, [...fetch, '--', remote, ref]);
  const fetched = await show();
  return fetched.exitCode === 0 ? String(fetched.stdout) : undefined;
}

/** A ref, and the commit that it names. */
export interface RemoteRef {
  readonly ref: string;
  readonly oid: string;
}

/**
 * The refs of the remote below a prefix, by their whole names: git matches the end of names, and a branch may be called
 * `refs/heads/refs/octavo/…`.
 *
 * @throws GitError where the remote cannot be asked.
 */
export async function remoteRefs(
  remote: GitRemote,
  prefix: string,
  { attempts = defaultAttempts }: { readonly attempts?: number } = {},
): Promise<ReadonlyMap<string, string>> {
  for (let attempt = 1; ; attempt += 1) {
    const listed = await listRefs(remote, [`${prefix}*`]);
    if ('refs' in listed) return new Map([...listed.refs].filter(([ref]) => ref.startsWith(prefix)));
    if (attempt >= attempts) throw new GitError(listed.problem);
    await wait(delay * attempt);
  }
}

/** The commits that refs of the remote name; those that do not exist are missing. */
export async function remoteOids(
  remote: GitRemote,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  for (let attempt = 1; ; attempt += 1) {
    const listed = await listRefs(remote, refs);
    if ('refs' in listed) return new Map([...listed.refs].filter(([ref]) => refs.includes(ref)));
    if (attempt >= defaultAttempts) throw new GitError(listed.problem);
    await wait(delay * attempt);
  }
}

/** A change of refs, all or none: undefined is a ref that does not exist. */
export interface RefChange {
  /** Each ref, and what it is expected to be. */
  readonly from: ReadonlyMap<string, string | undefined>;
  readonly to: string | undefined;
  /** How often it is tried where the remote cannot be reached. */
  readonly attempts?: number;
}

/**
 * Changes the refs, where they are what is expected. False where one is something else. A push whose answer was lost is
 * looked up, not taken for a failure.
 *
 * @throws GitError where the remote refuses the push for another reason, or cannot be reached: then they may have moved.
 */
export async function changeRefs(remote: GitRemote, change: RefChange): Promise<boolean> {
  const { git, root } = remote;
  const { from, to, attempts = defaultAttempts } = change;
  // The hooks of the repository are about its branches.
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
  const update = (lines: readonly string[]) =>
    git.withInput(root, ['update-ref', '--stdin'], lines.map((line) => `${line}\n`).join(''));
  if (to !== undefined) await update(outgoing.map((ref) => `update ${ref} ${to}`));
  try {
    for (let attempt = 1; ; attempt += 1) {
      const pushed = await git.attempt(root, [...push, ...leases, '--', remote.remote, ...specs]);
      const said = String(pushed.stdout);
      if (pushed.exitCode === 0) return true;
      const now = await refState(remote, change);
      if (now !== 'unchanged') return now === 'changed';
      // It was something else a moment ago.
      if (/\[rejected\] \(stale info\)/.test(said)) return false;
      const refusal = refusalIn(said);
      // Two pushes at the same moment are worth another attempt; what the remote does not allow is not.
      const isFinal = refusal !== undefined && !/lock|update ref|reference|atomic/i.test(refusal);
      if (isFinal || attempt >= attempts) throw new GitError(refusal ?? pushed.problem);
      await wait(delay * attempt);
    }
  } finally {
    if (to !== undefined) await update(outgoing.map((ref) => `delete ${ref}`));
  }
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

/** What became of a change whose push failed; `unchanged` also where the remote cannot be asked. */
async function refState(
  remote: GitRemote,
  { from, to }: RefChange,
): Promise<'changed' | 'unchanged' | 'other'> {
  const listed = await listRefs(remote, [...from.keys()]);
  if (!('refs' in listed)) return 'unchanged';
  const now = (ref: string) => listed.refs.get(ref);
  if ([...from.keys()].every((ref) => now(ref) === to)) return 'changed';
  return [...from].every(([ref, oid]) => now(ref) === oid) ? 'unchanged' : 'other';
}

/** Asks once. What has another name that ends alike is among the answers. */
async function listRefs(
  { git, root, remote }: GitRemote,
  patterns: readonly string[],
): Promise<{ readonly refs: ReadonlyMap<string, string> } | { readonly problem: string }> {
  const { exitCode, stdout, problem } = await git.attempt(root, [
    'ls-remote',
    '--quiet',
    '--',
    remote,
    ...patterns,
  ]);
  if (exitCode !== 0) return { problem };
  const lines = String(stdout)
    .split('\n')
    .filter((line) => line !== '');
  return { refs: new Map(lines.map((line) => line.split('\t')).map(([oid = '', ref = '']) => [ref, oid])) };
}

/** Why the remote did not take the push, as it says itself; undefined where it does not. */
function refusalIn(porcelain: string): string | undefined {
  return /^!\t\S+\t\[remote rejected\] \((.*)\)$/m.exec(porcelain)?.[1];
}
