/**
 * Live objects to declare, with their addresses: everything reachable from the organization. Objects inside one that cannot be read, or
 * has no key, are not declared.
 */

import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { nameObjects, type Unnamed } from '../../manifest/emit/keys.ts';
import { Addressing } from '../../tree/addressing.ts';
import { byRank, type LiveNode, type LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { type ObjectRef, RefSet } from '../../tree/refs.ts';
import { compareTexts } from '../../util/lists.ts';

export class Outline {
  readonly root: LiveNode;
  /** By address, parents before children, without the organization. */
  readonly objects: ReadonlyMap<string, LiveNode>;
  readonly unnamed: readonly Unnamed[];
  readonly #registry: Registry;
  readonly #live: LiveTree;
  readonly #refused: ReadonlySet<string>;
  readonly #addressing: Addressing;

  constructor(registry: Registry, live: LiveTree, refused: readonly Read[]) {
    this.#registry = registry;
    this.#live = live;
    this.#addressing = new Addressing(registry, live);
    this.#refused = new Set(
      refused.flatMap((read) =>
        read.type === 'list' || read.type === 'single' ? [slotOf(read.kind, read.of)] : [],
      ),
    );
    const root = live.get({ kind: registry.root.name, id: live.organizationId });
    if (root === undefined) throw new Error('the live tree has no organization');
    this.root = root;
    const reached = this.#reached();
    const unnamed = nameObjects(reached, this.#addressing, registry);
    this.objects = new Map(
      reached.flatMap((node) => {
        const address = this.addressOf(node);
        return address === undefined ? [] : [[address, node] as const];
      }),
    );
    this.unnamed = [...unnamed, ...this.#orphans(reached)];
  }

  addressOf(ref: ObjectRef): string | undefined {
    return this.#addressing.addressOf(ref);
  }

  childrenOf(node: LiveNode, collection: string): readonly LiveNode[] | undefined {
    const inside = this.#inside(node, collection);
    const isOrdered = this.#registry.at(node.kind, collection).some(({ place }) => place.ordered);
    const named = inside?.filter((child) => this.addressOf(child) !== undefined);
    const at = (child: LiveNode) => this.addressOf(child) ?? '';
    return named?.sort(isOrdered ? byRank : (left, right) => compareTexts(at(left), at(right)));
  }

  #inside(node: LiveNode, collection: string): LiveNode[] | undefined {
    const places = this.#registry.at(node.kind, collection);
    const above = [node, ...this.#live.ancestorsOf(node)];
    const isClosed = ({ name }: Kind) => above.some((one) => this.#refused.has(slotOf(name, one)));
    if (places.some(({ kind }) => isClosed(kind))) return undefined;
    const kinds = new Map(places.map(({ kind }) => [kind.name, kind]));
    return this.#live.childrenOf(node).filter((child) => {
      const kind = kinds.get(child.kind);
      return kind !== undefined && child.deleted !== true && this.#isListed(kind, child);
    });
  }

  /** False for an object that only other reads returned, although its list would contain it. */
  #isListed(kind: Kind, node: LiveNode): boolean {
    if (node.seenInPassing !== true) return true;
    const per = kind.reads.list?.per;
    return !this.#live.ancestorsOf(node).some((above) => above !== node && above.kind === per);
  }

  /** Parents before children, and each object once, even if the service nests objects in each other. */
  #reached(): readonly LiveNode[] {
    const found = new Set([this.root]);
    for (const node of found)
      for (const collection of this.#registry.collectionsOf(node.kind))
        for (const child of this.#inside(node, collection) ?? []) found.add(child);
    return [...found].slice(1);
  }

  #orphans(reached: readonly LiveNode[]): readonly Unnamed[] {
    const known = new RefSet(reached);
    const orphans = this.#live
      .nodes()
      .filter((node) => node !== this.root && node.deleted !== true && !known.has(node))
      .filter((node) => this.#live.get(node.container) === undefined);
    return orphans.map((node) => ({ node, reason: 'the service does not show its parent' }));
  }
}

function slotOf(kind: string, of: ObjectRef): string {
  return `${kind} ${of.kind} ${of.id}`;
}
