/** Changes refs of a git remote from expected commits to others, all or none. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Git, GitError } from '../manifest/files/git.ts';

export interface GitRemote {
  readonly git: Git;
  readonly root: string;
  readonly remote: string;
}

/** Rounds before giving up on refs that others keep changing. */
const mostRounds = 30;
/** Milliseconds, times the number of rounds: whoever lost lets others finish. */
const pause = 5;

/**
 * Repeats rounds until one has a result, since others may change the refs meanwhile.
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

/** Attempts of a failed request, and the milliseconds before the next one, times the number of attempts. */
const defaultAttempts = 5;
const delay = 200;

const lockFile = 'lock.json';

export interface LooseFile {
  readonly file: string;
  readonly text: string;
  readonly message: string;
  /** ISO 8601. */
  readonly time: string;
  /** Default: none. */
  readonly parents?: readonly string[];
  /** Default: Octavo, since machines often have none. */
  readonly author?: Readonly<Record<string, string>>;
}

const octavo = {
  GIT_AUTHOR_NAME: 'Octavo',
  GIT_AUTHOR_EMAIL: 'octavo@localhost',
  GIT_COMMITTER_NAME: 'Octavo',
  GIT_COMMITTER_EMAIL: 'octavo@localhost',
};

export function writeLockCommit(remote: GitRemote, text: string, time: string): Promise<string> {
  return writeLooseCommit(remote, { file: lockFile, text, message: 'Lock', time });
}

/** The commit has one file; returns its id. */
export async function writeLooseCommit(
  { git, root }: Pick<GitRemote, 'git' | 'root'>,
  { file, text, message, time, parents = [], author = octavo }: LooseFile,
): Promise<string> {
  const blob = await git.writeBlob(root, text);
  const tree = await git.writeTree(root, { [file]: blob });
  const dates = { GIT_AUTHOR_DATE: time, GIT_COMMITTER_DATE: time };
  const command = ['commit-tree', tree, ...parents.flatMap((oid) => ['-p', oid]), '-m', message];
  const { exitCode, stdout, problem } = await git.attempt(root, command, { ...author, ...dates });
  if (exitCode !== 0) throw new GitError(problem);
  return String(stdout).trim();
}

/** Undefined if it cannot be read, as when the ref has moved. */
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

export interface RemoteRef {
  readonly ref: string;
  readonly oid: string;
}

/**
 * Those that exist, of refs, or of folders such as `refs/octavo/applied/`. By full names: git matches the end of names, and a branch
 * may be called `refs/heads/refs/octavo/…`.
 * @throws GitError if the remote does not answer.
 */
export async function remoteRefs(
  remote: GitRemote,
  names: readonly string[],
  { attempts = defaultAttempts }: { readonly attempts?: number } = {},
): Promise<ReadonlyMap<string, string>> {
  const isFolder = (name: string) => name.endsWith('/');
  const patterns = names.map((name) => (isFolder(name) ? `${name}*` : name));
  const isMeant = ([ref]: readonly [string, string]) =>
    names.some((name) => (isFolder(name) ? ref.startsWith(name) : ref === name));
  for (let attempt = 1; ; attempt += 1) {
    const listed = await listRefs(remote, patterns);
    if ('refs' in listed) return new Map([...listed.refs].filter(isMeant));
    if (attempt >= attempts) throw new GitError(listed.problem);
    await wait(delay * attempt);
  }
}

/** All or none. An undefined commit is a ref that does not exist. */
export interface RefChange {
  /** Each ref with its expected commit. */
  readonly from: ReadonlyMap<string, string | undefined>;
  readonly to: string | undefined;
  readonly attempts?: number;
}

/**
 * Returns false if a ref is not as expected. A push whose response was lost is looked up, not treated as a failure.
 * @throws GitError if the remote refuses the push for another reason, or cannot be reached: the refs may have moved then.
 */
export async function changeRefs(remote: GitRemote, change: RefChange): Promise<boolean> {
  const { git, root } = remote;
  const { from, to, attempts = defaultAttempts } = change;
  // Hooks of the repository are for its branches.
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
      // A ref had another commit a moment ago.
      if (/\[rejected\] \(stale info\)/.test(said)) return false;
      const refusal = refusalIn(said);
      // Two pushes at the same moment are worth another attempt; a refusal by the remote is not.
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

/** `unchanged` also if the remote does not answer. */
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

/** The response also has refs whose names end alike. */
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

/** In the remote's own words; undefined if it did not refuse. */
function refusalIn(porcelain: string): string | undefined {
  return /^!\t\S+\t\[remote rejected\] \((.*)\)$/m.exec(porcelain)?.[1];
}
