/** Choices for a plan in addition to the manifests, as data, so that a saved plan can be planned again. */
import * as z from 'zod';
import { once } from '../../contract/once.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { flag, list, object } from '../../util/data-schema.ts';
import type { DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';

const addresses = list(z.string());

/** Addresses are globs, which may begin with the label of an organization. */
export const planChoicesSchema = once(() =>
  object({
    target: addresses.exactOptional().describe('Only these addresses and their dependencies'),
    exclude: addresses.exactOptional().describe('Not these addresses and their dependents'),
    changed: flag('Only changes of the manifests since the base, and their dependencies'),
    ignoreDrift: z.boolean().exactOptional().describe('Ignores drift; needs a base'),
    allowDeletes: z.number().exactOptional().describe('Deletes to allow this once, beyond the limits'),
    undoes: z.string().exactOptional().describe('The run whose changes the plan undoes'),
    skipRefused: z.boolean().exactOptional().describe('Skips refused changes and their dependents'),
  }),
);

export type PlanChoices = z.infer<ReturnType<typeof planChoicesSchema>> & {
  /** `asDrift` is not saved: without a base, every difference counts as drift. */
  readonly asDrift?: true;
  /** `left` is not saved: addresses that drifted since the approved plan, by label. */
  readonly left?: ReadonlyMap<string, ReadonlySet<string>>;
};

/** The changes in organizations without a base are unknown. */
export function nothingToCompare(trees: readonly Pick<DesiredTree, 'label'>[]): DiagnosticError {
  return userError(
    'base',
    `cannot tell what changed without a base: nothing is recorded of ${trees.map(({ label }) => label).join(', ')}`,
    'apply once with --record, or pass --base <ref>; without --changed, everything is read',
  );
}
