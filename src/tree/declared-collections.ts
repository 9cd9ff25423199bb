/** Which collections of an object the manifests declare. */
import type { Registry } from '../kinds/registry.ts';
import type { DesiredNode } from './desired.ts';

/** The declared child collections of an object, also those that another declared one rules out and so makes empty. */
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

/** True when the manifests declare a list of an object in which objects of a kind are. */
export function declaresKind(registry: Registry, desired: DesiredNode, kind: string): boolean {
  return declaredCollections(registry, desired).some((key) =>
    registry.at(desired.kind, key).some((one) => one.kind.name === kind),
  );
}
