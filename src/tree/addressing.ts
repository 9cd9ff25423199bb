/**
 * Addresses: their algebra, and the one map between live objects and addresses.
 *
 *     inside('sites/hub', 'sections', 'api')  →  sites/hub/sections/api
 *     inside('organization', 'teams', 'docs') →  teams/docs
 *     inside('sites/hub', 'redirects', '/a/b') →  sites/hub/redirects/:a:b
 */
import type { Kind, Place } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { type DesiredNode, rootAddress } from './desired.ts';
import type { DesiredTree } from './desired-tree.ts';
import type { LiveNode, LiveTree } from './live.ts';
import { type ObjectRef, RefMap } from './refs.ts';

/** The entry key is absent for the only object in a collection. */
export function inside(parent: string, collection: string, key?: string): string {
  const prefix = parent === rootAddress ? '' : `${parent}/`;
  return key === undefined ? `${prefix}${collection}` : `${prefix}${collection}/${key.replaceAll('/', ':')}`;
}

/** Pass the kind to get keys as in manifests: path keys have slashes. */
export function keyOf(address: string, kind?: Kind): string {
  const last = address.slice(address.lastIndexOf('/') + 1);
  return isPathKey(kind) ? last.replaceAll(':', '/') : last;
}

export function isUsableKey(kind: Kind, key: string): boolean {
  const refused = isPathKey(kind) ? /[:\p{Cc}]/u : /[/\p{Cc}]/u;
  return key !== '' && key !== rootAddress && !refused.test(key);
}

/** Keys with one skeleton look alike: the reader refuses two of them in one place, so an export never writes them. */
export function keySkeleton(key: string): string {
  return key.normalize('NFKC').replace(/\p{DI}/gu, '');
}

export function isPathKey(kind: Kind | undefined): boolean {
  return kind?.manifest.key?.is === 'field' && kind.manifest.key.isPath === true;
}

/** Returns `sites`, `sites/hub`, `sites/hub/sections` and itself for `sites/hub/sections/api`. */
export function prefixesOf(address: string): readonly string[] {
  const parts = address.split('/');
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

export function covers(addresses: Iterable<string>): (address: string) => boolean {
  const known = new Set(addresses);
  return (address) => known.has(address) || prefixesOf(address).some((one) => known.has(one));
}

/** Address of the object that contains a collection entry: `sites/hub` for `sites/hub/sections/api`. */
export function parentOf(address: string): string {
  return address.split('/').slice(0, -2).join('/') || rootAddress;
}

/** Key of an object that no manifest lists. */
export function unlistedKey({ id }: { readonly id: string }): string {
  return `id=${id}`;
}

export interface LivePlace {
  readonly address: string;
  readonly key: string;
  readonly collection: string;
  readonly parent?: string;
}

export class Addressing {
  readonly #registry: Registry;
  readonly #live: LiveTree;
  readonly #keys: RefMap<string>;
  readonly #places = new RefMap<LivePlace>();
  readonly #nodes = new Map<string, LiveNode>();

  /** `keys`: of objects that have no key themselves, for their live addresses. */
  constructor(registry: Registry, live: LiveTree, keys = new RefMap<string>()) {
    this.#registry = registry;
    this.#live = live;
    this.#keys = keys;
    const root = live.get({ kind: registry.root.name, id: live.organizationId });
    if (root !== undefined) this.#set(root, { address: rootAddress, key: '', collection: '' });
  }

  declare(tree: DesiredTree, ids: ReadonlyMap<string, string>): this {
    for (const node of tree.nodes.values()) {
      const parent = node.parent === undefined ? undefined : this.at(node.parent);
      const id = node.address === rootAddress ? this.#live.organizationId : ids.get(node.address);
      const live = id === undefined ? this.#onlyChild(node, parent) : this.#live.get({ kind: node.kind, id });
      if (live !== undefined) this.#set(live, node);
    }
    return this;
  }

  addressOf(ref: ObjectRef): string | undefined {
    return this.#places.get(ref)?.address;
  }

  at(address: string): LiveNode | undefined {
    return this.#nodes.get(address);
  }

  placeOf(node: LiveNode): Place | undefined {
    const { places } = this.#registry.byName(node.kind).manifest;
    return places.find(({ parent }) => parent === node.container.kind);
  }

  /** Undefined if the live parent has no address. */
  name(node: LiveNode, key: string): string | undefined {
    const parent = this.addressOf(node.container);
    const place = this.placeOf(node);
    if (parent === undefined || place === undefined) return undefined;
    return this.#put(node, parent, place, key).address;
  }

  /**
   * Address at the live place, even if no manifest lists the object: with `id=` if it has no key, or if another object has the address.
   * The same live state always gives the same address.
   */
  locate(node: LiveNode): LivePlace {
    const known = this.#places.get(node);
    if (known !== undefined) return known;
    const above = this.#live.parentOf(node);
    const parent = above === undefined ? rootAddress : this.locate(above).address;
    const { key, places } = this.#registry.byName(node.kind).manifest;
    const place = this.placeOf(node) ?? places[0];
    const value = key?.is === 'field' ? node.fields[key.field] : undefined;
    const own = key === undefined ? (this.#keys.get(node) ?? unlistedKey(node)) : String(value ?? node.id);
    const isTaken = this.#nodes.has(inside(parent, place?.key ?? node.kind, own));
    return this.#put(node, parent, place, isTaken ? unlistedKey(node) : own);
  }

  childrenOf(node: ObjectRef, collection: string): readonly LiveNode[] {
    const kinds = this.#registry.at(node.kind, collection).map(({ kind }) => kind.name);
    return this.#live
      .childrenOf(node)
      .filter(
        (child) => kinds.includes(child.kind) && child.deleted !== true && child.seenInPassing !== true,
      );
  }

  /** Kinds without ids have one object per parent. */
  #onlyChild({ kind }: DesiredNode, parent: LiveNode | undefined): LiveNode | undefined {
    if (parent === undefined || this.#registry.byName(kind).identity.idParam !== undefined) return undefined;
    return this.#live.childrenOf(parent).find((one) => one.kind === kind);
  }

  #put(node: LiveNode, parent: string, place: Place | undefined, key: string): LivePlace {
    const collection = place?.key ?? node.kind;
    const isSingle = place?.shape === 'single';
    const address = inside(parent, collection, isSingle ? undefined : key);
    return this.#set(node, { address, key: isSingle ? collection : key, collection, parent });
  }

  #set(node: LiveNode, place: LivePlace): LivePlace {
    this.#places.set(node, place);
    this.#nodes.set(place.address, node);
    return place;
  }
}
