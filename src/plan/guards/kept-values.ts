/**
 * An object whose delete was omitted keeps its unique values, even if the service moves it: a site's own site-spaces
 * may move into its first section. For objects that keep their place, the order of steps resolves conflicts.
 *
 * Example: a site shows the blog as "start", and is to get a section that shows the guide as "start".
 *   sites/docs/spaces/blog#delete                  refused, and skipped
 *   sites/docs/sections/one#create                 may move the blog into it
 *   sites/docs/sections/one/spaces/guide#update    path → start: skipped as well
 */
import { once } from '../../contract/once.ts';
import { push } from '../../util/group.ts';
import type { DraftStep } from '../order/draft.ts';
import type { Deletion } from '../removals.ts';
import type { Guard, GuardedPlan, OwnRefusal } from './guard.ts';

export const keptValues: Guard = {
  name: 'kept-value',
  check: (plan) => {
    const takings = once(() => takingsIn(plan));
    return { refusals: plan.keptDeletions.flatMap((kept) => refusalsOf(plan, kept, takings)) };
  },
};

type Takings = ReadonlyMap<string, readonly DraftStep[]>;

function takingsIn({ context, draft }: GuardedPlan): Takings {
  const takings = new Map<string, DraftStep[]>();
  for (const step of draft.steps.values()) {
    if (step.phase === 'delete') continue;
    for (const { field } of context.registry.byName(step.kind).identity.unique ?? [])
      if (step.sets[field] !== undefined)
        push(takings, JSON.stringify([step.kind, field, step.sets[field]]), step);
  }
  return takings;
}

function refusalsOf(plan: GuardedPlan, kept: Deletion, takings: () => Takings): readonly OwnRefusal[] {
  const { context } = plan;
  const { live, address } = kept;
  const rival = rivalOf(plan, kept);
  if (rival === undefined) return [];
  return (context.kindOf(live).identity.unique ?? []).flatMap(({ field, within }) => {
    const value = live.fields[field];
    if (within !== 'parent' || typeof value !== 'string') return [];
    const steps = takings().get(JSON.stringify([live.kind, field, value])) ?? [];
    return steps
      .filter((step) => step.address.startsWith(rival) && !isInLive(plan, step))
      .map((step) => ({
        address: step.address,
        message: `${field} ${JSON.stringify(value)} may still be used by ${address}, which is not deleted: it may move into the new section`,
        suggestion: `choose another ${field}, or delete ${address} in the same run`,
        steps: [step.id],
      }));
  });
}

/** Prefix of the addresses to which an object may move: the collection that excludes its own, if that collection is still empty. */
function rivalOf({ context }: GuardedPlan, { live }: Deletion): string | undefined {
  const owner = context.matching.addressOf(live.container);
  const place = context.kindOf(live).manifest.places.find(({ parent }) => parent === live.container.kind);
  if (owner === undefined || place?.emptyWith === undefined) return undefined;
  const kinds = context.registry.at(live.container.kind, place.emptyWith);
  const hasSome = kinds.some(({ kind }) => context.live.inScope(live.container, kind.name).length > 0);
  return hasSome ? undefined : `${owner}/${place.emptyWith}/`;
}

function isInLive({ context }: GuardedPlan, { address }: DraftStep): boolean {
  const parent = context.desired.get(address)?.parent;
  return parent !== undefined && context.liveOf(parent) !== undefined;
}
