/** Opens sessions: from manifests with a base, or from a saved plan. */
import { registry as allKinds } from '../kinds/index.ts';
import type { Registry } from '../kinds/registry.ts';
import { onGitError } from '../manifest/files/repository.ts';
import { type Behind, loadBase } from '../past/base/load-base.ts';
import { findRepository } from '../past/base/repository.ts';
import type { Since } from '../past/journal/git-journals.ts';
import type { JournaledRun } from '../past/journal/read-journal.ts';
import {
  diedNote,
  type JournalSource,
  ownWorkSince,
  type UnfinishedRuns,
  unfinishedRuns,
} from '../past/journal/unfinished.ts';
import { pastsOf } from '../past/pasts.ts';
import { storedForms } from '../past/pending.ts';
import { planAgain, requireSameService, type ServiceIdentity } from '../past/same-service.ts';
import { loadManifests, type ManifestSource } from '../past/workspace.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { joinOwnWork, type OwnWork } from '../tree/own-work.ts';
import type { Prune } from '../tree/settings.ts';
import { defined } from '../util/defined.ts';
import { withSources } from '../util/diagnostic.ts';
import { picked } from '../util/picked.ts';
import { userError } from '../util/user-error.ts';
import { ParsedTexts } from '../yaml/parsed-texts.ts';
import type { PlanFile } from './plan-file/read-plan.ts';
import { requireSameManifests } from './plan-file/same-manifests.ts';
import { type IdentifiedOrganization, ServiceLink, type ServiceSource } from './reads/service-link.ts';
import { loadRules, type RulesRequest } from './rules/load-rules.ts';
import type { Session, SessionListeners } from './session.ts';
import { inShard, planShard, type Shard } from './shard.ts';

export interface SessionOptions
  extends SessionListeners,
    Pick<ManifestSource, 'cwd' | 'env' | 'now' | 'openRepository'> {
  /** Files and folders relative to `cwd`; default: `cwd` itself. */
  readonly files?: readonly string[] | undefined;
  /** Names or paths, in this order. */
  readonly overlays?: readonly string[] | undefined;
  /** Overrides the policy in the manifests. */
  readonly prune?: Prune | undefined;
  /** A git ref, `ref:path`, a folder, `applied` or `none`; default: the last record. */
  readonly base?: string | undefined;
  /** How to handle a base with commits that HEAD lacks; default: refused. */
  readonly behind?: Behind | undefined;
  /** Part of a run that is split over several machines; default: all organizations. */
  readonly shard?: Shard | undefined;
  /** Disables looking up records in a git remote. */
  readonly offline?: boolean | undefined;
  /** Refuses records and plans of another service; default: not checked. */
  readonly identity?: ServiceIdentity | undefined;
  /** A function is called on first use of the service; `close` closes a service that the function opened. */
  readonly service: ServiceSource;
  /**
   * Called once, after the manifests are read and before anything that another apply may change: the base, records, the live
   * state. `find` returns the organizations.
   */
  readonly beforeReading?:
    | ((find: () => Promise<readonly IdentifiedOrganization[]>) => Promise<void>)
    | undefined;
  readonly registry?: Registry | undefined;
  /** Journals of earlier runs, to recognize objects that were not completed by their ids. */
  readonly journals?: JournalSource | undefined;
  /** Applies the rules of the repository to plans; default: no rules. */
  readonly judged?: Omit<RulesRequest, 'offline'> | undefined;
}

/**
 * Reads the manifests and the base, if any, without calling the service yet.
 * @throws DiagnosticError if the manifests have an error or the base cannot be read.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { base: name, behind, offline, onNote, shard } = options;
  const parsed = name === 'none' ? undefined : new ParsedTexts();
  const given = { ...sourceOf(options), ...defined({ parsed }) };
  // A merge is split below, because it may have other organizations.
  const isSplit = shard !== undefined && behind !== 'merge';
  const own = await loadManifests({ ...given, ...(isSplit && { choose: (all) => inShard(all, shard) }) });
  const service = new ServiceLink(options.service);
  try {
    const ids = new Map<string, string>();
    await options.beforeReading?.(async () => {
      const found = await service.identify(own.trees);
      for (const { label, id } of found) ids.set(label, id);
      return found;
    });
    const source = { ...given, ...defined({ overlayFiles: own.overlays?.files }) };
    const base = await withSources(own.sources, loadBase(source, { name, behind, offline }, own));
    parsed?.forget();
    const { about, bases, found, merged: loaded = own } = base;
    const whole = base.merged?.trees ?? own.trees;
    const declared = own.outlines ?? whole;
    const selected = isSplit ? own.trees : inShard(whole, shard);
    const judged =
      options.judged &&
      (await loadRules(source, { ...options.judged, offline }, { trees: selected, about, found }));
    const notes = [...loaded.diagnostics, ...base.notes, ...(judged?.notes ?? [])];
    if (notes.length > 0) onNote?.(notes, loaded.sources);
    const trees = await Promise.all(
      selected.map(async (written) => {
        const { prune } = options;
        const { settings } = written;
        const tree =
          prune === undefined ? written : written.with({ settings: { ...settings, prune, pruneKinds: {} } });
        const own = ids.has(tree.label) ? tree.with(defined({ id: ids.get(tree.label) })) : tree;
        const record = found?.records.get(tree.label);
        if (record === undefined) return own;
        const { withReverted } = await import('../past/record/reverted.ts');
        return withReverted(source, own, record).catch(onGitError(() => own));
      }),
    );
    const since = new Map(trees.map(({ label }) => [label, found?.records.get(label)?.upTo]));
    const inGit = await runsInGit(options, source, { since, found });
    const unfinished = unfinishedOf(options, trees, { inGit, since });
    const pasts = await pastsOf(source, trees, { bases, records: found?.records, unfinished });
    return {
      ...options,
      service,
      source,
      workspace: { ...loaded, trees },
      pasts,
      about,
      rules: judged?.rules,
      binding: judged?.binding,
      split: shard && { declared, part: planShard(declared, shard) },
      died: unfinished?.died,
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

function unfinishedOf(
  { journals, onNote }: Pick<SessionOptions, 'journals' | 'onNote'>,
  trees: readonly DesiredTree[],
  known?: Parameters<typeof unfinishedRuns>[2],
): UnfinishedRuns | undefined {
  const unfinished = journals && unfinishedRuns(journals, trees, known);
  if (unfinished !== undefined && unfinished.died.length > 0)
    onNote?.(unfinished.died.map(diedNote), new Map());
  return unfinished;
}

/** Reads journals of other machines from the remote only together with the records. */
async function runsInGit(
  { journals, onNote }: SessionOptions,
  source: ManifestSource,
  about: Omit<Since, 'known'>,
): Promise<readonly JournaledRun[]> {
  const repository = journals && (await findRepository(source).catch(() => undefined));
  if (journals === undefined || repository === undefined) return [];
  const { journalsSince } = await import('../past/journal/git-journals.ts');
  const request = { ...about, known: journals.store.runs() };
  const { runs, notes } = await journalsSince(repository, request);
  if (notes.length > 0) onNote?.(notes, new Map());
  return runs;
}

/**
 * Opens a saved plan to apply it. If its manifests are checked out, they must be the same. `isCheckedOut` is false also for the plan of
 * an undo, which has no manifests.
 * @throws DiagnosticError if the file has only the plan, a secret is missing, or other manifests are checked out.
 */
export async function openSavedPlan(
  saved: PlanFile,
  options: Omit<SessionOptions, 'base' | 'behind' | 'prune'>,
) {
  const inputs = saved.inputs(options.env);
  if (inputs === undefined) {
    throw userError(
      'plan-file',
      `${saved.file} shows a plan, but lacks the inputs that it was made from`,
      'save it with octavo plan --out, or pass this one with --approved',
    );
  }
  requireSameService(saved.file, saved.plan.service, { here: options.identity, wayOut: planAgain });
  const { trees, manifests, commit } = inputs;
  const given = sourceOf(options);
  const source = manifests === undefined ? given : { ...given, ...manifests };
  const read = manifests && (await requireSameManifests(manifests, { ...source, commit }, trees));
  const workspace = { trees, diagnostics: [], sources: new Map(), files: [], ...defined({ read }) };
  const unfinished = unfinishedOf(options, trees);
  const service = new ServiceLink(options.service);
  const pasts = new Map(
    trees.map(({ label }) => {
      const planned = saved.plan.organizations.find((one) => one.label === label)?.pending;
      const waiting = unfinished?.pending.get(label)?.deletions ?? planned ?? [];
      const asStored = storedForms([...(planned ?? []), ...waiting]);
      const { tree, own } = inputs.pasts.get(label) ?? {};
      return [label, { tree, pending: waiting, asStored, own: ownAt(unfinished, own, label) }] as const;
    }),
  );
  const parts = { source, workspace, pasts, about: undefined, died: unfinished?.died };
  const session: Session = { ...options, ...parts, service };
  const planned = { plan: saved.plan, inputs: { ...inputs, pasts } };
  return { session, planned, isCheckedOut: read !== undefined };
}

/** The saved plan knows runs of the machine that made it; this one may have applied a part of it since. */
function ownAt(unfinished: UnfinishedRuns | undefined, saved: OwnWork | undefined, label: string) {
  const runs = new Set(saved?.objects.map(({ run }) => run));
  const here = unfinished && ownWorkSince(unfinished, label, [...runs].sort().at(-1));
  return here === undefined || saved === undefined ? (here ?? saved) : joinOwnWork(here, saved);
}

function sourceOf(options: SessionOptions): ManifestSource {
  const { files = ['.'], overlays = [], registry = allKinds } = options;
  const place = picked(options, 'cwd', 'env', 'now', 'identity', 'openRepository');
  return { ...place, files, overlays, registry, repository: {} };
}
