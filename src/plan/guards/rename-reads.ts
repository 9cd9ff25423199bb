/** What must be seen to recognise a rename: the contents and members of unlisted objects that a new one may have been. */
import type { Kind } from '../../kinds/kind.ts';
import { type DesiredNode, isToldApart } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { mostAlike } from '../../util/nearest.ts';
import type { PlanContext } from '../context.ts';
import { memberReads } from '../diff/removal-reads.ts';
import { declaredKinds } from '../match/declared-reads.ts';
import type { Situation } from './guard.ts';

/** Objects of one kind that are looked into for what a new one may have been, at most. */
const candidatesAtMost = 8;

/** Reads inside the unlisted objects whose titles are nearest to those of new ones. */
export function renameReads({ context, removals }: Situation): readonly Read[] {
  return context.registry.kinds.flatMap((kind) => {
    if (kind.reads.list === undefined || kind === context.registry.root) return [];
    const missing = context.desired.ofKind(kind.name).filter((desired) => isMissing(context, desired));
    if (missing.length === 0) return [];
    const unlisted = context.live
      .ofKind(kind.name)
      .filter((live) => isUnlisted(context, live) && !removals.isGoing(live));
    return candidatesFor(missing, unlisted).flatMap((live) => insideOf(context, kind, { live, missing }));
  });
}

function isMissing(context: PlanContext, desired: DesiredNode): boolean {
  const isNew = context.matching.liveOf(desired.address) === undefined;
  return isNew && !isToldApart(desired) && !context.isReleased(desired.address);
}

function isUnlisted(context: PlanContext, live: LiveNode): boolean {
  const isMatched = context.matching.addressOf(live) !== undefined;
  return !isMatched && live.incidental !== true && live.deleted !== true;
}

function candidatesFor(missing: readonly DesiredNode[], unlisted: readonly LiveNode[]): readonly LiveNode[] {
  const titles = missing.flatMap(({ fields }) => (typeof fields.title === 'string' ? [fields.title] : []));
  const titleOf = (node: LiveNode) => String(node.fields.title ?? node.id);
  return mostAlike(unlisted, titleOf, { words: titles, count: candidatesAtMost });
}

/** The lists that the new objects declare, and who is in the unlisted one. */
function insideOf(
  context: PlanContext,
  kind: Kind,
  { live, missing }: { readonly live: LiveNode; readonly missing: readonly DesiredNode[] },
): readonly Read[] {
  const of = { kind: live.kind, id: live.id };
  const lists = new Set(
    missing.flatMap((desired) => [...declaredKinds(context.desired, context.registry, desired).lists]),
  );
  return [
    ...[...lists].map((inner): Read => ({ type: 'list', kind: inner.name, of, partial: true })),
    ...memberReads(kind, live),
  ];
}
