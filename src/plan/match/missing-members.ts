/** Objects that manifests name by key or natural identity and that are not there: no call could name them. */
import type { Reference } from '../../kinds/field.ts';
import { declaresKind } from '../../tree/declared-collections.ts';
import { referencesByKey } from '../../tree/references.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { PlanContext } from '../context.ts';

/** One problem for each name. Names of objects that are looked up are refused with the step that needs them. */
export function missingMembers(context: PlanContext): readonly Diagnostic[] {
  const { desired: tree, registry } = context;
  return [...tree.nodes.values()].flatMap((desired) =>
    referencesByKey(desired, registry).flatMap(({ field, reference, keys }) => {
      if (!isKnownWhole(context, reference)) return [];
      const [kind] = reference.kinds.map((name) => registry.byName(name));
      return keys
        .filter((key) => !reference.kinds.some((name) => isThere(context, name, key)))
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

/** True where all objects that a name may mean are in a declared list. */
function isKnownWhole({ desired, registry }: PlanContext, { undeclared, kinds }: Reference): boolean {
  const { root } = desired;
  if (undeclared === 'lookup') return false;
  return root !== undefined && kinds.every((kind) => declaresKind(registry, root, kind));
}

function isThere(context: PlanContext, kind: string, key: string): boolean {
  return context.desired.keyed(kind, key).length > 0 || context.resolveKey(kind, key) !== undefined;
}
