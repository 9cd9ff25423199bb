/** Objects that manifests name by their natural identity and that are not there: no call could name them. */
import { referencesByKey } from '../../tree/references.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { PlanContext } from '../context.ts';

/** One problem for each name. */
export function missingMembers(context: PlanContext): readonly Diagnostic[] {
  const { desired: tree, registry } = context;
  return [...tree.nodes.values()].flatMap((desired) =>
    referencesByKey(desired, registry).flatMap(({ field, reference, keys }) => {
      if (reference.undeclared !== 'lookup') return [];
      const [kind] = reference.kinds.map((name) => registry.byName(name));
      return keys
        .filter((key) => !reference.kinds.some((name) => context.resolveKey(name, key) !== undefined))
        .map((key) => ({
          severity: 'error' as const,
          code: 'not-found' as const,
          message: `there is no ${kind?.noun} ${key} in this organization`,
          address: desired.address,
          at: desired.fieldAt[`${field}.${key}`] ?? desired.fieldAt[field] ?? desired.at,
          suggestion: kind?.ifMissing ?? 'check the spelling',
        }));
    }),
  );
}
