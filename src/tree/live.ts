/** The live tree: the state of the service as far as it was read, in the same normal form as the desired tree. */

import type { OtherWriter } from '../kinds/kind.ts';
import type { Fields } from '../kinds/parts/payload.ts';
import { compareTexts } from '../util/lists.ts';
import { isSameObject, type ObjectRef, RefLists, RefMap, RefSet } from './refs.ts';

export interface LiveNode {
  readonly kind: string;
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  /** The object inside which identities of its kind are unique, for example the site of a section. */
  readonly scope: ObjectRef;
  readonly container: ObjectRef;
  readonly fields: Fields;
  /** Position among its siblings; absent if the order cannot be read. */
  readonly rank?: number;
  readonly deleted?: true;
  /** The object exists but is disabled: it does not count if one must remain. */
  readonly inactive?: true;
  readonly otherWriter?: OtherWriter;
  /** Only the object's names are known. */
  readonly partial?: true;
  /** The object was never changed. */
  readonly initial?: true;
  /** Format: ISO 8601. */
  readonly deletedAt?: string;
  /** Format: ISO 8601; absent for some kinds. */
  readonly createdAt?: string;
  readonly openWork?: number;
  readonly url?: string;
  /** Levels of a person by object id, as far as the service lists them. */
  readonly reach?: Readonly<Record<string, string | null>>;
  /** Numbers of links in its content, by the id of the object of the same kind that they lead to; absent if they were not read. */
  readonly links?: Readonly<Record<string, number>>;
  /** The object is known only from another response or a search, not from a list of its container. */
  readonly seenInPassing?: true;
}

/** Grows between the stages of a plan, as they yield reads; does not change during a stage. */
export class LiveTree {
  readonly organizationId: string;
  /** Data that was only read for a view of the plan. */
  aside: LiveTree | undefined;
  /** Owner of the token, if the service reports it. */
  owner: { readonly id: string; readonly email?: string } | undefined;
  /** False if the token does not administer the organization, so that lists and responses may omit objects. */
  seesAll = true;
  #denied: RefSet | undefined;
  readonly #foreign = new RefMap<string>();
  readonly #nodes = new RefMap<LiveNode>();
  readonly #all: LiveNode[] = [];
  #index: ReturnType<typeof indexOf> | undefined;

  constructor(organizationId: string, nodes: Iterable<LiveNode> = []) {
    this.organizationId = organizationId;
    for (const node of nodes) this.add(node);
  }

  add(node: LiveNode): void {
    this.#nodes.set(node, node);
    this.#all.push(node);
    this.#index = undefined;
  }

  /** Call after a change of an object, because its place may differ. */
  changed(): void {
    this.#index = undefined;
  }

  get(ref: ObjectRef): LiveNode | undefined {
    return this.#nodes.get(ref);
  }

  has(ref: ObjectRef): boolean {
    return this.#nodes.has(ref);
  }

  deny(ref: ObjectRef): void {
    this.#denied ??= new RefSet();
    this.#denied.add(ref);
  }

  /** Call for an object of another organization. It is never part of the tree. */
  addForeign(ref: ObjectRef, organizationId: string): void {
    this.#foreign.set({ kind: ref.kind, id: ref.id }, organizationId);
  }

  foreignOwner(ref: ObjectRef): string | undefined {
    return this.#foreign.get(ref);
  }

  get hidesNothing(): boolean {
    return this.seesAll && this.#denied === undefined;
  }

  /** True if the object may exist although no response shows it. */
  mayHide(ref: ObjectRef): boolean {
    if (this.has(ref) || this.#foreign.has(ref)) return false;
    return !this.seesAll || this.#denied?.has(ref) === true;
  }

  nodes(): readonly LiveNode[] {
    return this.#all;
  }

  ofKind(kind: string): readonly LiveNode[] {
    return this.#nodes.ofKind(kind);
  }

  parentOf(node: LiveNode): LiveNode | undefined {
    return isSameObject(node, node.container) ? undefined : this.get(node.container);
  }

  ancestorsOf(node: LiveNode): readonly LiveNode[] {
    const ancestors = new Set<LiveNode>();
    // A service may show containers that contain each other.
    for (let above = this.parentOf(node); above !== undefined && !ancestors.has(above); ) {
      ancestors.add(above);
      above = this.parentOf(above);
    }
    return [...ancestors];
  }

  childrenOf(ref: ObjectRef): readonly LiveNode[] {
    return this.#indexed().children.get(ref);
  }

  inScope(scope: ObjectRef, kind: string): readonly LiveNode[] {
    return this.#indexed()
      .inScope.get(scope)
      .filter((node) => node.kind === kind);
  }

  #indexed() {
    this.#index ??= indexOf(this.#all);
    return this.#index;
  }
}

function indexOf(nodes: readonly LiveNode[]) {
  const index = { children: new RefLists<LiveNode>(), inScope: new RefLists<LiveNode>() };
  for (const node of nodes) {
    if (isSameObject(node, node.container)) continue;
    index.children.push(node.container, node);
    index.inScope.push(node.scope, node);
  }
  return index;
}

export function byRank(left: LiveNode, right: LiveNode): number {
  const [one, other] = [left.rank ?? Number.POSITIVE_INFINITY, right.rank ?? Number.POSITIVE_INFINITY];
  if (one !== other) return one - other;
  return compareTexts(left.id, right.id);
}
