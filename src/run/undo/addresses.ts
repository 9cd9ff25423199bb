/** Addresses of live objects before a plan is applied, also of those that no manifest lists. */
import { type Addressing, inside, keyOf } from '../../tree/addressing.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { type ObjectRef, RefMap } from '../../tree/refs.ts';
import { type BeforeApply, declaredIn } from './touched.ts';

export type LiveSpot = Pick<DesiredNode, 'address' | 'key' | 'collection'> & { readonly parent?: string };

/** Gives each live object one address, the same for the same state. */
export class Addresses {
  readonly #before: BeforeApply;
  readonly #declared: Addressing;
  /** Keys of declared objects, and of objects that the plan replaces or deletes. */
  readonly #keys = new RefMap<string>();
  readonly #spots = new RefMap<LiveSpot>();
  readonly #taken = new Set<string>();

  constructor(before: BeforeApply) {
    this.#before = before;
    this.#declared = declaredIn(before);
    const { plan, desired, live, registry } = before;
    for (const { kind, id, key } of before.base?.nodes.values() ?? [])
      if (id !== undefined) this.#keys.set({ kind, id }, key);
    for (const node of desired.nodes.values()) {
      const counterpart = this.#declared.at(node.address);
      if (counterpart !== undefined) this.#keys.set(counterpart, node.key);
    }
    for (const { phase, kind, liveId, address } of plan.steps) {
      if (phase === 'delete' && liveId !== undefined)
        this.#keys.set({ kind, id: liveId }, keyOf(address, registry.byName(kind)));
    }
    this.#spots.set(
      { kind: registry.root.name, id: live.organizationId },
      { address: rootAddress, key: '', collection: '' },
    );
  }

  declaredOf(live: ObjectRef): string | undefined {
    return this.#declared.addressOf(live);
  }

  spotOf(live: LiveNode): LiveSpot {
    const known = this.#spots.get(live);
    if (known !== undefined) return known;
    const container = this.#before.live.parentOf(live);
    const parent = container === undefined ? undefined : this.spotOf(container);
    const spot = this.inside(live, parent?.address ?? rootAddress, container?.kind);
    this.#spots.set(live, spot);
    return spot;
  }

  inside(live: LiveNode, parent: string, parentKind = this.#before.registry.root.name): LiveSpot {
    const kind = this.#before.registry.byName(live.kind);
    const place = kind.manifest.places.find((one) => one.parent === parentKind) ?? kind.manifest.places[0];
    const collection = place?.key ?? live.kind;
    const around = inside(parent, collection);
    if (place?.shape === 'single') return { address: around, key: collection, collection, parent };
    const unique =
      kind.manifest.key?.is === 'field' ? String(live.fields[kind.manifest.key.field] ?? live.id) : live.id;
    const own = kind.manifest.key === undefined ? (this.#keys.get(live) ?? `id=${live.id}`) : unique;
    const key = this.#taken.has(inside(parent, collection, own)) ? `id=${live.id}` : own;
    const address = inside(parent, collection, key);
    this.#taken.add(address);
    return { address, key, collection, parent };
  }
}

/** Undefined for an object that has yet to be created. */
export function idOf({ plan, desired, live, registry }: BeforeApply, node: DesiredNode): string | undefined {
  if (node.parent === undefined) return live.organizationId;
  if (registry.byName(node.kind).identity.idParam !== undefined) return plan.ids[node.address];
  // The only object of its kind has the id of its parent.
  const parent = desired.get(node.parent);
  const id = parent && idOf({ plan, desired, live, registry, base: undefined }, parent);
  return id !== undefined && live.has({ kind: node.kind, id }) ? id : undefined;
}
