/** Fields and structures that a repository also writes: refused by a guard, or ignored because of `lifecycle: { ignore: synced }`. */
import type { OtherWriter } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { syncedWord } from '../../tree/lifecycle.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { PlanContext } from '../context.ts';
import type { DraftStep, PlanDraft } from '../order/draft.ts';
import { isUpdate } from '../plan.ts';

export interface Synced {
  readonly live: LiveNode;
  readonly address: string;
  readonly writer: OtherWriter;
  /** True if the manifests leave these parts to the repository. */
  readonly isReleased: boolean;
}

/** Finds the synchronized object that covers the given one: itself or an ancestor. */
export function syncedContainer(
  context: PlanContext,
  kind: string,
  start: LiveNode | undefined,
): Synced | undefined {
  if (start === undefined) return undefined;
  for (const live of [start, ...context.live.ancestorsOf(start)]) {
    const { otherWriter: writer } = live;
    if (writer?.owns[kind] === undefined) continue;
    const address = context.matching.addressOf(live);
    // A replaced object loses its synchronization.
    if (address === undefined || context.replaced.has(address)) return undefined;
    const isReleased = context.desired.get(address)?.lifecycle.ignore.includes(syncedWord) === true;
    return { live, address, writer, isReleased };
  }
  return undefined;
}

function syncedOf(context: PlanContext, node: DesiredNode): Synced | undefined {
  const above = [node, ...context.desired.ancestorsOf(node)].map(({ address }) => context.liveOf(address));
  return syncedContainer(
    context,
    node.kind,
    above.find((live) => live !== undefined),
  );
}

export function isLeftToOther(context: PlanContext, node: DesiredNode, field: string): boolean {
  const found = syncedOf(context, node);
  return found?.isReleased === true && found.writer.owns[node.kind]?.includes(field) === true;
}

export function syncedIn(context: PlanContext, step: DraftStep): Synced | undefined {
  const { kind, address, phase } = step;
  const desired = context.desired.get(address);
  const found =
    desired === undefined
      ? syncedContainer(context, kind, context.liveOfStep(step))
      : syncedOf(context, desired);
  if (found === undefined) return undefined;
  if (!isUpdate({ phase })) return found.address === address ? undefined : found;
  // An update that completes a new object belongs to its creation.
  const isNew = context.toCreate.has(address);
  const owned = found.writer.owns[kind] ?? [];
  return isNew || step.fields.some(({ field }) => owned.includes(field)) ? found : undefined;
}

export function hasSynced({ live }: PlanContext): boolean {
  return live.nodes().some(({ otherWriter }) => otherWriter !== undefined);
}

/** Ids of the steps that the manifests leave to a repository. */
export function leftToOthers(context: PlanContext, draft: PlanDraft): ReadonlySet<string> {
  if (!hasSynced(context)) return new Set();
  const left = [...draft.steps.values()].filter((step) => syncedIn(context, step)?.isReleased === true);
  return new Set(left.map(({ id }) => id));
}
