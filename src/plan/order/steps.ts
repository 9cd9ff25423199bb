/** Turns what differs into steps with their calls, one object at a time. Order and dependencies come afterwards. */
import { operations } from '../../contract/index.ts';
import type { Creation, Kind, Refusal } from '../../kinds/kind.ts';
import type { Call, Payload } from '../../kinds/payload.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { liveKey } from '../../tree/live.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { Secret } from '../../util/secret.ts';
import type { Scene } from '../context.ts';
import { baseNodeOf, containerCause, creationCause, deletionCause } from '../diff/cause.ts';
import { describeChanges, fieldsToChange, holdsSecret, liveFields } from '../diff/field-changes.ts';
import { changesContainer, type Ordering, type Placement } from '../diff/positions.ts';
import type { FieldChange, Phase } from '../plan.ts';
import { titleOf } from '../title-of.ts';
import type { DraftStep, PlanDraft } from './draft.ts';

/** Makes the steps of all desired objects. Problems (an object that cannot be made) are added to `problems`. */
export function draftSteps(
  scene: Scene,
  draft: PlanDraft,
  orderings: readonly Ordering[],
  problems: Diagnostic[],
): void {
  const drafter = new StepDrafter(scene, draft, orderings, problems);
  for (const desired of scene.tree.nodes.values()) drafter.draftObject(desired);
  drafter.draftMoves(orderings);
}

/** The call with only the ids that its operation's path takes. */
export function trimCall(call: Call): Call {
  const { params } = operations[call.operation];
  const { params: known, ...rest } = call;
  return { ...rest, params: Object.fromEntries(params.map((name) => [name, known[name] ?? ''])) };
}

function isRefusal(value: object): value is Refusal {
  return 'refuse' in value;
}

class StepDrafter {
  readonly #scene: Scene;
  readonly #draft: PlanDraft;
  readonly #problems: Diagnostic[];
  /** Objects that the create call of their parent makes, by address. */
  readonly #made = new Map<string, NonNullable<Creation['makes']>>();
  /** Objects that the create call of their container takes in. */
  readonly #gathered = new Set<string>();
  readonly #placements = new Map<string, Placement>();

  constructor(scene: Scene, draft: PlanDraft, orderings: readonly Ordering[], problems: Diagnostic[]) {
    this.#scene = scene;
    this.#draft = draft;
    this.#problems = problems;
    for (const { placements } of orderings) {
      for (const placement of placements) this.#placements.set(placement.address, placement);
    }
  }

  draftObject(desired: DesiredNode): void {
    if (this.#scene.isReleased(desired.address)) return;
    const kind = this.#scene.kindOf(desired);
    const live = this.#scene.liveOf(desired.address);
    if (live === undefined && desired.address !== rootAddress) this.#draftCreation(kind, desired);
    else if (live !== undefined) this.#draftKept(kind, desired, live);
  }

  /** Moves among siblings, in the order in which they must happen; entries that are anchored already need none. */
  draftMoves(orderings: readonly Ordering[]): void {
    for (const { placements, cause } of orderings) {
      for (const placement of placements) {
        const desired = this.#scene.tree.nodes.get(placement.address);
        if (desired === undefined) continue;
        const kind = this.#scene.kindOf(desired);
        const attaches = this.#draft.get(desired.address, 'attach') !== undefined;
        if (kind.calls.move === undefined || (attaches && kind.calls.attachAnchored === true)) continue;
        const context = this.#scene.contextOf(desired, {});
        const next = placement.next;
        const side = placement.anchor?.before === undefined ? 'after' : 'before';
        this.#add(desired, 'move', [kind.calls.move(context, placement.anchor)], {
          reason: next === undefined ? 'to the end' : `${side} ${next}`,
          cause: this.#scene.fresh.has(desired.address) ? creationCause(this.#scene, desired) : cause,
        });
      }
    }
  }

  #draftCreation(kind: Kind, desired: DesiredNode): void {
    const made = this.#made.get(desired.address);
    let after: Readonly<Record<string, Payload>>;
    const replaced = this.#scene.replaced.get(desired.address);
    if (made !== undefined) {
      after = made.fields;
      this.#addCreate(desired, [made.find], after, 'made together with its parent');
    } else {
      const creation = kind.calls.create(this.#scene.contextOf(desired, {}));
      if (isRefusal(creation)) {
        this.#refuse(desired, kind, creation);
        return;
      }
      after = creation.fields;
      if (creation.makes !== undefined) this.#made.set(creation.makes.address, creation.makes);
      for (const address of creation.gathers ?? []) this.#gathered.add(address);
      this.#addCreate(desired, [creation.call], after, 'does not exist yet');
    }
    if (replaced !== undefined) this.#markReplaced(desired, replaced);
    if (kind.createdOutside === true) this.#draftEntry(kind, desired);
    this.#draftUpdate(desired, after);
  }

  #markReplaced(desired: DesiredNode, replaced: LiveNode): void {
    const fields = this.#scene.replacingFields(desired, replaced);
    const create = this.#draft.get(desired.address, 'create');
    if (create !== undefined)
      create.reason = `${fields.join(', ')} cannot be changed; a new one takes its place`;
    this.#draft.setAction(desired.address, 'replace');
    draftDelete(this.#scene, this.#draft, replaced, desired.address, 'replaced by a new one');
  }

  #draftKept(kind: Kind, desired: DesiredNode, live: LiveNode): void {
    if (live.deleted === true) {
      const { restore } = kind.calls;
      const context = this.#scene.contextOf(desired, {});
      if (restore !== undefined)
        this.#add(desired, 'restore', [restore(context)], {
          reason: 'deleted, and wanted again',
          cause: creationCause(this.#scene, desired),
        });
    }
    if (changesContainer(this.#scene, desired)) {
      const detach = kind.calls.detach?.(this.#scene.contextOf(desired, {}), live.container);
      const from = this.#scene.matching.addressOf.get(liveKey(live.container.kind, live.container.id));
      const reason = `from ${from ?? live.container.id}`;
      if (detach !== undefined) {
        this.#add(desired, 'detach', [detach], { reason, cause: containerCause(this.#scene, desired) });
      }
      this.#draftEntry(kind, desired);
    }
    this.#draftUpdate(desired, liveFields(this.#scene, live));
  }

  #draftEntry(kind: Kind, desired: DesiredNode): void {
    if (this.#isGathered(desired)) return;
    const anchor =
      kind.calls.attachAnchored === true ? this.#placements.get(desired.address)?.anchor : undefined;
    const call = kind.calls.attach?.(this.#scene.contextOf(desired, {}), anchor);
    if (call === undefined) return;
    const next = anchor === undefined ? undefined : this.#placements.get(desired.address)?.next;
    const beside = next === undefined ? '' : `, ${anchor?.before === undefined ? 'after' : 'before'} ${next}`;
    const cause = this.#scene.fresh.has(desired.address)
      ? creationCause(this.#scene, desired)
      : containerCause(this.#scene, desired);
    this.#add(desired, 'attach', [call], { reason: `into ${desired.parent ?? rootAddress}${beside}`, cause });
  }

  /** True when the container is new and takes the object in with its own create call. */
  #isGathered(desired: DesiredNode): boolean {
    const parent = desired.parent === undefined ? undefined : this.#scene.tree.nodes.get(desired.parent);
    if (parent === undefined || !this.#scene.fresh.has(parent.address)) return false;
    return this.#gathered.has(desired.address);
  }

  #draftUpdate(desired: DesiredNode, before: Readonly<Record<string, Payload>>): void {
    const scene = this.#scene;
    const kind = scene.kindOf(desired);
    const names = fieldsToChange(scene, desired, before);
    if (names.length === 0) return;
    const { update } = kind.calls;
    if (update === undefined) {
      this.#refuse(desired, kind, {
        refuse: `${names.join(', ')} of a ${kind.noun} cannot be changed`,
        suggestion: 'take the line out',
      });
      return;
    }
    const calls = update(scene.contextOf(desired, before), names);
    if (isRefusal(calls)) {
      this.#refuse(desired, kind, calls, names[0]);
      return;
    }
    const fields = describeChanges(scene, desired, names, before);
    const fresh = scene.fresh.has(desired.address);
    this.#add(desired, 'update', calls, {
      reason: fresh ? 'what its creation cannot set' : 'differs from the manifest',
      fields,
      risks: fields.flatMap(({ risk }) => (risk === undefined ? [] : [risk])),
      gives: pickNames(scene.payloadOf(desired), names),
      releases: names.flatMap((name) => releasedBy(kind, name, before[name])),
    });
  }

  #addCreate(
    desired: DesiredNode,
    calls: readonly Call[],
    gives: Readonly<Record<string, Payload>>,
    reason: string,
  ): void {
    const fields = Object.keys(gives).map((field) => {
      const after = gives[field] ?? null;
      const target = this.#scene.targetOf(desired, field);
      return { field, after: target === undefined ? after : { $id: target } };
    });
    this.#add(desired, 'create', calls, {
      reason,
      fields,
      gives,
      cause: creationCause(this.#scene, desired),
    });
  }

  #add(
    desired: DesiredNode,
    phase: Phase,
    calls: readonly Call[],
    more: Partial<Pick<DraftStep, 'reason' | 'fields' | 'risks' | 'gives' | 'releases' | 'cause'>>,
  ): void {
    this.#draft.add({
      address: desired.address,
      kind: desired.kind,
      noun: this.#scene.kindOf(desired).noun,
      liveId: this.#scene.liveOf(desired.address)?.id,
      phase,
      cause: more.cause,
      reason: more.reason ?? '',
      fields: more.fields ?? [],
      risks: more.risks ?? [],
      calls: calls.map(trimCall),
      gives: more.gives ?? {},
      releases: more.releases ?? [],
    });
  }

  #refuse(desired: DesiredNode, kind: Kind, refusal: Refusal, field?: string): void {
    const at = (field === undefined ? undefined : desired.fieldAt[field]) ?? desired.at;
    this.#problems.push({
      severity: 'error',
      code: field === undefined ? 'cannot-create' : 'cannot-change',
      message: `${kind.noun} ${desired.key}: ${refusal.refuse}`,
      address: desired.address,
      at,
      suggestion: refusal.suggestion,
    });
  }
}

/** Adds the step that deletes a live object. */
export function draftDelete(
  scene: Scene,
  draft: PlanDraft,
  live: LiveNode,
  address: string,
  reason: string,
): DraftStep | undefined {
  const kind = scene.kindOf(live);
  if (kind.calls.delete === undefined) return undefined;
  return draft.add({
    address,
    kind: live.kind,
    noun: kind.noun,
    liveId: live.id,
    ...(scene.tree.nodes.has(address) ? {} : { title: titleOf(scene, live) }),
    phase: 'delete',
    cause: deletionCause(scene, live, address),
    reason,
    fields: lostFields(scene, live, address),
    risks: kind.cost === undefined ? [] : [kind.cost],
    calls: [trimCall(kind.calls.delete(scene.contextOfLive(live, address)))],
    gives: {},
    releases: Object.keys(live.fields).flatMap((name) => releasedBy(kind, name, live.fields[name])),
  });
}

/** What is lost with an object; ids of declared objects as their addresses. */
function lostFields(scene: Scene, live: LiveNode, address: string): readonly FieldChange[] {
  const { fields } = scene.kindOf(live);
  const said = [scene.tree.nodes.get(address), baseNodeOf(scene, live.kind, live.id)];
  return Object.keys(fields).flatMap((field) => {
    const value = live.fields[field];
    if (value === undefined) return [];
    if (said.some((node) => holdsSecret(node?.fields[field])))
      return [{ field, before: new Secret('(hidden)', '') }];
    const { reference } = fields[field] ?? {};
    const shown =
      reference?.of === 'value' && typeof value === 'string' ? scene.showId(reference.kinds, value) : value;
    return [{ field, before: shown }];
  });
}

function releasedBy(kind: Kind, name: string, before: Payload | undefined): readonly string[] {
  const reference = kind.fields[name]?.reference;
  if (reference?.of !== 'value' || typeof before !== 'string') return [];
  return reference.kinds.map((target) => liveKey(target, before));
}

function pickNames(
  fields: Readonly<Record<string, Payload>>,
  names: readonly string[],
): Readonly<Record<string, Payload>> {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}
