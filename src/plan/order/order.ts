/**
 * The order of steps as a graph: which steps must have succeeded, or merely ended, before a step may run.
 * Steps have no numbers; a stable topological order follows from the edges.
 */
import { type Call, type Payload, referredAddress } from '../../kinds/parts/payload.ts';
import { referencesByKey } from '../../tree/references.ts';
import { Secret } from '../../util/secret.ts';
import type { PlanContext } from '../context.ts';
import type { Diff } from '../diff/diff.ts';
import type { Ordering } from '../diff/positions.ts';
import { checkCalls } from './check-calls.ts';
import { connectDeletes } from './delete-order.ts';
import type { DraftStep, PlanDraft } from './draft.ts';
import { connectExclusiveCollections } from './exclusive-collections.ts';
import { toSteps } from './steps.ts';
import { connectSuccessors } from './successors.ts';
import { connectUniqueValues } from './unique-values.ts';

export function order(context: PlanContext, difference: Diff) {
  const { draft, problems } = toSteps(context, difference);
  const drafted = { context, draft, deletions: difference.deletions };
  const taken = connectUniqueValues(drafted);
  connectExclusiveCollections(drafted);
  connectPhases(draft);
  connectReferences(context, draft);
  connectCopies(context, draft);
  for (const ordering of difference.orderings)
    connectPlacements(draft, ordering, connectArrivals(context, draft, ordering));
  connectDeletes(drafted);
  connectRequirements(context, draft);
  connectSuccessors(drafted);
  connectContents(context, draft);
  connectUsesOfCopies(context, draft);
  return { draft, problems: [...problems, ...taken, ...checkCalls(context, draft)] };
}

/** Phases of one object: create or restore comes first, attach and move follow detach, move follows attach, and update follows vacate. */
function connectPhases(draft: PlanDraft): void {
  for (const step of draft.steps.values()) {
    const { address } = step;
    if (step.phase === 'delete') continue;
    if (step.phase !== 'create') draft.need(step, draft.get(address, 'create'));
    if (step.phase !== 'restore') draft.need(step, draft.get(address, 'restore'));
    if (step.phase === 'attach') draft.need(step, draft.get(address, 'detach'));
    if (step.phase === 'move') {
      draft.need(step, draft.get(address, 'attach'));
      draft.need(step, draft.get(address, 'detach'));
    }
    if (step.phase === 'update') draft.need(step, draft.get(address, 'vacate'));
    if (step.phase === 'take') draft.need(step, draft.get(address, 'update'));
  }
}

/** A call with the id of a new object needs the step that creates it. The same applies to keys that name such objects. */
function connectReferences(context: PlanContext, draft: PlanDraft): void {
  for (const step of draft.steps.values()) {
    for (const address of idsIn(step.calls)) {
      if (address !== step.address) draft.need(step, draft.get(address, 'create'));
    }
    // A create can adopt children only after they are detached from their former parent.
    if (step.phase === 'create') {
      for (const child of context.desired.childrenOf(step.address))
        draft.need(step, draft.get(child.address, 'detach'));
    }
    connectKeys(context, draft, step);
  }
}

/** A copy whose response is lost is found by the name of its original, which must not change before. */
function connectCopies(context: PlanContext, draft: PlanDraft): void {
  for (const step of draft.steps.values()) {
    const desired = step.phase === 'create' ? context.desired.get(step.address) : undefined;
    const { copies } = context.registry.byName(step.kind).calls;
    const source = desired && copies && context.targetOf(desired, copies.field);
    if (source !== undefined) draft.follow(step, draft.get(source, 'update'));
  }
}

/** An object created from a copy takes its path from the copy's title, which is the original's at first. */
function connectUsesOfCopies(context: PlanContext, draft: PlanDraft): void {
  for (const step of draft.steps.values()) {
    if (step.phase !== 'create') continue;
    for (const address of idsIn(step.calls)) {
      const copy = context.desired.get(address);
      const field = copy && context.kindOf(copy).calls.copies?.field;
      const update = draft.get(address, 'update');
      if (field === undefined || copy?.fields[field] === undefined || update === undefined) continue;
      if (!draft.reaches(update, step)) draft.follow(step, update);
    }
  }
}

function connectKeys(context: PlanContext, draft: PlanDraft, step: DraftStep): void {
  const desired = context.desired.get(step.address);
  if (desired === undefined || step.phase === 'delete') return;
  for (const { field, reference, keys } of referencesByKey(desired, context.registry)) {
    if (!step.fields.some((change) => change.field === field)) continue;
    const named = reference.kinds.flatMap((kind) => keys.flatMap((key) => context.desired.keyed(kind, key)));
    for (const { address } of named) {
      draft.need(step, draft.get(address, 'create'));
      draft.follow(step, draft.get(address, 'update'));
    }
  }
}

/** Orders arrivals as written, one after the other; placements come after them, so that the predicted order is right. */
function connectArrivals(
  context: PlanContext,
  draft: PlanDraft,
  { arrivals, placements }: Ordering,
): readonly DraftStep[] {
  const placed = new Set(placements.map(({ address }) => address));
  const isPlacedOnArrival = (address: string) => {
    const desired = context.desired.get(address);
    return (
      placed.has(address) && desired !== undefined && context.kindOf(desired).calls.attachAnchored === true
    );
  };
  const steps: DraftStep[] = [];
  for (const address of arrivals) {
    const [step] = (['attach', 'detach', 'create', 'restore'] as const).flatMap(
      (phase) => draft.get(address, phase) ?? [],
    );
    if (step === undefined || (step.phase === 'attach' && isPlacedOnArrival(address))) continue;
    draft.follow(step, steps.at(-1));
    steps.push(step);
  }
  return steps;
}

function connectPlacements(draft: PlanDraft, { placements }: Ordering, arrivals: readonly DraftStep[]): void {
  let last: DraftStep | undefined;
  const earlier = new Set<string>();
  for (const { address, next = '' } of placements) {
    const step = draft.get(address, 'move') ?? draft.get(address, 'attach');
    if (step === undefined) continue;
    // Next to a misplaced object, it would have to move again.
    if (step.phase === 'move')
      for (const phase of ['move', 'attach', 'detach'] as const)
        if (phase !== 'move' || earlier.has(next)) draft.need(step, draft.get(next, phase));
    earlier.add(address);
    for (const arrival of arrivals) if (arrival.address !== address) draft.follow(step, arrival);
    draft.follow(step, last);
    last = step;
  }
}

/** Objects that a value requires are created before the value becomes true, and deleted after it became false. */
function connectRequirements(context: PlanContext, draft: PlanDraft): void {
  const steps = [...draft.steps.values()];
  const sets = steps.flatMap((step) => setsOf(context, step).map((set) => ({ step, ...set })));
  for (const { step, field, value } of sets) {
    if (field.requires === undefined || step.phase === 'delete') continue;
    const phase = value === true ? 'create' : 'delete';
    const others = steps.filter((other) => other.kind === field.requires?.kind && other.phase === phase);
    if (value === true) for (const other of others) draft.need(step, other);
    if (value === false) for (const other of others) draft.need(other, step);
  }
  for (const { step, field, value } of sets) {
    if (field.follows === undefined || value !== true) continue;
    const others = steps.filter((other) => other.kind === field.follows && other.phase === 'create');
    for (const other of others) if (!draft.reaches(other, step)) draft.follow(step, other);
  }
}

/** A site is published after all of its contents exist. */
function connectContents(context: PlanContext, draft: PlanDraft): void {
  const last = [...draft.steps.values()].filter(({ kind, sets, phase }) =>
    Object.entries(sets).some(([name, value]) => {
      const field = context.registry.byName(kind).fields[name];
      return phase === 'update' && value === true && field?.afterContents === true;
    }),
  );
  for (const step of last) {
    for (const other of draft.steps.values()) {
      const isInside = other.address.startsWith(`${step.address}/`) && other.phase !== 'delete';
      if (!isInside || draft.reaches(other, step)) continue;
      if (other.phase === 'create') draft.need(step, other);
      else draft.follow(step, other);
    }
  }
}

/** The values that a step sets, with the rules of their fields. */
function setsOf({ registry }: PlanContext, { kind, sets }: DraftStep) {
  const { fields } = registry.byName(kind);
  return Object.entries(sets).flatMap(([name, value]) => {
    const field = fields[name];
    return field?.type === 'value' ? [{ field, value }] : [];
  });
}

function idsIn(value: Payload | readonly Call[] | undefined, found = new Set<string>()): ReadonlySet<string> {
  if (value === null || typeof value !== 'object' || value instanceof Secret) return found;
  const address = referredAddress(value);
  if (address !== undefined) return found.add(address);
  for (const inner of Array.isArray(value) ? value : Object.values(value)) idsIn(inner as Payload, found);
  return found;
}
