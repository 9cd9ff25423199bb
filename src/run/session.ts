/**
 * One run over a workspace: opens the manifests and their base, plans, approves, saves and applies. Knows no flags and
 * no terminal; progress and notes go to `onProgress` and `onNote`.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { ApplyResult } from '../apply/events.ts';
import type { Api } from '../contract/api.ts';
import { registry as allKinds } from '../kinds/index.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Workspace } from '../manifest/load-workspace.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { Prune } from '../tree/settings.ts';
import { defined } from '../util/defined.ts';
import { type Diagnostic, withSources } from '../util/diagnostic.ts';
import { userError } from '../util/user-error.ts';
import { type ApplyRun, runApply } from './apply-run.ts';
import { type ApprovedPlan, recheckApproval } from './approval.ts';
import { type BaseAbout, type Bases, type Behind, loadBase } from './base/load-base.ts';
import { findRepository } from './base/repository.ts';
import type { PlanChoices } from './choices.ts';
import { neededInputs } from './plan-file/needed.ts';
import type { PlanFile } from './plan-file/read-plan.ts';
import { type CheckedOut, manifestsDigest, requireSameManifests } from './plan-file/same-manifests.ts';
import { writePlanFile } from './plan-file/write-plan.ts';
import { type Look, type PlanInputs, type PlanRun, planAll, type RecordedIds } from './planning.ts';
import { localRecord } from './record/find-record.ts';
import { cleanCommit, prepareRecording, type Recording, type RecordOptions } from './record/record.ts';
import { mayMatchUnlisted, refuseUnmatched, unmatched } from './targets.ts';
import { type Env, loadManifests, type ManifestSource, withPrune } from './workspace.ts';

/** The service of a run, and how to let go of it. */
export interface Connection {
  readonly api: Api;
  readonly close: () => Promise<void>;
}

/** Something that happens while a session works. `requests`: how many reads were sent so far. */
export type SessionProgress = { readonly type: 'read'; readonly requests: number };

/** What a session works with. */
export interface SessionOptions {
  readonly cwd: string;
  readonly env: Env;
  /** Manifest files and folders, relative to `cwd`; `cwd` itself by default. */
  readonly files?: readonly string[] | undefined;
  /** Overlays to merge over the manifests, in this order: names or paths. */
  readonly overlays?: readonly string[] | undefined;
  /** What may be deleted, in place of the settings in the manifests. */
  readonly prune?: Prune | undefined;
  /** What was applied before: a git ref, `ref:path`, a folder, or `applied`. */
  readonly base?: string | undefined;
  /** What to do with a base that has commits that HEAD lacks; it is refused by default. */
  readonly behind?: Behind | undefined;
  /** True where no git remote may be asked for records of what was applied. */
  readonly offline?: boolean | undefined;
  /** The service; a function is called when the session first needs it, and `close` ends what it opened. */
  readonly service: Api | ((trees: readonly DesiredTree[]) => Promise<Connection>);
  readonly registry?: Registry | undefined;
  readonly onProgress?: ((progress: SessionProgress) => void) | undefined;
  /** Called with warnings and hints, and with the texts of the files that they point into. */
  readonly onNote?:
    | ((notes: readonly Diagnostic[], sources: ReadonlyMap<string, string>) => void)
    | undefined;
  /** Waits; real time by default. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
}

/** Where a recording goes, and what it may leave aside. */
export type RecordRequest = Pick<RecordOptions, 'choices' | 'pushTo' | 'saved' | 'run'> & {
  /** Files beside the manifests that need not be committed, such as saved plans. */
  readonly otherFiles?: readonly string[];
};

/**
 * Opens the manifests, and the base where one is named. Asks the service nothing yet.
 *
 * @throws DiagnosticError when the manifests hold an error or the base cannot be read.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const given = sourceOf(options);
  const { base: name, behind, offline, onNote } = options;
  if (name === undefined && behind !== undefined) {
    throw userError('base', 'no base is named that could be ahead', 'name one with --base');
  }
  const own = await loadManifests(given);
  const source = { ...given, ...defined({ overlayFiles: own.overlays?.files }) };
  const base =
    name === undefined
      ? undefined
      : await withSources(own.sources, loadBase(source, { name, behind, offline }, own));
  const loaded = base?.merged ?? own;
  const notes = [...loaded.diagnostics, ...(base?.notes ?? [])];
  if (notes.length > 0) onNote?.(notes, loaded.sources);
  const workspace = { ...loaded, trees: withPrune(loaded.trees, options.prune) };
  const recorded = await recordedIds(source, workspace.trees);
  return new Session({ ...options, source, workspace, bases: base?.bases, about: base?.about, recorded });
}

/** The ids of the last recorded apply, by address, for each organization that has a record in this repository. */
async function recordedIds(source: ManifestSource, trees: readonly DesiredTree[]): Promise<RecordedIds> {
  const repository = await findRepository(source).catch(() => undefined);
  if (repository === undefined) return new Map();
  const found = await Promise.all(
    trees.map(async (tree) => [tree.label, (await localRecord(repository, tree))?.ids] as const),
  );
  return new Map(found.flatMap(([label, ids]) => (ids === undefined ? [] : [[label, ids] as const])));
}

/** A saved plan that is to be applied. */
export interface OpenedPlan {
  readonly session: Session;
  readonly planned: PlanRun;
  /** Whether its manifests are checked out; `none` also for plans of former versions, which do not say. */
  readonly checkedOut: CheckedOut;
}

/**
 * Opens a saved plan, to apply it: it holds what it was made from. Manifests that are checked out must be those of the
 * plan.
 *
 * @throws DiagnosticError when the file holds the plan alone, a secret is missing, or other manifests are checked out.
 */
export async function openSavedPlan(
  saved: PlanFile,
  options: Omit<SessionOptions, 'base' | 'behind' | 'prune'>,
): Promise<OpenedPlan> {
  const inputs = saved.inputs(options.env);
  if (inputs === undefined) {
    throw userError(
      'plan-file',
      `${saved.file} shows a plan, but does not hold what it was made from`,
      'save it with octavo plan --out, or pass this one with --approved',
    );
  }
  const { trees, bases, manifests, commit } = inputs;
  const given = sourceOf(options);
  const source = manifests === undefined ? given : { ...given, ...manifests };
  const checkedOut =
    manifests === undefined ? 'none' : await requireSameManifests(manifests, { ...source, commit });
  const workspace = { trees, diagnostics: [], sources: new Map(), files: [] };
  const parts = { source, workspace, bases, about: undefined, recorded: new Map() };
  const session = new Session({ ...options, ...parts });
  return { session, planned: { plan: saved.plan, inputs }, checkedOut };
}

function sourceOf({ cwd, env, files, overlays, registry }: SessionOptions): ManifestSource {
  return { cwd, env, files: files ?? ['.'], overlays: overlays ?? [], registry: registry ?? allKinds };
}

/** A session from its parts, for those who have trees already. */
export interface SessionParts extends Pick<SessionOptions, 'service' | 'onProgress' | 'onNote' | 'sleep'> {
  readonly source: ManifestSource;
  readonly workspace: Workspace;
  readonly bases: Bases | undefined;
  /** What the base is, for reports. */
  readonly about?: BaseAbout | undefined;
  readonly recorded?: RecordedIds | undefined;
}

/** One run; see `openSession`. */
export class Session {
  readonly #parts: SessionParts;
  #connection: Promise<Connection> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** What the manifests declare; its trees follow the options of the session. */
  get workspace(): Workspace {
    return this.#parts.workspace;
  }

  /** Where the manifests come from. */
  get source(): ManifestSource {
    return this.#parts.source;
  }

  /**
   * Reads the live state and plans. Warnings and hints go to `onNote`.
   *
   * @throws DiagnosticError with all problems; ApiError when a request fails.
   */
  async plan(choices: PlanChoices = {}): Promise<PlanRun> {
    const { bases, workspace, about, recorded, onNote } = this.#parts;
    const { trees, sources } = workspace;
    const isComplete = bases !== undefined && trees.every(({ label }) => bases.has(label));
    if (choices.ignoreDrift === true && !isComplete) {
      throw userError(
        'base',
        'cannot tell drift from changes without a base',
        'name what was applied before, for example --base origin/main',
      );
    }
    // What others did since the common ancestor is live, and no change of this branch.
    const ownOnly = about?.behind === 'merge-base' ? { ...choices, ignoreDrift: true } : choices;
    const inputs = { trees, bases, recorded, about, choices: ownOnly };
    const unknown = unmatched(inputs, choices);
    if (!mayMatchUnlisted(inputs)) refuseUnmatched(inputs, unknown);
    const planned = await withSources(sources, this.#planAll(inputs));
    refuseUnmatched(inputs, unknown, planned.plan);
    const notes = planned.plan.organizations.flatMap((organization) => organization.notes);
    if (notes.length > 0) onNote?.(notes, sources);
    return planned;
  }

  /**
   * Reads the live state and finds out which live object is which: a plan with ids and without steps. What would prevent
   * changes prevents nothing here.
   *
   * @throws DiagnosticError with what prevents matching; ApiError when a request fails.
   */
  async match(): Promise<PlanRun> {
    const { bases, workspace, recorded } = this.#parts;
    const { trees, sources } = workspace;
    return withSources(sources, this.#planAll({ trees, bases, recorded, choices: {}, matchOnly: true }));
  }

  /**
   * Looks at the live state again, for a plan that was approved some time after it was made. Changes elsewhere do not
   * matter.
   *
   * @throws DiagnosticError (`plan-stale`) with what changed of the objects that the plan touches.
   */
  async recheckApproval(planned: PlanRun): Promise<ApprovedPlan> {
    return withSources(this.workspace.sources, recheckApproval(await this.#look(), planned));
  }

  /**
   * Applies a plan of this session, just made or checked again: exactly its requests, in order.
   *
   * @throws DiagnosticError, before any request, when the plan holds refused changes.
   */
  async apply(planned: PlanRun | ApprovedPlan, options: ApplyRun = {}): Promise<ApplyResult> {
    const approved =
      'today' in planned
        ? planned
        : { ...planned, today: planned.plan, satisfied: new Map(), elsewhere: new Map() };
    const sleep = this.#parts.sleep ?? ((milliseconds: number) => wait(milliseconds));
    return withSources(
      this.workspace.sources,
      runApply({ ...(await this.#look()), sleep }, approved, options),
    );
  }

  /** Saves a plan with all that it was made from, without secrets, so that it can be applied later and elsewhere. */
  async save(planned: PlanRun, file: string): Promise<void> {
    const { source, workspace, about } = this.#parts;
    if (about?.behind === 'merge-base') {
      throw userError(
        'out',
        "cannot save a plan of this branch's own change: applied, it would not know of the other commits",
        'leave out --out, or plan with --merge',
      );
    }
    const { files, overlays } = source;
    // A merge is in no commit yet.
    const commit =
      about?.behind === 'merge'
        ? undefined
        : await cleanCommit(source, { read: workspace.sources.keys(), otherFiles: [file] });
    const manifests = { files, overlays, digest: manifestsDigest(workspace) };
    const inputs = { ...neededInputs(planned, source.registry), commit, manifests };
    writePlanFile(source.cwd, file, { plan: planned.plan, inputs });
  }

  /** Prepares to record what will be applied, before anything is. Throws a DiagnosticError where that is not possible. */
  prepareRecording({ otherFiles = [], ...request }: RecordRequest): Promise<Recording> {
    const { source, workspace } = this.#parts;
    const { sources } = workspace;
    const read = sources.size === 0 ? undefined : sources.keys();
    return prepareRecording(source, { ...request, files: { read, otherFiles }, trees: workspace.trees });
  }

  /** Ends what the session opened; a service that was handed over stays. */
  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  async #planAll(inputs: PlanInputs): Promise<PlanRun> {
    const { onProgress } = this.#parts;
    let requests = 0;
    const onRead = () => {
      requests += 1;
      onProgress?.({ type: 'read', requests });
    };
    return planAll({ ...(await this.#look()), onRead }, inputs);
  }

  async #look(): Promise<Look> {
    const { service, source, workspace } = this.#parts;
    this.#connection ??=
      typeof service === 'function'
        ? service(workspace.trees)
        : Promise.resolve({ api: service, close: async () => undefined });
    const { api } = await this.#connection;
    return { api, registry: source.registry };
  }
}
