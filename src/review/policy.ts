/**
 * Changes in how objects are managed since the base: objects no longer managed, protection lost or gained, other settings. They cause
 * no requests, but a reviewer must see them.
 */
import { mapOf, type Payload } from '../kinds/parts/payload.ts';
import type { PlanContext } from '../plan/context.ts';
import { holderOf, type Removals } from '../plan/removals.ts';
import { isAdditive } from '../tree/additive.ts';
import { covers, parentOf } from '../tree/addressing.ts';
import type { DesiredNode } from '../tree/desired.ts';
import { type Ending, endingsOf, entryName } from '../tree/endings.ts';
import { pruneOf, type Settings } from '../tree/settings.ts';
import { someOf } from '../util/count.ts';
import { defined } from '../util/defined.ts';
import { grouped } from '../util/group.ts';
import { isRecord, sameJson } from '../util/json.ts';
import type { PolicyChange } from './reviewed-plan.ts';

export function policyChanges(context: PlanContext, removals: Removals): readonly PolicyChange[] {
  const { base, desired } = context;
  if (base === undefined || base.undoes !== undefined) return [];
  const kept = [...desired.nodes.values()].flatMap((node) => {
    const former = context.baseOf(node);
    return former === undefined ? [] : nodeChanges(context, node, former);
  });
  const left = [...base.tree.nodes.values()].filter((former) => isLeftBehind(context, removals, former));
  return [
    ...settingChanges(base.tree.settings, desired.settings),
    ...kept,
    ...lastDayChanges(context),
    ...takenOver(context),
    ...releases(context, outermost(left)),
  ];
}

/** The contents of an unmanaged object are also unmanaged, and those of one that was taken over were not managed either. */
function outermost(nodes: readonly DesiredNode[]): readonly DesiredNode[] {
  const isAmong = covers(nodes.map(({ address }) => address));
  return nodes.filter(({ address }) => !isAmong(parentOf(address)));
}

/** Makes one change for all objects of a list that no manifest declared, and no run made: without their entries, they are deleted. */
function takenOver(context: PlanContext): readonly PolicyChange[] {
  const { restored = [] } = context.own.work;
  const taken = [...context.desired.nodes.values()].filter((node) => {
    const live = context.liveOf(node.address);
    const isKnown = context.baseOf(node) !== undefined || context.recordedIds.has(node.address);
    if (live === undefined || isKnown || context.own.made(live) || restored.includes(live.id)) return false;
    return context.kindOf(node).calls.delete !== undefined && node.lifecycle.release !== true;
  });
  const all = outermost(taken).map(({ address }) => address);
  const lists = grouped(all, (address) => address.slice(0, address.lastIndexOf('/')));
  return [...lists].map(([address, entries]) => ({ address, change: 'taken', name: someOf(entries, 5) }));
}

/** Last days that change, of entries that the base has and the tree keeps; a new entry shows its own in the plan. */
export function lastDayChanges(context: PlanContext): readonly PolicyChange[] {
  const { base, desired } = context;
  if (base === undefined || (base.tree.data.endings ?? desired.data.endings) === undefined) return [];
  return [...desired.nodes.values()].flatMap((node) => {
    const former = context.baseOf(node);
    if (former === undefined) return [];
    const [before, after] = [endingsOf(base.tree, former.address), endingsOf(desired, node.address)];
    const names = new Map([...before, ...after].map((one) => [entryName(one), one]));
    return [...names].flatMap(([name, one]) => {
      const dayIn = (all: readonly Ending[]) => all.find((other) => entryName(other) === name)?.until;
      const days = defined({ before: dayIn(before), after: dayIn(after) });
      if (days.before === days.after || ![node, former].every((kept) => hasEntry(kept, one))) return [];
      return [{ address: node.address, change: 'until' as const, name, ...days }];
    });
  });
}

function hasEntry({ fields }: DesiredNode, { field, key = '' }: Ending): boolean {
  return field === undefined || mapOf(fields[field])?.[key] !== undefined;
}

function nodeChanges(context: PlanContext, node: DesiredNode, former: DesiredNode): readonly PolicyChange[] {
  const { address, lifecycle } = node;
  const changes: PolicyChange[] = [];
  const [was, is] = [former.lifecycle.release === true, lifecycle.release === true];
  if (was !== is) changes.push({ address, change: is ? 'released' : 'managed' });
  if (is) return changes;
  const byKind = context.kindOf(node).deletion.protected === true;
  const [wasProtected, isProtected] = [former, node].map((one) => one.lifecycle.protect ?? byKind);
  if (wasProtected !== isProtected)
    changes.push({ address, change: isProtected === true ? 'protected' : 'unprotected' });
  const ignores = former.lifecycle.ignore.length + lifecycle.ignore.length > 0;
  if (ignores && !sameJson([...former.lifecycle.ignore].sort(), [...lifecycle.ignore].sort()))
    changes.push({ address, change: 'ignored', before: former.lifecycle.ignore, after: lifecycle.ignore });
  const dropped = Object.keys(former.fields).filter((name) => !(name in node.fields));
  if (dropped.length > 0 && !was) changes.push({ address, change: 'fields', name: dropped.join(', ') });
  for (const change of ['additive', 'exact'] as const) {
    const [from, to] = change === 'exact' ? [former, node] : [node, former];
    const names = (from.additive ?? []).filter((name) => name in to.fields && !isAdditive(to, name));
    if (names.length > 0) changes.push({ address, change, name: names.join(', ') });
  }
  return changes;
}

/** True for a live object that was removed from the manifests but is kept, which no other part of the plan reports. */
function isLeftBehind(
  { base, matching }: PlanContext,
  removals: Removals,
  { address, lifecycle }: DesiredNode,
): boolean {
  const live = base?.matching.liveOf(address);
  if (live === undefined || live.deleted === true || lifecycle.release === true) return false;
  if (matching.addressOf(live) !== undefined) return false;
  const { type } = removals.of(live);
  return type === 'kept' || type === 'unmanaged';
}

/** Makes one change for all objects of a list whose key was removed from the manifests. */
function releases(context: PlanContext, left: readonly DesiredNode[]): readonly PolicyChange[] {
  const lists = new Map<string, PolicyChange>();
  for (const former of left) {
    const { address, collection, kind } = former;
    const { noun, calls } = context.registry.byName(kind);
    const { now } = holderOf(context, former);
    const canDelete = calls.delete !== undefined && pruneOf(context.desired.settings, kind) !== 'never';
    if (now === undefined || !canDelete || now.declares.includes(collection)) {
      lists.set(address, { address, change: 'released' });
      continue;
    }
    const list = `${now.address} ${collection} ${kind}`;
    const count = (lists.get(list)?.count ?? 0) + 1;
    lists.set(list, { address: now.address, change: 'released', name: collection, noun, count });
  }
  return [...lists.values()];
}

function settingChanges(before: Settings, after: Settings): readonly PolicyChange[] {
  const [was, is] = [flat(before), flat(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => !sameJson(was.get(name), is.get(name)))
    .map((name) => ({
      address: 'settings',
      change: 'setting',
      name,
      ...defined({ before: was.get(name), after: is.get(name) }),
    }));
}

/** Settings by their paths, for example `limits.deletes`. */
function flat(settings: object, prefix = ''): ReadonlyMap<string, Payload> {
  return new Map(
    Object.entries(settings).flatMap(([name, value]: [string, Payload]) =>
      isRecord(value)
        ? [...flat(value, `${prefix}${name}.`)]
        : [[`${prefix}${name}`, value] satisfies [string, Payload]],
    ),
  );
}
