import type { Registry } from '../kinds/registry.ts';
import type { DesiredNode } from './desired.ts';

/** Includes collections that are empty because another declared one excludes them. */
export function declaredCollections(registry: Registry, desired: DesiredNode): readonly string[] {
  const implied = registry
    .collectionsOf(desired.kind)
    .filter(
      (key) =>
        !desired.declares.includes(key) &&
        registry
          .at(desired.kind, key)
          .some(({ place }) => place.emptyWith !== undefined && desired.declares.includes(place.emptyWith)),
    );
  return implied.length === 0 ? desired.declares : [...desired.declares, ...implied];
}

export function declaresKind(registry: Registry, desired: DesiredNode, kind: string): boolean {
  return declaredCollections(registry, desired).some((key) =>
    registry.at(desired.kind, key).some((one) => one.kind.name === kind),
  );
}
