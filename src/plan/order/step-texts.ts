/** Reasons of steps, for people. */
import type { Kind } from '../../kinds/kind.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Placement } from '../diff/positions.ts';

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

/** For people: `into collections/handbook`, `to the top level`. */
export function containerText({ parent = rootAddress }: DesiredNode): string {
  return parent === rootAddress ? 'to the top level' : `into ${parent}`;
}

/** For people: `before sites/hub/sections/api`, `to the end`. */
export function beside({ anchor, next }: Placement): string {
  if (next === undefined) return 'to the end';
  return `${anchor?.before === undefined ? 'after' : 'before'} ${next}`;
}
