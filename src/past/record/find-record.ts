/** Finds the records of organizations: here, or in the repository's remote if that has a newer one. */
import {
  GitError,
  isAncestor,
  onGitError,
  type Refs,
  type Repository,
} from '../../manifest/files/repository.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import { findRepository } from '../base/repository.ts';
import { RefStore, type StoredCommit } from '../git/ref-store.ts';
import { mayBeSameService } from '../same-service.ts';
import type { ManifestSource } from '../workspace.ts';
import {
  appliedRef,
  appliedRefs,
  contentOf,
  type FoundRecord,
  journalRefs,
  readRecord,
  recordFile,
} from './applied-record.ts';

export interface RecordLookup {
  readonly offline: boolean;
  readonly remote?: string | undefined;
}

export interface FoundRecords {
  readonly records: ReadonlyMap<string, FoundRecord>;
  readonly remote: string | undefined;
  /** Why the remote could not be reached; its records, or newer ones, are then missing. */
  readonly unreachable: string | undefined;
  readonly notes: readonly Diagnostic[];
  /** Refs of records and journals of all organizations in the remote; empty if the remote was not read. */
  readonly listed: Refs;
  /** Refs here before any fetch. */
  readonly local: Refs;
}

type Labelled = Pick<DesiredTree, 'label'>;

/** Updates refs here to match the remote. */
export async function findRecords(
  repository: Repository,
  trees: readonly Labelled[],
  { offline, remote }: RecordLookup,
): Promise<FoundRecords> {
  const asked = offline ? undefined : (remote ?? (await remoteOf(repository)));
  const refs = new Map(trees.map((tree) => [appliedRef(tree), tree.label]));
  const local = await localRefs(repository);
  const here = new Map(
    [...local].flatMap(([ref, oid]) => (refs.has(ref) ? [[refs.get(ref) ?? '', oid]] : [])),
  );
  const known = { remote: asked, local, unreachable: undefined, notes: [], listed: new Map() };
  if (asked === undefined) return { ...known, records: await readAll(repository, here) };
  try {
    const { oids, ...found } = await newest(repository, asked, refs, here);
    return { ...known, ...found, records: await readAll(repository, oids) };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { ...known, records: await readAll(repository, here), unreachable: error.message };
  }
}

/**
 * Records of all organizations, here and in the remote. `found`: earlier results.
 * @throws DiagnosticError if the remote cannot be reached, because its rules would not be applied.
 */
export async function allRecords(
  repository: Repository,
  { offline, found }: Pick<RecordLookup, 'offline'> & { readonly found?: FoundRecords | undefined },
): Promise<readonly FoundRecord[]> {
  const local = [...(found?.local ?? (await localRefs(repository)))];
  const here = local.flatMap(([ref, oid]) => (ref.startsWith(appliedRefs) ? [oid] : []));
  const oids = new Set([...here, ...(offline ? [] : await requiredHeads(repository, found?.listed))]);
  const commits = await recordCommits(repository, [...oids]);
  return commits.map((commit) => readRecord(contentOf(commit)?.organization, commit));
}

function requiredHeads(repository: Repository, listed?: Refs): Promise<readonly string[]> {
  const refuse = onGitError(async ({ message }) => {
    throw remoteUnreachable(await remoteOf(repository), message);
  });
  return headsOfRemote(repository, listed).catch(refuse);
}

/** Fetches the records of the remote, without creating refs here. Throws a GitError if that fails. */
export async function headsOfRemote(repository: Repository, listed?: Refs): Promise<readonly string[]> {
  const remote = await remoteOf(repository);
  if (remote === undefined) return [];
  const all = listed ?? (await new RefStore(repository).there(remote, [appliedRefs], { attempts: 1 }));
  const refs = new Map([...all].filter(([ref]) => ref.startsWith(appliedRefs)));
  await new RefStore(repository).fetchMissing(remote, refs);
  return [...refs.values()];
}

/** Largest record, in bytes: about 100,000 ids. */
const mostBytes = 64 * 2 ** 20;

function localRefs(repository: Repository): Promise<Refs> {
  return new RefStore(repository).here([appliedRefs, journalRefs]);
}

/** Empty outside of a repository. */
export async function localRecords(
  source: ManifestSource,
  trees: readonly Labelled[],
): Promise<ReadonlyMap<string, FoundRecord>> {
  const repository = await findRepository(source);
  if (repository === undefined) return new Map();
  return (await findRecords(repository, trees, { offline: true })).records;
}

async function readAll(repository: Repository, oids: Refs): Promise<ReadonlyMap<string, FoundRecord>> {
  const commits = await recordCommits(repository, [...new Set(oids.values())]);
  const byOid = new Map(commits.map((commit) => [commit.oid, commit]));
  return new Map(
    [...oids].flatMap(([label, oid]) => {
      const commit = byOid.get(oid);
      return commit === undefined ? [] : [[label, readRecord(label, commit)] as const];
    }),
  );
}

function recordCommits(repository: Repository, oids: readonly string[]): Promise<readonly StoredCommit[]> {
  const store = new RefStore(repository);
  return Promise.all(oids.map((oid) => store.read(oid, recordFile, mostBytes)));
}

/** Number of records that git is asked for at once. */
const pageOfRecords = 50;

/** A record and its predecessors, newest first; `all`: more than one page. Each is the first parent of the next. */
export async function* recordsBefore(repository: Repository, oid: string, all = false) {
  for (let skip = 0; ; skip += pageOfRecords) {
    const page = { of: oid, isFirstParent: true, skip, most: pageOfRecords };
    const commits = (await repository.commits(page)).map((one) => one.oid);
    for (const commit of await recordCommits(repository, commits)) {
      const content = contentOf(commit);
      if (content === undefined) return;
      yield { oid: commit.oid, content };
    }
    if (!all || commits.length < pageOfRecords) return;
  }
}

/** Picks the newer record, here or in the remote. Throws a GitError if the remote cannot be reached. */
async function newest(
  repository: Repository,
  remote: string,
  refs: ReadonlyMap<string, string>,
  here: Refs,
): Promise<Pick<FoundRecords, 'notes' | 'listed'> & { readonly oids: Refs }> {
  const store = new RefStore(repository);
  const listed = await store.there(remote, [appliedRefs, journalRefs], { attempts: 1 });
  const there = [...listed].flatMap(([ref, oid]) => {
    const label = refs.get(ref);
    return label === undefined || here.get(label) === oid ? [] : [{ ref, oid, label }];
  });
  await repository.fetch(
    remote,
    there.map(({ ref }) => ref),
  );
  const oids = new Map(here);
  const notes: Diagnostic[] = [];
  for (const [ref, label] of refs) {
    if (listed.has(ref) || !here.has(label)) continue;
    const how = `push it: octavo apply --record; or delete it here, too: git update-ref -d ${ref}`;
    const about = `is not in ${remote}: a new clone plans without a base`;
    notes.push({ ...note(label, about, how), severity: 'hint' });
  }
  for (const { ref, oid, label } of there) {
    const own = here.get(label);
    if (own !== undefined && (await isAncestor(repository, oid, own))) continue;
    oids.set(label, oid);
    const how = `to use the one in ${remote}: git fetch ${remote} +${ref}:${ref}`;
    const about = `and the one in ${remote} have different histories; the one in ${remote} takes precedence`;
    if (own === undefined || (await isAncestor(repository, own, oid))) await repository.setRef(ref, oid);
    else notes.push(note(label, about, how));
  }
  return { oids, notes, listed };
}

/** The remote of the current branch, else `origin`, else the only one. */
export async function remoteOf(repository: Repository): Promise<string | undefined> {
  const { settings } = repository;
  const remotes = [...settings.keys()].flatMap((key) => /^remote\.(.+)\.url$/s.exec(key)?.[1] ?? []);
  const [first] = remotes;
  if (first === undefined) return undefined;
  const ofBranches = [...settings].flatMap(([key, value]) =>
    /^branch\..+\.remote$/s.test(key) && value !== '.' ? [value] : [],
  );
  // All branches have the same remote, so the current branch does not matter.
  if (remotes.length === 1 && ofBranches.every((one) => one === first)) return first;
  const own = settings.get(`branch.${await repository.branch()}.remote`);
  if (own !== undefined && own !== '.') return own;
  if (remotes.includes('origin')) return 'origin';
  return remotes.length === 1 ? first : undefined;
}

export function nothingRecorded(label: string, { remote }: FoundRecords): Diagnostic {
  const where = remote === undefined ? 'here' : `here or in ${remote}`;
  return {
    severity: 'warning',
    code: 'no-record',
    message: `nothing is recorded as applied for ${label} ${where}: planning without a base, so removals and drift are not detected`,
    suggestion: 'record this run: octavo apply --record',
  };
}

export function isOfOther({ content }: FoundRecord, { identity }: Pick<ManifestSource, 'identity'>): boolean {
  return identity !== undefined && !mayBeSameService(content.service, identity.service);
}

export function remoteUnreachable(remote: string | undefined, why: string): DiagnosticError {
  return userError(
    'base',
    `cannot read records from ${remote}: ${why}`,
    'make the remote reachable; or pass --offline to use only what is recorded in this repository, or --base none to plan without removals and drift',
  );
}

function note(label: string, about: string, suggestion: string): Diagnostic {
  const message = `the record of ${label} in this repository ${about}`;
  return { severity: 'warning', code: 'no-record', message, suggestion };
}
