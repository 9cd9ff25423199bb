/**
 * Values that no two objects may share (paths, slugs, names): whoever gives one up goes before whoever takes it, and a
 * ring of such steps is opened by letting one object take a temporary value first.
 */

import type { Kind } from '../../kinds/kind.ts';
import type { Value } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { liveKey } from '../../tree/live.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { Scene } from '../context.ts';
import type { Doomed } from '../diff/deletions.ts';
import type { DraftStep, PlanDraft } from './draft.ts';
import { trimCall } from './steps.ts';

interface Taking {
  readonly step: DraftStep;
  readonly field: string;
  readonly slot: string;
}

/** Adds the edges and temporary steps that unique values need; a value that stays taken is a problem. */
export function connectUniqueValues(
  scene: Scene,
  draft: PlanDraft,
  doomed: readonly Doomed[],
  problems: Diagnostic[],
): void {
  const holders = findHolders(scene);
  const takers = new Map<string, Taking>();
  for (const step of [...draft.steps.values()]) {
    const desired = scene.tree.nodes.get(step.address);
    if (desired === undefined || step.phase === 'delete') continue;
    for (const taking of takingsOf(scene, desired, step)) {
      const rival = takers.get(taking.slot);
      if (rival === undefined) takers.set(taking.slot, taking);
      else if (rival.step.address !== step.address) problems.push(usedTwice(scene, desired, taking, rival));
    }
  }
  const waits = new Map<DraftStep, { taking: Taking; release: DraftStep }>();
  for (const taking of takers.values()) {
    const holder = holders.get(taking.slot);
    const desired = scene.tree.nodes.get(taking.step.address);
    if (holder === undefined || desired === undefined) continue;
    const keeps = scene.liveOf(desired.address);
    if (keeps !== undefined && keeps.id === holder.id && keeps.kind === holder.kind) continue;
    const release = releaseOf(scene, draft, doomed, holder, taking.field);
    if (release === undefined) problems.push(taken(scene, desired, taking, holder));
    else if (release !== 'absorbed') waits.set(taking.step, { taking, release });
  }
  openRings(scene, draft, waits);
}

function findHolders(scene: Scene): ReadonlyMap<string, LiveNode> {
  const holders = new Map<string, LiveNode>();
  for (const live of scene.live.nodes.values()) {
    for (const { field, within } of scene.kindOf(live).unique ?? []) {
      const value = live.fields[field];
      if (typeof value === 'string')
        holders.set(slotOf(live.kind, field, withinLive(scene, live, within), value), live);
    }
  }
  return holders;
}

function slotOf(kind: string, field: string, within: string, value: string): string {
  return JSON.stringify([kind, field, within, value]);
}

function withinLive(scene: Scene, live: LiveNode, within: string): string {
  if (within === 'parent') return live.container.id;
  return live.params[scene.registry.byName(within).idParam ?? ''] ?? '';
}

/** The scope of uniqueness of a desired object: a live id, or the address of what has yet to be made. */
function withinDesired(scene: Scene, desired: DesiredNode, within: string): string {
  let node = desired.parent === undefined ? undefined : scene.tree.nodes.get(desired.parent);
  if (within !== 'parent') {
    while (node !== undefined && node.kind !== within) {
      node = node.parent === undefined ? undefined : scene.tree.nodes.get(node.parent);
    }
  }
  if (node === undefined) return '';
  const id = scene.idOf(node.address);
  return typeof id === 'string' ? id : id.$id;
}

function takingsOf(scene: Scene, desired: DesiredNode, step: DraftStep): readonly Taking[] {
  const rules = scene.kindOf(desired).unique ?? [];
  return rules.flatMap(({ field, within }) => {
    const value = step.gives[field];
    if (typeof value !== 'string') return [];
    return [{ step, field, slot: slotOf(desired.kind, field, withinDesired(scene, desired, within), value) }];
  });
}

function releaseOf(
  scene: Scene,
  draft: PlanDraft,
  doomed: readonly Doomed[],
  holder: LiveNode,
  field: string,
): DraftStep | 'absorbed' | undefined {
  const address = scene.matching.addressOf.get(liveKey(holder.kind, holder.id));
  const gone = doomed.find(({ live }) => live === holder);
  if (gone?.absorbed === true) return 'absorbed';
  if (gone !== undefined) return draft.get(gone.address, 'delete');
  if (address === undefined) return undefined;
  if (scene.replaced.has(address)) return draft.get(address, 'delete');
  const update = draft.get(address, 'update');
  return update !== undefined && field in update.gives ? update : undefined;
}

/** Follows who waits for whom; the ring's least address steps aside to a temporary value. */
function openRings(
  scene: Scene,
  draft: PlanDraft,
  waits: Map<DraftStep, { taking: Taking; release: DraftStep }>,
): void {
  const settled = new Set<DraftStep>();
  for (const start of waits.keys()) {
    const path: DraftStep[] = [];
    let step: DraftStep | undefined = start;
    while (step !== undefined && !settled.has(step) && !path.includes(step)) {
      path.push(step);
      step = waits.get(step)?.release;
    }
    if (step !== undefined && path.includes(step)) {
      const ring = path.slice(path.indexOf(step)).sort((left, right) => (left.id < right.id ? -1 : 1));
      const [aside] = ring;
      if (aside !== undefined) stepAside(scene, draft, waits, aside, ring);
    }
    for (const each of path) settled.add(each);
  }
  for (const [step, { release }] of waits) draft.need(step, release);
}

function stepAside(
  scene: Scene,
  draft: PlanDraft,
  waits: Map<DraftStep, { taking: Taking; release: DraftStep }>,
  aside: DraftStep,
  ring: readonly DraftStep[],
): void {
  const desired = scene.tree.nodes.get(aside.address);
  const wait = waits.get(aside);
  if (desired === undefined || wait === undefined) return;
  const { field } = wait.taking;
  const kind = scene.kindOf(desired);
  const live = scene.liveOf(desired.address);
  const value = temporaryValue(scene, kind, field, String(live?.fields[field] ?? 'value'));
  const context = scene.contextOf(desired, {});
  const calls = kind.calls.update?.({ ...context, fields: { ...context.fields, [field]: value } }, [field]);
  if (calls === undefined || 'refuse' in calls) return;
  const free = draft.add({
    address: desired.address,
    kind: desired.kind,
    noun: kind.noun,
    liveId: live?.id,
    phase: 'vacate',
    reason: `makes way: ${field} is swapped with another ${kind.noun}`,
    fields: [{ field, before: live?.fields[field] ?? null, after: value }],
    risks: [],
    calls: calls.map(trimCall),
    gives: { [field]: value },
    releases: [],
  });
  // Whoever waited for this object's value waits for the temporary one instead.
  for (const other of ring) {
    const theirs = waits.get(other);
    if (theirs?.release === aside) waits.set(other, { taking: theirs.taking, release: free });
  }
}

function temporaryValue(scene: Scene, kind: Kind, field: string, value: string): string {
  const used = new Set<Value | undefined>();
  for (const node of scene.live.nodes.values()) if (node.kind === kind.name) used.add(node.fields[field]);
  for (const node of scene.tree.nodes.values()) if (node.kind === kind.name) used.add(node.fields[field]);
  for (let number = 1; ; number += 1) {
    const candidate = `${value.slice(0, 80)}-swap${number === 1 ? '' : number}`;
    if (!used.has(candidate)) return candidate;
  }
}

function taken(scene: Scene, desired: DesiredNode, taking: Taking, holder: LiveNode): Diagnostic {
  const address = scene.matching.addressOf.get(liveKey(holder.kind, holder.id));
  const { noun } = scene.kindOf(desired);
  const value = JSON.stringify(taking.step.gives[taking.field]);
  return {
    severity: 'error',
    code: 'value-taken',
    message: `${taking.field} ${value} is in use by ${address ?? `the ${noun} ${holder.id}, which no manifest lists`}`,
    address: desired.address,
    at: desired.fieldAt[taking.field] ?? desired.at,
    suggestion:
      address === undefined
        ? `choose another ${taking.field}, or list that ${noun} in the manifests (id: ${holder.id})`
        : `give ${address} another ${taking.field} in the manifests, or choose another one here`,
  };
}

function usedTwice(scene: Scene, desired: DesiredNode, taking: Taking, rival: Taking): Diagnostic {
  const other = scene.tree.nodes.get(rival.step.address);
  return {
    severity: 'error',
    code: 'value-wanted-twice',
    message: `${taking.field} ${JSON.stringify(taking.step.gives[taking.field])} is wanted by ${rival.step.address} as well`,
    address: desired.address,
    at: desired.fieldAt[taking.field] ?? desired.at,
    suggestion: `choose another ${taking.field} for one of the two`,
    ...(other === undefined
      ? {}
      : { related: [{ message: 'the other one', at: other.fieldAt[rival.field] ?? other.at }] }),
  };
}
