/** Reasons of steps, for people. */
import type { Kind } from '../../kinds/kind.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { PlanContext } from '../context.ts';
import type { Placement } from '../diff/positions.ts';
import { titleOf } from '../title-of.ts';

/** For people: `deleted in the app on 2026-03-01, restorable until 2026-03-08`. Who deleted it is known from records. */
export function deletedText(
  live: LiveNode | undefined,
  { restorableDays }: Kind,
  { isRecorded }: { readonly isRecorded: boolean },
): string {
  const deleted = isRecorded ? 'deleted in the app' : 'deleted';
  const at = Date.parse(live?.deletedAt ?? '');
  if (Number.isNaN(at)) return deleted;
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const until =
    restorableDays === undefined ? '' : `, restorable until ${day(at + restorableDays * 86_400_000)}`;
  return `${deleted} on ${day(at)}${until}`;
}

/** For people: `deleted in the app`, `duplicate of spaces/guide`; nothing where being new says it all. */
export function creationText(context: PlanContext, desired: DesiredNode): string {
  const gone = context.isGone(desired) ? ['deleted in the app'] : [];
  const sources = Object.entries(context.kindOf(desired).fields).flatMap(([name, field]) => {
    if (field.change !== 'create' || field.type !== 'reference') return [];
    const source = context.targetOf(desired, name);
    return source === undefined ? [] : [`duplicate of ${source}`];
  });
  return [...gone, ...sources].join(', ');
}

/** For people: `created with its section`. */
export function withParentText(context: PlanContext, desired: DesiredNode): string {
  const parent = context.desired.parentOf(desired);
  return `created with its ${parent === undefined ? 'parent' : context.kindOf(parent).noun}`;
}

/** The reason with what moves into the new object, for example `with help (the top level → more)`. */
export function withAdopted(context: PlanContext, reason: string, adopted: readonly string[] = []): string {
  const texts = adopted.flatMap((address) => {
    const child = context.desired.get(address);
    if (child === undefined || context.liveOf(address) === undefined) return [];
    return [`${child.key} (${moveText(context, child)})`];
  });
  return [reason, ...(texts.length === 0 ? [] : [`with ${texts.join(', ')}`])]
    .filter((text) => text !== '')
    .join(', ');
}

/** For people: `reference → sdks`, `collections/handbook → the top level`. */
export function moveText(context: PlanContext, desired: DesiredNode): string {
  const live = context.liveOf(desired.address);
  const to = containerName(context, desired, context.desired.parentOf(desired)?.address);
  const from = live && context.live.parentOf(live);
  if (from === undefined) return `→ ${to}`;
  const address = context.matching.addressOf(from);
  const name =
    address === undefined
      ? `${context.kindOf(from).noun} ${JSON.stringify(titleOf(context, from))}`
      : containerName(context, desired, address);
  return `${name} → ${to}`;
}

/** A container as seen from what is inside: by its key where both are on one site. */
function containerName(context: PlanContext, desired: DesiredNode, address = rootAddress): string {
  const scope = context.scopeOf(desired)?.address ?? rootAddress;
  if (address === scope || address === rootAddress) return 'the top level';
  return scope === rootAddress ? address : keyOf(address);
}

/** For people: `before api`, `to the end`. */
export function beside({ anchor, next }: Placement): string {
  if (next === undefined) return 'to the end';
  return `${anchor?.before === undefined ? 'after' : 'before'} ${keyOf(next)}`;
}

function keyOf(address: string): string {
  return address.slice(address.lastIndexOf('/') + 1);
}
