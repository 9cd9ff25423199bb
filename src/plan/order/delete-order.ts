/**
 * When deletes may run: after what leaves the object, what stops referring to it, and what is made beside it; children
 * before parents, and a default after its siblings.
 */
import { rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { type ObjectRef, RefLists, RefMap } from '../../tree/refs.ts';
import { push } from '../../util/group.ts';
import type { PlanContext } from '../context.ts';
import type { Deletion } from '../diff/removals.ts';
import type { DraftStep, PlanDraft } from './draft.ts';

/** A delete with its live object. */
interface DeleteStep {
  readonly step: DraftStep;
  readonly live: LiveNode;
}

/** Adds the edges of all deletes. */
export function connectDeletes(context: PlanContext, draft: PlanDraft, deletions: readonly Deletion[]): void {
  const deletes = deletesIn(context, draft);
  connectDetached(context, draft, deletes);
  connectReplacements(context, draft, deletes);
  connectChildren(draft, deletes, deletions);
  connectDereferences(draft, deletes);
  connectDefaultsLast(context, draft, deletes);
}

function deletesIn(context: PlanContext, draft: PlanDraft): readonly DeleteStep[] {
  return [...draft.steps.values()].flatMap((step) => {
    const live = step.phase === 'delete' ? context.live.get(objectOf(step)) : undefined;
    return live === undefined ? [] : [{ step, live }];
  });
}

function objectOf({ kind, liveId }: DraftStep): ObjectRef {
  return { kind, id: liveId ?? '' };
}

/** What refers to the object stops doing so first; where that needs the delete itself, it need not have succeeded. */
function connectDereferences(draft: PlanDraft, deletes: readonly DeleteStep[]): void {
  const by = new RefLists<DraftStep>();
  for (const step of draft.steps.values()) for (const ref of step.dereferences) by.push(ref, step);
  for (const { step, live } of deletes) {
    for (const other of by.get(live)) {
      if (draft.reaches(other, step)) draft.follow(step, other);
      else draft.need(step, other);
    }
  }
}

/** What is inside the object and stays has left it first. */
function connectDetached(context: PlanContext, draft: PlanDraft, deletes: readonly DeleteStep[]): void {
  const from = new RefLists<DraftStep>();
  for (const step of draft.steps.values()) {
    if (step.phase !== 'detach' && step.phase !== 'attach') continue;
    const live = context.live.get(objectOf(step));
    if (live !== undefined) from.push(live.container, step);
  }
  for (const { step, live } of deletes) for (const other of from.get(live)) draft.need(step, other);
}

/** The new object is there before the old one goes, and so is whatever else arrives beside it. */
function connectReplacements(context: PlanContext, draft: PlanDraft, deletes: readonly DeleteStep[]): void {
  const arriving = arrivalsIn(context, draft);
  for (const { step, live } of deletes) {
    const replacement = draft.get(step.address, 'create');
    if (replacement !== undefined && !replacement.needs.has(step.id)) draft.need(step, replacement);
    const container = context.matching.addressOf(live.container);
    // An organization may run empty of anything; its deletes need not wait for what comes, which may be very much.
    const beside = container === rootAddress ? [] : (arriving.get(container ?? '') ?? []);
    for (const other of beside.filter(({ needs }) => !needs.has(step.id))) draft.follow(step, other);
  }
}

/** Steps that bring objects into a declared one, by its address. */
function arrivalsIn(context: PlanContext, draft: PlanDraft): ReadonlyMap<string, readonly DraftStep[]> {
  const arriving = new Map<string, DraftStep[]>();
  for (const step of draft.steps.values()) {
    const parent = context.desired.get(step.address)?.parent;
    const isArrival = step.phase === 'create' || step.phase === 'attach';
    if (isArrival && parent !== undefined) push(arriving, parent, step);
  }
  return arriving;
}

function connectChildren(
  draft: PlanDraft,
  deletes: readonly DeleteStep[],
  deletions: readonly Deletion[],
): void {
  const deleteOf = new RefMap<DraftStep>();
  for (const { step, live } of deletes) deleteOf.set(live, step);
  for (const { live } of deletions) draft.need(deleteOf.get(live.container), deleteOf.get(live));
}

/** A default goes last among its siblings: while there are others, it would have to be another one. */
function connectDefaultsLast(context: PlanContext, draft: PlanDraft, deletes: readonly DeleteStep[]): void {
  const defaults = new Set(
    context.live.nodes().flatMap((live) =>
      Object.entries(context.kindOf(live).fields)
        .filter(([, field]) => field.type === 'reference' && field.within === 'descendants')
        .map(([name]) => live.fields[name]),
    ),
  );
  for (const { step, live } of deletes) {
    if (!defaults.has(live.id)) continue;
    for (const other of deletes) {
      if (other.live.scope.id === live.scope.id && other.live.kind === live.kind)
        draft.follow(step, other.step);
    }
  }
}
