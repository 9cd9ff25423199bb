/** Fills the live tree as responses arrive, and derives order and defaults, which no single response contains. */

import type { Kind, Remote } from '../kinds/kind.ts';
import type { Included } from '../kinds/parts/field.ts';
import type { Value } from '../kinds/parts/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { type LiveNode, LiveTree } from '../tree/live.ts';
import { type ObjectRef, RefMap } from '../tree/refs.ts';
import { pathField } from '../tree/site-paths.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';

type Draft = { -readonly [Key in keyof LiveNode]: LiveNode[Key] };

export interface Sighting {
  readonly parent: LiveNode;
  readonly rank?: number;
  /** True if the object was seen outside the list of its own place. */
  readonly seenInPassing?: boolean;
  /** True if only the names of the object were seen. */
  readonly partial?: boolean;
}

export class LiveTreeBuilder {
  readonly tree: LiveTree;
  readonly root: LiveNode;
  readonly #registry: Registry;
  readonly #drafts = new RefMap<Draft>();
  readonly #defaults: { readonly node: Draft; readonly defaultOf: NonNullable<Remote['defaultOf']> }[] = [];

  /** `organization`: the response of the service. */
  constructor(registry: Registry, organization: unknown) {
    this.#registry = registry;
    const kind = registry.root;
    const { id, fields } = kind.fromRemote(organization);
    const self: ObjectRef = { kind: kind.name, id };
    const params = kind.identity.idParam === undefined ? {} : { [kind.identity.idParam]: id };
    const root: Draft = { ...self, params, scope: self, container: self, fields };
    this.#drafts.set(self, root);
    this.root = root;
    this.tree = new LiveTree(id, [root]);
  }

  /** The list of the object's own place takes precedence over other responses. */
  add(kind: Kind, remote: unknown, sighting: Sighting): LiveNode {
    const { parent, rank, seenInPassing = false, partial = false } = sighting;
    const read = kind.fromRemote(remote);
    const id = read.id === '' ? parent.id : read.id;
    const before = this.#drafts.get({ kind: kind.name, id });
    const isKnown = before !== undefined && before.partial !== true;
    if (before !== undefined && (partial || (isKnown && (seenInPassing || before.seenInPassing !== true))))
      return before;
    const container = read.container ?? { kind: parent.kind, id: parent.id };
    const node: Draft = {
      kind: kind.name,
      id,
      params: {
        ...parent.params,
        ...(kind.identity.idParam === undefined ? {} : { [kind.identity.idParam]: id }),
      },
      scope: this.#scopeOf(kind, container, parent),
      container,
      fields: read.fields,
      ...defined({
        rank,
        deletedAt: read.deletedAt,
        deleted: read.deletedAt === undefined ? undefined : (true as const),
        inactive: read.inactive,
        otherWriter: read.otherWriter,
        initial: read.initial,
        url: this.#urlOf(kind, remote),
        createdAt: isRecord(remote) && typeof remote.createdAt === 'string' ? remote.createdAt : undefined,
      }),
      ...(seenInPassing ? { seenInPassing: true } : {}),
      ...(partial ? { partial: true as const } : {}),
    };
    const kept = before === undefined ? this.#insert(node) : this.#upgrade(before, node);
    if (read.defaultOf !== undefined) this.#defaults.push({ node: kept, defaultOf: read.defaultOf });
    for (const included of read.includes ?? [])
      this.addIncluded(this.#registry.byName(included.kind), included);
    return kept;
  }

  /** Ignores a rank in a former container, because lists may lag behind each other. */
  place(ref: ObjectRef, { id }: ObjectRef, rank: number): void {
    const draft = this.#drafts.get(ref);
    if (draft?.container.id === id) draft.rank = rank;
  }

  /** Requests by an id also return objects of other organizations. */
  addIncluded(kind: Kind, { remote, isPart }: Omit<Included, 'kind'>): void {
    const owner = isRecord(remote) ? remote.organization : undefined;
    if (typeof owner === 'string' && owner !== this.root.id) {
      this.tree.addForeign({ kind: kind.name, id: kind.fromRemote(remote).id }, owner);
      return;
    }
    this.add(kind, remote, { parent: this.root, seenInPassing: true, partial: isPart === true });
  }

  setField(ref: ObjectRef, name: string, value: Value): void {
    const draft = this.#drafts.get(ref);
    if (draft !== undefined) draft.fields = { ...draft.fields, [name]: value };
  }

  set(ref: ObjectRef, found: Partial<Pick<LiveNode, 'links' | 'openWork' | 'reach'>>): void {
    const draft = this.#drafts.get(ref);
    if (draft !== undefined) Object.assign(draft, found);
  }

  /** Copies an object from another tree. Changes here do not affect the original. */
  copy(node: LiveNode): LiveNode {
    return this.#insert({ ...node });
  }

  /**
   * Sets defaults on the objects that have them, and ranks of objects positioned by their first child. Call it
   * after each round of reads; it is idempotent.
   *
   * Example: sections listed as a(0), b(1, in group g), c(2, in group g) give g the rank 0.5, between a and b.
   */
  settle(): void {
    this.#settleDefaults('scope');
    this.#settleDefaults('container');
    this.#settleRanks();
    this.tree.changed();
  }

  #settleDefaults(on: 'scope' | 'container'): void {
    for (const { node, defaultOf } of this.#defaults) {
      if (defaultOf.on !== on) continue;
      const target = this.#drafts.get(node[on]);
      if (target !== undefined && target.fields[defaultOf.field] === undefined)
        target.fields = { ...target.fields, [defaultOf.field]: node.id };
    }
  }

  #settleRanks(): void {
    const first = new RefMap<number>();
    for (const { container, rank } of this.tree.nodes()) {
      if (rank !== undefined && rank < (first.get(container) ?? Number.POSITIVE_INFINITY))
        first.set(container, rank);
    }
    for (const kind of this.#registry.kinds) {
      if (kind.reads.list?.order !== 'firstChild') continue;
      for (const { id } of this.tree.ofKind(kind.name)) {
        const node = this.#drafts.get({ kind: kind.name, id });
        const rank = first.get({ kind: kind.name, id });
        delete node?.rank;
        if (node !== undefined && rank !== undefined) node.rank = rank - 0.5;
      }
    }
  }

  /** Reads URLs only of sites and of objects with a path on them: the URL of a share link is secret. */
  #urlOf(kind: Kind, remote: unknown): string | undefined {
    if (kind.display.navigation !== true && pathField(this.#registry, { kind: kind.name }) === undefined)
      return undefined;
    const urls = isRecord(remote) ? remote.urls : undefined;
    return isRecord(urls) && typeof urls.published === 'string' ? urls.published : undefined;
  }

  #insert(node: Draft): Draft {
    this.#drafts.set(node, node);
    this.tree.add(node);
    return node;
  }

  /** Keeps the same object in memory, because plans refer to it. */
  #upgrade(before: Draft, node: Draft): Draft {
    Object.assign(before, node, { fields: { ...before.fields, ...node.fields } });
    delete before.partial;
    if (node.seenInPassing !== true) delete before.seenInPassing;
    return before;
  }

  #scopeOf(kind: Kind, container: ObjectRef, parent: LiveNode): ObjectRef {
    if (kind.identity.scope === 'parent') return container;
    const { kind: name, id } = kind.identity.scope === this.root.kind ? this.root : parent;
    return { kind: name, id };
  }
}
