/**
 * Base, want and live: says of each difference whether the manifests changed, the live state drifted, or both did and
 * disagree. Without a base nothing can be told.
 */

import type { Field } from '../../kinds/kind.ts';
import type { Payload, Value } from '../../kinds/payload.ts';
import { declaredCollections } from '../../tree/declared-collections.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { type LiveNode, liveKey } from '../../tree/live.ts';
import { resolveReference } from '../../tree/references.ts';
import { sameField } from '../../tree/same-field.ts';
import { pruneOf } from '../../tree/settings.ts';
import { revealSecrets } from '../../util/secret.ts';
import type { Scene } from '../context.ts';
import type { Cause } from '../plan.ts';

/** Why a field differs from what is live; undefined without a base. */
export function fieldCause(
  scene: Scene,
  desired: DesiredNode,
  name: string,
  before: Payload | undefined,
): Cause | undefined {
  if (scene.base === undefined) return undefined;
  const field = scene.kindOf(desired).fields[name];
  const base = scene.baseOf(desired);
  const was = base?.fields[name];
  const desiredValue = desired.fields[name];
  if (field === undefined || base === undefined || was === undefined || desiredValue === undefined)
    return 'changed';
  if (sameWish(scene, field, desired, desiredValue, base, was)) return 'drift';
  return sameField(field, baseAsLive(scene, field, base, was), before as Value | undefined)
    ? 'changed'
    : 'conflict';
}

/** What the base says of a field, as it is shown. */
export function baseValue(scene: Scene, desired: DesiredNode, name: string): Payload | undefined {
  const base = scene.baseOf(desired);
  const value = base?.fields[name];
  const reference = scene.kindOf(desired).fields[name]?.reference;
  if (scene.base === undefined || base === undefined || value === undefined || value === null) return value;
  if (reference?.of !== 'value') return value;
  const target = resolveReference(scene.base.tree, base, reference, value);
  return target.type === 'node' ? { $id: target.address } : target.type === 'id' ? target.id : value;
}

/** Why an object has to be made or restored: it is new in the manifests, cannot be kept as they want it, or was removed. */
export function creationCause(scene: Scene, desired: DesiredNode): Cause | undefined {
  if (scene.base === undefined) return undefined;
  if (scene.baseOf(desired) === undefined) return 'changed';
  for (let node: DesiredNode | undefined = desired; node !== undefined; ) {
    const replaced = scene.replaced.get(node.address);
    if (replaced !== undefined) return replacementCause(scene, node, replaced);
    node = node.parent === undefined ? undefined : scene.tree.nodes.get(node.parent);
  }
  return 'drift';
}

/** Why an object has to be deleted. What makes room for its replacement goes, and stays, together with it. */
export function deletionCause(scene: Scene, live: LiveNode, address: string): Cause | undefined {
  if (scene.base === undefined) return undefined;
  const desired = scene.tree.nodes.get(address);
  if (desired !== undefined && scene.replaced.get(address) === live) return creationCause(scene, desired);
  if (isInBase(scene, live.kind, live.id)) return 'changed';
  const wasPruned = pruneOf(scene.base.tree.settings, live.kind) === 'unlisted';
  return wasPruned && wasListed(scene, live) ? 'drift' : 'changed';
}

/** Why an object that the manifests do not list has to leave its container. */
export function expulsionCause(scene: Scene, live: LiveNode): Cause | undefined {
  if (scene.base === undefined) return undefined;
  const parent = baseNodeOf(scene, live.kind, live.id)?.parent;
  const there = parent === undefined ? undefined : scene.base.matching.liveOf.get(parent);
  const wasInside = there?.kind === live.container.kind && there.id === live.container.id;
  return !wasInside && wasListed(scene, live) ? 'drift' : 'changed';
}

/** True when the base declared the list that a live object stands in: whatever it does not name came since. */
function wasListed(scene: Scene, live: LiveNode): boolean {
  const container = baseNodeOf(scene, live.container.kind, live.container.id);
  if (container === undefined) return false;
  return declaredCollections(scene.registry, container).some((key) =>
    scene.registry.at(container.kind, key).some(({ kind }) => kind.name === live.kind),
  );
}

function replacementCause(scene: Scene, desired: DesiredNode, live: LiveNode): Cause {
  const names = scene.replacingFields(desired, live);
  const drifted = names.every(
    (name) => fieldCause(scene, desired, name, scene.liveField(live, name)) === 'drift',
  );
  return drifted ? 'drift' : 'changed';
}

/** Why an object stands in another container than the desired one. */
export function containerCause(scene: Scene, desired: DesiredNode): Cause | undefined {
  if (scene.base === undefined) return undefined;
  const parent = scene.baseOf(desired)?.parent;
  if (parent === undefined) return 'changed';
  const live = scene.base.matching.liveOf.get(parent);
  const desiredValue = desired.parent === undefined ? undefined : scene.liveOf(desired.parent);
  return live !== undefined && live === desiredValue ? 'drift' : 'changed';
}

/** Why siblings stand in another order than the desired one. */
export function orderCause(scene: Scene, children: readonly DesiredNode[]): Cause | undefined {
  if (scene.base === undefined) return undefined;
  const places = children.flatMap((child) => {
    const base = scene.baseOf(child);
    return base === undefined ? [] : [{ parent: base.parent, index: base.index }];
  });
  const together = places.every(({ parent }) => parent === places[0]?.parent);
  const inOrder = places.every(({ index }, place) => place === 0 || index > (places[place - 1]?.index ?? -1));
  return together && inOrder && places.length === children.length ? 'drift' : 'changed';
}

function sameWish(
  scene: Scene,
  field: Field,
  desired: DesiredNode,
  desiredValue: Value,
  base: DesiredNode,
  was: Value,
): boolean {
  const { reference } = field;
  if (reference?.of !== 'value' || desiredValue === null || was === null || scene.base === undefined) {
    return sameField(field, desiredValue, revealSecrets(was) as Value);
  }
  const now = resolveReference(scene.tree, desired, reference, desiredValue);
  const then = resolveReference(scene.base.tree, base, reference, was);
  if (now.type === 'id' && then.type === 'id') return now.id === then.id;
  if (now.type !== 'node' || then.type !== 'node') return false;
  if (now.address === then.address) return true;
  const live = scene.matching.liveOf.get(now.address);
  return live !== undefined && live === scene.base.matching.liveOf.get(then.address);
}

/** A value of the base as the service would hold it: references as ids. */
function baseAsLive(scene: Scene, field: Field, base: DesiredNode, was: Value): Payload {
  const { reference } = field;
  if (reference?.of !== 'value' || was === null || scene.base === undefined) return was;
  const target = resolveReference(scene.base.tree, base, reference, was);
  if (target.type === 'id') return target.id;
  const live = target.type === 'node' ? scene.base.matching.liveOf.get(target.address) : undefined;
  return live?.id ?? was;
}

/** True when a live object is one that the base declares. */
export function isInBase(scene: Scene, kind: string, id: string): boolean {
  return scene.base?.matching.addressOf.has(liveKey(kind, id)) === true;
}

/** The base's node of a live object. */
export function baseNodeOf(scene: Scene, kind: string, id: string): DesiredNode | undefined {
  const address = scene.base?.matching.addressOf.get(liveKey(kind, id));
  return address === undefined ? undefined : scene.base?.tree.nodes.get(address);
}
