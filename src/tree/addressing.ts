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

/** Without an entry key, the only object there. */
export function inside(parent: string, collection: string, key?: string): string {
  const prefix = parent === rootAddress ? '' : `${parent}/`;
  return key === undefined ? `${prefix}${collection}` : `${prefix}${collection}/${key.replaceAll('/', ':')}`;
}

/** The kind matters for keys as the manifests write them: those that are paths have slashes. */
export function keyOf(address: string, kind?: Kind): string {
  const last = address.slice(address.lastIndexOf('/') + 1);
  return isPathKey(kind) ? last.replaceAll(':', '/') : last;
}

export function isUsableKey(kind: Kind, key: string): boolean {
  const refused = isPathKey(kind) ? /[:\p{Cc}]/u : /[/\p{Cc}]/u;
  return key !== '' && key !== rootAddress && !refused.test(key);
}

export function isPathKey(kind: Kind | undefined): boolean {
  return kind?.manifest.key?.is === 'field' && kind.manifest.key.isPath === true;
}

/** `sites`, `sites/hub`, `sites/hub/sections` and itself, for `sites/hub/sections/api`. */
export function prefixesOf(address: string): readonly string[] {
  const parts = address.split('/');
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

export function covers(addresses: Iterable<string>): (address: string) => boolean {
  const known = new Set(addresses);
  return (address) => known.has(address) || prefixesOf(address).some((one) => known.has(one));
}

/** The address of the object around an entry of a collection: `sites/hub` for `sites/hub/sections/api`. */
export function parentOf(address: string): string {
  return address.split('/').slice(0, -2).join('/') || rootAddress;
}

export class Addressing {
  readonly #registry: Registry;
  readonly #live: LiveTree;
  readonly #addresses = new RefMap<string>();
  readonly #nodes = new Map<string, LiveNode>();

  constructor(registry: Registry, live: LiveTree) {
    this.#registry = registry;
    this.#live = live;
    const root = live.get({ kind: registry.root.name, id: live.organizationId });
    if (root !== undefined) this.set(root, rootAddress);
  }

  declare(tree: DesiredTree, ids: ReadonlyMap<string, string>): this {
    for (const node of tree.nodes.values()) {
      const parent = node.parent === undefined ? undefined : this.at(node.parent);
      const id = node.address === rootAddress ? this.#live.organizationId : ids.get(node.address);
      const live = id === undefined ? this.#onlyChild(node, parent) : this.#live.get({ kind: node.kind, id });
      if (live !== undefined) this.set(live, node.address);
    }
    return this;
  }

  set(node: LiveNode, address: string): void {
    this.#addresses.set(node, address);
    this.#nodes.set(address, node);
  }

  addressOf(ref: ObjectRef): string | undefined {
    return this.#addresses.get(ref);
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
    const parent = this.#addresses.get(node.container);
    const place = this.placeOf(node);
    if (parent === undefined || place === undefined) return undefined;
    const address = inside(parent, place.key, place.shape === 'single' ? undefined : key);
    this.set(node, address);
    return address;
  }

  childrenOf(node: ObjectRef, collection: string): readonly LiveNode[] {
    const kinds = this.#registry.at(node.kind, collection).map(({ kind }) => kind.name);
    return this.#live
      .childrenOf(node)
      .filter((child) => kinds.includes(child.kind) && child.deleted !== true && child.incidental !== true);
  }

  /** Kinds without ids of their own have one object per parent. */
  #onlyChild({ kind }: DesiredNode, parent: LiveNode | undefined): LiveNode | undefined {
    if (parent === undefined || this.#registry.byName(kind).identity.idParam !== undefined) return undefined;
    return this.#live.childrenOf(parent).find((one) => one.kind === kind);
  }
}
