/** Which declared objects are drawn: targets with their parents and with what they refer to, nothing excluded nor what is in it. */
import { matcherIn, type PlanChoices } from '../run/choices.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { FoundReference } from '../tree/references.ts';
import { push } from '../util/group.ts';

/** What is chosen from. */
export interface SelectableTree {
  readonly tree: DesiredTree;
  readonly references: readonly FoundReference[];
}

/** The chosen addresses; undefined for all. */
export function selectObjects(
  { tree, references }: SelectableTree,
  { target, exclude }: Pick<PlanChoices, 'target' | 'exclude'>,
): ReadonlySet<string> | undefined {
  if (target === undefined && exclude === undefined) return undefined;
  const named = new Map<string, string[]>();
  for (const { node, target: found } of references)
    if (found.type === 'node') push(named, node.address, found.address);
  const matching = (patterns: readonly string[]) => [...tree.nodes.keys()].filter(matcherIn(tree, patterns));
  const wanted = target === undefined ? new Set(tree.nodes.keys()) : reached(matching(target), named);
  // Parents are there for the sake of what is in them: what they refer to is not.
  const parents = [...wanted].flatMap((address) => {
    const node = tree.get(address);
    return node === undefined ? [] : tree.ancestorsOf(node).map((above) => above.address);
  });
  const excluded = exclude === undefined ? [] : matching(exclude);
  const out = new Set(
    excluded.flatMap((address) => [address, ...tree.inside(address).map((node) => node.address)]),
  );
  return new Set([...wanted, ...parents].filter((address) => !out.has(address)));
}

/** The addresses, and all that is reached from them. */
function reached(
  start: readonly string[],
  next: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const found = new Set(start);
  for (const address of found) for (const one of next.get(address) ?? []) found.add(one);
  return found;
}
