/** Reports entries of one navigation that visitors cannot distinguish. Variants for different visitors may look alike. */
import { fieldWith } from '../../../kinds/field.ts';
import type { DesiredNode } from '../../../tree/desired.ts';
import { type LintFinding, type LintInput, placeOfField, textIn } from '../rule.ts';

export function* duplicateLabel({ trees, registry }: LintInput): Generator<LintFinding> {
  for (const tree of trees) {
    const seen = new Map<string, DesiredNode[]>();
    for (const node of tree.nodes.values()) {
      const label = fieldWith(registry.byName(node.kind), 'title');
      const text = label && textIn(node, label.name);
      if (label?.trait.inNavigation !== true || text === undefined) continue;
      const slot = JSON.stringify([node.parent, node.collection, text.trim().toLowerCase()]);
      const former = seen.get(slot) ?? [];
      const duplicate = former.find((other) =>
        meet(conditionOf(registry, other), conditionOf(registry, node)),
      );
      if (duplicate !== undefined) {
        yield {
          rule: 'duplicate-section-title',
          message: `${duplicate.address} has the title ${JSON.stringify(text)} too, and visitors see both`,
          at: placeOfField(node, label.name),
          address: node.address,
          suggestion: 'rename one of the two, or give each a condition of its own',
          related: [{ message: 'the other one', at: placeOfField(duplicate, label.name) }],
        };
      }
      seen.set(slot, [...former, node]);
    }
  }
}

function conditionOf(registry: LintInput['registry'], node: DesiredNode): string | undefined {
  const condition = fieldWith(registry.byName(node.kind), 'condition');
  return condition && textIn(node, condition.name);
}

function meet(left: string | undefined, right: string | undefined): boolean {
  return left === undefined || right === undefined || left === right;
}
