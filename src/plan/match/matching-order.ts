/** In which order kinds are matched. */
import { referenceOf } from '../../kinds/field.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';

/** Kinds after those that their identities refer to and those that contain them. */
export function inMatchingOrder(registry: Registry): readonly Kind[] {
  const done = new Set<Kind>();
  const visit = (kind: Kind, from: readonly Kind[]) => {
    if (done.has(kind) || from.includes(kind)) return;
    const names = [
      ...kind.places.map(({ parent }) => parent),
      ...kind.identities.flatMap(({ field }) => referenceOf(kind.fields[field])?.kinds ?? []),
    ];
    for (const name of names) visit(registry.byName(name), [...from, kind]);
    done.add(kind);
  };
  for (const kind of registry.kinds) visit(kind, []);
  return [...done].filter((kind) => kind !== registry.root);
}
