/**
 * The differences of all objects: desired objects in the order of the manifests, then moves among siblings, then
 * deletes.
 */

import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { defined } from '../../util/defined.ts';
import { push } from '../../util/group.ts';
import { sameJson } from '../../util/json.ts';
import { compareTexts } from '../../util/lists.ts';
import { unreachable } from '../../util/unreachable.ts';
import type { PlanContext } from '../context.ts';
import type { CascadedDelete, FieldChange, Unmanaged } from '../plan.ts';
import type { Deletion, Disposition, Removals } from '../removals.ts';
import { stepId } from '../step-id.ts';
import { titleOf } from '../title-of.ts';
import { containerCause, creationCause, deletionCause, expulsionCause } from './cause.ts';
import type { Change } from './change.ts';
import { describeFields, fieldsToChange, readingOf } from './field-changes.ts';
import { changesContainer, type Ordering, type Placement, planOrderings } from './positions.ts';

export interface Diff {
  readonly changes: readonly Change[];
  readonly orderings: readonly Ordering[];
  readonly deletions: readonly Deletion[];
  readonly unmanaged: readonly Unmanaged[];
  readonly cascades: ReadonlyMap<string, readonly CascadedDelete[]>;
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
  const gone = removedObjects(context, removals);
  return {
    changes: [...objects, ...moves, ...gone.changes],
    orderings,
    deletions: gone.deletions,
    unmanaged: gone.unmanaged,
    cascades: gone.cascades,
  };
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
  const cause = creationCause(context, desired);
  const replaced = context.replaced.get(desired.address);
  if (replaced === undefined) return [{ type: 'create', desired, placement, cause }];
  const { address } = desired;
  const fields = context.replacingFields(desired, replaced);
  const lost = lostFields(context, replaced, address);
  return [{ type: 'replace', desired, placement, fields, live: replaced, address, lost, cause }];
}

function keptChanges(
  context: PlanContext,
  desired: DesiredNode,
  { live, placement }: { readonly live: LiveNode; readonly placement: Placement | undefined },
): readonly Change[] {
  const changes: Change[] = [];
  const { address } = desired;
  if (live.deleted === true)
    changes.push({ type: 'restore', desired, cause: creationCause(context, desired) });
  if (changesContainer(context, desired)) {
    const cause = containerCause(context, desired);
    changes.push({ type: 'detach', live, address, desired, reason: '', cause });
    changes.push({ type: 'attach', desired, placement, cause });
  }
  const before = context.liveFields(live, Object.keys(desired.fields));
  const names = fieldsToChange(context, desired, before);
  if (names.length > 0)
    changes.push({
      type: 'update',
      desired,
      live,
      fields: describeFields(context, desired, { names, before }),
    });
  return changes;
}

function moveChanges(context: PlanContext, { placements, cause }: Ordering): readonly Change[] {
  return placements.flatMap((placement) => {
    const desired = context.desired.get(placement.address);
    if (desired === undefined) return [];
    const isFresh = context.fresh.has(desired.address);
    const leaves = placement.mayBeThere === true ? containerCause(context, desired) : cause;
    const own = isFresh ? creationCause(context, desired) : leaves;
    return [{ type: 'move', desired, placement, cause: own }];
  });
}

function removedObjects(context: PlanContext, removals: Removals): Omit<Diff, 'orderings'> {
  const going = context.live.nodes().filter((live) => removals.of(live).type !== 'kept');
  const parts = byKindAndId(going).map((live) => removedObject(context, removals, live));
  const cascades = new Map<string, CascadedDelete[]>();
  for (const { live, by, isCascaded } of parts.flatMap(({ deletions }) => deletions)) {
    // Nobody misses what nobody ever changed.
    if (isCascaded && by !== undefined && live.initial !== true)
      push(cascades, by, describeObject(context, live));
  }
  return {
    changes: parts.flatMap(({ changes }) => changes),
    deletions: parts.flatMap(({ deletions }) => deletions),
    unmanaged: parts.flatMap(({ unmanaged }) => unmanaged),
    cascades,
  };
}

function removedObject(
  context: PlanContext,
  removals: Removals,
  live: LiveNode,
): Pick<Diff, 'changes' | 'deletions' | 'unmanaged'> {
  const disposition = removals.of(live);
  if (disposition.type === 'kept') return nothing;
  const { address } = disposition;
  switch (disposition.type) {
    case 'unmanaged':
      return {
        ...nothing,
        changes: expulsion(context, live, address),
        unmanaged: [{ address, ...describeObject(context, live) }],
      };
    case 'cascaded': {
      const by = defined({ by: removals.takerOf(live) });
      return { ...nothing, deletions: [{ live, address, isCascaded: true, ...by }] };
    }
    case 'deleted':
      return {
        ...nothing,
        changes: [deletion(context, live, disposition)],
        deletions: [{ live, address, isCascaded: false, by: stepId(address, 'delete') }],
      };
    default:
      return unreachable(disposition);
  }
}

const nothing = { changes: [], deletions: [], unmanaged: [] } as const;

function deletion(
  context: PlanContext,
  live: LiveNode,
  { address, because }: Extract<Disposition, { type: 'deleted' }>,
): Change {
  const isUndone = context.base?.undoes !== undefined;
  const removed = isUndone ? 'made by the run' : 'no longer in the manifests';
  const reason = because === 'removed' ? removed : 'not in the manifests (prune: unlisted)';
  const lost = lostFields(context, live, address);
  return { type: 'delete', live, address, reason, lost, cause: deletionCause(context, live, address) };
}

function expulsion(context: PlanContext, live: LiveNode, address: string): readonly Change[] {
  const container = context.matching.addressOf(live.container);
  if (container === undefined || context.kindOf(live).calls.detach === undefined) return [];
  const reason = `out of ${container}, which does not list it`;
  return [
    { type: 'detach', live, address, desired: undefined, reason, cause: expulsionCause(context, live) },
  ];
}

function describeObject(context: PlanContext, live: LiveNode): CascadedDelete {
  return {
    kind: live.kind,
    noun: context.kindOf(live).noun,
    id: live.id,
    title: titleOf(context, live),
  };
}

function lostFields(context: PlanContext, live: LiveNode, address: string): readonly FieldChange[] {
  return Object.entries(context.kindOf(live).fields).flatMap(([name, field]) => {
    const value = context.names.named(field, live.fields[name]);
    if (value === undefined || sameJson(value, field.absent)) return [];
    const isId = field.type === 'reference' && typeof value === 'string';
    const before = isId ? context.showId(field.kinds, value) : value;
    const reading = readingOf(context, { kind: live.kind, address }, { name, values: [before] });
    return [{ field: name, before, ...reading }];
  });
}

function byKindAndId(nodes: readonly LiveNode[]): readonly LiveNode[] {
  return [...nodes].sort((left, right) =>
    left.kind === right.kind ? compareTexts(left.id, right.id) : compareTexts(left.kind, right.kind),
  );
}
