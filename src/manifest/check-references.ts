/** References between wanted objects: each key must name one object, and no object may rest on itself. */
import { type FoundReference, referencesOf } from '../graph/references.ts';
import type { WantTree } from '../graph/want.ts';
import type { Registry } from '../kinds/registry.ts';
import { nearest } from '../util/nearest.ts';
import type { Problems } from './problems.ts';

/** Adds a problem for each reference that names nothing or several objects, and for each circle. */
export function checkReferences(tree: WantTree, registry: Registry, problems: Problems): void {
  const restsOn = new Map<string, string[]>();
  for (const node of tree.nodes.values()) {
    for (const found of referencesOf(tree, node, registry)) {
      checkReference(found, registry, problems);
      if (found.target.type !== 'node') continue;
      // Only what an object is made from must come before it; all other references can be set afterwards.
      if (registry.byName(node.kind).fields[found.field]?.change !== 'create') continue;
      restsOn.set(node.address, [...(restsOn.get(node.address) ?? []), found.target.address]);
    }
  }
  for (const circle of findCircles(restsOn)) {
    const [first] = circle;
    const node = first === undefined ? undefined : tree.nodes.get(first);
    problems.error(
      'cyclic-reference',
      `these are made from each other: ${[...circle, first].join(' → ')}`,
      node?.at,
      {
        address: first,
        suggestion: 'one of them must exist already: pin it with id',
      },
    );
  }
}

function checkReference(
  { node, field, reference, target }: FoundReference,
  registry: Registry,
  problems: Problems,
): void {
  const at = node.fieldAt[field] ?? node.at;
  const noun = reference.kinds.map((kind) => registry.byName(kind).noun).join(' or ');
  if (target.type === 'unknown') {
    const near = nearest(target.key, target.candidates);
    const known = target.candidates.slice(0, 8).join(', ');
    problems.error(
      'unknown-reference',
      `${field}: no ${noun} is declared with the key ${JSON.stringify(target.key)}`,
      at,
      {
        address: node.address,
        suggestion:
          near !== undefined
            ? `did you mean ${near}?`
            : known === ''
              ? `declare the ${noun}, or name an existing one with { id: … }`
              : `declared are ${known}; an existing one can be named with { id: … }`,
      },
    );
  } else if (target.type === 'ambiguous') {
    problems.error(
      'ambiguous-reference',
      `${field}: ${JSON.stringify(target.key)} is the key of several ${noun}s`,
      at,
      {
        address: node.address,
        suggestion: `give the whole address, one of ${target.addresses.join(', ')}`,
      },
    );
  }
}

/** Circles in a graph, each once, starting with its least member. */
function findCircles(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const circles = new Map<string, string[]>();
  for (const start of [...edges.keys()].sort()) {
    const path: string[] = [];
    let next: string | undefined = start;
    while (next !== undefined && !path.includes(next)) {
      path.push(next);
      next = edges.get(next)?.[0];
    }
    if (next === undefined) continue;
    const circle = path.slice(path.indexOf(next));
    const least = [...circle].sort()[0] ?? next;
    const turned = [...circle.slice(circle.indexOf(least)), ...circle.slice(0, circle.indexOf(least))];
    circles.set(turned.join(' '), turned);
  }
  return [...circles.values()];
}
