/** References between desired objects: each key must name one object, and no object may rest on itself. */

import type { Registry } from '../kinds/registry.ts';
import type { DesiredTree } from '../tree/desired.ts';
import { type FoundReference, referencesOf } from '../tree/references.ts';
import { nearest } from '../util/nearest.ts';
import type { Problems } from './problems.ts';

/** How many candidates are compared in all before suggestions are left out: one slip in a large workspace may repeat. */
const maxComparisons = 1_000_000;

/** Adds a problem for each reference that names nothing or several objects, and for each circle. */
export function checkReferences(tree: DesiredTree, registry: Registry, problems: Problems): void {
  const restsOn = new Map<string, string[]>();
  let comparisons = 0;
  const nearestOf: Nearest = (word, candidates) => {
    comparisons += candidates.length;
    return comparisons > maxComparisons ? undefined : nearest(word, candidates);
  };
  for (const node of tree.nodes.values()) {
    for (const found of referencesOf(tree, node, registry)) {
      checkReference(found, registry, problems, nearestOf);
      // Only what an object is made from must come before it; all other references can be set afterwards. What is
      // pinned exists already.
      const isMadeFrom = registry.byName(node.kind).fields[found.field]?.change === 'create';
      if (found.target.type !== 'node' || !isMadeFrom || node.id !== undefined) continue;
      const targets = restsOn.get(node.address);
      if (targets === undefined) restsOn.set(node.address, [found.target.address]);
      else targets.push(found.target.address);
    }
  }
  for (const circle of findCircles(restsOn)) {
    const [first] = circle;
    const node = first === undefined ? undefined : tree.nodes.get(first);
    problems.error(
      'cyclic-reference',
      circle.length === 1
        ? `${first} is made from itself`
        : `these are made from each other: ${[...circle, first].join(' → ')}`,
      node?.at,
      {
        address: first,
        suggestion:
          circle.length === 1
            ? 'name another object, or pin this one with id if it exists already'
            : 'one of them must exist already: pin it with id',
      },
    );
  }
}

type Nearest = (word: string, candidates: readonly string[]) => string | undefined;

function checkReference(
  { node, field, reference, target }: FoundReference,
  registry: Registry,
  problems: Problems,
  nearestOf: Nearest,
): void {
  if (target.type === 'secret') {
    problems.error('value', `${field} cannot be a secret`, node.fieldAt[field] ?? node.at, {
      address: node.address,
      suggestion: 'this is shown in plans and messages: use ${env:…} instead',
    });
  }
  if (target.type !== 'unknown' && target.type !== 'ambiguous') return;
  const at = node.fieldAt[`${field}.${target.key}`] ?? node.fieldAt[field] ?? node.at;
  const nouns = reference.kinds.map((kind) => registry.byName(kind).noun);
  const noun = nouns.join(' or ');
  const key = JSON.stringify(target.key);
  if (target.type === 'ambiguous') {
    const message = `${field}: ${key} is the key of several ${nouns.map((one) => `${one}s`).join(' or ')}`;
    problems.error('ambiguous-reference', message, at, {
      address: node.address,
      suggestion: `give the whole address, one of ${target.addresses.join(', ')}`,
    });
    return;
  }
  problems.error('unknown-reference', `${field}: no ${noun} is declared with the key ${key}`, at, {
    address: node.address,
    suggestion: adviceFor(noun, target.candidates, nearestOf(target.key, target.candidates)),
  });
}

function adviceFor(noun: string, candidates: readonly string[], near: string | undefined): string {
  if (near !== undefined) return `did you mean ${near}?`;
  if (candidates.length === 0) return `declare the ${noun}, or name an existing one with { id: … }`;
  const shown = candidates.slice(0, 8).join(', ');
  return `declared are ${shown}${candidates.length > 8 ? ', …' : ''}; an existing one can be named with { id: … }`;
}

/** Circles in a graph, each once, starting with its least member; each node is visited once. */
function findCircles(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const circles: string[][] = [];
  const done = new Set<string>();
  for (const start of [...edges.keys()].sort()) {
    if (done.has(start)) continue;
    const path: { readonly address: string; readonly rest: string[] }[] = [];
    const depthOf = new Map<string, number>();
    const open = (address: string): void => {
      depthOf.set(address, path.length);
      path.push({ address, rest: [...(edges.get(address) ?? [])].reverse() });
    };
    open(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        done.add(top.address);
        depthOf.delete(top.address);
        path.pop();
        continue;
      }
      const depth = depthOf.get(next);
      if (depth !== undefined) circles.push(turned(path.slice(depth).map(({ address }) => address)));
      else if (!done.has(next)) open(next);
    }
  }
  return circles;
}

/** The circle, told from its least member on. */
function turned(circle: readonly string[]): string[] {
  const least = circle.reduce((left, right) => (left < right ? left : right));
  const from = circle.indexOf(least);
  return [...circle.slice(from), ...circle.slice(0, from)];
}
