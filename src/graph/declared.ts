/** Which collections of an object the manifests speak of. */
import type { Registry } from '../kinds/registry.ts';
import type { WantNode } from './want.ts';

/** The declared child collections of an object, also those that another declared one rules out and so makes empty. */
export function declaredCollections(registry: Registry, want: WantNode): readonly string[] {
  const implied = registry
    .collectionsOf(want.kind)
    .filter(
      (key) =>
        !want.declares.includes(key) &&
        registry
          .at(want.kind, key)
          .some(({ place }) => place.emptyWith !== undefined && want.declares.includes(place.emptyWith)),
    );
  return implied.length === 0 ? want.declares : [...want.declares, ...implied];
}
