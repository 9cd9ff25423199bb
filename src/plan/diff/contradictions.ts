/** Names of objects that the plan deletes: no call could use them afterwards. */
import type { Kind } from '../../kinds/kind.ts';
import { referencesByKey } from '../../tree/references.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { PlanContext } from '../context.ts';
import type { Removals } from './removals.ts';

/** Example: a value of a removed custom field, or a team member who is removed from the organization. */
export function contradictions(context: PlanContext, removals: Removals): readonly Diagnostic[] {
  const { desired: tree, registry } = context;
  return [...tree.nodes.values()].flatMap((desired) =>
    referencesByKey(desired, registry).flatMap(({ field, reference, keys }) =>
      reference.kinds.flatMap((name) =>
        keys
          .filter((key) => isRemoved(context, removals, { kind: name, key }))
          .map((key) => ({
            severity: 'error' as const,
            code: 'contradiction' as const,
            message: `${field} names ${key}, a ${registry.byName(name).noun} that is deleted because the manifests do not list it`,
            address: desired.address,
            at: desired.fieldAt[`${field}.${key}`] ?? desired.fieldAt[field] ?? desired.at,
            suggestion: `remove ${key} here as well, or list it under ${collectionOf(registry.byName(name))}`,
          })),
      ),
    ),
  );
}

function collectionOf(kind: Kind): string {
  return `${kind.manifest.places[0]?.key ?? kind.name}:`;
}

function isRemoved(
  context: PlanContext,
  removals: Removals,
  { kind, key }: { readonly kind: string; readonly key: string },
): boolean {
  const id = context.resolveKey(kind, key);
  const live = typeof id === 'string' ? context.live.get({ kind, id }) : undefined;
  return live !== undefined && context.matching.addressOf(live) === undefined && removals.isGoing(live);
}
