/** Desired objects that the next run could not recognise or distinguish: they must not be created. */

import type { Kind } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { desiredIdentity, pinnedId } from '../../tree/identity.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { Matching } from '../matching.ts';
import { indistinguishable, noIdentity } from './match-problems.ts';

/** The problems of one kind's desired objects. */
export function unidentifiable(
  kind: Kind,
  desiredNodes: readonly DesiredNode[],
  matching: Pick<Matching, 'liveOf'>,
): readonly { readonly desired: DesiredNode; readonly problem: Diagnostic }[] {
  if (kind.identities.length === 0) return [];
  const slots = new Map<string, DesiredNode>();
  return desiredNodes.flatMap((desired) => {
    if (pinnedId(kind, desired) !== undefined) return [];
    if (hasNoName(kind, desired)) return [{ desired, problem: noIdentity(kind, desired) }];
    if (kind.identities.every(({ field }) => desired.fields[field] === undefined)) {
      return matching.liveOf(desired.address) !== undefined
        ? []
        : [{ desired, problem: noIdentity(kind, desired) }];
    }
    const spelled = kind.identities
      .map(({ field }) => JSON.stringify(desired.fields[field] ?? null))
      .join(' ');
    const slot = `${desired.parent} ${spelled}`;
    const twin = slots.get(slot);
    if (twin !== undefined) return [{ desired, problem: indistinguishable(kind, desired, twin) }];
    slots.set(slot, desired);
    return [];
  });
}

/** True when what identifies the object is declared and empty, so that no later run would recognise it. */
function hasNoName(kind: Kind, { fields }: DesiredNode): boolean {
  const declared = kind.identities.filter(({ field }) => fields[field] !== undefined);
  const isText = declared.every(({ field }) => typeof fields[field] === 'string');
  return (
    declared.length > 0 &&
    isText &&
    declared.every((identity) => desiredIdentity(fields, identity) === undefined)
  );
}
