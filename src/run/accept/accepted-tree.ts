/** One organization while its live state is accepted: which live object has which address, and how live values are written. */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { Data } from '../../manifest/emit/data.ts';
import { dataOf } from '../../manifest/emit/data.ts';
import { chooseKeys } from '../../manifest/emit/keys.ts';
import { fieldData, type LiveDataOptions, objectData } from '../../manifest/emit/live-data.ts';
import { keyOf, ReferenceKeys } from '../../manifest/emit/reference-keys.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { type ObjectRef, RefMap, RefSet } from '../../tree/refs.ts';
import type { AcceptedOrganization } from './request.ts';

/** A live object that manifests get. */
export interface AddedObject {
  readonly node: LiveNode;
  readonly address: string;
  readonly key: string;
  /** The address of the declared object that it is in. */
  readonly parent: string;
  readonly collection: string;
}

/** A value to write, or why there is none: a clause. */
export type LiveValue = { readonly value: Data } | { readonly type: 'absent' } | { readonly reason: string };

/** Looks up and writes live objects of one organization. */
export class AcceptedTree {
  readonly organization: AcceptedOrganization;
  readonly added: readonly AddedObject[];
  /** Live objects that cannot be added, and why: a clause. */
  readonly unnamed: readonly { readonly node: LiveNode; readonly reason: string }[];
  readonly #registry: Registry;
  readonly #addresses = new RefMap<string>();
  readonly #ids = new Map<string, string>();
  readonly #options: LiveDataOptions;
  readonly #moved = new Set<string>();
  #reasons: string[] = [];

  /** `additions`: the outermost live objects that are added, in the order of their places. */
  constructor(organization: AcceptedOrganization, registry: Registry, additions: readonly LiveNode[]) {
    this.organization = organization;
    this.#registry = registry;
    this.#knowAddresses();
    const inside = additions.flatMap((node) => [node, ...this.#below(node)]);
    const nodes = [...organization.live.nodes()].filter((node) => this.#addresses.has(node));
    const { keys, unnamed } = chooseKeys([...nodes, ...inside], {
      registry,
      knownKeyOf: (node) => this.#declaredKey(node),
    });
    this.unnamed = unnamed;
    this.added = this.#addressed(inside, keys, new RefSet(additions));
    const { tree, live } = organization;
    this.#options = {
      registry,
      live,
      addressOf: (ref) => this.#addresses.get(ref),
      references: new ReferenceKeys([
        ...tree.nodes.values(),
        ...inside.flatMap((node) => {
          const address = this.#addresses.get(node);
          return address === undefined ? [] : [{ kind: node.kind, address }];
        }),
      ]),
      isPinned: organization.isPinned ?? (() => false),
      childrenOf: (node, collection) => this.#childrenOf(node, collection),
      onLeftOut: ({ reason }) => this.#reasons.push(reason),
    };
  }

  /** The live counterpart of a declared object. */
  liveOf(address: string): LiveNode | undefined {
    const node = this.organization.tree.get(address);
    const id = this.#ids.get(address);
    return node === undefined || id === undefined
      ? undefined
      : this.organization.live.get({ kind: node.kind, id });
  }

  addressOf(ref: ObjectRef): string | undefined {
    return this.#addresses.get(ref);
  }

  kindOf(node: { readonly kind: string }): Kind {
    return this.#registry.byName(node.kind);
  }

  /** The keys of a declared or added object in the order in which they are documented; undefined for others. */
  keysOf(address: string): readonly string[] | undefined {
    const { tree } = this.organization;
    const node = tree.get(address) ?? this.#liveAt(address);
    if (node === undefined) return undefined;
    const collections = this.#registry.collectionsOf(node.kind);
    if (address === rootAddress) return ['octavo', 'organization', 'settings', ...collections];
    return ['id', 'was', 'lifecycle', ...Object.keys(this.kindOf(node).fields), ...collections];
  }

  #liveAt(address: string): LiveNode | undefined {
    return this.organization.live.nodes().find((node) => this.#addresses.get(node) === address);
  }

  /** True where the order of the entries under a key of a declared object counts. */
  isOrdered(address: string, collection: string): boolean {
    const node = this.organization.tree.get(address);
    return node !== undefined && this.#registry.at(node.kind, collection).some(({ place }) => place.ordered);
  }

  /** The live value of a declared field, as manifests write it. */
  liveValue(node: DesiredNode, name: string): LiveValue {
    const live = this.liveOf(node.address);
    const field = this.kindOf(node).fields[name];
    if (live === undefined || field === undefined) return { reason: 'its live value is not known' };
    this.#reasons = [];
    const value = fieldData(live, name, this.#options);
    if (value !== undefined) return { value };
    const [reason] = this.#reasons;
    if (reason !== undefined) return { reason };
    const raw = live.fields[name] ?? field.absent;
    if (raw === undefined || raw === null || raw === '')
      return field.nullable === undefined ? { type: 'absent' } : { value: null };
    return { value: dataOf(raw) };
  }

  /** An object with everything inside it; undefined where it cannot be written. */
  dataOf(node: LiveNode): Data | undefined {
    return objectData(node, this.#options);
  }

  /** Remembers that the entry of an object is moved to where it is live. */
  noteMove(address: string): void {
    this.#moved.add(address);
  }

  /** True for an object whose entry is moved, or is inside of one. */
  hasMoved(address: string): boolean {
    const parts = address.split('/');
    return parts.some((_part, at) => this.#moved.has(parts.slice(0, at + 1).join('/')));
  }

  /** True where entries are or will be written under a key of an object. */
  hasChildren(address: string, collection: string): boolean {
    const prefix = `${address === rootAddress ? '' : `${address}/`}${collection}/`;
    const isInside = (one: string) => one.startsWith(prefix);
    return (
      [...this.organization.tree.nodes.keys()].some(isInside) ||
      this.added.some((one) => isInside(one.address)) ||
      [...this.#moved].some((one) => this.#nowAt(one)?.startsWith(prefix) === true)
    );
  }

  #nowAt(address: string): string | undefined {
    const live = this.liveOf(address);
    const parent = live === undefined ? undefined : this.#addresses.get(live.container);
    const node = this.organization.tree.get(address);
    if (parent === undefined || node === undefined) return undefined;
    return `${parent === rootAddress ? '' : `${parent}/`}${node.collection}/${node.key}`;
  }

  /** The objects with an address that are live under a key of an object, in their live order. */
  liveOrder(address: string, collection: string): readonly { address: string; key: string }[] {
    const parent = this.liveOf(address);
    if (parent === undefined) return [];
    return [...this.#liveChildren(parent, collection)].sort(byRank).flatMap((child) => {
      const own = this.#addresses.get(child);
      return own === undefined ? [] : [{ address: own, key: keyOf(own) }];
    });
  }

  #knowAddresses(): void {
    const { tree, plan, live } = this.organization;
    const known = new Map(Object.entries(plan.ids));
    for (const { address, liveId } of plan.steps) if (liveId !== undefined) known.set(address, liveId);
    known.set(rootAddress, live.organizationId);
    for (const node of tree.nodes.values()) {
      const id = known.get(node.address) ?? this.#onlyChild(node, known);
      if (id === undefined || !live.has({ kind: node.kind, id })) continue;
      known.set(node.address, id);
      this.#ids.set(node.address, id);
      this.#addresses.set({ kind: node.kind, id }, node.address);
    }
  }

  /** The live object of a kind without ids of its own: it is the only one, or has the key, inside its parent. */
  #onlyChild({ kind, key, parent }: DesiredNode, known: ReadonlyMap<string, string>): string | undefined {
    const { tree, live } = this.organization;
    const above = parent === undefined ? undefined : tree.get(parent);
    const id = parent === undefined ? undefined : known.get(parent);
    if (above === undefined || id === undefined) return undefined;
    const inside = live.childrenOf({ kind: above.kind, id }).filter((one) => one.kind === kind);
    const { identities } = this.#registry.byName(kind);
    if (identities.length === 0) return inside[0]?.id;
    return inside.find((one) => one.id === key || identities.some(({ field }) => one.fields[field] === key))
      ?.id;
  }

  #declaredKey(node: LiveNode): string | undefined {
    const address = this.#addresses.get(node);
    return address === undefined ? undefined : keyOf(address);
  }

  #below(node: LiveNode): readonly LiveNode[] {
    return this.#registry.collectionsOf(node.kind).flatMap((collection) => {
      const inside = this.#liveChildren(node, collection).filter((child) => !this.#addresses.has(child));
      return inside.flatMap((child) => [child, ...this.#below(child)]);
    });
  }

  #liveChildren(node: LiveNode, collection: string): readonly LiveNode[] {
    const kinds = this.#registry.at(node.kind, collection).map(({ kind }) => kind.name);
    return this.organization.live
      .childrenOf(node)
      .filter((child) => kinds.includes(child.kind) && child.deleted !== true && child.incidental !== true);
  }

  #childrenOf(node: LiveNode, collection: string): readonly LiveNode[] | undefined {
    const own = `${this.#addresses.get(node) ?? ''}/`;
    // What is declared elsewhere stays there, until it is moved.
    const inside = this.#liveChildren(node, collection).filter(
      (child) => this.#addresses.get(child)?.startsWith(own) === true,
    );
    if (inside.length === 0) return undefined;
    return [...inside].sort(byRank);
  }

  /** Gives each added object its address; what is inside another added one is written with it. */
  #addressed(nodes: readonly LiveNode[], keys: RefMap<string>, outermost: RefSet): readonly AddedObject[] {
    const added: AddedObject[] = [];
    for (const node of nodes) {
      const key = keys.get(node);
      const parent = this.#addresses.get(node.container);
      const place = this.kindOf(node).places.find((one) => one.parent === node.container.kind);
      if (key === undefined || parent === undefined || place === undefined) continue;
      const prefix = parent === rootAddress ? '' : `${parent}/`;
      const address = place.shape === 'single' ? `${prefix}${place.key}` : `${prefix}${place.key}/${key}`;
      this.#addresses.set(node, address);
      if (outermost.has(node)) added.push({ node, address, key, parent, collection: place.key });
    }
    return added;
  }
}

function byRank(left: LiveNode, right: LiveNode): number {
  return (left.rank ?? 0) - (right.rank ?? 0);
}
