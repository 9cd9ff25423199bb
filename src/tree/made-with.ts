/**
 * Objects that a new container creates automatically: the only space of a new site. The plan that creates both uses this module, and so
 * does the match that finds them after an interrupted run.
 */
import type { Kind } from '../kinds/kind.ts';
import { fieldWith } from '../kinds/parts/field.ts';
import type { Value } from '../kinds/parts/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import type { DesiredNode } from './desired.ts';
import type { DesiredTree } from './desired-tree.ts';
import type { LiveNode, LiveTree } from './live.ts';
import { resolveField } from './references.ts';

export interface MadeWith {
  /** Field of the node that requests it, and the field's value. */
  readonly name: string;
  readonly value: Value;
  readonly node: DesiredNode;
  /** The only entry that shows the object in its container, and its field that refers to the object. */
  readonly entry: DesiredNode;
  readonly field: string;
  readonly container: DesiredNode;
}

export function madeWithIn(tree: DesiredTree, registry: Registry): readonly MadeWith[] {
  return registry.kinds.flatMap((kind) => {
    const asking = fieldWith(kind, 'madeWith');
    if (asking === undefined) return [];
    const { name, trait } = asking;
    const { field } = trait;
    return tree.ofKind(kind.name).flatMap((node): readonly MadeWith[] => {
      const value = node.fields[name];
      if (value === undefined || node.fields[kind.calls.copies?.field ?? ''] !== undefined) return [];
      const entry = tree.ofKind(trait.entry).find((one) => {
        const about = { field: registry.byName(trait.entry).fields[field], value: one.fields[field] };
        const target = resolveField(tree, one, about);
        const isShown = target?.type === 'node' && target.address === node.address;
        return isShown && isAlone(tree, registry, one);
      });
      const container = entry && tree.parentOf(entry);
      return entry === undefined || container === undefined
        ? []
        : [{ name, value, node, entry, field, container }];
    });
  });
}

/** False with another object next to it, since then it is unclear which one came with the container. */
function isAlone(tree: DesiredTree, registry: Registry, entry: DesiredNode): boolean {
  const container = tree.parentOf(entry);
  if (container === undefined || entry.collection === undefined) return false;
  const others = registry.at(container.kind, entry.collection).flatMap(({ place }) => place.emptyWith ?? []);
  const siblings = [entry.collection, ...others].flatMap((key) => tree.childrenOf(container.address, key));
  return others.length > 0 && siblings.length === 1;
}

/** Maximum distance in milliseconds between two objects that one request created. */
const sameRequest = 60_000;

/** Finds objects after an interrupted run: the only entry in its container, created at the same time. Handles one kind of entries. */
export function* createdWithContainers(
  { name }: Kind,
  { tree, live, registry }: { tree: DesiredTree; live: LiveTree; registry: Registry },
  matching: { liveOf(address: string): LiveNode | undefined },
): Iterable<readonly [DesiredNode, LiveNode]> {
  for (const { node, entry, field, container } of madeWithIn(tree, registry)) {
    const parent = entry.kind === name ? matching.liveOf(container.address) : undefined;
    if (parent === undefined) continue;
    const [only, ...others] = live.inScope(parent, name);
    const found = live.get({ kind: node.kind, id: String(only?.fields[field]) });
    const apart = Math.abs(Date.parse(found?.createdAt ?? '') - Date.parse(parent.createdAt ?? ''));
    if (found !== undefined && others.length === 0 && apart <= sameRequest) yield [node, found];
  }
}
