/**
 * Journals next to the records in git, so that runs of a pipeline can be undone from any checkout: a ref for each run and
 * organization, whose commit has no parents, so that old journals disappear with their refs. Anyone with push access may have written one.
 */
import {
  GitError,
  type OpenRepository,
  type Refs,
  type Repository,
} from '../../manifest/files/repository.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { RefStore } from '../git/ref-store.ts';
import { appliedRefs, journalRefs, refPart } from '../record/applied-record.ts';
import { type FoundRecords, remoteOf } from '../record/find-record.ts';
import { isRunId } from './journal-folder.ts';
import { type JournaledRun, readForeignJournal } from './read-journal.ts';

const journalFile = 'journal.ndjson';
/** Number of runs to keep for each organization. */
const keptRuns = 20;
const mostBytes = 8 * 2 ** 20;
const listedRuns = 50;

export interface KeptJournal {
  readonly run: string;
  readonly labels: readonly string[];
  readonly text: string;
  readonly time: string;
  readonly pushTo?: string | undefined;
}

/** Returns the reason if the journal is not kept. Never throws: the run is over. */
export async function keepJournal(repository: Repository, journal: KeptJournal): Promise<string | undefined> {
  const { run, labels, text, time, pushTo } = journal;
  const bytes = Buffer.byteLength(text);
  if (bytes > mostBytes) return `it has ${bytes} bytes, and ${mostBytes} fit`;
  const store = new RefStore(repository);
  try {
    const refs = labels.map((label) => `${prefixOf(label)}${run}`);
    const file = { file: journalFile, text, message: `Journal of ${run}`, time };
    const oid = await store.write(file);
    const here = await store.here([journalRefs]);
    for (const ref of refs) await repository.setRef(ref, oid);
    for (const [ref] of outdated(here, labels)) await repository.setRef(ref, undefined);
    if (pushTo === undefined) return undefined;
    // The whole journal replaces the beginning.
    const from = new Map(refs.map((ref) => [ref, here.get(ref)]));
    if (!(await store.change(pushTo, { from, to: oid }))) return `${pushTo} has another one of that name`;
    const old = outdated(await store.there(pushTo, [journalRefs]), labels);
    // Another run may remove them at the same time, with the same result.
    if (old.length > 0) await store.change(pushTo, { from: new Map(old), to: undefined });
    return undefined;
  } catch (error) {
    if (error instanceof GitError || error instanceof DiagnosticError) return error.message;
    throw error;
  }
}

/** The working folder, in a repository or not. */
export interface RepositoryPlace {
  readonly cwd: string;
  readonly openRepository: OpenRepository;
}

export interface GitJournals {
  /** Newest first. */
  readonly runs: readonly JournaledRun[];
  readonly damaged: readonly DiagnosticError[];
  readonly remote?: string;
  /** Why the remote could not be reached. */
  readonly unreachable?: string;
}

/** The journal of one run, or the journals of the newest runs. Fetched from the remote if it has them. */
export async function journalsInGit(
  { cwd, openRepository }: RepositoryPlace,
  run?: string,
): Promise<GitJournals> {
  const none: GitJournals = { runs: [], damaged: [] };
  let repository: Repository | undefined;
  try {
    repository = await openRepository(cwd);
    if (repository === undefined) return none;
    const store = new RefStore(repository);
    const here = await store.here([journalRefs]);
    const wanted = (refs: ReadonlyMap<string, string>) => newest(refs, run);
    const own = wanted(here);
    if (run !== undefined && own.size > 0) return await readAll(repository, own);
    const remote = await remoteOf(repository);
    if (remote === undefined) return await readAll(repository, own);
    try {
      const there = await store.there(remote, [journalRefs], { attempts: 1 });
      const all = wanted(new Map([...there, ...here]));
      const missing = [...all.keys()].filter((ref) => !here.has(ref));
      await repository.fetch(remote, missing);
      return { ...(await readAll(repository, all)), remote };
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return { ...(await readAll(repository, own)), remote, unreachable: error.message };
    }
  } catch (error) {
    if (error instanceof GitError) return { ...none, ...defined({ unreachable: error.message }) };
    throw error;
  }
}

export interface Since {
  /** Run of the last record of each organization, by label. */
  readonly since: ReadonlyMap<string, string | undefined>;
  /** Runs whose journals need not be read. */
  readonly known: readonly string[];
  readonly found: FoundRecords | undefined;
}

/** Journals of runs after the recorded ones. Fetches only journals that are not here. */
export async function journalsSince(
  repository: Repository,
  { since, known, found }: Since,
): Promise<{ readonly runs: readonly JournaledRun[]; readonly notes: readonly Diagnostic[] }> {
  const own = new Map([...since].map(([label, run = '']) => [prefixOf(label), run]));
  const isMeant = ([ref]: readonly [string, string]) => {
    const [run, last] = [runOf(ref), own.get(ref.slice(0, ref.lastIndexOf('/') + 1))];
    return last !== undefined && run > last && !known.includes(run);
  };
  const store = new RefStore(repository);
  try {
    const all = [
      ...(found?.listed ?? []),
      ...(found?.local ?? (await store.here([appliedRefs, journalRefs]))),
    ];
    const wanted = newest(new Map(all.filter(isMeant)), undefined);
    await store.fetchMissing(found?.remote ?? '', wanted);
    const { runs, damaged } = await readAll(repository, wanted);
    const problems = damaged.flatMap(({ diagnostics }) => diagnostics);
    return { runs, notes: problems.map((one) => ({ ...one, severity: 'warning' })) };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const message = `cannot read the journals of other machines: ${error.message}`;
    return { runs: [], notes: [{ severity: 'warning', code: 'journal', message }] };
  }
}

async function readAll(repository: Repository, refs: Refs): Promise<GitJournals> {
  const runs = new Map<string, JournaledRun>();
  const damaged: DiagnosticError[] = [];
  const store = new RefStore(repository);
  for (const [ref, oid] of refs) {
    const run = runOf(ref);
    if (runs.has(run)) continue;
    const { text = '' } = await store.read(oid, journalFile, mostBytes);
    try {
      const journal = readForeignJournal(text, { run, ref });
      const labels = journal.header.organizations.map(({ label }) => prefixOf(label));
      if (labels.includes(ref.slice(0, -run.length))) runs.set(run, journal);
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      damaged.push(error);
    }
  }
  return { runs: [...runs.values()], damaged };
}

/** Refs of the given run, or of the newest runs. */
function newest(refs: ReadonlyMap<string, string>, run: string | undefined): ReadonlyMap<string, string> {
  const known = [...refs].filter(([ref]) => isRunId(runOf(ref)));
  const names = [...new Set(known.map(([ref]) => runOf(ref)))].sort().reverse();
  const wanted = new Set(run === undefined ? names.slice(0, listedRuns) : [run]);
  return new Map(
    known
      .filter(([ref]) => wanted.has(runOf(ref)))
      .sort(([left], [right]) => (runOf(left) < runOf(right) ? 1 : -1)),
  );
}

function outdated(
  refs: ReadonlyMap<string, string>,
  labels: readonly string[],
): readonly (readonly [string, string])[] {
  return labels.flatMap((label) =>
    [...refs]
      .filter(([ref]) => ref.startsWith(prefixOf(label)))
      .sort(([left], [right]) => (left < right ? 1 : -1))
      .slice(keptRuns),
  );
}

export function newestRun(refs: Iterable<readonly [string, string]>, label: string): string | undefined {
  const own = [...refs].flatMap(([ref]) => (ref.startsWith(prefixOf(label)) ? [runOf(ref)] : []));
  return own.filter(isRunId).sort().at(-1);
}

function prefixOf(label: string): string {
  return `${journalRefs}${refPart(label)}/`;
}

function runOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}
