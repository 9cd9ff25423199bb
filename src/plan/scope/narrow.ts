/**
 * The part of a desired tree that a targeted plan needs. The unit is a collection of the organization: a collection with a target
 * is planned as a whole, and so are collections to which it refers, or from which its objects may have moved.
 * Among objects whose contents cannot move out, such as sites, only objects with a target inside are expanded.
 *
 * Example: --target 'sites/hub/sections/api' needs
 *   sites          every site by its own fields, and all contents of sites/hub
 *   spaces         and collections, since sites/hub shows some of them
 *   customFields   if one of these spaces has a value
 * and reads no list of teams, members or other sites' contents.
 *
 * For changes since a recorded base, most objects are known by their ids. They are read one by one, with only the objects that they
 * refer to, their ancestors, and their siblings in an order. A collection is planned as a whole only if objects were added, removed
 * or moved in it, or if a needed object is not known.
 */
import { type Field, referenceOf } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import { prefixesOf } from '../../tree/addressing.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { referencesOf } from '../../tree/references.ts';
import { pruneOf } from '../../tree/settings.ts';
import type { AddressMatcher } from '../../util/glob.ts';
import { rememberedByText } from '../../util/remembered.ts';
import { mayBeReplaced } from '../context.ts';
import { formerAddresses } from '../matching.ts';

interface Narrowing {
  readonly registry: Registry;
  readonly target: AddressMatcher;
  /** Present for changes since a base. */
  readonly known:
    | {
        readonly structural: ReadonlySet<string>;
        /** True if the object of the node is known and lives under its id. */
        readonly isKnown: (node: DesiredNode) => boolean;
      }
    | undefined;
}

export interface Trees {
  readonly desired: DesiredTree;
  readonly base: DesiredTree | undefined;
}

export function narrow(trees: Trees, narrowing: Narrowing): Trees {
  return new Narrower(trees, narrowing).narrow();
}

class Narrower {
  readonly #trees: Trees;
  readonly #registry: Registry;
  readonly #target: AddressMatcher;
  readonly #known: Narrowing['known'];
  /** Addresses of needed objects in collections that are not open. */
  readonly #needed = new Set<string>();
  readonly #neededLists = new Set<string>();
  readonly #open = new Set<string>();
  readonly #lookedInto = new Set<string>();
  readonly #whole = new Set<string>();
  readonly #kindsIn = rememberedByText((key) => kindsInside(this.#registry, key));
  #isRootWhole = false;

  constructor(trees: Trees, { registry, target, known }: Narrowing) {
    this.#trees = trees;
    this.#known = known;
    this.#registry = registry;
    this.#target = target;
  }

  get #collections(): readonly string[] {
    return this.#registry.collectionsOf(this.#registry.root.name);
  }

  narrow(): Trees {
    const { desired, base } = this.#trees;
    for (const key of this.#collections) {
      if (!this.#isReached(key)) continue;
      if (this.#isStructural(key)) this.#openCollection(key);
      else for (const node of this.#allIn(key)) if (this.#isTargeted(node)) this.#need(node);
    }
    this.#openReferrers();
    const targeted = desired.childrenOf(rootAddress).filter((node) => this.#isTargeted(node));
    for (const node of targeted)
      for (const address of [node.address, ...formerAddresses(node, desired)]) this.#lookedInto.add(address);
    for (let size = -1; size !== this.#size; ) {
      size = this.#size;
      for (const tree of this.#both)
        for (const node of [...this.#part(tree).nodes.values()]) this.#openReferencesOf(tree, node);
    }
    return { desired: this.#part(desired), base: base && this.#part(base) };
  }

  get #both(): readonly DesiredTree[] {
    const { desired, base } = this.#trees;
    return base === undefined ? [desired] : [desired, base];
  }

  get #size(): number {
    return this.#open.size + this.#needed.size;
  }

  #allIn(key: string): readonly DesiredNode[] {
    const tops = this.#both.flatMap((tree) =>
      tree.childrenOf(rootAddress, key).map((node) => ({ tree, node })),
    );
    return tops.flatMap(({ tree, node }) =>
      this.#isClosed(node) ? [node] : [node, ...tree.inside(node.address)],
    );
  }

  /** True if the collection must be planned as a whole. Contents of closed objects do not count. */
  #isStructural(key: string): boolean {
    if (this.#known === undefined || this.#target(key)) return true;
    const { structural } = this.#known;
    return this.#allIn(key).some(({ address }) => structural.has(address));
  }

  /** Adds an object with its ancestors and, if it has a place in an order, its siblings. */
  #need(node: DesiredNode): void {
    const [top = ''] = prefixesOf(node.address);
    if (this.#open.has(top) || this.#needed.has(node.address)) return;
    if (this.#known?.isKnown(node) !== true) {
      this.#openCollection(top);
      return;
    }
    this.#needed.add(node.address);
    const { parent = rootAddress, collection, address } = node;
    if (parent === rootAddress) return;
    for (const tree of this.#both) {
      const above = tree.get(parent);
      if (above !== undefined) this.#need(above);
      const isOrdered =
        above !== undefined && this.#registry.at(above.kind, collection).some(({ place }) => place.ordered);
      if (!isOrdered || !this.#target(address)) continue;
      this.#neededLists.add(`${parent}/${collection}`);
      for (const sibling of tree.childrenOf(parent, collection)) this.#need(sibling);
    }
  }

  /** Opens collections whose objects may refer to a deleted one, because the reference must be removed first. */
  #openReferrers(): void {
    const deleted = new Set(
      [...this.#open].flatMap((key) => [...this.#kindsIn(key)]).filter((kind) => this.#mayBeDeleted(kind)),
    );
    const refers = (kind: string) =>
      Object.values(this.#registry.byName(kind).fields).some(
        (field) =>
          field.type === 'reference' &&
          field.within === 'organization' &&
          field.change !== 'create' &&
          field.kinds.some((name) => deleted.has(name)),
      );
    this.#isRootWhole = this.#target(rootAddress) || refers(this.#registry.root.name);
    for (const key of this.#collections) {
      if (![...this.#kindsIn(key)].some(refers)) continue;
      this.#openCollection(key);
      this.#whole.add(key);
    }
  }

  #mayBeDeleted(kind: string): boolean {
    const { desired, base } = this.#trees;
    if (mayBeReplaced(this.#registry.byName(kind))) return true;
    const policy = pruneOf(desired.settings, kind);
    if (policy !== 'removed') return policy === 'unlisted';
    return base?.ofKind(kind).some(({ address }) => desired.get(address) === undefined) === true;
  }

  #isReached(collection: string): boolean {
    return this.#target(collection) || this.#target.reaches(collection);
  }

  /** Opens a collection, and all others that may contain objects of the same kinds. */
  #openCollection(key: string): void {
    if (this.#open.has(key)) return;
    this.#open.add(key);
    const kinds = this.#kindsIn(key);
    for (const other of this.#collections)
      if ([...this.#kindsIn(other)].some((kind) => kinds.has(kind))) this.#openCollection(other);
  }

  #openReferencesOf(tree: DesiredTree, node: DesiredNode): void {
    const { fields } = this.#registry.byName(node.kind);
    if (this.#known !== undefined) {
      for (const { field, target } of referencesOf(tree, node, this.#registry)) {
        const named = target.type === 'node' ? tree.get(target.address) : undefined;
        if (named === undefined || this.#isLookedUp(fields[field])) continue;
        // The contents of an object are read together with it.
        const outer = [named, ...tree.ancestorsOf(named)].find((one) => one.parent === rootAddress);
        this.#need(outer !== undefined && this.#isClosed(outer) ? outer : named);
      }
      return;
    }
    const kinds = Object.keys(node.fields)
      .filter((name) => !this.#isLookedUp(fields[name]))
      .flatMap((name) => referenceOf(fields[name])?.kinds ?? []);
    for (const key of this.#collections) {
      const inside = this.#kindsIn(key);
      if (kinds.some((kind) => inside.has(kind))) this.#openCollection(key);
    }
  }

  /** People are looked up by their e-mail addresses, declared or undeclared. */
  #isLookedUp(field: Field | undefined): boolean {
    return field?.type === 'members' && this.#registry.byName(field.of).manifest.key !== undefined;
  }

  #isTargeted({ address, kind }: DesiredNode): boolean {
    const inside = this.#registry.collectionsOf(kind).map((key) => `${address}/${key}`);
    return this.#target(address) || inside.some((collection) => this.#isReached(collection));
  }

  #part(tree: DesiredTree): DesiredTree {
    const nodes = new Map<string, DesiredNode>();
    const add = (node: DesiredNode): void => {
      const isAsked =
        this.#whole.has(node.collection) || this.#lookedInto.has(node.address) || this.#isTargeted(node);
      const isWhole = isAsked || !this.#isClosed(node);
      const part = isWhole ? node : this.#outlineOf(node);
      nodes.set(node.address, isAsked ? part : this.#withoutDetails(part));
      if (isWhole) for (const child of tree.childrenOf(node.address)) add(child);
    };
    if (tree.root !== undefined) nodes.set(rootAddress, this.#rootOf(tree.root));
    const addNeeded = (node: DesiredNode): void => {
      if (!this.#needed.has(node.address)) return;
      if (this.#isClosed(node)) {
        add(node);
        return;
      }
      const declares = node.declares.filter((key) => this.#neededLists.has(`${node.address}/${key}`));
      const part = { ...node, declares };
      nodes.set(node.address, this.#target(node.address) ? part : this.#withoutDetails(part));
      for (const child of tree.childrenOf(node.address)) addNeeded(child);
    };
    for (const node of tree.childrenOf(rootAddress))
      if (this.#open.has(node.collection)) add(node);
      else addNeeded(node);
    return tree.with({ nodes });
  }

  /** True for objects whose contents cannot be elsewhere, so that they are matched inside the object. */
  #isClosed({ kind, parent }: DesiredNode): boolean {
    const collections = this.#registry.collectionsOf(kind);
    if (parent !== rootAddress || collections.length === 0) return false;
    return collections.every((key) =>
      this.#registry.at(kind, key).every((inner) => inner.kind.identity.scope !== this.#registry.root.name),
    );
  }

  #rootOf(root: DesiredNode): DesiredNode {
    const declares = root.declares.filter((key) => this.#open.has(key));
    return this.#isRootWhole ? { ...root, declares } : { ...root, fields: {}, declares };
  }

  /**
   * Drops fields that need a separate request, such as the members of a team, because they do not affect other objects. A field that
   * only some values need is kept, since the object may be created from it.
   */
  #withoutDetails(node: DesiredNode): DesiredNode {
    const { fields } = this.#registry.byName(node.kind);
    const listed = Object.entries(node.fields).filter(([name]) => {
      const detail = fields[name]?.detail;
      return detail === undefined || detail.isFor !== undefined;
    });
    if (listed.length === Object.keys(node.fields).length) return node;
    return { ...node, fields: Object.fromEntries(listed) };
  }

  #outlineOf(node: DesiredNode): DesiredNode {
    const { fields } = this.#registry.byName(node.kind);
    const own = Object.entries(node.fields).filter(([name]) => {
      const field = fields[name];
      return field?.type !== 'reference' || field.within !== 'descendants';
    });
    return { ...node, fields: Object.fromEntries(own), declares: [] };
  }
}

/** Kinds of the objects in a collection of the organization, at any depth. */
function kindsInside(registry: Registry, key: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (parent: string, collection: string): void => {
    for (const { kind } of registry.at(parent, collection)) {
      if (found.has(kind.name)) continue;
      found.add(kind.name);
      for (const inner of registry.collectionsOf(kind.name)) visit(kind.name, inner);
    }
  };
  visit(registry.root.name, key);
  return found;
}
