/**
 * One run over a workspace: plans, approves, saves, applies and records. Independent of flags and terminal; progress and notes are
 * passed to `onProgress` and `onNote`. Loads code for later stages on demand.
 */
import type { ApplyResult } from '../apply/events.ts';
import type { Registry } from '../kinds/registry.ts';
import { ReadMemory } from '../live/read-memory.ts';
import type { TreeOutline } from '../manifest/build/outline.ts';
import type { WorkFolder } from '../manifest/files/work-folder.ts';
import type { Workspace } from '../manifest/load-workspace.ts';
import type { JournaledRun } from '../past/journal/read-journal.ts';
import { endDied } from '../past/journal/unfinished.ts';
import type { Recording, RecordingRequest } from '../past/record/record.ts';
import type { ManifestSource } from '../past/workspace.ts';
import { withTrees } from '../plan/past.ts';
import { isUpdate, type Plan, type PlanShard } from '../plan/plan.ts';
import type { Rehearsal } from '../plan/rehearsal.ts';
import { changedSince } from '../plan/scope/changed.ts';
import { nothingToCompare, type PlanChoices } from '../plan/scope/choices.ts';
import { Scope } from '../plan/scope/scope.ts';
import type { ReviewedPlan } from '../review/reviewed-plan.ts';
import { prefixesOf } from '../tree/addressing.ts';
import { canonicalTree } from '../tree/canonical-tree.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { dayOf, entryName } from '../tree/endings.ts';
import { type Diagnostic, withSources } from '../util/diagnostic.ts';
import type { AddressMatcher } from '../util/glob.ts';
import { userError } from '../util/user-error.ts';
import type { ApplyRun } from './apply-run.ts';
import type { ApprovedPlan } from './approval/approval.ts';
import type { AccessRequest, AccessReview } from './facts/access-review.ts';
import { manifestsDigest } from './plan-file/same-manifests.ts';
import type { LiveSource, PlannedTree } from './plan-tree.ts';
import { type PlanInputs, type PlanRun, planAll, planFromMemory } from './planning.ts';
import type { ServiceLink } from './reads/service-link.ts';
import type { ReadLog } from './rehearse/read-log.ts';
import type { RehearsalRequest } from './rehearse/rehearse.ts';
import { mayMatchUnlisted, refuseUnmatched, targetsIn } from './targets.ts';

export type SessionProgress = { readonly type: 'read'; readonly requests: number };

export interface SessionListeners {
  readonly onProgress?: ((progress: SessionProgress) => void) | undefined;
  readonly onNote?:
    | ((notes: readonly Diagnostic[], sources: ReadonlyMap<string, string>) => void)
    | undefined;
  /** Defaults to real time. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
  /** Stores the reads of plans, for `rehearse`; default: not kept. */
  readonly reads?: ReadLog | undefined;
  /** False if no plan will be applied, so that reads are not kept for an apply. */
  readonly keepsReads?: boolean | undefined;
}

export type RecordRequest = Omit<RecordingRequest, 'workspace' | 'baseCommits'> & { readonly plan?: Plan };

/** Parts for callers that have trees already. */
interface SessionParts extends SessionListeners, Pick<PlanInputs, 'pasts' | 'about' | 'rules'> {
  readonly service: ServiceLink;
  readonly source: ManifestSource;
  readonly workspace: Workspace;
  readonly died?: readonly JournaledRun[] | undefined;
  readonly binding?: readonly string[] | undefined;
  /** All organizations, and the selected part, if the run is a shard. */
  readonly split?: { readonly declared: readonly TreeOutline[]; readonly part: PlanShard } | undefined;
}

export class Session {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  get workspace(): Workspace {
    return this.#parts.workspace;
  }

  get source(): ManifestSource {
    return this.#parts.source;
  }

  /**
   * Reads the live state and plans. Warnings and hints are passed to `onNote`.
   * @throws DiagnosticError with all problems; ApiError if a request fails.
   */
  async plan(choices: PlanChoices = {}): Promise<PlanRun> {
    const { pasts, workspace, about, rules, split, keepsReads } = this.#parts;
    const { trees } = workspace;
    const missing = trees.filter(({ label }) => pasts.get(label)?.tree === undefined);
    if (choices.ignoreDrift === true && missing.length > 0) {
      throw userError(
        'base',
        'cannot tell drift from changes without a base',
        'name what was applied before, for example --base origin/main',
      );
    }
    if (choices.changed === true) {
      if (missing.length > 0) throw nothingToCompare(missing);
      if (choices.target !== undefined)
        throw userError('usage', '--changed and --target exclude each other', 'pass one of them');
    }
    // Others' changes since the merge base are live, but are not changes of this branch.
    const ownOnly = about?.behind === 'own' ? { ...choices, ignoreDrift: true } : choices;
    const inputs = { trees, pasts, rules, about, choices: ownOnly };
    // A pattern without a match in this shard may match in another one.
    const all = { trees: split?.declared ?? trees, pasts };
    const given = { '--target ': choices.target, '--exclude ': choices.exclude };
    const onlyListed = !mayMatchUnlisted(all.trees);
    if (onlyListed) refuseUnmatched(given, targetsIn(all));
    const memory = keepsReads === false ? undefined : new ReadMemory();
    return this.planWith(async (liveSource) => {
      const planned = await planAll({ ...liveSource, memory }, inputs);
      if (!onlyListed && split === undefined) refuseUnmatched(given, targetsIn(all, planned.plan));
      return planned;
    });
  }

  /** Like `plan`, with inputs that differ from the session's. */
  async planWith(make: (liveSource: LiveSource) => Promise<PlanRun>): Promise<PlanRun> {
    const { workspace, split, source, onProgress, onNote, binding = [] } = this.#parts;
    const { sources, overlays: { selected: overlays = [] } = {} } = workspace;
    let requests = 0;
    const onRead = () => {
      requests += 1;
      onProgress?.({ type: 'read', requests });
    };
    const liveSource = { ...(await this.#logged()), onRead, withReview: true } as const;
    const planned = await withSources(sources, make(liveSource));
    const notes = planned.plan.organizations.flatMap((organization) => organization.notes);
    if (notes.length > 0) onNote?.(notes, sources);
    const identities = {
      ...source.identity,
      ...(split && { shard: split.part }),
      ...(overlays.length > 0 && { overlays }),
      ...(binding.length > 0 && { binding }),
    };
    return { ...planned, plan: { ...planned.plan, ...identities } };
  }

  /**
   * Labels of organizations that the manifests changed since the base; calls no service. An organization without a record counts as
   * changed.
   * @throws DiagnosticError without any base.
   */
  changed(): ReadonlySet<string> {
    const { pasts, workspace, source } = this.#parts;
    const { trees } = workspace;
    if ([...pasts.values()].every((past) => past.tree === undefined)) throw nothingToCompare(trees);
    const { registry } = source;
    const own = trees.filter((tree) => {
      const { tree: base, wasApplied } = pasts.get(tree.label) ?? {};
      if (base === undefined) return true;
      const [desired, former] = [canonicalTree(tree, registry), canonicalTree(base, registry)];
      return changedSince({ desired, base: former, registry, wasApplied })?.isNothing !== true;
    });
    return new Set(own.map(({ label }) => label));
  }

  /** Adds authors to a drift report, if the service reports them. @throws ApiError if a request is cancelled. */
  async withAuthors(drift: ReviewedPlan, { inputs }: PlanRun, now: number): Promise<ReviewedPlan> {
    const { withAuthors } = await import('./facts/authors.ts');
    return withAuthors(drift, { ...(await this.#liveSource()), pasts: inputs.pasts, now });
  }

  /** @throws DiagnosticError for an unknown person or object; ApiError if a request fails. */
  async reviewAccess(request: AccessRequest): Promise<AccessReview> {
    const { trees, sources } = this.workspace;
    const { reviewAccess } = await import('./facts/access-review.ts');
    return withSources(sources, reviewAccess(await this.#logged(), trees, request));
  }

  /**
   * Plans edited manifests against the live state of a plan, with its base and ids. Only makes additional requests.
   * @throws DiagnosticError if planning fails.
   */
  async planEdited(
    trees: readonly DesiredTree[],
    { inputs, memory }: PlanRun,
  ): Promise<readonly PlannedTree[]> {
    const settings = new Map(inputs.trees.map((tree) => [tree.label, tree.settings]));
    const own = trees.map((tree) => tree.with({ settings: settings.get(tree.label) ?? tree.settings }));
    return planFromMemory({ ...(await this.#logged()), memory }, { ...inputs, trees: own, choices: {} });
  }

  /**
   * Reads the live state again for a plan that was approved some time after it was made. Ignores changes elsewhere.
   * @throws DiagnosticError (`plan-stale`) with the changes of objects that the plan touches, or if access ended since.
   */
  async recheckApproval(planned: PlanRun, now = this.source.now): Promise<ApprovedPlan> {
    requireSameEndings(planned.inputs, now);
    const { recheckApproval } = await import('./approval/approval.ts');
    // A rehearsal needs all reads of the plan.
    const { memory: _memory, ...forgetful } = planned;
    const known = this.#parts.reads === undefined ? planned : forgetful;
    return withSources(this.workspace.sources, recheckApproval(await this.#logged(), known));
  }

  /**
   * Applies a plan of this session, newly made or checked again: exactly its requests, in order.
   * @throws DiagnosticError, before any request, if the plan has refused changes.
   */
  async apply(planned: PlanRun | ApprovedPlan, options: ApplyRun = {}): Promise<ApplyResult> {
    const { asApproved } = await import('./approval/approval.ts');
    const { runApply } = await import('./apply-run.ts');
    const approved = asApproved(planned);
    const { journal } = options;
    if (journal?.store !== undefined) endDied(journal.store, this.#parts.died ?? [], journal.now);
    const applied = runApply(await this.#liveSource(), approved, options, () => this.#commitOf(approved));
    return withSources(this.workspace.sources, applied);
  }

  /**
   * Applies the last plan (made or rechecked) to a copy of the service built from its reads, and plans again there; then cuts it after
   * its requests, on other copies, and continues. Sends no request to the service; needs `reads`.
   * @throws DiagnosticError if the plan has refused changes; AbortError if interrupted.
   */
  async rehearse(
    planned: PlanRun | ApprovedPlan,
    run: Pick<RehearsalRequest, 'makeStage' | 'isInterrupted'>,
  ): Promise<Rehearsal> {
    const { reads, source, workspace, pasts } = this.#parts;
    if (reads === undefined) throw new Error('a session without a log of its reads cannot rehearse');
    const { registry } = source;
    const { asApproved } = await import('./approval/approval.ts');
    const { rehearseWithCuts } = await import('./rehearse/cuts.ts');
    const request = { approved: asApproved(planned), reads: reads.reads, registry, pasts, ...run };
    return withSources(workspace.sources, rehearseWithCuts(request));
  }

  /** Saves a plan with its inputs, without secrets, so that it can be applied later and elsewhere. */
  async save(planned: PlanRun, file: string, folder?: WorkFolder): Promise<void> {
    const { source, workspace, about } = this.#parts;
    if (about?.behind === 'own') {
      throw userError(
        'out',
        "cannot save a plan of this branch's own change: applied, it would not know of the other commits",
        'leave out --out, or plan with --ahead merge',
      );
    }
    const { files, overlays } = source;
    const { cleanCommit } = await import('../past/record/record.ts');
    // The merge has no commit yet.
    const commit = about?.behind === 'merge' ? undefined : await cleanCommit(source, workspace.read);
    const manifests = { files, overlays, digest: manifestsDigest(workspace) };
    const inputs = { ...neededInputs(planned, source.registry), commit, manifests };
    const { writePlanFile } = await import('./plan-file/write-plan.ts');
    writePlanFile(source.cwd, file, { plan: planned.plan, inputs }, folder);
  }

  /**
   * Call before applying.
   * @throws DiagnosticError if recording is not possible.
   */
  async prepareRecording({ plan, ...request }: RecordRequest): Promise<Recording> {
    const { source, workspace, about } = this.#parts;
    const saved = plan?.organizations.flatMap(({ label, base }) =>
      base?.commit === undefined ? [] : [[label, base.commit] as const],
    );
    const baseCommits = saved === undefined ? (about?.commits ?? new Map()) : new Map(saved);
    const { prepareRecording } = await import('../past/record/record.ts');
    return prepareRecording(source, { ...request, workspace, baseCommits });
  }

  /** Closes the service that the session opened; does not close one that was passed in. */
  async close(): Promise<void> {
    await this.#parts.service.close();
  }

  /** Undefined for a plan that undoes a run. */
  async #commitOf({ inputs }: PlanRun): Promise<string | undefined> {
    const { source, workspace } = this.#parts;
    if (workspace.read === undefined) return inputs.commit;
    const { cleanCommit } = await import('../past/record/record.ts');
    return cleanCommit(source, workspace.read);
  }

  async #logged(): Promise<LiveSource> {
    const liveSource = await this.#liveSource();
    return { ...liveSource, api: this.#parts.reads?.begin(liveSource.api) ?? liveSource.api };
  }

  async #liveSource(): Promise<LiveSource> {
    const { service, source, workspace, sleep } = this.#parts;
    return { api: await service.api(workspace.trees), registry: source.registry, sleep };
  }
}

/** A plan is valid until the next last day of an entry; an undo has the trees of an earlier day. `now`: in milliseconds. */
function requireSameEndings({ trees, choices }: PlanInputs, now: number | undefined): void {
  const today = now === undefined || choices.undoes !== undefined ? '' : dayOf(now);
  const ended = trees
    .flatMap(({ data: { endings } }) => endings?.entries ?? [])
    .find(({ isOver, until }) => !isOver && until < today);
  if (ended === undefined) return;
  const what = [ended.address, entryName(ended)].filter(Boolean).join('.');
  throw userError(
    'plan-stale',
    `nothing was applied: ${what} ended on ${ended.until}, after the plan was made`,
    'plan and review again',
  );
}

/** Removes objects that do not affect the steps: a new plan of the inputs has the same steps. */
function neededInputs({ plan, inputs }: PlanRun, registry: Registry): PlanInputs {
  const parts = inputs.trees.map((desired) => {
    const { steps = [], ids = {} } = plan.organizations.find(({ label }) => label === desired.label) ?? {};
    // Objects of these collections may be the same as others, or not be declared.
    const opened = steps.flatMap((step) => (isUpdate(step) ? [] : prefixesOf(step.address).slice(0, 1)));
    // The record has digests of their values.
    const filled = [...desired.nodes.values()].filter(({ inputs }) => inputs !== undefined);
    const target = exactly([...[...steps, ...filled].map(({ address }) => address), ...opened]);
    const known = { target, structural: new Set<string>(), past: { ids: new Map(Object.entries(ids)) } };
    return new Scope({ desired, base: inputs.pasts.get(desired.label)?.tree }, { registry, ...known }).trees;
  });
  return {
    ...inputs,
    trees: parts.map(({ desired }) => desired),
    pasts: withTrees(inputs.pasts, (label) => parts.find((one) => one.desired.label === label)?.base),
  };
}

function exactly(addresses: readonly string[]): AddressMatcher {
  const [own, above] = [new Set(addresses), new Set(addresses.flatMap(prefixesOf))];
  return Object.assign((address: string) => own.has(address), {
    reaches: (parent: string) => above.has(parent),
  });
}
