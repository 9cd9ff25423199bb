/** The desired tree of one organization, with the walks and look-ups that all stages need. */
import { push } from '../util/group.ts';
import { type DesiredNode, rootAddress } from './desired.ts';
import type { Settings } from './settings.ts';

/** Everything that the manifests say of one organization, as plain data. */
export interface DesiredData {
  /** Name of the organization in messages and, where a run has several, in addresses: its id or what it is matched by. */
  readonly label: string;
  /** How the organization is found: exactly one of the two. */
  readonly id?: string;
  readonly match?: { readonly hostname?: string; readonly title?: string };
  readonly settings: Settings;
  /** All nodes by address, parents before children, in the order of the files; the first is the organization. */
  readonly nodes: ReadonlyMap<string, DesiredNode>;
}

interface DesiredIndex {
  readonly children: ReadonlyMap<string, readonly DesiredNode[]>;
  readonly ofKind: ReadonlyMap<string, readonly DesiredNode[]>;
  readonly keyed: ReadonlyMap<string, ReadonlyMap<string, readonly DesiredNode[]>>;
}

/** What the manifests of one organization declare. Never changes; `with` makes another one. */
export class DesiredTree {
  readonly data: DesiredData;
  #index: DesiredIndex | undefined;

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

  /** The organization itself. */
  get root(): DesiredNode | undefined {
    return this.nodes.get(rootAddress);
  }

  /** The same tree with some of its data replaced. */
  with(changes: Partial<DesiredData>): DesiredTree {
    return new DesiredTree({ ...this.data, ...changes });
  }

  get(address: string): DesiredNode | undefined {
    return this.nodes.get(address);
  }

  parentOf({ parent }: DesiredNode): DesiredNode | undefined {
    return parent === undefined ? undefined : this.nodes.get(parent);
  }

  /** The parent, its parent and so on up to the organization. */
  ancestorsOf(node: DesiredNode): readonly DesiredNode[] {
    const ancestors: DesiredNode[] = [];
    for (let above = this.parentOf(node); above !== undefined; above = this.parentOf(above))
      ancestors.push(above);
    return ancestors;
  }

  /** The nearest ancestor of a kind, or the parent, as kinds name their scope. */
  closest(node: DesiredNode, scope: string): DesiredNode | undefined {
    if (scope === 'parent') return this.parentOf(node);
    return this.ancestorsOf(node).find(({ kind }) => kind === scope);
  }

  /** The objects directly inside an object, or those under one of its keys, in order. */
  childrenOf(address: string, collection?: string): readonly DesiredNode[] {
    const all = this.#indexed().children.get(address) ?? [];
    return collection === undefined ? all : all.filter((child) => child.collection === collection);
  }

  /** Everything inside an object, parents before children. */
  inside(address: string): readonly DesiredNode[] {
    const found: DesiredNode[] = [];
    const add = (parent: string): void => {
      for (const child of this.childrenOf(parent)) {
        found.push(child);
        add(child.address);
      }
    };
    add(address);
    return found;
  }

  ofKind(kind: string): readonly DesiredNode[] {
    return this.#indexed().ofKind.get(kind) ?? [];
  }

  /** The objects of a kind that have a key, wherever they are. */
  keyed(kind: string, key: string): readonly DesiredNode[] {
    return this.#indexed().keyed.get(kind)?.get(key) ?? [];
  }

  /** The keys of all objects of a kind. */
  keysOf(kind: string): Iterable<string> {
    return this.#indexed().keyed.get(kind)?.keys() ?? [];
  }

  #indexed(): DesiredIndex {
    this.#index ??= indexOf(this.nodes.values());
    return this.#index;
  }
}

function indexOf(nodes: Iterable<DesiredNode>): DesiredIndex {
  const children = new Map<string, DesiredNode[]>();
  const ofKind = new Map<string, DesiredNode[]>();
  const keyed = new Map<string, Map<string, DesiredNode[]>>();
  for (const node of nodes) {
    if (node.parent !== undefined) push(children, node.parent, node);
    push(ofKind, node.kind, node);
    const keys = keyed.get(node.kind) ?? new Map<string, DesiredNode[]>();
    keyed.set(node.kind, keys);
    push(keys, node.key, node);
  }
  return { children, ofKind, keyed };
}
