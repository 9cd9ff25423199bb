/** Finds the record of an organization: here, or in the repository's remote where that one is newer. */

import type { Repository } from '../../manifest/git.ts';
import { GitError } from '../../manifest/git.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import { appliedRef, type FoundRecord, readRecord } from './applied-record.ts';

/** Where to look. */
export interface RecordLookup {
  /** True where only this repository may be asked. */
  readonly offline: boolean;
  /** The remote to ask; that of the branch by default. */
  readonly remote?: string | undefined;
}

/** What was found, with what deserves attention. */
export interface RecordSearch {
  readonly record: FoundRecord | undefined;
  readonly notes: readonly Diagnostic[];
}

/** The last record. Throws a DiagnosticError where there is none here and the remote cannot be asked. */
export async function findRecord(
  repository: Repository,
  tree: Pick<DesiredTree, 'label'>,
  { offline, remote }: RecordLookup,
): Promise<RecordSearch> {
  const { git, root } = repository;
  const ref = appliedRef(tree);
  const asked = offline ? undefined : (remote ?? (await remoteOf(repository)));
  const { oid, note } =
    asked === undefined
      ? { oid: await git.commitOf(root, ref), note: undefined }
      : await newest(repository, { ref, remote: asked, label: tree.label });
  const notes = note === undefined ? [] : [note];
  if (oid !== undefined) return { record: await readRecord(git, root, oid), notes };
  return { record: undefined, notes: [...notes, nothingRecorded(tree.label, asked)] };
}

/** True where something is recorded as applied, here or in the remote; also where the remote cannot be asked. */
export async function hasRecords(repository: Repository, { offline }: RecordLookup): Promise<boolean> {
  const { git, root } = repository;
  const all = 'refs/octavo/applied';
  if ((await git.lines(root, ['for-each-ref', '--count=1', all])).length > 0) return true;
  const remote = offline ? undefined : await remoteOf(repository);
  if (remote === undefined) return false;
  const { exitCode, stdout } = await git.attempt(root, ['ls-remote', '--quiet', '--', remote, `${all}/*`]);
  return exitCode !== 0 || stdout.length > 0;
}

/** The records that this repository has, without asking anybody. */
export async function localRecord(
  { git, root }: Repository,
  tree: Pick<DesiredTree, 'label'>,
): Promise<FoundRecord | undefined> {
  const oid = await git.commitOf(root, appliedRef(tree));
  return oid === undefined ? undefined : readRecord(git, root, oid);
}

interface RemoteRecord {
  readonly ref: string;
  readonly remote: string;
  readonly label: string;
}

/** The newer one of the record here and the remote's. The ref here follows the remote's. */
async function newest(
  { git, root }: Repository,
  { ref, remote, label }: RemoteRecord,
): Promise<{ readonly oid?: string; readonly note?: Diagnostic }> {
  const here = await git.commitOf(root, ref);
  try {
    const [line = ''] = await git.lines(root, ['ls-remote', '--quiet', '--', remote, ref]);
    const [there = ''] = line.split('\t');
    if (there === '' || there === here) return defined({ oid: here });
    await git.run(root, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', remote, ref]);
    if (here !== undefined && (await git.isAncestor(root, there, here))) return { oid: here };
    if (here === undefined || (await git.isAncestor(root, here, there))) {
      await git.run(root, ['update-ref', ref, there]);
      return { oid: there };
    }
    return { oid: there, note: differs(label, remote, ref) };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (here !== undefined) return { oid: here, note: notAsked(remote, error.message) };
    throw userError(
      'base',
      `cannot ask ${remote} what was applied: ${error.message}`,
      'check the remote, or pass --offline to use only what is recorded in this repository',
    );
  }
}

/** The remote of the branch that is checked out, else `origin`, else the only one. */
export async function remoteOf({ git, root }: Repository): Promise<string | undefined> {
  const branch = String(
    (await git.attempt(root, ['symbolic-ref', '--quiet', '--short', 'HEAD'])).stdout,
  ).trim();
  const configured = await git.attempt(root, ['config', '--get', `branch.${branch}.remote`]);
  const own = String(configured.stdout).trim();
  if (own !== '' && own !== '.') return own;
  const remotes = await git.lines(root, ['remote']);
  if (remotes.includes('origin')) return 'origin';
  return remotes.length === 1 ? remotes[0] : undefined;
}

function nothingRecorded(label: string, remote: string | undefined): Diagnostic {
  const where = remote === undefined ? 'here' : `here or in ${remote}`;
  return {
    severity: 'warning',
    code: 'no-record',
    message: `nothing is recorded as applied for ${label} ${where}: planning without a base, so removals and drift are not detected`,
    suggestion: 'record this run: octavo apply --record (to share it: --push-record origin)',
  };
}

function differs(label: string, remote: string, ref: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'no-record',
    message: `the record of ${label} in this repository and the one in ${remote} have different histories; ${remote} counts`,
    suggestion: `to take over the one in ${remote}: git fetch ${remote} +${ref}:${ref}`,
  };
}

function notAsked(remote: string, why: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'no-record',
    message: `cannot ask ${remote} for a newer record: ${why}; using the one in this repository`,
    suggestion: 'pass --offline to not ask',
  };
}
