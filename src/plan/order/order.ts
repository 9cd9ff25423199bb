/**
 * The order of steps as a graph: what must have succeeded, and what must merely have ended, before a step may run.
 * There are no numbers; a stable topological order follows from the edges.
 */

import type { Call, Payload } from '../../kinds/payload.ts';
import { rootAddress } from '../../tree/desired.ts';
import { liveKey } from '../../tree/live.ts';
import { push } from '../../util/group.ts';
import { isRecord } from '../../util/json.ts';
import { MinHeap } from '../../util/min-heap.ts';
import { Secret } from '../../util/secret.ts';
import type { Scene } from '../context.ts';
import type { Doomed } from '../diff/deletions.ts';
import type { Ordering } from '../diff/positions.ts';
import type { Step } from '../plan.ts';
import type { DraftStep, PlanDraft } from './draft.ts';
import { freeze } from './draft.ts';

/** Adds all edges but those of unique values, which come first. */
export function connectSteps(
  scene: Scene,
  draft: PlanDraft,
  orderings: readonly Ordering[],
  doomed: readonly Doomed[],
): void {
  connectPhases(draft);
  connectReferences(scene, draft);
  connectOrderings(scene, draft, orderings);
  connectDeletes(scene, draft, doomed);
  connectDefaultsLast(scene, draft);
  connectRestingValues(scene, draft);
}

/** Within one object: delete or restore or create first, then leaving, entering, fields, place. */
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
  }
}

/** A call that holds the id of an object to be made needs the step that makes it; so do keys that name such objects. */
function connectReferences(scene: Scene, draft: PlanDraft): void {
  const byKey = new Map<string, string[]>();
  for (const node of scene.tree.nodes.values()) push(byKey, `${node.kind} ${node.key}`, node.address);
  for (const step of draft.steps.values()) {
    for (const address of idsIn(step.calls)) {
      if (address !== step.address) draft.need(step, draft.get(address, 'create'));
    }
    // What a create takes in must have left its former place.
    if (step.phase === 'create') {
      for (const child of scene.childrenOf(step.address))
        draft.need(step, draft.get(child.address, 'detach'));
    }
    connectKeys(scene, draft, step, byKey);
  }
}

/** A mapping whose keys name declared objects needs those to be made, and follows their changes. */
function connectKeys(
  scene: Scene,
  draft: PlanDraft,
  step: DraftStep,
  byKey: ReadonlyMap<string, readonly string[]>,
): void {
  const desired = scene.tree.nodes.get(step.address);
  if (desired === undefined || step.phase === 'delete') return;
  for (const { field } of step.fields) {
    const reference = scene.kindOf(desired).fields[field]?.reference;
    const value = desired.fields[field];
    if (reference?.of !== 'keys' || !isRecord(value)) continue;
    for (const kind of reference.kinds) {
      for (const key of Object.keys(value)) {
        for (const address of byKey.get(`${kind} ${key}`) ?? []) {
          draft.need(step, draft.get(address, 'create'));
          draft.follow(step, draft.get(address, 'update'));
        }
      }
    }
  }
}

/** Arrivals one after the other as written, then placements one after the other, so that the predicted order holds. */
function connectOrderings(scene: Scene, draft: PlanDraft, orderings: readonly Ordering[]): void {
  for (const { arrivals, placements } of orderings) {
    const anchored = new Set(
      placements
        .filter(({ address }) => {
          const desired = scene.tree.nodes.get(address);
          return desired !== undefined && scene.kindOf(desired).calls.attachAnchored === true;
        })
        .map(({ address }) => address),
    );
    let previous: DraftStep[] = [];
    const all: DraftStep[] = [];
    for (const address of arrivals) {
      const steps = arrivalSteps(draft, address).filter(
        (step) => !(step.phase === 'attach' && anchored.has(address)),
      );
      for (const step of steps) for (const earlier of previous) draft.follow(step, earlier);
      if (steps.length > 0) previous = steps;
      all.push(...steps);
    }
    let last: DraftStep | undefined;
    for (const { address } of placements) {
      const step = draft.get(address, 'move') ?? draft.get(address, 'attach');
      if (step === undefined) continue;
      for (const arrival of all) if (arrival.address !== address) draft.follow(step, arrival);
      draft.follow(step, last);
      last = step;
    }
  }
}

function arrivalSteps(draft: PlanDraft, address: string): DraftStep[] {
  const attach = draft.get(address, 'attach');
  if (attach !== undefined) return [attach];
  const step = draft.get(address, 'detach') ?? draft.get(address, 'create') ?? draft.get(address, 'restore');
  return step === undefined ? [] : [step];
}

/** Deletes come last: after what leaves the object, what stops referring to it, and what is made beside it. */
function connectDeletes(scene: Scene, draft: PlanDraft, doomed: readonly Doomed[]): void {
  const releasing = new Map<string, DraftStep[]>();
  const leaving = new Map<string, DraftStep[]>();
  const arriving = new Map<string, DraftStep[]>();
  for (const step of draft.steps.values()) {
    for (const key of step.releases) push(releasing, key, step);
    const live =
      step.liveId === undefined ? undefined : scene.live.nodes.get(liveKey(step.kind, step.liveId));
    if (live !== undefined && (step.phase === 'detach' || step.phase === 'attach')) {
      push(leaving, liveKey(live.container.kind, live.container.id), step);
    }
    if (step.phase === 'create' || step.phase === 'attach') {
      const parent = scene.tree.nodes.get(step.address)?.parent;
      if (parent !== undefined) push(arriving, parent, step);
    }
  }
  const deleteOf = new Map<string, DraftStep>();
  for (const step of draft.steps.values()) {
    if (step.phase === 'delete' && step.liveId !== undefined)
      deleteOf.set(liveKey(step.kind, step.liveId), step);
  }
  for (const step of deleteOf.values()) {
    const key = liveKey(step.kind, step.liveId ?? '');
    const live = scene.live.nodes.get(key);
    for (const other of releasing.get(key) ?? []) {
      // What can only be named once this is gone does not hold its delete back.
      if (reaches(draft, other, step)) draft.follow(step, other);
      else draft.need(step, other);
    }
    for (const other of leaving.get(key) ?? []) draft.need(step, other);
    if (live === undefined) continue;
    const replacement = draft.get(step.address, 'create');
    if (replacement !== undefined && !replacement.needs.has(step.id)) draft.need(step, replacement);
    const container = scene.matching.addressOf.get(liveKey(live.container.kind, live.container.id));
    // An organization may run empty of anything; what it holds need not wait for what comes, which may be very much.
    const isInside = container !== undefined && container !== rootAddress;
    for (const other of isInside ? (arriving.get(container) ?? []) : []) {
      if (!other.needs.has(step.id)) draft.follow(step, other);
    }
  }
  for (const { live } of doomed) {
    draft.need(
      deleteOf.get(liveKey(live.container.kind, live.container.id)),
      deleteOf.get(liveKey(live.kind, live.id)),
    );
  }
}

/** True when `from` needs `to`, directly or through others. */
function reaches(draft: PlanDraft, from: DraftStep, to: DraftStep): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    for (const id of step.needs) {
      if (id === to.id) return true;
      const next = draft.steps.get(id);
      if (next === undefined || seen.has(id)) continue;
      seen.add(id);
      open.push(next);
    }
  }
  return false;
}

/** A default goes last among its siblings: while there are others, it would have to be another one. */
function connectDefaultsLast(scene: Scene, draft: PlanDraft): void {
  const deletes = [...draft.steps.values()].filter(({ phase }) => phase === 'delete');
  const defaults = new Set(
    [...scene.live.nodes.values()].flatMap((live) =>
      Object.entries(scene.kindOf(live).fields)
        .filter(([, { reference }]) => reference?.within === 'descendants')
        .map(([name]) => live.fields[name]),
    ),
  );
  for (const step of deletes) {
    const live = scene.live.nodes.get(liveKey(step.kind, step.liveId ?? ''));
    if (live === undefined || !defaults.has(live.id)) continue;
    for (const other of deletes) {
      const sibling = scene.live.nodes.get(liveKey(other.kind, other.liveId ?? ''));
      if (sibling?.scope.id === live.scope.id && other.kind === step.kind) draft.follow(step, other);
    }
  }
}

/** Values that rest on objects of a kind: those are made before the value becomes true, and deleted after it ended. */
function connectRestingValues(scene: Scene, draft: PlanDraft): void {
  for (const step of draft.steps.values()) {
    for (const [name, value] of Object.entries(step.gives)) {
      const kind = scene.registry.byName(step.kind).fields[name]?.restsOn;
      if (kind === undefined || step.phase === 'delete') continue;
      for (const other of draft.steps.values()) {
        if (other.kind !== kind) continue;
        if (value === true && other.phase === 'create') draft.need(step, other);
        if (value === false && other.phase === 'delete') draft.need(other, step);
      }
    }
  }
}

/** Addresses of objects whose ids the calls do not know yet. */
function idsIn(value: Payload | readonly Call[] | undefined, found = new Set<string>()): ReadonlySet<string> {
  if (value === null || typeof value !== 'object' || value instanceof Secret) return found;
  if (!Array.isArray(value) && '$id' in value && typeof value.$id === 'string') {
    found.add(value.$id);
    return found;
  }
  for (const inner of Array.isArray(value) ? value : Object.values(value)) idsIn(inner as Payload, found);
  return found;
}

/**
 * The steps in a stable order in which they could run one by one. Where `after` edges contradict `needs` edges, they
 * yield. Throws when `needs` edges form a ring, which only a defect can cause.
 */
export function sortSteps(draft: PlanDraft): readonly Step[] {
  const steps = [...draft.steps.values()];
  const indexOf = new Map(steps.map((step, index) => [step.id, index]));
  const waiting = steps.map(
    (step) => new Set([...step.needs, ...step.after].filter((id) => indexOf.has(id))),
  );
  const dependents = steps.map(() => [] as number[]);
  const ready = new MinHeap();
  waiting.forEach((ids, index) => {
    for (const id of ids) dependents[indexOf.get(id) ?? 0]?.push(index);
    if (ids.size === 0) ready.push(index);
  });
  const done = new Set<string>();
  const sorted: Step[] = [];
  while (sorted.length < steps.length) {
    const index = ready.pop() ?? leastRunnable(steps, done);
    const step = steps[index];
    if (step === undefined) throw new Error(`Steps need each other: ${remaining(steps, done).join(', ')}`);
    if (done.has(step.id)) continue;
    const after = [...step.after].filter((id) => done.has(id) && !step.needs.has(id));
    sorted.push(freeze(step, draft.actionOf(step.address), after));
    done.add(step.id);
    for (const dependent of dependents[index] ?? []) {
      waiting[dependent]?.delete(step.id);
      if (waiting[dependent]?.size === 0) ready.push(dependent);
    }
  }
  return sorted;
}

/** The first step that only `after` edges hold back; -1 when there is none. */
function leastRunnable(steps: readonly DraftStep[], done: ReadonlySet<string>): number {
  return steps.findIndex((step) => !done.has(step.id) && [...step.needs].every((id) => done.has(id)));
}

function remaining(steps: readonly DraftStep[], done: ReadonlySet<string>): readonly string[] {
  return steps.filter(({ id }) => !done.has(id)).map(({ id }) => id);
}
