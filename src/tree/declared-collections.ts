import type { Registry } from '../kinds/registry.ts';
import type { DesiredNode } from './desired.ts';

/** Includes collections that are empty because another declared one excludes them. */
export function declaredCollections(registry: Registry, desired: DesiredNode): readonly string[] {
  const { kind, declares } = desired;
  const isEmptied = (key: string) =>
    registry.at(kind, key).some(({ place: { emptyWith = '' } }) => declares.includes(emptyWith));
  const implied = registry.collectionsOf(kind).filter((key) => !declares.includes(key) && isEmptied(key));
  return implied.length === 0 ? declares : [...declares, ...implied];
}

export function declaresKind(registry: Registry, desired: DesiredNode, kind: string): boolean {
  return declaredCollections(registry, desired).some((key) =>
    registry.at(desired.kind, key).some((one) => one.kind.name === kind),
  );
}
