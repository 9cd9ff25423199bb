/**
 * Which live objects are declared where: what can be reached from the organization, with the address of each. What is inside
 * something that cannot be read, or has no key, is not declared. Pure.
 */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { chooseKeys, type Unnamed } from '../../manifest/emit/keys.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import { type ObjectRef, RefMap, RefSet } from '../../tree/refs.ts';
import type { RefusedRead } from './read-live.ts';

/** What an outline is made from. */
export interface OutlineOptions {
  readonly registry: Registry;
  readonly live: LiveTree;
  readonly refused: readonly RefusedRead[];
}

/** The addresses of live objects, and what is inside each of them. */
export class Outline {
  readonly root: LiveNode;
  /** Objects that could not be given an address, and why: a clause. */
  readonly unnamed: readonly Unnamed[];
  readonly #registry: Registry;
  readonly #live: LiveTree;
  readonly #refused: ReadonlySet<string>;
  readonly #addresses = new RefMap<string>();
  readonly #nodes: LiveNode[] = [];
  readonly #at = new Map<string, LiveNode>();

  constructor({ registry, live, refused }: OutlineOptions) {
    this.#registry = registry;
    this.#live = live;
    this.#refused = new Set(
      refused.flatMap(({ read }) =>
        read.type === 'list' || read.type === 'single' ? [slotOf(read.kind, read.of)] : [],
      ),
    );
    const root = live.get({ kind: registry.root.name, id: live.organizationId });
    if (root === undefined) throw new Error('the live tree has no organization');
    this.root = root;
    const reached = this.#reached();
    const { keys, unnamed } = chooseKeys(reached, { registry, knownKeyOf: () => undefined });
    this.#address(keys);
    this.unnamed = [...unnamed, ...this.#orphans(reached)];
  }

  /** All objects with an address, parents before children, without the organization. */
  get nodes(): readonly LiveNode[] {
    return this.#nodes;
  }

  addressOf(ref: ObjectRef): string | undefined {
    return this.#addresses.get(ref);
  }

  /** The object at an address. */
  at(address: string): LiveNode | undefined {
    return this.#at.get(address);
  }

  /**
   * The objects under a key of an object, in the order in which they are written: as they are live where the order counts,
   * by address otherwise. Undefined where they cannot all be known.
   */
  childrenOf(node: LiveNode, collection: string): readonly LiveNode[] | undefined {
    const inside = this.#inside(node, collection);
    const isOrdered = this.#registry.at(node.kind, collection).some(({ place }) => place.ordered);
    const named = inside?.filter((child) => this.addressOf(child) !== undefined);
    return named?.sort(isOrdered ? byRank : (left, right) => this.#compare(left, right));
  }

  #compare(left: LiveNode, right: LiveNode): number {
    return compareTexts(this.addressOf(left) ?? '', this.addressOf(right) ?? '');
  }

  #inside(node: LiveNode, collection: string): LiveNode[] | undefined {
    const places = this.#registry.at(node.kind, collection);
    if (places.some(({ kind }) => this.#isClosed(kind, node))) return undefined;
    const kinds = new Map(places.map(({ kind }) => [kind.name, kind]));
    return this.#live.childrenOf(node).filter((child) => {
      const kind = kinds.get(child.kind);
      return kind !== undefined && child.deleted !== true && this.#isListed(kind, child);
    });
  }

  /** True where the list that shows objects of a kind inside an object was refused. */
  #isClosed(kind: Kind, node: LiveNode): boolean {
    return [node, ...this.#live.ancestorsOf(node)].some((above) =>
      this.#refused.has(slotOf(kind.name, above)),
    );
  }

  /** False for what was only seen by the way, although a list would have shown it. */
  #isListed(kind: Kind, node: LiveNode): boolean {
    if (node.incidental !== true) return true;
    const per = kind.reads.list?.per;
    return ![node, ...this.#live.ancestorsOf(node)].some((above) => above !== node && above.kind === per);
  }

  #reached(): readonly LiveNode[] {
    const found: LiveNode[] = [];
    for (const node of walk(this.root, (one) => this.#all(one))) if (node !== this.root) found.push(node);
    return found;
  }

  #all(node: LiveNode): readonly LiveNode[] {
    const collections = this.#registry.collectionsOf(node.kind);
    return collections.flatMap((collection) => this.#inside(node, collection) ?? []);
  }

  #address(keys: RefMap<string>): void {
    this.#addresses.set(this.root, rootAddress);
    const named = (node: LiveNode) => this.#all(node).filter((child) => keys.has(child));
    for (const node of walk(this.root, named)) {
      if (node === this.root) continue;
      const parent = this.#addresses.get(node.container) ?? '';
      const place = this.#registry
        .byName(node.kind)
        .places.find(({ parent: kind }) => kind === node.container.kind);
      const prefix = parent === rootAddress ? '' : `${parent}/`;
      const key = place?.shape === 'single' ? '' : `/${keys.get(node)}`;
      const address = `${prefix}${place?.key}${key}`;
      this.#addresses.set(node, address);
      this.#at.set(address, node);
      this.#nodes.push(node);
    }
  }

  /** Objects whose parent the service does not show. */
  #orphans(reached: readonly LiveNode[]): readonly Unnamed[] {
    const known = new RefSet(reached);
    const orphans = this.#live
      .nodes()
      .filter((node) => node !== this.root && node.deleted !== true && !known.has(node))
      .filter((node) => this.#live.get(node.container) === undefined);
    return orphans.map((node) => ({ node, reason: 'the service does not show what it is in' }));
  }
}

/** Parents before children; each object once, whatever the service says that is inside what. */
function* walk(from: LiveNode, inside: (node: LiveNode) => readonly LiveNode[]): Generator<LiveNode> {
  const seen = new Set<LiveNode>([from]);
  for (const node of seen) {
    yield node;
    for (const child of inside(node)) seen.add(child);
  }
}

function slotOf(kind: string, of: ObjectRef): string {
  return `${kind} ${of.kind} ${of.id}`;
}

function byRank(left: LiveNode, right: LiveNode): number {
  const [one, other] = [left.rank ?? Number.POSITIVE_INFINITY, right.rank ?? Number.POSITIVE_INFINITY];
  return one === other ? compareTexts(left.id, right.id) : one - other;
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
