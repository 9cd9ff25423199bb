/** Reads what the manifests do not speak of, and a plan must know all the same: what deletes take along, and what new objects may have been. */
import type { OperationId } from '../contract/index.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Fields } from '../kinds/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import type { DesiredNode, DesiredTree } from '../tree/desired.ts';
import type { LiveNode } from '../tree/live.ts';
import { mayLeave, suspicionOf } from './at-stake.ts';
import { kindsToList } from './declared.ts';
import type { LiveTreeBuilder } from './live-tree-builder.ts';

/** What of the whole read it takes part in. */
export interface AtStakeContext {
  readonly tree: DesiredTree;
  readonly registry: Registry;
  readonly builder: LiveTreeBuilder;
  readonly desiredNodes: ReadonlyMap<string, readonly DesiredNode[]>;
  readonly desiredFor: (node: LiveNode) => readonly DesiredNode[];
  readonly list: (parent: LiveNode, kind: Kind, met?: { readonly incidental?: boolean }) => Promise<void>;
  /** All items of a list; of the ids, those that the operation takes. */
  readonly all: (
    operation: OperationId,
    params: Readonly<Record<string, string>>,
    query: Fields | undefined,
  ) => Promise<readonly unknown[]>;
  readonly onRead: (what: string) => void;
}

/** One read's share of what is at stake. */
export class AtStakeReader {
  readonly #context: AtStakeContext;
  readonly #nodes = new Set<LiveNode>();

  constructor(context: AtStakeContext) {
    this.#context = context;
  }

  /** True for objects that were looked into although no manifest speaks of them. */
  has(node: LiveNode): boolean {
    return this.#nodes.has(node);
  }

  /** What stands in objects that may be deleted, so that nothing goes down with them unseen. */
  async readDoomed(): Promise<void> {
    const leaving = this.#context.builder.nodes().filter(
      (node) =>
        !this.#nodes.has(node) &&
        node.kind !== this.#context.registry.root.name &&
        mayLeave(this.#context.tree, this.#context.registry.byName(node.kind), {
          node,
          desiredNodes: this.#context.desiredFor(node),
        }),
    );
    if (leaving.length === 0) return;
    for (const node of leaving) this.#nodes.add(node);
    await Promise.all(
      leaving.flatMap((node) => [
        this.#countOpenWork(node),
        ...this.#listsInside(node).map(([parent, kind]) => this.#context.list(parent, kind)),
      ]),
    );
    await this.readDoomed();
  }

  /** The lists that show what stands in an object: its own, and those of the object around it. */
  #listsInside(node: LiveNode): readonly (readonly [LiveNode, Kind])[] {
    const around = this.#context.builder.get(node.scope.kind, node.scope.id);
    return this.#context.registry.kinds.flatMap((kind) => {
      const per = kind.reads.list?.per;
      if (per === node.kind) return [[node, kind] as const];
      const isInside = kind.places.some(({ parent }) => parent === node.kind);
      return isInside && around !== undefined && per === around.kind ? [[around, kind] as const] : [];
    });
  }

  async #countOpenWork(node: LiveNode): Promise<void> {
    const { openWork } = this.#context.registry.byName(node.kind);
    if (openWork === undefined) return;
    this.#context.onRead(`${openWork.noun}s`);
    const { operation, query } = openWork;
    const items = await this.#context.all(operation, node.params, query);
    this.#context.builder.setOpenWork(node, items.length);
  }

  /** What stands in unlisted objects that a new one may have been, so that a rename can be told from a new object. */
  async readSuspects(): Promise<void> {
    const nodes = this.#context.builder.nodes();
    await Promise.all(
      this.#context.registry.kinds.map(async (kind) => {
        if (kind.reads.list === undefined || kind === this.#context.registry.root) return;
        const met = nodes
          .filter((node) => node.kind === kind.name && !this.#nodes.has(node))
          .map((node) => ({ node, desiredNodes: this.#context.desiredFor(node) }));
        const suspicion = suspicionOf(this.#context.desiredNodes.get(kind.name) ?? [], met);
        const needed = kindsToList(this.#context.tree, this.#context.registry, suspicion.desiredNodes);
        for (const node of suspicion.nodes) this.#nodes.add(node);
        await Promise.all(
          suspicion.nodes.flatMap((node) =>
            needed.lists.map((inner) => this.#context.list(node, inner, { incidental: true })),
          ),
        );
      }),
    );
  }
}
