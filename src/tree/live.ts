/** The live tree: what the service has, as far as it was read, in the same normal form as the desired tree. */
import type { Fields } from '../kinds/payload.ts';
import { isSameObject, type ObjectRef, RefLists, RefMap } from './refs.ts';

/** One live object. */
export interface LiveNode {
  readonly kind: string;
  readonly id: string;
  /** Ids by parameter name of the object and of all its ancestors. */
  readonly params: Readonly<Record<string, string>>;
  /** The object inside which its kind looks for identities, for example the site of a section. */
  readonly scope: ObjectRef;
  /** The direct parent; the organization is its own. */
  readonly container: ObjectRef;
  readonly fields: Fields;
  /** Place in the container, compared with its siblings' ranks; absent where the order cannot be read. */
  readonly rank?: number;
  /** True when the object is deleted and can be restored. */
  readonly deleted?: true;
  /** True when the object takes no part, such as a disabled member: it does not count where one must remain. */
  readonly inactive?: true;
  /** When it was deleted, as an ISO 8601 date-time. */
  readonly deletedAt?: string;
  /** When it was created, as ISO 8601; known only where it matters for recognising the object. */
  readonly createdAt?: string;
  /** How much work others have pending inside it; known only where it was asked for. */
  readonly openWork?: number;
  /** True when it was seen inside another response or found by a search, not in a list of its container. */
  readonly incidental?: true;
}

interface LiveIndex {
  readonly children: RefLists<LiveNode>;
  readonly inScope: RefLists<LiveNode>;
}

/**
 * All that was read of one organization. It grows between the stages of a plan, as they ask for more; while a stage
 * runs it stays as it is.
 */
export class LiveTree {
  readonly organizationId: string;
  readonly #nodes = new RefMap<LiveNode>();
  readonly #all: LiveNode[] = [];
  #index: LiveIndex | undefined;

  constructor(organizationId: string, nodes: Iterable<LiveNode> = []) {
    this.organizationId = organizationId;
    for (const node of nodes) this.add(node);
  }

  /** Adds an object that is not in the tree. */
  add(node: LiveNode): void {
    this.#nodes.set(node, node);
    this.#all.push(node);
    this.#index = undefined;
  }

  /** To be called after a change of what is known of an object: its place may be another one. */
  changed(): void {
    this.#index = undefined;
  }

  get(ref: ObjectRef): LiveNode | undefined {
    return this.#nodes.get(ref);
  }

  has(ref: ObjectRef): boolean {
    return this.#nodes.has(ref);
  }

  /** All objects, in the order in which they were read. */
  nodes(): readonly LiveNode[] {
    return this.#all;
  }

  ofKind(kind: string): readonly LiveNode[] {
    return this.#nodes.ofKind(kind);
  }

  /** The direct parent; undefined for the organization, and where the parent was not read. */
  parentOf(node: LiveNode): LiveNode | undefined {
    return isSameObject(node, node.container) ? undefined : this.get(node.container);
  }

  /** The parent, its parent and so on, as far as they were read. */
  ancestorsOf(node: LiveNode): readonly LiveNode[] {
    const ancestors = new Set<LiveNode>();
    // A service may show containers that contain each other.
    for (let above = this.parentOf(node); above !== undefined && !ancestors.has(above); ) {
      ancestors.add(above);
      above = this.parentOf(above);
    }
    return [...ancestors];
  }

  /** The objects directly inside an object. */
  childrenOf(ref: ObjectRef): readonly LiveNode[] {
    return this.#indexed().children.get(ref);
  }

  /** The objects that look for their identities inside an object, of one kind. */
  inScope(scope: ObjectRef, kind: string): readonly LiveNode[] {
    return this.#indexed()
      .inScope.get(scope)
      .filter((node) => node.kind === kind);
  }

  #indexed(): LiveIndex {
    if (this.#index !== undefined) return this.#index;
    const index = { children: new RefLists<LiveNode>(), inScope: new RefLists<LiveNode>() };
    for (const node of this.#all) {
      if (isSameObject(node, node.container)) continue;
      index.children.push(node.container, node);
      index.inScope.push(node.scope, node);
    }
    this.#index = index;
    return index;
  }
}
