import { defined } from '../util/defined.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import { push } from '../util/group.ts';
import { rememberedIn } from '../util/remembered.ts';
import { type DesiredNode, rootAddress } from './desired.ts';
import type { Endings } from './endings.ts';
import type { Settings } from './settings.ts';

export interface DesiredData {
  /** Name of the organization in messages and, if a run has several, in addresses: its id or the name that it is matched by. */
  readonly label: string;
  /** Exactly one of the two. */
  readonly id?: string;
  readonly match?: { readonly hostname?: string; readonly title?: string };
  readonly settings: Settings;
  /** Keyed by address, parents before children, in the order of the files; the first is the organization. */
  readonly nodes: ReadonlyMap<string, DesiredNode>;
  /** Lines of overlays that leave out an object, by its address. Only for explaining. */
  readonly omitted?: ReadonlyMap<string, SourceRange>;
  /** Absent without expiring values, or without a clock. */
  readonly expiring?: readonly Expiry[];
  /** Absent if nothing in the tree ends, or without a clock. */
  readonly endings?: Endings;
}

/** A value that expires soon, or has expired: a danger without a step. */
export interface Expiry {
  readonly address: string;
  /** Example: `certificate expires on 2026-11-30, in 4 days`. */
  readonly text: string;
  readonly severe?: true;
}

/** Immutable; `with` returns a changed copy. */
export class DesiredTree {
  readonly data: DesiredData;
  #index: ReturnType<typeof indexOf> | undefined;

  constructor(data: DesiredData) {
    this.data = data;
  }

  get label(): string {
    return this.data.label;
  }

  get id(): string | undefined {
    return this.data.id;
  }

  get match(): DesiredData['match'] {
    return this.data.match;
  }

  get settings(): Settings {
    return this.data.settings;
  }

  get nodes(): ReadonlyMap<string, DesiredNode> {
    return this.data.nodes;
  }

  get root(): DesiredNode | undefined {
    return this.nodes.get(rootAddress);
  }

  with(changes: Partial<DesiredData>): DesiredTree {
    return new DesiredTree({ ...this.data, ...changes });
  }

  /** Addresses must stay the same. */
  mapped(change: (node: DesiredNode) => DesiredNode): DesiredTree {
    return this.with({ nodes: new Map([...this.nodes].map(([address, node]) => [address, change(node)])) });
  }

  get(address: string): DesiredNode | undefined {
    return this.nodes.get(address);
  }

  parentOf({ parent }: DesiredNode): DesiredNode | undefined {
    return parent === undefined ? undefined : this.nodes.get(parent);
  }

  ancestorsOf(node: DesiredNode): readonly DesiredNode[] {
    const ancestors: DesiredNode[] = [];
    for (let above = this.parentOf(node); above !== undefined; above = this.parentOf(above))
      ancestors.push(above);
    return ancestors;
  }

  /** The nearest ancestor of a kind, or the parent. */
  closest(node: DesiredNode, scope: string): DesiredNode | undefined {
    if (scope === 'parent') return this.parentOf(node);
    return this.ancestorsOf(node).find(({ kind }) => kind === scope);
  }

  childrenOf(address: string, collection?: string): readonly DesiredNode[] {
    const all = this.#indexed().children.get(address) ?? [];
    return collection === undefined ? all : all.filter((child) => child.collection === collection);
  }

  /** Parents before children. */
  inside(address: string): readonly DesiredNode[] {
    return this.childrenOf(address).flatMap((child) => [child, ...this.inside(child.address)]);
  }

  ofKind(kind: string): readonly DesiredNode[] {
    return this.#indexed().ofKind.get(kind) ?? [];
  }

  keyed(kind: string, key: string): readonly DesiredNode[] {
    return this.#indexed().keyed.get(kind)?.get(key) ?? [];
  }

  keysOf(kind: string): Iterable<string> {
    return this.#indexed().keyed.get(kind)?.keys() ?? [];
  }

  #indexed() {
    this.#index ??= indexOf(this.nodes.values());
    return this.#index;
  }
}

function indexOf(nodes: Iterable<DesiredNode>) {
  const children = new Map<string, DesiredNode[]>();
  const ofKind = new Map<string, DesiredNode[]>();
  const keyed = new Map<string, Map<string, DesiredNode[]>>();
  for (const node of nodes) {
    if (node.parent !== undefined) push(children, node.parent, node);
    push(ofKind, node.kind, node);
    const keys = rememberedIn(keyed, node.kind, () => new Map<string, DesiredNode[]>());
    push(keys, node.key, node);
  }
  return { children, ofKind, keyed };
}

/** Pins nodes by these ids, unless they have one. */
export function withIds(tree: DesiredTree, ids: ReadonlyMap<string, string>): DesiredTree {
  return tree.mapped((node) => ({ ...node, ...defined({ id: node.id ?? ids.get(node.address) }) }));
}

/** An object that the manifest pins is known from there. */
export function withKnownIds(tree: DesiredTree, ids: ReadonlyMap<string, string>): DesiredTree {
  return tree.mapped((node) => {
    const isOpen = node.id === undefined && node.address !== rootAddress;
    const knownId = isOpen ? ids.get(node.address) : undefined;
    return knownId === undefined ? node : { ...node, knownId };
  });
}
