/** Reports content that is shown to people who are not signed in, but closed to members by default. */

import { fieldWith } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { referencesOf } from '../../tree/references.ts';
import { placeOfField, type Warning, type WarningInput } from './warning.ts';

export function* widerAudience({ trees, registry }: WarningInput): Generator<Warning> {
  for (const tree of trees) {
    for (const open of openObjects(tree, registry)) yield* shownBy(open, tree, registry);
  }
}

function* shownBy(open: OpenObject, tree: DesiredTree, registry: Registry): Generator<Warning> {
  const references = tree.inside(open.node.address).flatMap((node) => referencesOf(tree, node, registry));
  for (const { node, field, target } of references) {
    const shown = target.type === 'node' ? tree.get(target.address) : undefined;
    const closed = shown && closedAt(tree, registry, shown);
    if (shown === undefined || closed === undefined) continue;
    yield {
      code: 'visibility-wider-than-space',
      message: `${open.node.address} is ${open.value}, and ${shown.address} is closed to the organization by default`,
      at: placeOfField(node, field),
      address: node.address,
      suggestion: `narrow the ${open.name}, show another ${registry.byName(shown.kind).noun}, or give it a ${closed.name}`,
      related: [
        { message: `the ${open.name}`, at: placeOfField(open.node, open.name) },
        { message: `the ${closed.name}`, at: placeOfField(closed.node, closed.name) },
      ],
    };
  }
}

interface Closing {
  readonly node: DesiredNode;
  readonly name: string;
}

interface OpenObject extends Closing {
  readonly value: string;
}

function openObjects(tree: DesiredTree, registry: Registry): readonly OpenObject[] {
  return [...tree.nodes.values()].flatMap((node) => {
    const audience = fieldWith(registry.byName(node.kind), 'audience');
    const value = audience && node.fields[audience.name];
    if (audience === undefined || typeof value !== 'string' || !audience.trait.open.includes(value))
      return [];
    return [{ node, name: audience.name, value }];
  });
}

function closedAt(tree: DesiredTree, registry: Registry, shown: DesiredNode): Closing | undefined {
  for (const node of [shown, ...tree.ancestorsOf(shown)]) {
    const level = fieldWith(registry.byName(node.kind), 'level');
    if (level === undefined) return undefined;
    const value = node.fields[level.name];
    if (value === null) return { node, name: level.name };
    if (value !== level.field.inherits) return undefined;
  }
  return undefined;
}
