/** Which desired objects a live one may be, by pinned id, identity or former name, before anything is matched. */
import type { Kind } from '../../kinds/kind.ts';
import type { Fields } from '../../kinds/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity, hadName, identityValue, pinnedId } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { push } from '../../util/group.ts';
import { formerAddresses } from './former-addresses.ts';

/** The desired objects of one tree, indexed so that candidates cost a look-up per identity. */
export class Candidates {
  readonly tree: DesiredTree;
  readonly #registry: Registry;
  readonly #knownIds: ReadonlyMap<string, string>;
  readonly #byKind = new Map<string, KindIndex>();

  constructor(tree: DesiredTree, registry: Registry, knownIds: ReadonlyMap<string, string>) {
    this.tree = tree;
    this.#registry = registry;
    this.#knownIds = knownIds;
  }

  /** The desired objects that a live one may be, in the order of the manifests. */
  of(live: LiveNode): readonly DesiredNode[] {
    if (live.kind === this.#registry.root.name) return this.tree.root === undefined ? [] : [this.tree.root];
    return this.#indexOf(live.kind).find(live.id, live.fields);
  }

  #indexOf(kind: string): KindIndex {
    const known = this.#byKind.get(kind);
    if (known !== undefined) return known;
    const nodes = this.tree.ofKind(kind);
    const index = new KindIndex(this.#registry.byName(kind), nodes, this.#knownIds);
    this.#byKind.set(kind, index);
    return index;
  }
}

class KindIndex {
  readonly #kind: Kind;
  readonly #byId = new Map<string, DesiredNode[]>();
  /** One for each of the kind's identities. */
  readonly #byIdentity: readonly Map<string, DesiredNode[]>[];
  readonly #renamed: DesiredNode[] = [];

  constructor(kind: Kind, nodes: readonly DesiredNode[], knownIds: ReadonlyMap<string, string>) {
    this.#kind = kind;
    this.#byIdentity = kind.identities.map(() => new Map());
    for (const node of nodes) {
      this.#add(node);
      // A known id may be gone: the object is then looked for by its names as well.
      for (const address of [node.address, ...formerAddresses(node)]) {
        const id = knownIds.get(address);
        if (id !== undefined) push(this.#byId, id, node);
      }
    }
  }

  find(id: string, live: Fields): readonly DesiredNode[] {
    const found = new Set(this.#byId.get(id));
    this.#kind.identities.forEach((identity, index) => {
      const value = identityValue(live, identity);
      const nodes = value === undefined ? undefined : this.#byIdentity[index]?.get(value);
      for (const node of nodes ?? []) found.add(node);
    });
    for (const node of this.#renamed) if (hadName(this.#kind, node, live)) found.add(node);
    return [...found].sort((left, right) => left.index - right.index);
  }

  #add(node: DesiredNode): void {
    const pin = pinnedId(this.#kind, node);
    if (pin !== undefined) {
      push(this.#byId, pin, node);
      return;
    }
    if (node.was.length > 0) this.#renamed.push(node);
    this.#kind.identities.forEach((identity, index) => {
      const value = desiredIdentity(node.fields, identity);
      const lists = this.#byIdentity[index];
      if (value !== undefined && lists !== undefined) push(lists, value, node);
    });
  }
}
