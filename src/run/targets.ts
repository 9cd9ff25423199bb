/**
 * Reports targets and exclusions that match nothing: with a typo, a plan that does nothing would look like one that has nothing
 * to do.
 */

import type { Plan } from '../plan/plan.ts';
import { prefixesOf } from '../tree/addressing.ts';
import { rootAddress } from '../tree/desired.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { DiagnosticError } from '../util/diagnostic.ts';
import { nearest } from '../util/nearest.ts';
import type { Bases } from './base/load-base.ts';
import { matcherIn, noSuchAddress, type PlanChoices } from './choices.ts';

export interface Targetable {
  readonly trees: readonly DesiredTree[];
  readonly bases: Bases | undefined;
}

export function unmatched({ trees, bases }: Targetable, choices: PlanChoices): readonly UnmatchedPattern[] {
  const addresses = trees.map((tree) => {
    const base = bases?.get(tree.label)?.nodes.keys() ?? [];
    return { tree, known: [...new Set([...tree.nodes.keys(), ...base])] };
  });
  return (['target', 'exclude'] as const).flatMap((flag) =>
    (choices[flag] ?? [])
      .filter((pattern) =>
        addresses.every(({ tree, known }) => {
          const matches = matcherIn(tree, [pattern]);
          return !known.some((address) => matches(address));
        }),
      )
      .map((pattern) => ({ flag, pattern })),
  );
}

export interface UnmatchedPattern {
  readonly flag: 'target' | 'exclude';
  readonly pattern: string;
}

/** If live objects that no manifest lists are deleted, patterns may match these. */
export function mayMatchUnlisted({ trees }: Targetable): boolean {
  return trees.some(
    ({ settings: { prune, pruneKinds } }) =>
      prune === 'unlisted' || Object.values(pruneKinds ?? {}).includes('unlisted'),
  );
}

/** @throws DiagnosticError for patterns that no address of the plan matches either. */
export function refuseUnmatched(
  targetable: Targetable,
  patterns: readonly UnmatchedPattern[],
  plan?: Plan,
): void {
  const { trees } = targetable;
  const wrong = patterns.filter(
    ({ pattern }) =>
      plan?.organizations.some(({ label, steps, unmanaged }) => {
        const matches = matcherIn({ label }, [pattern]);
        return [...steps, ...unmanaged].some(({ address }) => matches(address));
      }) !== true,
  );
  if (wrong.length === 0) return;
  const known = new Set(trees.flatMap((tree) => [...tree.nodes.keys()]));
  throw new DiagnosticError(
    wrong.map(({ flag, pattern }) => noSuchAddress(`--${flag} ${pattern}`, nearMiss(pattern, known))),
  );
}

/** The most similar address, or the start of the pattern if that is an address. */
function nearMiss(pattern: string, known: ReadonlySet<string>): string | undefined {
  const whole = nearest(pattern, known);
  if (whole !== undefined) return whole;
  const inside = [...known].filter((address) => address !== rootAddress && address.endsWith(`/${pattern}`));
  if (inside[0] !== undefined) return inside[0];
  const plain = pattern.replace(/\/?\*.*$/, '');
  const collections = new Set([...known].flatMap((address) => prefixesOf(address).slice(0, -1)));
  const near = nearest(plain, new Set([...known, ...collections]));
  return near === undefined || near === plain ? undefined : `${near}${pattern.slice(plain.length)}`;
}
