/** Wanted objects that nothing could tell apart or recognise on the next run: they must not come to be. */
import { pinnedId } from '../graph/identity.ts';
import type { LiveNode } from '../graph/live.ts';
import type { WantNode } from '../graph/want.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import { indistinguishable, noIdentity } from './match-problems.ts';

/** The problems of one kind's wanted objects. */
export function unknowable(
  kind: Kind,
  wants: readonly WantNode[],
  liveOf: ReadonlyMap<string, LiveNode>,
): readonly { readonly want: WantNode; readonly problem: Diagnostic }[] {
  if (kind.identities.length === 0) return [];
  const slots = new Map<string, WantNode>();
  return wants.flatMap((want) => {
    if (pinnedId(kind, want) !== undefined) return [];
    if (kind.identities.every(({ field }) => want.fields[field] === undefined)) {
      return liveOf.has(want.address) ? [] : [{ want, problem: noIdentity(kind, want) }];
    }
    const spelled = kind.identities.map(({ field }) => JSON.stringify(want.fields[field] ?? null)).join(' ');
    const slot = `${want.parent} ${spelled}`;
    const twin = slots.get(slot);
    if (twin !== undefined) return [{ want, problem: indistinguishable(kind, want, twin) }];
    slots.set(slot, want);
    return [];
  });
}
