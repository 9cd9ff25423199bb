/** The undo data at the start of a run's journal; adds reads that the plan did not need. */

import { ApiError } from '../../contract/api.ts';
import { formOf } from '../../contract/form.ts';
import type { Field } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import { openLive } from '../../live/live-reader.ts';
import { declaresKind } from '../../tree/declared-collections.ts';
import { type LiveNode, LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { RefSet } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import type { ApprovedPlan } from '../approval/approval.ts';
import type { LiveSource } from '../plan-tree.ts';
import type { BeforeApply } from './changed-objects.ts';
import { UndoTreeBuilder, type UndoTrees } from './undo-trees.ts';

export function undoHead(
  { api, registry }: LiveSource,
  { today, inputs, lives, memory }: ApprovedPlan,
): Promise<readonly UndoTrees[]> {
  const source = { api, registry, memory };
  const organizations = today.organizations.flatMap((plan) => {
    const live = lives?.get(plan.label);
    const desired = inputs.trees.find(({ label }) => label === plan.label);
    const base = inputs.pasts.get(plan.label)?.tree;
    if (live === undefined || desired === undefined) return [];
    return [{ plan, live, desired, base, registry: registry.under(formOf(plan)) }];
  });
  return Promise.all(
    organizations.map(async (before) => {
      const live = await withMore(source, before).catch((error: unknown) => {
        // Lack of read access must not prevent an apply.
        if (error instanceof ApiError) return before.live;
        throw error;
      });
      return new UndoTreeBuilder({ ...before, live }).build();
    }),
  );
}

/** Adds data that the plan did not read: places of objects that it moves, and references to deleted objects. */
async function withMore(source: LiveSource, before: BeforeApply): Promise<LiveTree> {
  const { live, desired, registry } = before;
  const referrers = referrerReads(before);
  const nothing = new LiveTree(live.organizationId);
  if (referrers.length === 0 && containersOf(live, nothing, before).length === 0) return live;
  const options = { registry, ...defined({ memory: source.memory }), isStale: () => false };
  const reader = await openLive(source.api, desired.with({ id: live.organizationId }), options);
  await reader.read(referrers);
  // Containers are nested.
  for (let known = -1; known < reader.tree.nodes().length; ) {
    known = reader.tree.nodes().length;
    await reader.read(containersOf(live, reader.tree, before));
  }
  await reader.read(orderReads(live, reader.tree, before));
  const kept = live.nodes().map((node) => {
    const rank = node.rank ?? reader.tree.get(node)?.rank;
    return rank === node.rank ? node : { ...node, ...defined({ rank }) };
  });
  const added = reader.tree.nodes().filter((node) => !live.has(node));
  return new LiveTree(live.organizationId, [...kept, ...added]);
}

function containersOf(live: LiveTree, more: LiveTree, { plan, registry }: BeforeApply): readonly Read[] {
  const touched = plan.steps.flatMap(({ kind, liveId }) =>
    liveId === undefined ? [] : (live.get({ kind, id: liveId }) ?? []),
  );
  const wanted = [...touched, ...more.nodes()]
    .filter((node) => !live.has(node.container) || isUnplaced(registry, node))
    .map(({ container }) => container)
    .filter((container) => !more.has(container));
  const unique = new RefSet();
  return wanted.filter((one) => unique.add(one)).map(({ kind, id }) => ({ type: 'object', kind, id }));
}

/** True if the list does not show the place, and the plan did not need it. */
function isUnplaced(registry: Registry, { kind, rank, container }: LiveNode): boolean {
  return rank === undefined && registry.byName(kind).reads.list?.places?.per === container.kind;
}

/** Lists of these containers, for the position of restored objects. */
function orderReads(live: LiveTree, more: LiveTree, { registry }: BeforeApply): readonly Read[] {
  return more.nodes().flatMap((container) => {
    if (live.has(container) && !live.childrenOf(container).some((node) => isUnplaced(registry, node)))
      return [];
    const kinds = registry.kinds.filter(
      ({ manifest: { places }, reads }) =>
        (reads.list?.places ?? reads.list)?.per === container.kind &&
        places.some(({ parent, ordered }) => parent === container.kind && ordered),
    );
    const { kind, id } = container;
    return kinds.map(({ name, reads }): Read => {
      const type = reads.list?.places === undefined ? 'list' : 'places';
      return { type, kind: name, of: { kind, id } };
    });
  });
}

/** Lists of the organization whose objects may refer to a deleted one: they lose the reference. */
function referrerReads({ plan, live, desired, registry }: BeforeApply): readonly Read[] {
  const deleted = new Set(plan.steps.filter(({ phase }) => phase === 'delete').map(({ kind }) => kind));
  const of = { kind: registry.root.name, id: live.organizationId };
  const isLost = (field: Field) =>
    field.type === 'reference' &&
    field.within === 'organization' &&
    field.change === undefined &&
    field.kinds.some((kind) => deleted.has(kind));
  return registry.kinds.flatMap(({ name, reads, fields }): readonly Read[] => {
    const isRead = desired.root !== undefined && declaresKind(registry, desired.root, name);
    const isOpen = reads.list?.per === of.kind && !isRead && Object.values(fields).some(isLost);
    return isOpen ? [{ type: 'list', kind: name, of }] : [];
  });
}
