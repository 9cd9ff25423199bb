/** Reports names in values that no call could use: their objects do not exist, or the plan deletes them. */
import type { Reference } from '../../kinds/parts/field.ts';
import { declaresKind } from '../../tree/declared-collections.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { referencesByKey } from '../../tree/references.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import type { PlanContext } from '../context.ts';
import { problemOf } from '../problem.ts';
import type { Removals } from '../removals.ts';

interface NamedByKey {
  readonly desired: DesiredNode;
  readonly field: string;
  readonly reference: Reference;
  readonly keys: readonly string[];
}

export function nameProblems(context: PlanContext, removals: Removals): readonly Diagnostic[] {
  const named = [...context.desired.nodes.values()].flatMap((desired) =>
    referencesByKey(desired, context.registry).map((one): NamedByKey => ({ desired, ...one })),
  );
  return [
    ...named.flatMap((one) => missingMembers(context, one)),
    ...named.flatMap((one) => contradictions(context, removals, one)),
  ];
}

/** Example: a value of a removed custom field, or a team member who is removed from the organization. */
function contradictions(
  context: PlanContext,
  removals: Removals,
  { desired, field, reference, keys }: NamedByKey,
): readonly Diagnostic[] {
  return reference.kinds.flatMap((name) =>
    keys
      .filter((key) => isRemoved(context, removals, name, key))
      .map((key) => {
        const { noun, manifest } = context.registry.byName(name);
        const message = `${field} names ${key}, a ${noun} that is deleted because the manifests do not list it`;
        const suggestion = `remove ${key} here as well, or list it under ${manifest.places[0]?.key ?? name}:`;
        return problemOf(desired, { code: 'contradiction', message, suggestion }, `${field}.${key}`, field);
      }),
  );
}

function isRemoved(context: PlanContext, removals: Removals, kind: string, key: string): boolean {
  const id = context.names.idOf(kind, key);
  const live = typeof id === 'string' ? context.live.get({ kind, id }) : undefined;
  return live !== undefined && context.matching.addressOf(live) === undefined && removals.deletes(live);
}

function missingMembers(
  context: PlanContext,
  { desired, field, reference, keys }: NamedByKey,
): readonly Diagnostic[] {
  if (!isKnownWhole(context, reference)) return [];
  const [kind] = reference.kinds.map((name) => context.registry.byName(name));
  return keys
    .filter((key) => !reference.kinds.some((name) => isThere(context, name, key)))
    .map((key) => {
      const message = `there is no ${kind?.noun} ${key} in this organization`;
      const suggestion =
        suggestKey(context, reference, key) ?? kind?.display.ifMissing ?? 'check the spelling';
      return problemOf(desired, { code: 'not-found', message, suggestion }, `${field}.${key}`, field);
    });
}

function suggestKey({ desired, live }: PlanContext, { kinds }: Reference, key: string): string | undefined {
  const near = nearest(
    key,
    kinds.flatMap((kind) => [...desired.keysOf(kind), ...live.ofKind(kind).map(({ id }) => id)]),
  );
  return near === undefined ? undefined : `did you mean ${near}?`;
}

function isKnownWhole({ desired, registry }: PlanContext, { undeclared, kinds }: Reference): boolean {
  const { root } = desired;
  if (undeclared === 'lookup') return false;
  return root !== undefined && kinds.every((kind) => declaresKind(registry, root, kind));
}

function isThere(context: PlanContext, kind: string, key: string): boolean {
  return context.desired.keyed(kind, key).length > 0 || context.names.idOf(kind, key) !== undefined;
}
