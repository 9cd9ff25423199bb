/** What a plan is to hold, beside what the manifests say: data, so that a saved plan can be planned again. */
import type { DesiredTree } from '../tree/desired-tree.ts';
import { addressMatcher } from '../util/glob.ts';

/** Choices of one plan. Addresses are globs; where a run has several organizations, a label may lead. */
export interface PlanChoices {
  /** Only these addresses and their dependencies. */
  readonly target?: readonly string[];
  /** Not these addresses and their dependents. */
  readonly exclude?: readonly string[];
  /** Leaves alone what only the live state changed; needs a base. */
  readonly ignoreDrift?: boolean;
  /** Deletes to allow this once, beyond the limits. */
  readonly allowDeletes?: number;
  /** Leaves out what a guard refuses and its dependents. */
  readonly skipRefused?: boolean;
}

/** Which addresses of a tree are meant: where a run has several organizations, the label of one may lead. */
export function matcherIn(
  trees: readonly DesiredTree[],
  { label }: Pick<DesiredTree, 'label'>,
  patterns: readonly string[],
): (address: string) => boolean {
  const matches = addressMatcher(patterns);
  return (address) => matches(address) || (trees.length > 1 && matches(`${label}/${address}`));
}
