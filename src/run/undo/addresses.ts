/** Addresses of live objects as they are before a plan is applied, also of those that no manifest lists. Pure. */
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { RefMap } from '../../tree/refs.ts';
import type { BeforeApply } from './touched.ts';

/** Where a node of a desired tree is. */
export type LiveSpot = Pick<DesiredNode, 'address' | 'key' | 'collection'> & { readonly parent?: string };

/** Gives each live object one address, the same for the same state. */
export class Addresses {
  readonly #before: BeforeApply;
  /** Addresses that the manifests give to live objects, those aside that the plan replaces or deletes. */
  readonly #declared = new RefMap<string>();
  /** Names of objects that the plan replaces or deletes, and of declared ones. */
  readonly #keys = new RefMap<string>();
  readonly #spots = new RefMap<LiveSpot>();
  readonly #taken = new Set<string>();

  constructor(before: BeforeApply) {
    this.#before = before;
    const { plan, desired, live, registry } = before;
    for (const { kind, id, key } of before.base?.nodes.values() ?? [])
      if (id !== undefined) this.#keys.set({ kind, id }, key);
    for (const node of desired.nodes.values()) {
      const id = idOf(before, node);
      if (id === undefined || !live.has({ kind: node.kind, id })) continue;
      this.#declared.set({ kind: node.kind, id }, node.address);
      this.#keys.set({ kind: node.kind, id }, node.key);
    }
    for (const { phase, kind, liveId, address } of plan.steps) {
      const key = address.slice(address.lastIndexOf('/') + 1);
      if (phase === 'delete' && liveId !== undefined) this.#keys.set({ kind, id: liveId }, key);
    }
    this.#spots.set(
      { kind: registry.root.name, id: live.organizationId },
      { address: rootAddress, key: '', collection: '' },
    );
  }

  /** The declared address of an object that stays; undefined for others. */
  declaredOf(live: LiveNode): string | undefined {
    return this.#declared.get(live);
  }

  /** Where the object is now. */
  spotOf(live: LiveNode): LiveSpot {
    const known = this.#spots.get(live);
    if (known !== undefined) return known;
    const container = this.#before.live.parentOf(live);
    const parent = container === undefined ? undefined : this.spotOf(container);
    const spot = this.inside(live, parent?.address ?? rootAddress, container?.kind);
    this.#spots.set(live, spot);
    return spot;
  }

  /** Where the object is inside of a parent. */
  inside(live: LiveNode, parent: string, parentKind = this.#before.registry.root.name): LiveSpot {
    const kind = this.#before.registry.byName(live.kind);
    const place = kind.places.find((one) => one.parent === parentKind) ?? kind.places[0];
    const collection = place?.key ?? live.kind;
    const prefix = `${parent === rootAddress ? '' : `${parent}/`}${collection}`;
    if (place?.shape === 'single') return { address: prefix, key: collection, collection, parent };
    const unique = kind.key?.is === 'field' ? String(live.fields[kind.key.field] ?? live.id) : live.id;
    const own = kind.key === undefined ? (this.#keys.get(live) ?? `id=${live.id}`) : unique;
    const key = this.#taken.has(`${prefix}/${own}`) ? `id=${live.id}` : own;
    this.#taken.add(`${prefix}/${key}`);
    return { address: `${prefix}/${key}`, key, collection, parent };
  }
}

/** The id of the live object that an address keeps; undefined for those that have yet to be made. */
export function idOf({ plan, desired, live, registry }: BeforeApply, node: DesiredNode): string | undefined {
  if (node.parent === undefined) return live.organizationId;
  if (registry.byName(node.kind).idParam !== undefined) return plan.ids[node.address];
  // The only object of its kind has the id of its parent.
  const parent = desired.get(node.parent);
  const id = parent && idOf({ plan, desired, live, registry, base: undefined }, parent);
  return id !== undefined && live.has({ kind: node.kind, id }) ? id : undefined;
}
