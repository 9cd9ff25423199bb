/** Objects that others are called like, and objects without a name: they are told apart by their id. Pure. */
import type { Kind } from '../../kinds/kind.ts';
import type { Fields } from '../../kinds/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { grouped } from '../../util/group.ts';

/** True for kinds whose objects can have an id in manifests, and have no key that is one already. */
export function canBePinned({ idParam, key }: Kind): boolean {
  return idParam !== undefined && key === undefined;
}

/** The objects whose strongest identity is that of another one as well, or that have none. */
export function lookAlikes(nodes: readonly LiveNode[], registry: Registry): readonly LiveNode[] {
  const open = nodes.filter(({ kind }) => canBePinned(registry.byName(kind)));
  return [...grouped(open, (node) => nameOf(node, registry) ?? '')].flatMap(([name, alike]) =>
    name === '' || alike.length > 1 ? alike : [],
  );
}

function nameOf({ kind: name, fields, scope }: LiveNode, registry: Registry): string | undefined {
  if (hasBlankName(registry.byName(name), fields)) return undefined;
  for (const identity of registry.byName(name).identities) {
    const value = identityValue(fields, identity);
    if (value !== undefined) return JSON.stringify([name, scope.kind, scope.id, identity.field, value]);
  }
  return undefined;
}

/** True where one of the names is there and empty: that it is the same is then no proof. */
function hasBlankName({ identities }: Kind, fields: Fields): boolean {
  return identities.some(({ field }) => {
    const value = fields[field];
    return typeof value === 'string' && value.trim() === '';
  });
}
