/** Which live objects have one of the names that desired ones had. */
import type { Kind } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { formerNames, namesOf } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { push } from '../../util/group.ts';
import type { Group } from './agreeing.ts';

/** Live objects by the desired one that had such a name, in the order of the manifests. */
export function* byFormerName(
  kind: Kind,
  { desiredNodes, lives }: Group,
): Iterable<readonly [DesiredNode, readonly LiveNode[]]> {
  const byName = new Map<string, LiveNode[]>();
  for (const live of lives) for (const name of namesOf(kind, live.fields)) push(byName, name, live);
  for (const desired of desiredNodes) {
    const named = formerNames(desired.was).flatMap((name) => byName.get(name) ?? []);
    yield [desired, [...new Set(named)]];
  }
}
