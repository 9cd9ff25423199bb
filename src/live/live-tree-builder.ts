/** Collects live objects as answers bring them, and finishes what one answer alone cannot tell: order and defaults. */

import type { ContainerRef, Identity, Kind, Remote } from '../kinds/kind.ts';
import type { Value } from '../kinds/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { identityValue } from '../tree/identity.ts';
import { type LiveNode, type LiveTree, liveKey } from '../tree/live.ts';

type Draft = { -readonly [Key in keyof LiveNode]: LiveNode[Key] };

/** Where an object was met. */
export interface Met {
  /** The object that was listed. */
  readonly parent: LiveNode;
  /** Place in the list. */
  readonly rank?: number;
  /** True when it was not met in a list of its own place. */
  readonly incidental?: boolean;
}

/** Builds one live tree. */
export class LiveTreeBuilder {
  readonly #registry: Registry;
  readonly #nodes = new Map<string, Draft>();
  readonly #listed = new Set<string>();
  readonly #sets: { readonly node: Draft; readonly sets: NonNullable<Remote['sets']> }[] = [];
  #root: Draft | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Adds the organization itself. */
  addRoot(remote: unknown): LiveNode {
    const kind = this.#registry.root;
    const { id, fields } = kind.fromRemote(remote);
    const self: ContainerRef<string> = { kind: kind.name, id };
    const params = kind.idParam === undefined ? {} : { [kind.idParam]: id };
    this.#root = { kind: kind.name, id, params, scope: self, container: self, fields };
    this.#nodes.set(liveKey(kind.name, id), this.#root);
    return this.#root;
  }

  /** Notes that a list is being read; false when it was before. */
  startList(kind: Kind, parent: LiveNode): boolean {
    const slot = liveKey(kind.name, parent.id);
    if (this.#listed.has(slot)) return false;
    this.#listed.add(slot);
    return true;
  }

  /** Adds an object as an answer shows it. What a list of its place says wins over what was met by the way. */
  add(kind: Kind, remote: unknown, met: Met): LiveNode {
    const read = kind.fromRemote(remote);
    const id = read.id === '' ? met.parent.id : read.id;
    const key = liveKey(kind.name, id);
    const before = this.#nodes.get(key);
    if (before !== undefined && (met.incidental === true || before.incidental !== true)) return before;
    const parentRef: ContainerRef<string> = { kind: met.parent.kind, id: met.parent.id };
    const container = read.container ?? parentRef;
    const node: Draft = {
      kind: kind.name,
      id,
      params: { ...met.parent.params, ...(kind.idParam === undefined ? {} : { [kind.idParam]: id }) },
      scope: this.#scopeOf(kind, container, met.parent),
      container,
      fields: read.fields,
      ...(met.rank === undefined ? {} : { rank: met.rank }),
      ...(read.deleted === undefined ? {} : { deleted: read.deleted }),
      ...(met.incidental === true ? { incidental: true } : {}),
    };
    if (before === undefined) this.#nodes.set(key, node);
    else {
      Object.assign(before, node, { fields: { ...before.fields, ...node.fields } });
      delete before.incidental;
    }
    const kept = before ?? node;
    if (read.sets !== undefined) this.#sets.push({ node: kept, sets: read.sets });
    for (const included of read.includes ?? []) {
      this.addIncluded(this.#registry.byName(included.kind), included.remote);
    }
    return kept;
  }

  /** Adds an object that stood inside the answer about another. */
  addIncluded(kind: Kind, remote: unknown): void {
    if (this.#root !== undefined) this.add(kind, remote, { parent: this.#root, incidental: true });
  }

  /** Sets a field that a read of its own gave. */
  setField(node: LiveNode, name: string, value: Value): void {
    const draft = this.#nodes.get(liveKey(node.kind, node.id));
    if (draft !== undefined) draft.fields = { ...draft.fields, [name]: value };
  }

  /** Notes how much work others have under way inside an object. */
  setOpenWork(node: LiveNode, count: number): void {
    const draft = this.#nodes.get(liveKey(node.kind, node.id));
    if (draft !== undefined) draft.openWork = count;
  }

  get(kind: string, id: string): LiveNode | undefined {
    return this.#nodes.get(liveKey(kind, id));
  }

  has(kind: string, id: string): boolean {
    return this.#nodes.has(liveKey(kind, id));
  }

  nodes(): readonly LiveNode[] {
    return [...this.#nodes.values()];
  }

  /** All values that objects of a kind have of an identity. */
  identityValues(kind: Kind, identity: Identity): ReadonlySet<string> {
    const values = new Set<string>();
    for (const node of this.#nodes.values()) {
      if (node.kind !== kind.name) continue;
      const value = identityValue(node.fields, identity);
      if (value !== undefined) values.add(value);
    }
    return values;
  }

  /** The tree, with defaults set on those that have them and ranks for objects that stand where their children do. */
  finish(organizationId: string): LiveTree {
    const ordered = [...this.#sets].sort(
      (left, right) => Number(right.sets.on === 'scope') - Number(left.sets.on === 'scope'),
    );
    for (const { node, sets } of ordered) {
      const target = this.#nodes.get(
        sets.on === 'scope'
          ? liveKey(node.scope.kind, node.scope.id)
          : liveKey(node.container.kind, node.container.id),
      );
      if (target !== undefined && target.fields[sets.field] === undefined) {
        target.fields = { ...target.fields, [sets.field]: node.id };
      }
    }
    const first = new Map<string, number>();
    for (const node of this.#nodes.values()) {
      if (node.rank === undefined) continue;
      const key = liveKey(node.container.kind, node.container.id);
      first.set(key, Math.min(first.get(key) ?? Number.POSITIVE_INFINITY, node.rank));
    }
    for (const node of this.#nodes.values()) {
      if (this.#registry.byName(node.kind).reads.list?.order !== 'firstChild') continue;
      const rank = first.get(liveKey(node.kind, node.id));
      delete node.rank;
      if (rank !== undefined) node.rank = rank - 0.5;
    }
    return { organizationId, nodes: this.#nodes, listed: this.#listed };
  }

  #scopeOf(kind: Kind, container: ContainerRef<string>, parent: LiveNode): ContainerRef<string> {
    if (kind.scope === 'parent') return container;
    if (this.#root !== undefined && kind.scope === this.#root.kind)
      return { kind: this.#root.kind, id: this.#root.id };
    return { kind: parent.kind, id: parent.id };
  }
}
