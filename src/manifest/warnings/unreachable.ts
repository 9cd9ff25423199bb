/** Reports entries of a navigation that no visitor ever sees. Judges only the manifests. */
import type { Kind } from '../../kinds/kind.ts';
import { fieldWith } from '../../kinds/parts/field.ts';
import { neededToCreate } from '../../kinds/parts/probe.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { remembered, rememberedIn } from '../../util/remembered.ts';
import { isNeverTrue } from './conditions.ts';
import { placeOfField, textIn, type Warning, type WarningInput } from './warning.ts';

export function* unreachable({ trees, registry }: WarningInput): Generator<Warning> {
  const contentsOf = contentsByKind(registry);
  for (const tree of trees) {
    const why = new Map<string, Reason | undefined>();
    const reasonOf = (node: DesiredNode) => rememberedIn(why, node.address, () => find(node));
    const find = (node: DesiredNode): Reason | undefined => {
      const condition = fieldWith(registry.byName(node.kind), 'condition');
      const text = condition && textIn(node, condition.name);
      if (condition !== undefined && text !== undefined && isNeverTrue(text))
        return { field: condition.name, message: `its condition ${JSON.stringify(text)} is never true` };
      return reasonInside(tree, node, { contents: () => contentsOf(registry.byName(node.kind)), reasonOf });
    };
    for (const node of tree.nodes.values()) {
      const reason = reasonOf(node);
      // If all children are hidden, they are reported instead of the parent; children of a hidden parent are not reported.
      if (reason === undefined || reason.isFromInside === true) continue;
      if (tree.ancestorsOf(node).some((above) => reasonOf(above)?.field !== undefined)) continue;
      yield findingOf(registry.byName(node.kind).noun, node, reason);
    }
  }
}

interface Reason {
  readonly field?: string;
  readonly message: string;
  /** True if every child has its own reason. */
  readonly isFromInside?: true;
}

function findingOf(noun: string, node: DesiredNode, { field, message }: Reason): Warning {
  return {
    code: 'unreachable-section',
    message: `no visitor can reach the ${noun}: ${message}`,
    at: field === undefined ? node.at : placeOfField(node, field),
    address: node.address,
    suggestion:
      field === undefined
        ? 'add entries to it, or remove it'
        : 'write a condition that visitors can fulfil, or remove the entry',
  };
}

function reasonInside(
  tree: DesiredTree,
  node: DesiredNode,
  {
    contents,
    reasonOf,
  }: { readonly contents: () => readonly string[]; readonly reasonOf: (node: DesiredNode) => unknown },
): Reason | undefined {
  const hidden = node.declares.filter((key) =>
    tree.childrenOf(node.address, key).every((child) => reasonOf(child) !== undefined),
  );
  const key = hidden.length === 0 ? undefined : contents().find((one) => hidden.includes(one));
  if (key === undefined) return undefined;
  if (tree.childrenOf(node.address, key).length === 0) return { message: `it has no ${key}` };
  return { message: `none of its ${key} can be reached`, isFromInside: true };
}

/**
 * Child keys that an entry of the kind needs to be visible: new objects need them, or they are its marker. Computed lazily,
 * because it takes as long as checking about ten objects.
 */
function contentsByKind(registry: Registry): (kind: Kind) => readonly string[] {
  return remembered((kind) => {
    if (!kind.manifest.places.some(({ ordered }) => ordered)) return [];
    const needed = neededToCreate(registry, kind);
    return registry
      .collectionsOf(kind.name)
      .filter((key) => needed.includes(key) || kind.manifest.marker === key);
  });
}
