/** Searches for copies that still have the name of their original, where a desired copy was not found by its own. */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity, identityValue, pinnedId } from '../../tree/identity.ts';
import type { LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { resolveField } from '../../tree/references.ts';

/** What is known when copies are searched for. */
interface CopySearch {
  readonly live: LiveTree;
  readonly registry: Registry;
}

/** The searches for the copies that the first tree declares. */
export function copySearches([tree]: readonly DesiredTree[], search: CopySearch): readonly Read[] {
  if (tree === undefined) return [];
  return search.registry.kinds.flatMap((kind) => {
    const { copies, reads } = kind;
    if (copies === undefined || reads.search === undefined) return [];
    const identity = { field: copies.name };
    const known = new Set(search.live.ofKind(kind.name).map(({ fields }) => identityValue(fields, identity)));
    const missing = tree.ofKind(kind.name).filter((desired) => {
      const name = desiredIdentity(desired.fields, identity);
      const isFound = pinnedId(kind, desired) !== undefined || (name !== undefined && known.has(name));
      return !isFound && desired.isNew !== true;
    });
    const names = missing.flatMap((desired) => originalName(tree, desired, { ...search, kind }) ?? []);
    return [...new Set(names)].map(
      (value): Read => ({ type: 'search', kind: kind.name, value, copies: true }),
    );
  });
}

/** The name of what a desired object is a copy of, live where that is known. */
function originalName(
  tree: DesiredTree,
  desired: DesiredNode,
  { live, kind }: CopySearch & { readonly kind: Kind },
): string | undefined {
  const { field = '', name = '' } = kind.copies ?? {};
  const target = resolveField(tree, desired, { field: kind.fields[field], value: desired.fields[field] });
  const source = target?.type === 'node' ? tree.get(target.address) : undefined;
  const id = target?.type === 'id' ? target.id : source && pinnedId(kind, source);
  const known = id === undefined ? undefined : live.get({ kind: kind.name, id });
  const fields = known?.fields ?? source?.fields;
  return fields && identityValue(fields, { field: name });
}
