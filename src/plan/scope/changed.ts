/**
 * Turns changes of the manifests since the base into a target: the changed objects, other objects that their steps may touch,
 * and lists that must be read as a whole to identify objects. Other objects are not read.
 */
import type { Registry } from '../../kinds/registry.ts';
import { covers, inside, prefixesOf } from '../../tree/addressing.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { differencesBetween } from '../../tree/difference.ts';
import { referencesOf } from '../../tree/references.ts';
import type { AddressMatcher } from '../../util/glob.ts';
import { sameJson } from '../../util/json.ts';
import type { WasApplied } from '../past.ts';

export interface Changed {
  readonly target: AddressMatcher;
  /** Objects that were added, removed or moved, or that may be matched differently now. */
  readonly structural: ReadonlySet<string>;
  readonly isNothing: boolean;
}

interface ChangeSource {
  readonly desired: DesiredTree;
  readonly base: DesiredTree;
  readonly registry: Registry;
  readonly wasApplied: WasApplied | undefined;
}

/** Expects canonical trees. Returns undefined if settings changed that affect all objects. */
export function changedSince(trees: ChangeSource): Changed | undefined {
  const { desired, base } = trees;
  const decisive = ({ settings: one }: DesiredTree) => [one.prune, one.pruneKinds, one.service];
  return sameJson(decisive(desired), decisive(base)) ? new ChangeFinder(trees).changed() : undefined;
}

class ChangeFinder {
  readonly #trees: ChangeSource;
  readonly #touched = new Set<string>();
  readonly #structural = new Set<string>();
  /** Lists in which objects were added or removed. */
  readonly #lists = new Set<string>();

  constructor(trees: ChangeSource) {
    this.#trees = trees;
  }

  changed(): Changed {
    const { desired, base } = this.#trees;
    for (const { address, field } of differencesBetween(desired, base)) {
      this.#touched.add(address);
      const node = desired.get(address) ?? base.get(address);
      if (field === undefined || this.#isReplacing(node, field)) this.#addStructural(address);
    }
    for (const node of desired.nodes.values()) {
      const former = base.get(node.address);
      if (former !== undefined) this.#compare(node, former);
    }
    if (this.#structural.size > 0) this.#addAround();
    const isNothing =
      this.#touched.size + this.#lists.size === 0 && sameJson(desired.settings, base.settings);
    return { target: this.#target(), structural: this.#structural, isNothing };
  }

  #isReplacing(node: DesiredNode | undefined, field: string): boolean {
    return node !== undefined && this.#trees.registry.byName(node.kind).fields[field]?.change === 'replace';
  }

  #addStructural(address: string): void {
    if (address === rootAddress) return;
    this.#structural.add(address);
    this.#lists.add(prefixesOf(address).at(-2) ?? '');
  }

  #compare(node: DesiredNode, former: DesiredNode): void {
    const { desired, base, registry } = this.#trees;
    const { address, kind } = node;
    this.#compareInputs(node);
    for (const collection of registry.collectionsOf(kind)) {
      const [is, was] = [node, former].map(({ declares }) => declares.includes(collection));
      const list = inside(address, collection);
      if (is !== was) {
        this.#lists.add(list);
        if (address !== rootAddress) this.#addStructural(address);
      }
      if (!registry.at(kind, collection).some(({ place }) => place.ordered)) continue;
      const [now, then] = [desired, base].map((tree) =>
        tree.childrenOf(address, collection).map((child) => child.address),
      );
      // The live order determines which of them must move.
      if (!sameJson(now, then)) for (const one of [...(now ?? []), ...(then ?? [])]) this.#touched.add(one);
    }
  }

  /** Compares with the last applied value, because the base is filled in with today's variables. */
  #compareInputs({ address, kind, fields, inputs }: DesiredNode): void {
    const { registry, wasApplied } = this.#trees;
    for (const name of Object.keys(inputs ?? {})) {
      const [field, value] = [registry.byName(kind).fields[name], fields[name]];
      if (field === undefined || value === undefined) continue;
      if (wasApplied?.({ address, name, field }, value) === true) continue;
      this.#touched.add(address);
      if (field.change === 'replace') this.#addStructural(address);
    }
  }

  /** Adds ancestors, which may name a child as their default, and objects that refer to the new or removed ones. */
  #addAround(): void {
    const { desired, base, registry } = this.#trees;
    for (const tree of [desired, base])
      for (const node of tree.nodes.values()) {
        if (this.#structural.has(node.address))
          for (const above of tree.ancestorsOf(node)) this.#touched.add(above.address);
        const isMeant = referencesOf(tree, node, registry).some(
          ({ target }) => target.type === 'node' && this.#structural.has(target.address),
        );
        if (isMeant) this.#touched.add(node.address);
      }
  }

  #target(): AddressMatcher {
    const isInside = covers(this.#structural);
    const above = new Set([...this.#touched, ...this.#lists].flatMap(prefixesOf));
    const isListed = (address: string) => {
      const at = address.indexOf('/id=');
      return at >= 0 && this.#lists.has(address.slice(0, at));
    };
    const matches = (address: string) => this.#touched.has(address) || isInside(address) || isListed(address);
    return Object.assign(matches, { reaches: (parent: string) => above.has(parent) || isInside(parent) });
  }
}
