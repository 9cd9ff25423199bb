/** Opens sessions: from manifests with the base that is named, or from a saved plan. */
import { registry as allKinds } from '../kinds/index.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Workspace } from '../manifest/load-workspace.ts';
import { ParsedTexts } from '../manifest/parsed-texts.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { Prune } from '../tree/settings.ts';
import { defined } from '../util/defined.ts';
import { withSources } from '../util/diagnostic.ts';
import { userError } from '../util/user-error.ts';
import { type Behind, loadBase } from './base/load-base.ts';
import { diedNote, type JournalSource, type UnfinishedRuns, unfinishedRuns } from './journal/unfinished.ts';
import type { PlanFile } from './plan-file/read-plan.ts';
import { requireSameManifests } from './plan-file/same-manifests.ts';
import type { PlanRun } from './planning.ts';
import { recordedIds } from './record/recorded-ids.ts';
import { type IdentifiedOrganization, ServiceLink, type ServiceSource } from './service-link.ts';
import { Session, type SessionListeners } from './session.ts';
import { inShard, planShard, type Shard } from './shard.ts';
import { type Env, loadManifests, type ManifestSource, withPrune } from './workspace.ts';

/** What a session works with. */
export interface SessionOptions extends SessionListeners {
  readonly cwd: string;
  readonly env: Env;
  /** Manifest files and folders, relative to `cwd`; `cwd` itself by default. */
  readonly files?: readonly string[] | undefined;
  /** Overlays to merge over the manifests, in this order: names or paths. */
  readonly overlays?: readonly string[] | undefined;
  /** What may be deleted, in place of the settings in the manifests. */
  readonly prune?: Prune | undefined;
  /** The base: a git ref, `ref:path`, a folder, `applied` or `none`; the last record by default. */
  readonly base?: string | undefined;
  /** What to do with a base that has commits that HEAD lacks; it is refused by default. */
  readonly behind?: Behind | undefined;
  /** Which part of the organizations, where a run is split over several machines; all by default. */
  readonly shard?: Shard | undefined;
  /** True where no git remote may be asked for records of what was applied. */
  readonly offline?: boolean | undefined;
  /** The service; a function is called when the session first needs it, and `close` ends what it opened. */
  readonly service: ServiceSource;
  /**
   * Called once, after the manifests and before anything that another apply may change is read: the base, records, the
   * live state. `find` returns the organizations.
   */
  readonly beforeReading?:
    | ((find: () => Promise<readonly IdentifiedOrganization[]>) => Promise<void>)
    | undefined;
  readonly registry?: Registry | undefined;
  /** Journals of earlier runs: what those created that were not completed is recognised by its ids. */
  readonly journals?: JournalSource | undefined;
}

/**
 * Opens the manifests, and the base where one is named. Asks the service nothing yet.
 *
 * @throws DiagnosticError when the manifests hold an error or the base cannot be read.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { base: name, behind } = options;
  const parsed = name === 'none' ? undefined : new ParsedTexts();
  const given = { ...sourceOf(options), ...defined({ parsed }) };
  const whole = await loadManifests(given);
  // What a merge gives is split below: it may have other organizations.
  const own = behind === 'merge' ? whole : { ...whole, trees: inShard(whole.trees, options.shard) };
  const link = new ServiceLink(options.service);
  try {
    const ids = new Map<string, string>();
    await options.beforeReading?.(async () => {
      const found = await link.identify(own.trees);
      for (const { label, id } of found) ids.set(label, id);
      return found;
    });
    return await openOn(options, { given, whole, own, link, ids });
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** What is known once the manifests are read. `ids`: those of organizations, by label, that were asked for already. */
interface Opening {
  readonly given: ManifestSource;
  /** All manifests. */
  readonly whole: Workspace;
  /** Those of the shard. */
  readonly own: Workspace;
  readonly link: ServiceLink;
  readonly ids: ReadonlyMap<string, string>;
}

async function openOn(options: SessionOptions, { given, whole, own, link, ids }: Opening): Promise<Session> {
  const { base: name, behind, offline, onNote, shard } = options;
  const source = { ...given, ...defined({ overlayFiles: own.overlays?.files }) };
  const base = await withSources(own.sources, loadBase(source, { name, behind, offline }, own));
  given.parsed?.forget();
  const loaded = base.merged ?? own;
  const declared = base.merged?.trees ?? whole.trees;
  const notes = [...loaded.diagnostics, ...base.notes];
  if (notes.length > 0) onNote?.(notes, loaded.sources);
  const trees = withPrune(inShard(declared, shard), options.prune).map((tree) =>
    ids.has(tree.label) ? tree.with(defined({ id: ids.get(tree.label) })) : tree,
  );
  const workspace = { ...loaded, trees };
  const unfinished = unfinishedOf(options, trees);
  const { bases, about, records } = base;
  const recorded = await recordedIds(source, trees, { records, unfinished });
  const split = shard && { declared, part: planShard(declared, shard) };
  return new Session({
    ...options,
    service: link,
    source,
    workspace,
    bases: bases.size === 0 ? undefined : bases,
    about,
    recorded,
    split,
    created: unfinished?.created,
    died: unfinished?.died,
  });
}

/** What earlier runs left behind; tells of those that died. */
function unfinishedOf(
  { journals, onNote }: Pick<SessionOptions, 'journals' | 'onNote'>,
  trees: readonly DesiredTree[],
): UnfinishedRuns | undefined {
  const unfinished = journals && unfinishedRuns(journals, trees);
  if (unfinished !== undefined && unfinished.died.length > 0)
    onNote?.(unfinished.died.map(diedNote), new Map());
  return unfinished;
}

/** A saved plan that is to be applied. */
export interface OpenedPlan {
  readonly session: Session;
  readonly planned: PlanRun;
  /** Whether its manifests are checked out; false also for plans of former versions, which do not say. */
  readonly isCheckedOut: boolean;
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
  const read = manifests && (await requireSameManifests(manifests, { ...source, commit }));
  const workspace = { trees, diagnostics: [], sources: new Map(), files: [], ...defined({ read }) };
  const died = unfinishedOf(options, trees)?.died;
  const parts = { source, workspace, bases, about: undefined, recorded: new Map(), died };
  const service = new ServiceLink(options.service);
  const session = new Session({ ...options, ...parts, service });
  return { session, planned: { plan: saved.plan, inputs }, isCheckedOut: read !== undefined };
}

function sourceOf({ cwd, env, files, overlays, registry }: SessionOptions): ManifestSource {
  const manifests = { files: files ?? ['.'], overlays: overlays ?? [] };
  return { cwd, env, ...manifests, registry: registry ?? allKinds, repository: {} };
}
