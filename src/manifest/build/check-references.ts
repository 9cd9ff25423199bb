/** Each reference must match exactly one object, without cycles. */

import { type Reference, undeclaredName } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { type FoundReference, referencesOf } from '../../tree/references.ts';
import { push } from '../../util/group.ts';
import { sameJson } from '../../util/json.ts';
import { nearest } from '../../util/nearest.ts';
import type { Problems } from '../../yaml/problems.ts';
import { withArticle } from './issue-text.ts';

/** Limit for the whole tree, after which suggestions are omitted: one error may repeat throughout a large workspace. */
const maxComparisons = 1_000_000;

export function checkReferences(tree: DesiredTree, registry: Registry, problems: Problems): void {
  const madeFrom = new Map<string, string[]>();
  let comparisons = 0;
  const nearestOf: Nearest = (word, candidates) => {
    comparisons += candidates.length;
    return comparisons > maxComparisons ? undefined : nearest(word, candidates);
  };
  for (const node of tree.nodes.values()) {
    for (const found of referencesOf(tree, node, registry)) {
      checkReference(found, { tree, registry, problems, nearestOf });
      // Only dependencies for creation must come first; other references can be set later. Pinned objects already exist.
      const isMadeFrom = registry.byName(node.kind).fields[found.field]?.change === 'create';
      if (found.target.type !== 'node' || !isMadeFrom || node.id !== undefined) continue;
      push(madeFrom, node.address, found.target.address);
    }
  }
  for (const cycle of findCycles(madeFrom)) {
    const [first] = cycle;
    const at = first === undefined ? undefined : tree.nodes.get(first)?.at;
    problems.error('cyclic-reference', cycleText(cycle), at, {
      address: first,
      suggestion:
        cycle.length === 1
          ? 'reference another object; if this one exists, pin it with id'
          : 'pin one that exists with id',
    });
  }
}

function cycleText(cycle: readonly string[]): string {
  const [first] = cycle;
  return cycle.length === 1 ? `${first} refers to itself` : `cycle: ${[...cycle, first].join(' → ')}`;
}

type Nearest = (word: string, candidates: readonly string[]) => string | undefined;

interface ReferenceCheck {
  readonly tree: DesiredTree;
  readonly registry: Registry;
  readonly problems: Problems;
  readonly nearestOf: Nearest;
}

function checkReference(
  { node, field, reference, target }: FoundReference,
  { tree, registry, problems, nearestOf }: ReferenceCheck,
): void {
  if (target.type === 'secret') {
    problems.error('value', `${field} cannot be a secret`, node.fieldAt[field] ?? node.at, {
      address: node.address,
      suggestion: 'use ${env:…}: the value is shown in plans and messages',
    });
  }
  if (target.type !== 'unknown' && target.type !== 'ambiguous') return;
  const at = node.fieldAt[`${field}.${target.key}`] ?? node.fieldAt[field] ?? node.at;
  const nouns = reference.kinds.map((kind) => registry.byName(kind).noun);
  const noun = nouns.join(' or ');
  const key = JSON.stringify(target.key);
  if (target.type === 'ambiguous') {
    const copies = target.addresses.flatMap((one) => tree.get(one) ?? []);
    const copy = copies.at(-1);
    const isCopy = (one: DesiredNode) => one.id === undefined && sameJson(one.fields, copy?.fields);
    if (copy !== undefined && reference.within === 'organization' && copies.every(isCopy)) {
      const [first] = copies;
      problems.error(
        'declared-twice',
        `${noun} ${key} is declared twice, also as ${first?.address}`,
        copy.at,
        {
          address: copy.address,
          suggestion: 'remove one of the two; if they are two objects, name each by its whole address',
          related: [{ message: 'the first one', at: first?.at ?? copy.at }],
        },
      );
      return;
    }
    const message = `${field}: ${key} matches several ${nouns.map((one) => `${one}s`).join(' or ')}`;
    problems.error('ambiguous-reference', message, at, {
      address: node.address,
      suggestion: `write the whole address: one of ${target.addresses.join(', ')}`,
    });
    return;
  }
  if (reference.kinds.some((kind) => problems.hasLost(kind))) return;
  const other = registry.kinds.find(
    ({ name }) => tree.get(target.key)?.kind === name || tree.keyed(name, target.key).length > 0,
  );
  const what =
    other === undefined
      ? `${noun} ${key} not found`
      : `${key} is ${withArticle(other.noun)}, not ${withArticle(noun)}`;
  problems.error('unknown-reference', `${field}: ${what}`, at, {
    address: node.address,
    suggestion: suggestReference(noun, reference, {
      ...target,
      near: nearestOf(target.key, target.candidates),
    }),
  });
}

function suggestReference(
  noun: string,
  reference: Reference,
  { candidates, near }: { readonly candidates: readonly string[]; readonly near: string | undefined },
): string {
  if (near !== undefined) return `did you mean ${near}?`;
  const existing = `${undeclaredName(reference)} for an existing one`;
  if (candidates.length === 0) return `declare the ${noun}, or write ${existing}`;
  const shown = candidates.slice(0, 8).join(', ');
  return `use one of ${shown}${candidates.length > 8 ? ', …' : ''}, or ${existing}`;
}

/** Returns each cycle once, starting with its least member. Visits each node once. */
function findCycles(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const cycles: string[][] = [];
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
      if (depth !== undefined) cycles.push(rotated(path.slice(depth).map(({ address }) => address)));
      else if (!done.has(next)) open(next);
    }
  }
  return cycles;
}

function rotated(cycle: readonly string[]): string[] {
  const least = cycle.reduce((left, right) => (left < right ? left : right));
  const from = cycle.indexOf(least);
  return [...cycle.slice(from), ...cycle.slice(0, from)];
}
