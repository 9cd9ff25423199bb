/**
 * Determines when deletes may run: after children have moved out of the object, references to it are removed, and new siblings
 * exist; children before parents, a default after its siblings.
 */
import { mapOf } from '../../kinds/parts/payload.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { RefLists, RefMap } from '../../tree/refs.ts';
import { push } from '../../util/group.ts';
import { textsIn } from '../../util/secret.ts';
import { defaultFieldsOf, type PlanContext } from '../context.ts';
import type { Deletion } from '../removals.ts';
import type { Drafted, DraftStep, PlanDraft } from './draft.ts';

interface DeleteStep {
  readonly step: DraftStep;
  readonly live: LiveNode;
}

export function connectDeletes({ context, draft, deletions }: Drafted): void {
  const deletes = [...draft.steps.values()].flatMap((step) => {
    const live = step.phase === 'delete' ? context.liveOfStep(step) : undefined;
    return live === undefined ? [] : [{ step, live }];
  });
  if (deletes.length === 0) return;
  connectDetached(context, draft, deletes);
  connectReplacements(context, draft, deletes);
  connectChildren(draft, deletes, deletions);
  connectDereferences(context, draft, deletes);
  connectDefaultsLast(context, draft, deletes);
}

/**
 * References are changed before the object is deleted, unless the change needs the delete. A request that names the object comes
 * before as well, such as one that removes a person from a team.
 */
function connectDereferences(context: PlanContext, draft: PlanDraft, deletes: readonly DeleteStep[]): void {
  const by = new RefLists<DraftStep>();
  const naming = new Map<string, DraftStep[]>();
  for (const step of draft.steps.values()) {
    for (const ref of step.dereferences) by.push(ref, step);
    if (step.phase !== 'delete')
      for (const text of new Set(textsIn([step.calls, listedIn(context, step)]))) push(naming, text, step);
  }
  for (const { step, live } of deletes) {
    for (const other of by.get(live)) {
      if (!draft.reaches(other, step)) draft.need(step, other);
    }
    for (const other of naming.get(live.id) ?? [])
      if (other.address !== step.address && !draft.reaches(other, step)) draft.follow(step, other);
  }
}

/** Ids in the lists that a step changes: a request may contain only those that stay, such as the reviewers of merge rules. */
function listedIn(context: PlanContext, step: DraftStep): readonly unknown[] {
  const live = context.liveOfStep(step);
  return Object.keys(live === undefined ? {} : step.sets).flatMap((name) => {
    const field = context.registry.byName(step.kind).fields[name];
    if (live === undefined || field?.type !== 'members') return [];
    const keys = Object.keys(mapOf(context.liveField(live, name)) ?? {});
    return keys.map((key) => context.names.idOf(field.of, key));
  });
}

function connectDetached(context: PlanContext, draft: PlanDraft, deletes: readonly DeleteStep[]): void {
  const from = new RefLists<DraftStep>();
  for (const step of draft.steps.values()) {
    if (step.phase !== 'detach' && step.phase !== 'attach') continue;
    const live = context.liveOfStep(step);
    if (live !== undefined) from.push(live.container, step);
  }
  for (const { step, live } of deletes) for (const other of from.get(live)) draft.need(step, other);
}

function connectReplacements(context: PlanContext, draft: PlanDraft, deletes: readonly DeleteStep[]): void {
  const arriving = arrivalsIn(context, draft);
  for (const { step, live } of deletes) {
    const isReplaced = draft.actionOf(step.address) === 'replace';
    if (isReplaced) connectSuccessorParts(draft, step);
    const container = context.matching.addressOf(live.container);
    // An organization may become empty, so its deletes need not wait for arrivals, which may be many.
    const siblings = container === rootAddress ? [] : (arriving.get(container ?? '') ?? []);
    // A value that the parent can hold once is taken out before it is put in again.
    for (const field of isReplaced ? [] : (context.kindOf(live).identity.usuallyUnique ?? []))
      for (const other of siblings)
        if (other.phase === 'create' && other.kind === live.kind && other.sets[field] === live.fields[field])
          draft.need(other, step);
    for (const other of siblings.filter(({ needs }) => !needs.has(step.id))) draft.follow(step, other);
  }
}

/** The new object is complete before the replaced one is deleted, but for steps that need the delete. */
function connectSuccessorParts(draft: PlanDraft, deletion: DraftStep): void {
  for (const part of draft.inside(deletion.address))
    if (part.phase !== 'delete' && !draft.reaches(part, deletion)) draft.need(deletion, part);
}

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

/** A default is deleted last among its siblings: otherwise another one would have to become the default. */
function connectDefaultsLast(context: PlanContext, draft: PlanDraft, deletes: readonly DeleteStep[]): void {
  const defaults = new Set(
    context.live
      .nodes()
      .flatMap((live) => defaultFieldsOf(context.kindOf(live)).map(({ name }) => live.fields[name])),
  );
  for (const { step, live } of deletes) {
    if (!defaults.has(live.id)) continue;
    for (const other of deletes) {
      if (other.live.scope.id === live.scope.id && other.live.kind === live.kind)
        draft.follow(step, other.step);
    }
  }
}
