/**
 * The reads that matching needs: what the manifests and the base declare, list by list from the organization down, then
 * what lists cannot show (pinned ids, searches). An undeclared collection is never read.
 */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { declaredCollections, declaresKind } from '../../tree/declared-collections.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity, identityValue, pinnedId } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { Read, Stage } from '../../tree/reads.ts';
import { referencesByKey } from '../../tree/references.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { append } from '../../util/lists.ts';
import type { Asked } from '../asked.ts';
import { Candidates } from './candidates.ts';
import { copySearches } from './copy-searches.ts';
import { formerAddresses } from './former-addresses.ts';

/** Objects of a kind that are searched for one by one; where there are more, the list of all is read. */
const searchedAtMost = 10;

/** What is declared, and what is known so far. */
export interface DeclaredReads {
  /** The desired tree, and the base where there is one. */
  readonly trees: readonly DesiredTree[];
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly asked: Asked;
  /** Ids by address that are known from elsewhere. */
  readonly knownIds?: ReadonlyMap<string, string>;
}

/** The kinds whose lists inside an object are declared, and the kinds of which there is one inside it. */
export interface DeclaredKinds {
  readonly lists: ReadonlySet<Kind>;
  readonly singles: ReadonlySet<Kind>;
}

/** Asks for everything that the trees declare. */
export class DeclaredReader {
  readonly #trees: readonly DesiredTree[];
  readonly #live: LiveTree;
  readonly #registry: Registry;
  readonly #asked: Asked;
  readonly #seen = new Set<LiveNode>();
  readonly #readInside = new Map<string, boolean>();
  readonly #candidates: readonly Candidates[];
  readonly #keys: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #knownIds: ReadonlyMap<string, string>;

  constructor({ trees, live, registry, asked, knownIds = new Map() }: DeclaredReads) {
    this.#knownIds = knownIds;
    this.#trees = trees;
    this.#live = live;
    this.#registry = registry;
    this.#asked = asked;
    this.#candidates = trees.map((tree) => new Candidates(tree, registry, knownIds));
    this.#keys = lookedUpKeys(trees, registry);
  }

  /** Takes as many rounds as collections are nested, and four more at most. */
  *read(): Stage<void> {
    yield* this.#descend((node) => node.incidental !== true);
    // Details come before searches: whoever is in a team's list need not be searched for.
    yield* this.#asked.ask([...this.#pinned(), ...this.#details()]);
    yield* this.#asked.ask(this.#registry.kinds.flatMap((kind) => this.#searches(kind)));
    yield* this.#asked.ask(copySearches(this.#trees, { live: this.#live, registry: this.#registry }));
    yield* this.readMore();
  }

  /** Reads what is declared inside objects that were found since. */
  *readMore(): Stage<void> {
    yield* this.#descend(() => true);
    yield* this.#asked.ask(this.#details());
  }

  /** True when one of the objects may be a desired one that was not found before. */
  mayBe(nodes: readonly LiveNode[], isFound: (desired: DesiredNode) => boolean): boolean {
    return nodes.some((node) =>
      this.#candidates.some((candidates) => candidates.of(node).some((desired) => !isFound(desired))),
    );
  }

  /** Lists what is declared inside the organization, then inside what was found, and so on. */
  *#descend(isListed: (node: LiveNode) => boolean): Stage<void> {
    for (;;) {
      const reads: Read[] = [];
      for (const node of this.#live.nodes()) {
        if (this.#seen.has(node) || !isListed(node)) continue;
        this.#seen.add(node);
        if (!this.#isReadInside(node.kind)) continue;
        append(reads, this.#inside(node));
      }
      const more = yield* this.#asked.ask(reads);
      if (!more) return;
    }
  }

  /** True for kinds inside whose objects there is something to read; most objects are of others. */
  #isReadInside(name: string): boolean {
    const known = this.#readInside.get(name);
    if (known !== undefined) return known;
    const isRead = this.#registry.kinds.some(
      ({ reads, places }) =>
        reads.list?.per === name || places.some(({ parent, shape }) => parent === name && shape === 'single'),
    );
    this.#readInside.set(name, isRead);
    return isRead;
  }

  /** What the desired objects that a live one may be declare inside it. */
  #inside(node: LiveNode): readonly Read[] {
    const declared = this.#mayBe(node).map(({ tree, desired }) =>
      declaredKinds(tree, this.#registry, desired),
    );
    const lists = new Set(declared.flatMap((one) => [...one.lists]));
    const singles = new Set(declared.flatMap((one) => [...one.singles]));
    const of = { kind: node.kind, id: node.id };
    return [
      ...[...lists].map((kind): Read => ({ type: 'list', kind: kind.name, of })),
      ...[...singles].map((kind): Read => ({ type: 'single', kind: kind.name, of })),
    ];
  }

  /**
   * What a live object may be in each tree. One that only the base knows, since it gets another name, is what its address
   * declares by now.
   */
  #mayBe(node: LiveNode): readonly { readonly tree: DesiredTree; readonly desired: DesiredNode }[] {
    const found = this.#candidates.flatMap((candidates) =>
      candidates.of(node).map((desired) => ({ tree: candidates.tree, desired })),
    );
    const addresses = new Set(found.map(({ desired }) => desired.address));
    const known = new Set(found.map(({ desired }) => desired));
    const renamed = this.#trees.flatMap((tree) =>
      [...addresses].flatMap((address) => {
        const desired = tree.get(address);
        return desired === undefined || desired.kind !== node.kind || known.has(desired)
          ? []
          : [{ tree, desired }];
      }),
    );
    return [...found, ...renamed];
  }

  /** Fields that need a request of their own, for objects whose manifests declare the field. */
  #details(): readonly Read[] {
    return this.#live.nodes().flatMap((node) => {
      const detailed = Object.entries(this.#registry.byName(node.kind).fields).filter(
        ([, { detail }]) => detail !== undefined,
      );
      if (detailed.length === 0 || node.deleted === true) return [];
      const declared = this.#mayBe(node);
      return detailed
        .filter(([name]) =>
          declared.some(
            ({ desired: { fields, lifecycle } }) =>
              fields[name] !== undefined && !lifecycle.ignore.includes(name),
          ),
        )
        .map(([field]): Read => ({ type: 'field', of: { kind: node.kind, id: node.id }, field }));
    });
  }

  /** Objects that manifests pin by id, or that are known by id, and that no complete list can have shown. */
  #pinned(): readonly Read[] {
    return this.#trees.flatMap((tree) =>
      [...tree.nodes.values()].flatMap((desired): readonly Read[] => {
        const kind = this.#registry.byName(desired.kind);
        const id = this.#idOf(kind, desired);
        if (id === undefined || desired.parent === undefined || !this.#isReadById(kind)) return [];
        return this.#live.has({ kind: kind.name, id }) ? [] : [{ type: 'object', kind: kind.name, id }];
      }),
    );
  }

  #idOf(kind: Kind, desired: DesiredNode): string | undefined {
    const [known] = [desired.address, ...formerAddresses(desired)].flatMap(
      (address) => this.#knownIds.get(address) ?? [],
    );
    return pinnedId(kind, desired) ?? known;
  }

  /** True for objects that are searched for: neither pinned nor found by a known id. */
  #isSearchedFor(kind: Kind, desired: DesiredNode): boolean {
    if (pinnedId(kind, desired) !== undefined) return false;
    const id = this.#idOf(kind, desired);
    return id === undefined || !this.#live.has({ kind: kind.name, id });
  }

  #isReadById(kind: Kind): boolean {
    const { get, list } = kind.reads;
    if (get === undefined || kind.idParam === undefined) return false;
    return list === undefined || list.per !== kind.scope || !this.#isListedWhole(kind);
  }

  /** Objects that are found by searching for an identity: desired ones not seen yet, and those that others name. */
  #searches(kind: Kind): readonly Read[] {
    const { search } = kind.reads;
    const identity = kind.identities.find(({ field }) => field === search?.field);
    if (identity === undefined || this.#isListedWhole(kind)) return [];
    const values = new Set<string>(this.#keys.get(kind.name));
    for (const tree of this.#trees) {
      for (const desired of tree.ofKind(kind.name)) {
        const value = desiredIdentity(desired.fields, identity);
        if (value !== undefined && this.#isSearchedFor(kind, desired)) values.add(value);
      }
    }
    for (const { fields } of this.#live.ofKind(kind.name))
      values.delete(identityValue(fields, identity) ?? '');
    const { list } = kind.reads;
    if (
      values.size > searchedAtMost &&
      list?.per === this.#registry.root.name &&
      list.operation === search?.operation
    )
      return [{ type: 'list', kind: kind.name, of: this.#root, partial: true }];
    return [...values].map((value) => ({ type: 'search', kind: kind.name, value }));
  }

  get #root(): ObjectRef {
    return { kind: this.#registry.root.name, id: this.#live.organizationId };
  }

  /** True for kinds of which all objects are in one list, which was read: an unlisted administrator must be seen. */
  #isListedWhole(kind: Kind): boolean {
    const root = this.#registry.root.name;
    return (
      kind.reads.list?.per === root &&
      this.#trees.some(
        (tree) => tree.root !== undefined && declaresKind(this.#registry, tree.root, kind.name),
      )
    );
  }
}

/**
 * The kinds that an object, or what it contains, declares, as far as they are listed per object of its kind. What another
 * object of the same kind contains is listed there.
 */
export function declaredKinds(tree: DesiredTree, registry: Registry, top: DesiredNode): DeclaredKinds {
  const inside = withinKind(tree, top).flatMap((node) =>
    declaredCollections(registry, node).flatMap((key) =>
      registry.at(node.kind, key).map(({ kind, place }) => ({ node, kind, shape: place.shape })),
    ),
  );
  const lists = inside.filter(({ kind, shape }) => shape === 'map' && kind.reads.list?.per === top.kind);
  const singles = inside.filter(({ node, shape }) => shape === 'single' && node.kind === top.kind);
  return {
    lists: new Set(lists.map(({ kind }) => kind)),
    singles: new Set(singles.map(({ kind }) => kind)),
  };
}

/** An object with its descendants, without others of its kind and theirs. */
function withinKind(tree: DesiredTree, top: DesiredNode): readonly DesiredNode[] {
  const nodes = [top];
  for (const node of nodes) {
    for (const child of tree.childrenOf(node.address)) if (child.kind !== top.kind) nodes.push(child);
  }
  return nodes;
}

/** Keys by which desired objects name existing objects of other kinds that must be looked up, by kind. */
function lookedUpKeys(
  trees: readonly DesiredTree[],
  registry: Registry,
): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map<string, Set<string>>();
  const mappings = trees.flatMap((tree) =>
    [...tree.nodes.values()].flatMap((node) => referencesByKey(node, registry)),
  );
  for (const { reference, keys } of mappings) {
    if (reference.undeclared !== 'lookup') continue;
    for (const kind of reference.kinds) addAll(named, kind, keys);
  }
  return named;
}

function addAll(sets: Map<string, Set<string>>, name: string, items: readonly string[]): void {
  const known = sets.get(name) ?? new Set();
  for (const item of items) known.add(item);
  sets.set(name, known);
}
