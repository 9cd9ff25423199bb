/** What must be seen of objects that go: everything inside them, and who loses what they have through them. */
import type { Kind } from '../../kinds/kind.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import type { PlanContext } from '../context.ts';
import type { Removals } from './removals.ts';

/** The reads for all objects that go, as far as they are known; what they show may go as well. */
export function removalReads(context: PlanContext, removals: Removals): readonly Read[] {
  return context.live
    .nodes()
    .filter((live) => removals.isGoing(live))
    .flatMap((live) => [...listsInside(context, live), ...memberReads(context.kindOf(live), live)]);
}

/** The lists that show what an object contains: its own, and those of the object around it. */
function listsInside(context: PlanContext, live: LiveNode): readonly Read[] {
  const around = context.live.get(live.scope);
  return context.registry.kinds.flatMap((kind): readonly Read[] => {
    const isSingle = kind.places.some(({ parent, shape }) => parent === live.kind && shape === 'single');
    if (isSingle && kind.reads.get !== undefined)
      return [{ type: 'single', kind: kind.name, of: { kind: live.kind, id: live.id } }];
    const per = kind.reads.list?.per;
    const isInside = kind.places.some(({ parent }) => parent === live.kind);
    const of = per === live.kind ? live : isInside && per === around?.kind ? around : undefined;
    return of === undefined ? [] : [{ type: 'list', kind: kind.name, of: { kind: of.kind, id: of.id } }];
  });
}

/** The members of a live object, field by field. */
export function memberReads(kind: Kind, { id, deleted }: LiveNode): readonly Read[] {
  if (deleted === true) return [];
  return Object.entries(kind.fields)
    .filter(([, { type, detail }]) => type === 'members' && detail !== undefined)
    .map(([field]) => ({ type: 'field', of: { kind: kind.name, id }, field }));
}
