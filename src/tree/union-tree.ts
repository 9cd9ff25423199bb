/** Two wanted trees side by side in one, for reading: what either of them speaks of is read, once. */
import { type DesiredNode, type DesiredTree, rootAddress } from './desired.ts';

/** Leads the addresses of the second tree; no key can hold it. */
const mark = '\u0000';

/** True for a node of a union that the second tree brought. */
export function isOfSecond({ address }: Pick<DesiredNode, 'address'>): boolean {
  return address.startsWith(mark);
}

/** The address as its own tree has it. */
export function ownAddress({ address }: Pick<DesiredNode, 'address'>): string {
  return address.startsWith(mark) ? address.slice(mark.length) : address;
}

/** The first tree with the nodes of the second beside its own. Only for finding out what to read; it cannot be planned. */
export function unionTree(first: DesiredTree, second: DesiredTree | undefined): DesiredTree {
  if (second === undefined) return first;
  const nodes = new Map<string, DesiredNode>(first.nodes);
  for (const node of second.nodes.values()) {
    const marked: DesiredNode = {
      ...node,
      address: mark + node.address,
      ...(node.parent === undefined ? {} : { parent: mark + node.parent }),
      fields: node.address === rootAddress ? {} : node.fields,
    };
    nodes.set(marked.address, marked);
  }
  return { ...first, nodes };
}
