/** What trees and live objects have in common when one is fitted to the other. Pure. */
import type { Kind } from '../../kinds/kind.ts';
import type { Fields, Value } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity, identityValue } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import { sameField } from '../../tree/same-field.ts';
import { isRecord } from '../../util/json.ts';
import { append } from '../../util/lists.ts';
import { Secret } from '../../util/secret.ts';

/** Parents before children. */
export function topDown(tree: DesiredTree): readonly DesiredNode[] {
  const nodes: DesiredNode[] = tree.root === undefined ? [] : [tree.root];
  for (const node of nodes) append(nodes, tree.childrenOf(node.address));
  return nodes;
}

/** True where one of the identities is the same. */
export function isSameIn(kind: Kind, fields: Fields, live: LiveNode): boolean {
  return kind.identities.some((identity) => {
    const { [identity.field]: value } = fields;
    const id = isRecord(value) && typeof value.id === 'string' ? value.id : undefined;
    const wanted = id ?? desiredIdentity(fields, identity);
    return wanted !== undefined && wanted === identityValue(live.fields, identity);
  });
}

/** True for a value with a secret in it that has no value here. */
export function isMissing(value: Value): boolean {
  if (value instanceof Secret) return value.reveal() === '';
  if (Array.isArray(value)) return value.some(isMissing);
  return isRecord(value) && Object.values(value as Fields).some(isMissing);
}

/** Why such a value is not known, for people. */
export function missingText(value: Value): string {
  if (!(value instanceof Secret) || !value.template.includes('${'))
    return 'it was secret, and no journal has secrets';
  return `it was filled in from ${value.template}, which has no value here`;
}

/** Names of fields that are not as the run set them. */
export function changedSince(kind: Kind, node: DesiredNode, live: LiveNode): readonly string[] {
  return Object.entries(node.fields).flatMap(([name, value]) => {
    const field = kind.fields[name];
    if (field === undefined || field.type === 'reference' || field.change === 'create') return [];
    return sameField(field, value, live.fields[name] ?? field.absent) ? [] : [name];
  });
}

/** True where an object has that id, or that name. */
export function isThereBy(kind: Kind, live: LiveTree, key: string): boolean {
  const [identity] = kind.identities;
  return live
    .ofKind(kind.name)
    .some(
      ({ id, fields }) => id === key || (identity !== undefined && identityValue(fields, identity) === key),
    );
}

/** What had no value before the run, and has one now that no request removes: the field, or keys of its mapping. */
export function unsettable(
  kind: Kind,
  name: string,
  { node, live, made }: { readonly node: DesiredNode; readonly live: LiveNode; readonly made: DesiredNode },
): readonly string[] {
  if (kind.key?.is === 'field' && kind.key.field === name) return [];
  const [prior, present, value] = [node.fields[name], live.fields[name], made.fields[name]];
  if (kind.fields[name]?.type !== 'map' || !isRecord(value))
    return prior === undefined && present !== undefined && present !== null ? [name] : [];
  const former = isRecord(prior) ? prior : {};
  const now = isRecord(present) ? present : {};
  return Object.keys(value).flatMap((key) => (!(key in former) && key in now ? [`${name}.${key}`] : []));
}
