/**
 * Reads for matching: all lists that the manifests and the base declare, from the organization
 * down, then objects that lists do not contain (pinned ids, searches). An undeclared collection is never read.
 */
import type { Kind } from '../../kinds/kind.ts';
import { needsDetail } from '../../kinds/parts/field.ts';
import type { Fields } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { declaredCollections, declaresKind } from '../../tree/declared-collections.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity, hadName, identityValue, pinnedId } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { Read, Stage } from '../../tree/reads.ts';
import { referencesByKey } from '../../tree/references.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { grouped, push } from '../../util/group.ts';
import { isRecord } from '../../util/json.ts';
import { append } from '../../util/lists.ts';
import { remembered, rememberedByText, rememberedIn } from '../../util/remembered.ts';
import { formerAddresses, pastIdsOf } from '../matching.ts';

/** Limit for searching objects of a kind one by one; for more objects, the whole list is read. */
const searchedAtMost = 10;

interface DeclaredReads {
  readonly trees: readonly DesiredTree[];
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly readsMade: ReadsMade;
  readonly pastIds: ReadonlyMap<string, string>;
  readonly isDeleted: ((address: string) => boolean) | undefined;
}

export class DeclaredReader {
  readonly #known: DeclaredReads;
  readonly #seen = new Set<LiveNode>();
  readonly #isReadInside = rememberedByText((name) =>
    this.#known.registry.kinds.some(
      ({ reads, manifest: { places } }) =>
        reads.list?.per === name ||
        reads.list?.places?.per === name ||
        places.some(({ parent, shape }) => parent === name && shape === 'single'),
    ),
  );
  readonly #declaredIn = remembered((tree: DesiredTree) =>
    remembered((top: DesiredNode) => declaredKinds(tree, this.#known.registry, top)),
  );
  readonly #candidates: readonly Candidates[];
  readonly #keys: ReadonlyMap<string, ReadonlySet<string>>;
  /** Kinds whose organization-wide list was read, so that unlisted administrators are seen. */
  readonly #listedWhole: Set<Kind>;

  constructor(known: DeclaredReads) {
    const { trees, registry } = known;
    this.#known = known;
    this.#candidates = trees.map((tree) => candidatesIn(tree, known));
    this.#keys = lookedUpKeys(trees, registry);
    // Computed only here, because it visits each node of the trees.
    this.#listedWhole = new Set(
      trees.flatMap((tree) =>
        tree.root === undefined
          ? []
          : [...this.#declaredIn(tree)(tree.root).lists].filter((kind) => !this.#isInPlaces(kind)),
      ),
    );
  }

  /** Takes as many rounds as collections are nested, and at most four more. Fields missing from lists are read along with lists. */
  *read(): Stage<void> {
    yield* this.#descend((node) => node.seenInPassing !== true);
    // Contents of pinned containers show other pinned objects.
    const containers = this.#pinned().filter(
      (read) => read.type === 'object' && this.#isReadInside(read.kind),
    );
    if (yield* this.#known.readsMade.ask(containers)) yield* this.#descend(() => true);
    // Details come before searches: a member in a team's list need not be searched for.
    yield* this.#known.readsMade.ask([...this.#pinned(), ...this.#details()]);
    yield* this.#known.readsMade.ask(this.#known.registry.kinds.flatMap((kind) => this.#searches(kind)));
    do yield* this.readMore();
    while (yield* this.#known.readsMade.ask(this.#listsAgain()));
  }

  *readMore(): Stage<void> {
    yield* this.#descend(() => true);
    yield* this.#known.readsMade.ask(this.#details());
  }

  mayMatch(nodes: readonly LiveNode[], isFound: (desired: DesiredNode) => boolean): boolean {
    return nodes.some((node) =>
      this.#candidates.some((candidates) => candidates.of(node).some((desired) => !isFound(desired))),
    );
  }

  *#descend(isListed: (node: LiveNode) => boolean): Stage<void> {
    for (;;) {
      const reads: Read[] = [];
      for (const node of this.#known.live.nodes()) {
        if (this.#seen.has(node) || !isListed(node)) continue;
        this.#seen.add(node);
        if (this.#isReadInside(node.kind)) append(reads, this.#inside(node));
        // It is not yet known whether an object seen elsewhere is needed.
        if (node.seenInPassing !== true) append(reads, this.#detailsOf(node));
      }
      const more = yield* this.#known.readsMade.ask(reads);
      if (!more) return;
    }
  }

  #inside(node: LiveNode): readonly Read[] {
    const declared = this.#candidatesOf(node).map(({ tree, desired }) => this.#declaredIn(tree)(desired));
    const lists = new Set(declared.flatMap((one) => [...one.lists]));
    const singles = new Set(declared.flatMap((one) => [...one.singles]));
    const of = { kind: node.kind, id: node.id };
    return [
      ...this.#placesIn(node),
      ...[...lists]
        .filter((kind) => !this.#isInPlaces(kind))
        .map((kind): Read => ({ type: 'list', kind: kind.name, of })),
      ...[...singles].map((kind): Read => ({ type: 'single', kind: kind.name, of })),
    ];
  }

  /** True if all declared objects are in containers whose contents are read for their order, so the full list adds no objects. */
  #isInPlaces({ name, reads: { list } }: Kind): boolean {
    const per = list?.places?.per;
    if (per === undefined || this.#keys.has(name)) return false;
    return this.#known.trees.every((tree) =>
      [...tree.nodes.values()].every((node) => {
        if (!declaresKind(this.#known.registry, node, name)) return true;
        return node.kind === per && isOrdered(tree, node, name);
      }),
    );
  }

  /** A single object has no order to read. */
  #placesIn(node: LiveNode): readonly Read[] {
    const isRead = ({ name, reads: { list } }: Kind) =>
      list?.places?.per === node.kind &&
      this.#candidatesOf(node).some(({ tree, desired }) => isOrdered(tree, desired, name));
    const of = { kind: node.kind, id: node.id };
    return this.#known.registry.kinds.filter(isRead).map((kind) => ({ type: 'places', kind: kind.name, of }));
  }

  /**
   * Finds, in each tree, the desired objects that may match a live one. If a renamed object is only in the base, the object that
   * now has its address also counts.
   */
  #candidatesOf(node: LiveNode): readonly { readonly tree: DesiredTree; readonly desired: DesiredNode }[] {
    const found = this.#candidates.flatMap((candidates) =>
      candidates.of(node).map((desired) => ({ tree: candidates.tree, desired })),
    );
    const addresses = new Set(found.map(({ desired }) => desired.address));
    const known = new Set(found.map(({ desired }) => desired));
    const renamed = this.#known.trees.flatMap((tree) =>
      [...addresses].flatMap((address) => {
        const desired = tree.get(address);
        return desired === undefined || desired.kind !== node.kind || known.has(desired)
          ? []
          : [{ tree, desired }];
      }),
    );
    return [...found, ...renamed];
  }

  #details(): readonly Read[] {
    return this.#known.live.nodes().flatMap((node) => this.#detailsOf(node));
  }

  #detailsOf(node: LiveNode): readonly Read[] {
    const detailed = detailedFields(this.#known.registry.byName(node.kind));
    if (detailed.length === 0 || node.deleted === true) return [];
    const declared = this.#candidatesOf(node);
    return detailed
      .filter(([name, field]) =>
        declared.some(
          ({ desired: { fields, lifecycle } }) =>
            fields[name] !== undefined &&
            needsDetail(field, fields[name]) &&
            !lifecycle.ignore.includes(name),
        ),
      )
      .map(([field]): Read => ({ type: 'field', of: { kind: node.kind, id: node.id }, field }));
  }

  #pinned(): readonly Read[] {
    return this.#known.trees.flatMap((tree) =>
      [...tree.nodes.values()].flatMap((desired): readonly Read[] => {
        const kind = this.#known.registry.byName(desired.kind);
        if (desired.parent === undefined || !this.#isReadById(kind)) return [];
        const unknown = this.#idsOf(desired, tree).filter(
          (id) => !this.#known.live.has({ kind: kind.name, id }),
        );
        return unknown.map((id): Read => ({ type: 'object', kind: kind.name, id }));
      }),
    );
  }

  /** A former address may or may not apply, so the objects of both addresses are read. */
  #idsOf(desired: DesiredNode, tree: DesiredTree): readonly string[] {
    if (this.#known.isDeleted?.(desired.address) === true) return [];
    const kind = this.#known.registry.byName(desired.kind);
    return [...new Set(pastIdsOf(kind, desired, { tree, pastIds: this.#known.pastIds }))];
  }

  /** A list that lacks a recorded object is read a second time, if nothing else shows whether the object still exists. */
  #listsAgain(): readonly Read[] {
    return this.#known.trees.flatMap((tree) =>
      [...tree.nodes.values()].flatMap((desired): readonly Read[] => {
        const kind = this.#known.registry.byName(desired.kind);
        const { list } = kind.reads;
        if (list === undefined || this.#isReadById(kind)) return [];
        const above = tree.closest(desired, list.per);
        const of = above && this.#known.live.get({ kind: list.per, id: this.#idsOf(above, tree)[0] ?? '' });
        const isMissing = this.#idsOf(desired, tree).some(
          (id) => !this.#known.live.has({ kind: kind.name, id }),
        );
        return of === undefined || !isMissing
          ? []
          : [{ type: 'list', kind: kind.name, of: { kind: of.kind, id: of.id }, again: true }];
      }),
    );
  }

  #isSearchedFor(kind: Kind, desired: DesiredNode, tree: DesiredTree): boolean {
    if (pinnedId(kind, desired) !== undefined) return false;
    return !this.#idsOf(desired, tree).some((id) => this.#known.live.has({ kind: kind.name, id }));
  }

  #isReadById(kind: Kind): boolean {
    return kind.reads.get !== undefined && kind.identity.idParam !== undefined;
  }

  #searches(kind: Kind): readonly Read[] {
    const { search } = kind.reads;
    const identity = kind.identity.by.find(({ field }) => field === search?.field);
    // The partial list contains objects that a search cannot find.
    if (search === undefined && this.#keys.has(kind.name) && !this.#listedWhole.has(kind))
      return [{ type: 'list', kind: kind.name, of: this.#root, partial: true }];
    if (identity === undefined || this.#listedWhole.has(kind)) return [];
    const nameOf = (one: LiveNode) => (one.partial ? '' : (identityValue(one.fields, identity) ?? ''));
    const values = new Set<string>(this.#keys.get(kind.name));
    for (const one of this.#known.live.ofKind(kind.name)) values.delete(nameOf(one));
    for (const tree of this.#known.trees) {
      const all = tree.ofKind(kind.name);
      const known = new Set(all.flatMap((one) => this.#idsOf(one, tree)));
      const found = grouped(this.#known.live.ofKind(kind.name), (one) =>
        known.has(one.id) ? '' : nameOf(one),
      );
      const searched = all.filter((one) => this.#isSearchedFor(kind, one, tree));
      const names = grouped(searched, ({ fields }) => desiredIdentity(fields, identity) ?? '');
      // A collection may list one of two spaces with the same title, and only a search finds the other.
      for (const [name, { length }] of names)
        if (name !== '' && length > (found.get(name)?.length ?? 0)) values.add(name);
    }
    const { list } = kind.reads;
    if (values.size > 0 && this.#isInPlaces(kind)) {
      this.#listedWhole.add(kind);
      return [{ type: 'list', kind: kind.name, of: this.#root }];
    }
    if (
      values.size > searchedAtMost &&
      list?.per === this.#known.registry.root.name &&
      list.operation === search?.operation
    )
      return [{ type: 'list', kind: kind.name, of: this.#root, partial: true }];
    return [...values].map((value) => ({ type: 'search', kind: kind.name, value }));
  }

  get #root(): ObjectRef {
    return { kind: this.#known.registry.root.name, id: this.#known.live.organizationId };
  }
}

const detailedFields = remembered(({ fields }: Kind) =>
  Object.entries(fields).filter(([, { detail }]) => detail !== undefined),
);

function isOrdered(tree: DesiredTree, { address }: DesiredNode, kind: string): boolean {
  return tree.childrenOf(address).filter((child) => child.kind === kind).length > 1;
}

/**
 * Kinds that an object or its contents declare, if each object of its kind has its own list. The contents of
 * a nested object of the same kind are in that object's list.
 */
export function declaredKinds(tree: DesiredTree, registry: Registry, top: DesiredNode) {
  const inside = new Set<Kind>();
  const singles = new Set<Kind>();
  const named = new Set<Kind>();
  for (const node of withinKind(tree, top)) {
    for (const key of declaredCollections(registry, node)) {
      for (const { kind, place } of registry.at(node.kind, key)) {
        if (place.shape === 'map') inside.add(kind);
        else if (node.kind === top.kind) singles.add(kind);
      }
    }
    for (const kind of kindsNamedById(registry, node)) named.add(kind);
  }
  const lists = [...inside, ...named].filter((kind) => kind.reads.list?.per === top.kind);
  return { lists: new Set(lists), singles };
}

/** Kinds of siblings that a field names by id; only a list shows them. */
function kindsNamedById(registry: Registry, { kind, fields }: DesiredNode): readonly Kind[] {
  return besideFields(registry.byName(kind))
    .filter(([name]) => isRecord(fields[name]))
    .flatMap(([, kinds]) => kinds.map((one) => registry.byName(one)));
}

const besideFields = remembered(({ fields }: Kind) =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.type === 'reference' && field.within === 'parent' ? [[name, field.kinds] as const] : [],
  ),
);

function withinKind(tree: DesiredTree, top: DesiredNode): readonly DesiredNode[] {
  const nodes = [top];
  for (const node of nodes) {
    for (const child of tree.childrenOf(node.address)) if (child.kind !== top.kind) nodes.push(child);
  }
  return nodes;
}

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
    for (const kind of reference.kinds)
      for (const key of keys) rememberedIn(named, kind, () => new Set()).add(key);
  }
  return named;
}

interface Candidates {
  readonly tree: DesiredTree;
  readonly of: (live: LiveNode) => readonly DesiredNode[];
}

function candidatesIn(tree: DesiredTree, { registry, pastIds }: DeclaredReads): Candidates {
  const roots = tree.root === undefined ? [] : [tree.root];
  const indexOf = rememberedByText((kind) => new KindIndex(registry.byName(kind), tree, pastIds));
  return {
    tree,
    of: ({ kind, id, fields }) => (kind === registry.root.name ? roots : indexOf(kind).find(id, fields)),
  };
}

class KindIndex {
  readonly #kind: Kind;
  readonly #byId = new Map<string, DesiredNode[]>();
  readonly #byIdentity: readonly Map<string, DesiredNode[]>[];
  readonly #renamed: DesiredNode[] = [];

  constructor(kind: Kind, tree: DesiredTree, pastIds: ReadonlyMap<string, string>) {
    const nodes = tree.ofKind(kind.name);
    this.#kind = kind;
    this.#byIdentity = kind.identity.by.map(() => new Map());
    for (const node of nodes) {
      this.#add(node);
      // The object with the known id may be deleted, so it is also looked up by name.
      for (const address of [node.address, ...formerAddresses(node, tree)]) {
        const id = pastIds.get(address);
        if (id !== undefined) push(this.#byId, id, node);
      }
    }
  }

  find(id: string, live: Fields): readonly DesiredNode[] {
    const found = new Set(this.#byId.get(id));
    this.#kind.identity.by.forEach((identity, index) => {
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
    this.#kind.identity.by.forEach((identity, index) => {
      const value = desiredIdentity(node.fields, identity);
      const lists = this.#byIdentity[index];
      if (value !== undefined && lists !== undefined) push(lists, value, node);
    });
  }
}

export class ReadsMade {
  readonly #keys = new Set<string>();

  *ask(reads: readonly Read[], as = (read: Read): Read => read): Stage<boolean> {
    const fresh = reads.filter((read) => {
      const key = keyOf(read);
      if (this.#keys.has(key)) return false;
      this.#keys.add(key);
      return true;
    });
    if (fresh.length === 0) return false;
    yield fresh.map(as);
    return true;
  }
}

function keyOf(read: Read): string {
  // A partial list needs the same request as a whole one.
  const { type, partial: _partial, ...rest } = { partial: undefined, ...read };
  return JSON.stringify([type, ...Object.entries(rest).sort(([left], [right]) => (left < right ? -1 : 1))]);
}
