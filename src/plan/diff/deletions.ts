/** What is live and not wanted: deleted where the policy says so, listed as unmanaged where it does not. */

import { declaredCollections } from '../../tree/declared-collections.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import { type LiveNode, liveKey } from '../../tree/live.ts';
import { pruneOf } from '../../tree/settings.ts';
import type { Scene } from '../context.ts';
import { type PlanDraft, stepId } from '../order/draft.ts';
import { draftDelete, trimCall } from '../order/steps.ts';
import type { CascadedDelete, Unmanaged } from '../plan.ts';
import { titleOf } from '../title-of.ts';
import { baseNodeOf, expulsionCause, isInBase } from './cause.ts';

/** A live object that will be gone after the plan. */
export interface Doomed {
  readonly live: LiveNode;
  readonly address: string;
  /** True when the delete of something above takes it along and no call of its own is made. */
  readonly absorbed: boolean;
  /** The id of the step that deletes it, or the object that takes it along; absent where no call deletes it. */
  readonly by?: string;
}

/** What became of everything that is live and not wanted. */
export interface Unlisted {
  readonly doomed: readonly Doomed[];
  readonly unmanaged: readonly Unmanaged[];
}

/** Adds the deletes that the policy asks for, and what exact values take out of their containers. */
export function draftDeletes(scene: Scene, draft: PlanDraft): Unlisted {
  const sorter = new UnlistedSorter(scene);
  const doomed: Doomed[] = [];
  const unmanaged: Unmanaged[] = [];
  for (const live of sortedNodes(scene)) {
    const fate = sorter.fateOf(live);
    if (fate.type === 'kept') continue;
    const { address } = fate;
    const kind = scene.kindOf(live);
    if (fate.type === 'absorbed') doomed.push({ live, address, absorbed: true, ...sorter.takerOf(live) });
    else if (fate.type === 'deleted') {
      const former = isInBase(scene, live.kind, live.id);
      const reason = former ? 'no longer in the manifests' : 'not in the manifests (prune: unlisted)';
      draftDelete(scene, draft, live, address, reason);
      doomed.push({ live, address, absorbed: false, by: stepId(address, 'delete') });
    } else {
      unmanaged.push({ address, kind: kind.name, noun: kind.noun, id: live.id, title: titleOf(scene, live) });
      draftExpulsion(scene, draft, live, address);
    }
  }
  for (const { live, absorbed, by } of doomed) {
    const step = absorbed && by !== undefined ? draft.steps.get(by) : undefined;
    if (step === undefined) continue;
    step.cascade ??= [];
    step.cascade.push(cascadedDelete(scene, live));
  }
  return { doomed, unmanaged };
}

function cascadedDelete(scene: Scene, live: LiveNode): CascadedDelete {
  return { kind: live.kind, noun: scene.kindOf(live).noun, id: live.id, title: titleOf(scene, live) };
}

/** An unlisted object leaves a container whose members are exact, where leaving is a call of its own. */
function draftExpulsion(scene: Scene, draft: PlanDraft, live: LiveNode, address: string): void {
  const kind = scene.kindOf(live);
  const detach = kind.calls.detach?.(scene.contextOfLive(live, address), live.container);
  if (detach === undefined || !scene.matching.addressOf.has(liveKey(live.container.kind, live.container.id)))
    return;
  draft.add({
    address,
    kind: kind.name,
    noun: kind.noun,
    liveId: live.id,
    title: titleOf(scene, live),
    phase: 'detach',
    cause: expulsionCause(scene, live),
    reason: `${scene.matching.addressOf.get(liveKey(live.container.kind, live.container.id))} does not list it`,
    fields: [],
    risks: [],
    calls: [trimCall(detach)],
    gives: {},
    releases: [],
  });
}

type Fate =
  | { readonly type: 'kept' }
  | { readonly type: 'deleted' | 'absorbed' | 'unmanaged'; readonly address: string };

/** Decides what becomes of live objects; asks for containers first, so that what goes down with them is known. */
class UnlistedSorter {
  readonly #scene: Scene;
  readonly #fates = new Map<string, Fate>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  fateOf(live: LiveNode): Fate {
    const key = liveKey(live.kind, live.id);
    const known = this.#fates.get(key);
    if (known !== undefined) return known;
    this.#fates.set(key, { type: 'kept' });
    const fate = this.#decide(live);
    this.#fates.set(key, fate);
    return fate;
  }

  /** The step whose delete takes an absorbed object along. */
  takerOf(live: LiveNode): { readonly by?: string } {
    const scene = this.#scene;
    for (let node = live; ; ) {
      const above = scene.live.nodes.get(liveKey(node.container.kind, node.container.id));
      if (above === undefined || above === node) return {};
      const claimed = scene.matching.addressOf.get(liveKey(above.kind, above.id));
      if (claimed !== undefined && scene.replaced.has(claimed)) return { by: stepId(claimed, 'delete') };
      const fate = claimed === undefined ? this.fateOf(above) : undefined;
      if (fate?.type === 'deleted') return { by: stepId(fate.address, 'delete') };
      node = above;
    }
  }

  #decide(live: LiveNode): Fate {
    const scene = this.#scene;
    const claimed = scene.matching.addressOf.get(liveKey(live.kind, live.id));
    const containerKey = liveKey(live.container.kind, live.container.id);
    const container = scene.live.nodes.get(containerKey);
    if (container === undefined || container === live) return { type: 'kept' };
    const containerAddress = scene.matching.addressOf.get(containerKey);
    const replacedAbove = containerAddress !== undefined && scene.replaced.has(containerAddress);
    const above = containerAddress === undefined ? this.fateOf(container) : undefined;
    if (replacedAbove || above?.type === 'deleted' || above?.type === 'absorbed') {
      const absorbs = this.#cascadesTo(container, live.kind);
      const prefix = containerAddress ?? (above !== undefined && 'address' in above ? above.address : '');
      if (absorbs)
        return { type: 'absorbed', address: claimed ?? this.#addressBelow(prefix, container.kind, live) };
    }
    if (claimed !== undefined || live.deleted === true) return { type: 'kept' };
    const former = baseNodeOf(scene, live.kind, live.id);
    if (above?.type === 'kept' || above?.type === 'unmanaged') {
      // What stands in an object that stays and is not ours is not ours either, unless it was put there since.
      if (former === undefined || this.#stoodIn(former, container)) return { type: 'kept' };
    }
    if (former?.lifecycle.release === true) return { type: 'kept' };
    if (former !== undefined && pruneOf(scene.tree.settings, live.kind) !== 'never')
      return this.#fateOfFormer(live, former);
    if (live.incidental === true) return { type: 'kept' };
    const parentAddress =
      containerAddress ?? (above !== undefined && 'address' in above ? above.address : undefined);
    if (parentAddress === undefined) return { type: 'kept' };
    const declared =
      containerAddress === undefined ? true : this.#declares(containerAddress, container.kind, live.kind);
    if (!declared) return { type: 'kept' };
    const address = this.#addressBelow(parentAddress, container.kind, live);
    return {
      type: pruneOf(scene.tree.settings, live.kind) === 'unlisted' ? 'deleted' : 'unmanaged',
      address,
    };
  }

  /** What the manifests declared and no longer do. */
  #fateOfFormer(live: LiveNode, former: DesiredNode): Fate {
    const taken = this.#scene.tree.nodes.has(former.address);
    const prefix = former.address.slice(0, former.address.length - former.key.length);
    return { type: 'deleted', address: taken ? `${prefix}id=${live.id}` : former.address };
  }

  #stoodIn(former: DesiredNode, container: LiveNode): boolean {
    return (
      former.parent !== undefined && this.#scene.base?.matching.liveOf.get(former.parent)?.id === container.id
    );
  }

  #cascadesTo(container: LiveNode, kind: string): boolean {
    for (let node: LiveNode | undefined = container; node !== undefined; ) {
      if (this.#scene.kindOf(node).cascadesTo?.includes(kind) === true) return true;
      const above: LiveNode | undefined = this.#scene.live.nodes.get(
        liveKey(node.container.kind, node.container.id),
      );
      node = above === node ? undefined : above;
      if (node !== undefined && !this.#isGoing(node)) return false;
    }
    return false;
  }

  #isGoing(live: LiveNode): boolean {
    const claimed = this.#scene.matching.addressOf.get(liveKey(live.kind, live.id));
    if (claimed !== undefined) return this.#scene.replaced.has(claimed);
    const fate = this.fateOf(live);
    return fate.type === 'deleted' || fate.type === 'absorbed';
  }

  #declares(address: string, containerKind: string, kind: string): boolean {
    const desired = this.#scene.tree.nodes.get(address);
    return (
      desired !== undefined &&
      declaredCollections(this.#scene.registry, desired).some((key) =>
        this.#scene.registry.at(containerKind, key).some((one) => one.kind.name === kind),
      )
    );
  }

  #addressBelow(parent: string, containerKind: string, live: LiveNode): string {
    const place = this.#scene.kindOf(live).places.find((one) => one.parent === containerKind);
    const prefix = parent === rootAddress ? '' : `${parent}/`;
    return `${prefix}${place?.key ?? live.kind}/id=${live.id}`;
  }
}

function sortedNodes(scene: Scene): readonly LiveNode[] {
  return [...scene.live.nodes.values()].sort((left, right) => {
    const [a, b] = [liveKey(left.kind, left.id), liveKey(right.kind, right.id)];
    return a < b ? -1 : a > b ? 1 : 0;
  });
}
