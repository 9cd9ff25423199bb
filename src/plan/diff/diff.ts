/** Differences of all objects: desired objects in the order of the manifests, then moves among siblings, then deletes. */

import { prefixesOf } from '../../tree/addressing.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import { endingsOf } from '../../tree/endings.ts';
import type { LiveNode } from '../../tree/live.ts';
import { defined } from '../../util/defined.ts';
import { append, compareTexts } from '../../util/lists.ts';
import type { PlanContext } from '../context.ts';
import { begunIn } from '../own/begun.ts';
import type { Unmanaged } from '../plan.ts';
import type { Deletion, Disposition, Removals } from '../removals.ts';
import { stepId } from '../step-id.ts';
import { describeObject } from '../title-of.ts';
import type { Change, Placement } from './change.ts';
import { fieldsToChange } from './changed-fields.ts';
import { type Ordering, planOrderings } from './positions.ts';

export interface Diff {
  readonly changes: readonly Change[];
  readonly orderings: readonly Ordering[];
  readonly deletions: readonly Deletion[];
  readonly unmanaged: readonly Unmanaged[];
}

export function diff(context: PlanContext, removals: Removals): Diff {
  const orderings = planOrderings(context);
  const placements = new Map(
    orderings.flatMap((ordering) => ordering.placements.map((one) => [one.address, one] as const)),
  );
  const objects = [...context.desired.nodes.values()].flatMap((desired) =>
    objectChanges(context, desired, placements.get(desired.address)),
  );
  const moves = orderings.flatMap((ordering) => moveChanges(context, ordering));
  const removed = removedObjects(context, removals);
  return { ...removed, changes: [...objects, ...moves, ...removed.changes], orderings };
}

function objectChanges(
  context: PlanContext,
  desired: DesiredNode,
  placement: Placement | undefined,
): readonly Change[] {
  if (context.isReleased(desired.address)) return [];
  const live = context.liveOf(desired.address);
  if (live !== undefined) return keptChanges(context, desired, { live, placement });
  if (desired.address === rootAddress) return [];
  const replaced = context.replaced.get(desired.address);
  if (replaced === undefined) return [{ type: 'create', desired, placement }];
  const { address } = desired;
  const fields = context.replacingFields(desired, replaced);
  return [{ type: 'replace', desired, placement, fields, live: replaced, address }];
}

function keptChanges(
  context: PlanContext,
  desired: DesiredNode,
  { live, placement }: { readonly live: LiveNode; readonly placement: Placement | undefined },
): readonly Change[] {
  const changes: Change[] = [];
  const { address } = desired;
  if (live.deleted === true) changes.push({ type: 'restore', desired });
  if (context.changesContainer(desired)) {
    changes.push({ type: 'detach', live, address, desired, reason: '' });
    changes.push({ type: 'attach', desired, placement });
  }
  const before = context.liveFields(live, Object.keys(desired.fields));
  const names = fieldsToChange(context, desired, before);
  if (names.length > 0) changes.push({ type: 'update', desired, live, names });
  return changes;
}

function moveChanges(context: PlanContext, { placements, cause }: Ordering): readonly Change[] {
  return placements.flatMap((placement) => {
    const desired = context.desired.get(placement.address);
    return desired === undefined ? [] : [{ type: 'move', desired, placement, order: cause }];
  });
}

function removedObjects(context: PlanContext, removals: Removals): Omit<Diff, 'orderings'> {
  const changes: Change[] = [];
  const deletions: Deletion[] = [];
  const unmanaged: Unmanaged[] = [];
  const gone = context.live.nodes().filter((live) => removals.of(live).type !== 'kept');
  for (const live of gone.sort(byKindAndId)) {
    const disposition = removals.of(live);
    if (disposition.type === 'kept') continue;
    const { address } = disposition;
    if (disposition.type === 'unmanaged') {
      append(changes, expulsion(context, live, address));
      unmanaged.push({ address, ...describeObject(context, live) });
    } else if (disposition.type === 'cascaded')
      deletions.push({ live, address, isCascaded: true, ...defined({ by: removals.deletingStep(live) }) });
    else {
      changes.push(deletion(context, live, disposition));
      deletions.push({ live, address, isCascaded: false, by: stepId(address, 'delete') });
    }
  }
  return { changes, deletions, unmanaged };
}

function deletion(
  context: PlanContext,
  live: LiveNode,
  { address, because }: Extract<Disposition, { type: 'deleted' }>,
): Change {
  if (because === 'replaced') {
    const run = context.own.work.objects.find((one) => one.made === true && one.address === address)?.run;
    const made = run === undefined ? 'exists' : `was created by run ${run}`;
    const reason = `deletes the former ${context.kindOf(live).noun}, whose successor ${made}`;
    return { type: 'delete', live, address, reason, isReplaced: true };
  }
  if (because === 'begun') {
    const one = context.own.work.objects.find(({ kind, id }) => kind === live.kind && id === live.id);
    const reason = `run ${one?.run} created it for ${begunIn(context).get(live)}, which has another one`;
    return { type: 'delete', live, address, reason };
  }
  const isUndone = context.base?.undoes !== undefined;
  const [omitted] = prefixesOf(address).flatMap((one) => context.desired.data.omitted?.get(one) ?? []);
  const ended = endingsOf(context.desired, address).find((one) => one.field === undefined && one.isOver);
  const left = omitted && `left out by ${omitted.file}:${omitted.line}`;
  const gone = ended ? `ended on ${ended.until}` : (left ?? 'no longer in the manifests');
  const removed = isUndone ? 'created by the run' : gone;
  const reason = because === 'removed' ? removed : 'not in the manifests (prune: unlisted)';
  return { type: 'delete', live, address, reason };
}

function expulsion(context: PlanContext, live: LiveNode, address: string): readonly Change[] {
  // An object that an unfinished run created is left where it is.
  if (context.own.made(live)) return [];
  const container = context.matching.addressOf(live.container);
  if (container === undefined || context.kindOf(live).calls.detach === undefined) return [];
  const reason = `out of ${container}, which does not list it`;
  return [{ type: 'detach', live, address, desired: undefined, reason }];
}

function byKindAndId(left: LiveNode, right: LiveNode): number {
  return compareTexts(left.kind, right.kind) || compareTexts(left.id, right.id);
}
