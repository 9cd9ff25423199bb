/** The input of each use case: manifests, what happened before, and the service. Independent of flags and terminal. */
import type { ReadMemory } from '../live/read-memory.ts';
import type { TreeOutline } from '../manifest/build/outline.ts';
import type { Workspace } from '../manifest/load-workspace.ts';
import type { JournaledRun } from '../past/journal/read-journal.ts';
import type { ManifestSource } from '../past/workspace.ts';
import type { PlanShard } from '../plan/plan.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import type { LiveSource } from './plan-tree.ts';
import type { PlanInputs } from './planning.ts';
import type { ServiceLink } from './reads/service-link.ts';

export type SessionProgress = { readonly type: 'read'; readonly requests: number };

export interface SessionListeners {
  readonly onProgress?: ((progress: SessionProgress) => void) | undefined;
  readonly onNote?:
    | ((notes: readonly Diagnostic[], sources: ReadonlyMap<string, string>) => void)
    | undefined;
  /** Defaults to real time. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
  /** Stores the reads of plans, for `rehearse`; default: not kept. */
  readonly reads?: ReadMemory | undefined;
  /** False if no plan will be applied, so that reads are not kept for an apply. */
  readonly keepsReads?: boolean | undefined;
}

/** Made by `openSession`, `openSavedPlan` and `openUndo`. */
export interface Session extends SessionListeners, Pick<PlanInputs, 'pasts' | 'about' | 'rules'> {
  readonly service: ServiceLink;
  readonly source: ManifestSource;
  readonly workspace: Workspace;
  readonly died?: readonly JournaledRun[] | undefined;
  readonly binding?: readonly string[] | undefined;
  /** All organizations, and the selected part, if the run is a shard. */
  readonly split?: { readonly declared: readonly TreeOutline[]; readonly part: PlanShard } | undefined;
}

export async function liveSourceOf({ service, source, workspace, sleep }: Session): Promise<LiveSource> {
  return { api: await service.api(workspace.trees), registry: source.registry, sleep };
}

/** Its reads are those of a plan, which a rehearsal repeats. */
export async function readsOf(session: Session): Promise<LiveSource> {
  const source = await liveSourceOf(session);
  return { ...source, api: session.reads?.begin(source.api) ?? source.api };
}
