/** Refs of a git remote that change from expected commits to another one, all or none. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Git, GitError } from '../../manifest/git.ts';

/** A repository, and the remote that is asked through it. */
export interface GitRemote {
  readonly git: Git;
  /** The root of the repository here. */
  readonly root: string;
  /** Name or address of the remote. */
  readonly remote: string;
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

/** The refs of the remote that match the patterns. Throws a GitError where it cannot be asked. */
export async function remoteRefs(
  remote: GitRemote,
  patterns: readonly string[],
): Promise<readonly RemoteRef[]> {
  for (let attempt = 1; ; attempt += 1) {
    const listed = await listRefs(remote, patterns);
    if ('refs' in listed) return listed.refs;
    if (attempt >= defaultAttempts) throw new GitError(listed.problem);
    await wait(delay * attempt);
  }
}

/** The commits that refs of the remote name; those that do not exist are missing. */
export async function remoteOids(
  remote: GitRemote,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await remoteRefs(remote, refs);
  // A pattern matches the end of names as well.
  return new Map(found.flatMap(({ ref, oid }) => (refs.includes(ref) ? [[ref, oid] as const] : [])));
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
    ...(from.size > 1 ? ['--atomic'] : []),
  ];
  const leases = [...from].map(([ref, oid]) => `--force-with-lease=${ref}:${oid ?? ''}`);
  const specs = [...from.keys()].map((ref) => `${to ?? ''}:${ref}`);
  for (let attempt = 1; ; attempt += 1) {
    const pushed = await git.attempt(root, [...push, ...leases, '--', remote.remote, ...specs]);
    if (pushed.exitCode === 0) return true;
    const said = String(pushed.stdout);
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
}

/** What became of a change whose push failed; `unchanged` also where the remote cannot be asked. */
async function refState(
  remote: GitRemote,
  { from, to }: RefChange,
): Promise<'changed' | 'unchanged' | 'other'> {
  const listed = await listRefs(remote, [...from.keys()]);
  if (!('refs' in listed)) return 'unchanged';
  const now = (ref: string) => listed.refs.find((one) => one.ref === ref)?.oid;
  if ([...from.keys()].every((ref) => now(ref) === to)) return 'changed';
  return [...from].every(([ref, oid]) => now(ref) === oid) ? 'unchanged' : 'other';
}

/** Asks once. */
async function listRefs(
  { git, root, remote }: GitRemote,
  patterns: readonly string[],
): Promise<{ readonly refs: readonly RemoteRef[] } | { readonly problem: string }> {
  const { exitCode, stdout, problem } = await git.attempt(root, ['ls-remote', '--', remote, ...patterns]);
  if (exitCode !== 0) return { problem };
  const lines = String(stdout).split('\n');
  const refs = lines.map((line) => line.split('\t')).map(([oid = '', ref = '']) => ({ oid, ref }));
  return { refs: refs.filter(({ ref }) => ref !== '') };
}

/** Why the remote did not take the push, as it says itself; undefined where it does not. */
function refusalIn(porcelain: string): string | undefined {
  return /^!\t\S+\t\[remote rejected\] \((.*)\)$/m.exec(porcelain)?.[1];
}
