/**
 * The three things a plan is made of, side by side: what is wanted, what is live, and which belongs to which. Answers
 * the questions that all planning stages ask: an address's id, a field's value as a request would hold it, what is new.
 */

import type { CallContext, ChildView, Field, Kind } from '../kinds/kind.ts';
import type { Fields, Id, Payload, Value } from '../kinds/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { type DesiredNode, type DesiredTree, rootAddress } from '../tree/desired.ts';
import { identityValue } from '../tree/identity.ts';
import { type LiveNode, type LiveTree, liveKey } from '../tree/live.ts';
import { resolveReference } from '../tree/references.ts';
import { sameField } from '../tree/same-field.ts';
import { isRecord } from '../util/json.ts';
import { Secret } from '../util/secret.ts';
import type { Base, Matching } from './match/matching.ts';

/** One planning situation. */
export class Scene {
  readonly tree: DesiredTree;
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly matching: Matching;
  /** What was wanted before, where that is known. */
  readonly base: Base | undefined;
  /** Addresses whose object has yet to be made: unmatched ones, and those that a replace makes anew. */
  readonly fresh: ReadonlySet<string>;
  /** Live objects that a replace removes, by address. */
  readonly replaced: ReadonlyMap<string, LiveNode>;
  readonly #children = new Map<string, DesiredNode[]>();
  readonly #fresh = new Set<string>();
  readonly #replaced = new Map<string, LiveNode>();
  readonly #peopleByKind = new Map<string, ReadonlyMap<string, LiveNode>>();

  constructor(tree: DesiredTree, live: LiveTree, registry: Registry, matching: Matching, base?: Base) {
    this.base = base;
    this.tree = tree;
    this.live = live;
    this.registry = registry;
    this.matching = matching;
    this.fresh = this.#fresh;
    this.replaced = this.#replaced;
    for (const node of tree.nodes.values()) {
      if (node.parent !== undefined) {
        const list = this.#children.get(node.parent) ?? [];
        list.push(node);
        this.#children.set(node.parent, list);
      }
      if (node.address !== rootAddress && !matching.liveOf.has(node.address)) this.#fresh.add(node.address);
    }
    this.#findReplaced();
  }

  kindOf(node: { readonly kind: string }): Kind {
    return this.registry.byName(node.kind);
  }

  /** The live object that an address keeps: none for fresh ones. */
  liveOf(address: string): LiveNode | undefined {
    return this.#fresh.has(address) ? undefined : this.matching.liveOf.get(address);
  }

  /** What the base says of the same object, under whatever address. */
  baseOf(desired: DesiredNode): DesiredNode | undefined {
    if (this.base === undefined) return undefined;
    const live = this.matching.liveOf.get(desired.address);
    const address =
      live === undefined ? undefined : this.base.matching.addressOf.get(liveKey(live.kind, live.id));
    const node = this.base.tree.nodes.get(address ?? desired.address);
    return node?.kind === desired.kind ? node : undefined;
  }

  /** True for objects that the manifests list only to say that they are no longer managed, and all that stands in them. */
  isReleased(address: string): boolean {
    for (let node = this.tree.nodes.get(address); node !== undefined; ) {
      if (node.lifecycle.release === true) return true;
      node = node.parent === undefined ? undefined : this.tree.nodes.get(node.parent);
    }
    return false;
  }

  /** Desired children in order. */
  childrenOf(address: string, collection?: string): readonly DesiredNode[] {
    const all = this.#children.get(address) ?? [];
    return collection === undefined ? all : all.filter((child) => child.collection === collection);
  }

  idOf(address: string): Id {
    return this.liveOf(address)?.id ?? { $id: address };
  }

  /** The address of a live object that is kept, or its id where no manifest speaks of it. */
  showId(kinds: readonly string[], id: string): Payload {
    for (const kind of kinds) {
      const address = this.matching.addressOf.get(liveKey(kind, id));
      if (address !== undefined && !this.#replaced.has(address)) return { $id: address };
    }
    return id;
  }

  /** The desired values as requests hold them: references as ids. */
  payloadOf(desired: DesiredNode): Readonly<Record<string, Payload>> {
    const kind = this.kindOf(desired);
    return Object.fromEntries(
      Object.entries(desired.fields).map(([name, value]) => [
        name,
        this.#payload(desired, kind.fields[name], value),
      ]),
    );
  }

  /** The address that a reference field names, where a manifest declares it. */
  targetOf(desired: DesiredNode, name: string): string | undefined {
    const reference = this.kindOf(desired).fields[name]?.reference;
    const value = desired.fields[name];
    if (reference?.of !== 'value' || value === undefined || value === null) return undefined;
    const target = resolveReference(this.tree, desired, reference, value);
    return target.type === 'node' ? target.address : undefined;
  }

  /** The live value of a field as the planner compares it: what a replaced object held is gone. */
  liveField(live: LiveNode, name: string): Value | undefined {
    const field = this.kindOf(live).fields[name];
    const value = live.fields[name] ?? field?.absent;
    if (field?.reference?.of !== 'keys' || !isRecord(value) || value instanceof Secret) return value;
    const gone = new Set(
      [...this.#replaced.values()]
        .filter(({ kind }) => field.reference?.kinds.includes(kind))
        .map(({ id }) => id),
    );
    if (gone.size === 0) return value;
    return Object.fromEntries(Object.entries(value as Fields).filter(([key]) => !gone.has(key)));
  }

  /** What the kind's calls are made from. `before`: what the object has when the calls run. */
  contextOf(
    desired: DesiredNode,
    before: Readonly<Record<string, Payload>>,
    id: Id = this.idOf(desired.address),
  ): CallContext {
    const fields = this.payloadOf(desired);
    return {
      address: desired.address,
      key: desired.key,
      id,
      params: this.#params(desired, id),
      fields,
      before,
      container: this.containerOf(desired),
      children: (key) => this.childrenOf(desired.address, key).map((child) => this.#view(child)),
      targetKind: (name) => {
        const target = this.targetOf(desired, name);
        if (target !== undefined) return this.tree.nodes.get(target)?.kind;
        return undefined;
      },
      resolve: (kind, key) => this.resolveKey(kind, key),
    };
  }

  /** A context for a live object that no manifest declares. */
  contextOfLive(live: LiveNode, address: string): CallContext {
    return {
      address,
      key: live.id,
      id: live.id,
      params: live.params,
      fields: {},
      before: {},
      container: live.container,
      children: () => [],
      targetKind: () => undefined,
      resolve: (kind, key) => this.resolveKey(kind, key),
    };
  }

  /** The desired direct parent of an object. */
  containerOf(desired: DesiredNode): { readonly kind: string; readonly id: Id } {
    const parent = desired.parent === undefined ? undefined : this.tree.nodes.get(desired.parent);
    if (parent === undefined) return { kind: desired.kind, id: this.live.organizationId };
    return { kind: parent.kind, id: this.idOf(parent.address) };
  }

  /** The id of the object of a kind with a natural identity, declared or merely live. */
  resolveKey(kindName: string, key: string): Id | undefined {
    let people = this.#peopleByKind.get(kindName);
    if (people === undefined) {
      const [identity] = this.registry.byName(kindName).identities;
      const found = new Map<string, LiveNode>();
      for (const node of this.live.nodes.values()) {
        if (node.kind !== kindName || identity === undefined) continue;
        const value = identityValue(node.fields, identity) ?? node.id;
        if (!found.has(value)) found.set(value, node);
      }
      people = found;
      this.#peopleByKind.set(kindName, found);
    }
    return people.get(key)?.id ?? (this.live.nodes.has(liveKey(kindName, key)) ? key : undefined);
  }

  #view(child: DesiredNode): ChildView {
    return { address: child.address, id: this.idOf(child.address), fields: this.payloadOf(child) };
  }

  #params(desired: DesiredNode, id: Id): Readonly<Record<string, Id>> {
    const chain: DesiredNode[] = [];
    for (let node: DesiredNode | undefined = desired; node !== undefined; ) {
      chain.unshift(node);
      node = node.parent === undefined ? undefined : this.tree.nodes.get(node.parent);
    }
    const params: Record<string, Id> = {};
    for (const node of chain) {
      const { idParam } = this.kindOf(node);
      if (idParam !== undefined) params[idParam] = node === desired ? id : this.idOf(node.address);
    }
    return params;
  }

  #payload(desired: DesiredNode, field: Field | undefined, value: Value): Payload {
    const reference = field?.reference;
    if (value === null || reference?.of !== 'value') return value;
    const target = resolveReference(this.tree, desired, reference, value);
    if (target.type === 'node') return this.idOf(target.address);
    if (target.type === 'id') return target.id;
    return value;
  }

  /** Finds what only a new object can become, and everything that goes down with it, until nothing is added. */
  #findReplaced(): void {
    for (let before = -1; before !== this.#fresh.size; ) {
      before = this.#fresh.size;
      for (const desired of this.tree.nodes.values()) {
        const live = this.matching.liveOf.get(desired.address);
        if (live === undefined || this.#fresh.has(desired.address)) continue;
        const scope = this.scopeAddress(desired);
        if (scope !== undefined && this.#fresh.has(scope)) this.#fresh.add(desired.address);
        else if (this.replacingFields(desired, live).length > 0) {
          this.#fresh.add(desired.address);
          this.#replaced.set(desired.address, live);
        }
      }
    }
  }

  /** Fields that only a new object can have otherwise. */
  replacingFields(desired: DesiredNode, live: LiveNode): readonly string[] {
    const kind = this.kindOf(desired);
    return Object.keys(desired.fields).filter((name) => {
      const field = kind.fields[name];
      if (field?.change !== 'replace' || desired.lifecycle.ignore.includes(name)) return false;
      const desiredValue = this.#payload(desired, field, desired.fields[name] ?? null);
      return !sameField(field, desiredValue, live.fields[name] ?? field.absent);
    });
  }

  /** The address of the object inside which the kind of a desired one looks for identities. */
  scopeAddress(desired: DesiredNode): string | undefined {
    const { scope } = this.kindOf(desired);
    if (scope === 'parent') return desired.parent;
    let node = desired.parent === undefined ? undefined : this.tree.nodes.get(desired.parent);
    while (node !== undefined && node.kind !== scope) {
      node = node.parent === undefined ? undefined : this.tree.nodes.get(node.parent);
    }
    return node?.address;
  }
}
