/**
 * Compares base, desired and live: did the manifests change, did the live state drift, or both? Without a base, the cause
 * is undefined. A base is filled in with today's environment: a different value from there is a changed input, never
 * drift.
 *
 * Example, title of a section:   base   desired  live
 *                                Guide  Guides   Guide    changed
 *                                Guide  Guide    Guides!  drift
 *                                Guide  Guides   Guides!  conflict
 */
import type { Field } from '../../kinds/parts/field.ts';
import { mapOf, type Payload, type Value } from '../../kinds/parts/payload.ts';
import { isAdditive, withAdded } from '../../tree/additive.ts';
import { declaresKind } from '../../tree/declared-collections.ts';
import { type DesiredNode, writesSecret } from '../../tree/desired.ts';
import { isEqual, sameField } from '../../tree/difference.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject } from '../../tree/refs.ts';
import { pruneOf } from '../../tree/settings.ts';
import { isRecord } from '../../util/json.ts';
import { unreachable } from '../../util/unreachable.ts';
import { keyKindOf, type PlanContext } from '../context.ts';
import type { Cause } from '../plan.ts';
import { inStoredForm } from '../values/stored-form.ts';
import type { Change } from './change.ts';

/** Undefined for an update, whose fields have their own causes. */
export function causeOf(context: PlanContext, change: Change): Cause | undefined {
  switch (change.type) {
    case 'create':
    case 'replace':
    case 'restore':
      return creationCause(context, change.desired);
    case 'attach':
      return containerCause(context, change.desired);
    case 'detach':
      return change.desired === undefined
        ? expulsionCause(context, change.live)
        : containerCause(context, change.desired);
    case 'move':
      // A restored object is not live yet either.
      if ((context.liveOf(change.desired.address) ?? { deleted: true }).deleted === true)
        return creationCause(context, change.desired);
      return change.placement.mayBeThere === true ? containerCause(context, change.desired) : change.order;
    case 'delete':
      return deletionCause(context, change.live, change.address);
    case 'update':
      return undefined;
    default:
      return unreachable(change);
  }
}

export function fieldCause(
  context: PlanContext,
  desired: DesiredNode,
  { name, before }: { readonly name: string; readonly before: Payload | undefined },
): Cause | undefined {
  if (context.base === undefined) return undefined;
  const field = context.kindOf(desired).fields[name];
  const base = context.baseOf(desired);
  if (field === undefined || desired.fields[name] === undefined) return 'changed';
  // An undeclared field follows the object that it names.
  const isDeclared = context.declared.get(desired.address)?.fields[name] !== undefined;
  if ((isDeclared && base?.fields[name] === undefined) || isOwn(context, desired, name)) return 'changed';
  // It is not known whether the applied value is still live.
  if (writesSecret(base, name) && !writesSecret(desired, name)) return 'changed';
  const input = inputCause(context, desired, { field, name, before });
  if (input !== undefined) return input;
  const { target, formerTarget, declared = null, applied, stored } = context.threeWay(desired, name);
  const made = context.desired.get(target ?? '');
  if (made !== undefined && context.toCreate.has(made.address)) return creationCause(context, made);
  const replaced = replacedKey(context, desired, { field, name, stored });
  if (replaced !== undefined) return creationCause(context, replaced);
  if (applied === undefined) return 'changed';
  const isShorter = isAdditive(base, name) && !isAdditive(desired, name);
  const isSameTarget = target !== undefined && target === formerTarget;
  if (!isShorter && (isSameTarget || sameField(field, declared, applied))) return 'drift';
  // Keys of a mapping that will be deleted with the replaced object are still live.
  const present = keyKindOf(field) === undefined ? before : (stored ?? before);
  const adds = isAdditive(desired, name) || isAdditive(base, name);
  const known = inStoredForm(context, desired, name, { wanted: applied, live: present }) ?? present ?? null;
  const kept = adds ? withAdded(present as Value | undefined, known as Value) : known;
  return sameField(field, kept, present) ? 'changed' : 'conflict';
}

/** An unfinished run may have made the change, or the object, so it is not drift. */
function isOwn(context: PlanContext, desired: DesiredNode, ...what: readonly string[]): boolean {
  const live = context.matching.liveOf(desired.address);
  if (context.own.made(live) || context.own.sent(live, ...what) || context.isSuccessor(desired)) return true;
  if (what.some((name) => isKeyedByOwn(context, desired, name))) return true;
  // The base has an object that a run deleted since.
  return live?.id !== context.recordedIds.get(desired.address) && context.isDeletedByRun(desired);
}

const placing = ['#move', '#attach', '#detach'];

/**
 * Cause for a field that a variable fills in. Undefined if the variable still has the applied value: then the base, which is
 * filled in with it too, shows the applied value.
 */
function inputCause(
  context: PlanContext,
  desired: DesiredNode,
  one: { readonly field: Field; readonly name: string; readonly before: Payload | undefined },
): Cause | undefined {
  const { field, name, before } = one;
  const value = context.declaredValue(desired, name);
  if (desired.inputs?.[name] === undefined || value === undefined) return undefined;
  const about = { address: desired.address, name, field };
  const isApplied = context.wasApplied(about, value);
  if (isApplied !== false || field.type === 'reference') return isApplied === true ? undefined : 'input';
  if (isAdditive(desired, name)) return 'input';
  // Only the declared keys of a mapping count.
  const [were, are] = field.type === 'map' ? [mapOf(before), mapOf(value)] : [];
  const present =
    were && are ? Object.fromEntries(Object.entries(were).filter(([key]) => key in are)) : before;
  return context.wasApplied(about, present ?? field.absent ?? null) === true ? 'input' : 'conflict';
}

/** The replaced object whose values are the only difference of the field. */
function replacedKey(
  context: PlanContext,
  desired: DesiredNode,
  {
    field,
    name,
    stored,
  }: { readonly field: Field; readonly name: string; readonly stored: Value | undefined },
): DesiredNode | undefined {
  const value = desired.fields[name];
  const kind = keyKindOf(field);
  if (kind === undefined || context.liveOf(desired.address) === undefined || !isRecord(value))
    return undefined;
  const wanted = context.payloadOf(desired)[name] ?? null;
  // With the values of the replaced objects, the field would not differ.
  if (!sameField(field, wanted, stored ?? field.absent)) return undefined;
  return Object.keys(value)
    .flatMap((key) => context.desired.keyed(kind, key))
    .find(({ address }) => context.replaced.has(address));
}

/** True if a run created or deleted an object that is a key of the value: its entry was lost with the former one. */
function isKeyedByOwn(context: PlanContext, desired: DesiredNode, name: string): boolean {
  const [field, value] = [context.kindOf(desired).fields[name], desired.fields[name]];
  if (field?.type !== 'map' || !isRecord(value) || context.own.work.objects.length === 0) return false;
  return Object.keys(value)
    .flatMap((key) => context.desired.keyed(field.keysOf, key))
    .some((node) => context.own.made(context.liveOf(node.address)) || context.isDeletedByRun(node));
}

export function creationCause(context: PlanContext, desired: DesiredNode): Cause | undefined {
  if (context.base === undefined) return undefined;
  const base = context.baseOf(desired);
  if (base === undefined || context.isSuccessor(desired) || context.isDeletedByRun(desired)) return 'changed';
  for (const node of [desired, ...context.desired.ancestorsOf(desired)]) {
    const live = context.replaced.get(node.address);
    if (live !== undefined) return replacementCause(context, node, live);
  }
  const { by } = context.kindOf(desired).identity;
  const isByInput = by.some(({ field }) => desired.inputs?.[field] !== undefined);
  if (isByInput && !context.isGone(desired)) return 'input';
  // The commit changes an object that no longer exists, which is not drift of another object.
  const isChanged = Object.entries(desired.fields).some(
    ([name, value]) => !isEqual(value, base.fields[name]),
  );
  return isChanged ? 'conflict' : 'drift';
}

function deletionCause(context: PlanContext, live: LiveNode, address: string): Cause | undefined {
  if (context.base === undefined) return undefined;
  const desired = context.desired.get(address);
  if (desired !== undefined && context.replaced.get(address) === live) return creationCause(context, desired);
  const isOwn = context.own.made(live) || context.successorOf(live) !== undefined;
  if (isOwn || context.base.matching.addressOf(live) !== undefined) return 'changed';
  const wasPruned = pruneOf(context.base.tree.settings, live.kind) === 'unlisted';
  return wasPruned && wasListed(context, live) ? 'drift' : 'changed';
}

function expulsionCause(context: PlanContext, live: LiveNode): Cause | undefined {
  if (context.base === undefined) return undefined;
  const parent = context.baseNodeOf(live)?.parent;
  if (context.own.sent(live, ...placing)) return 'changed';
  const there = parent === undefined ? undefined : context.base.matching.liveOf(parent);
  const wasInside = there !== undefined && isSameObject(there, live.container);
  return !wasInside && wasListed(context, live) ? 'drift' : 'changed';
}

function containerCause(context: PlanContext, desired: DesiredNode): Cause | undefined {
  if (context.base === undefined) return undefined;
  const base = context.baseOf(desired);
  const parent = base?.parent;
  if (parent === undefined || isOwn(context, desired, ...placing)) return 'changed';
  const made = parent === desired.parent ? context.desired.get(parent) : undefined;
  if (made !== undefined && context.toCreate.has(made.address)) return creationCause(context, made);
  const live = context.base.matching.liveOf(parent);
  const now = context.liveOf(desired.parent ?? '');
  return live !== undefined && live === now ? 'drift' : 'changed';
}

export function orderCause(context: PlanContext, children: readonly DesiredNode[]): Cause | undefined {
  if (context.base === undefined) return undefined;
  const places = children.flatMap((child) => {
    const base = context.baseOf(child);
    return base === undefined || isOwn(context, child, ...placing)
      ? []
      : [{ parent: base.parent, index: base.index }];
  });
  const [{ parent: then } = {}] = places;
  const [{ parent: now } = {}] = children;
  const there = then === undefined ? undefined : context.base.matching.liveOf(then);
  const isSameList = there !== undefined && now !== undefined && there === context.liveOf(now);
  const together = isSameList && places.every(({ parent }) => parent === then);
  const inOrder = places.every(({ index }, place) => index > (places[place - 1]?.index ?? -1));
  return together && inOrder && places.length === children.length ? 'drift' : 'changed';
}

/** True if the base declared the list of the live object. Objects that it does not name were then added later. */
function wasListed(context: PlanContext, live: LiveNode): boolean {
  const container = context.baseNodeOf(live.container);
  return container !== undefined && declaresKind(context.registry, container, live.kind);
}

function replacementCause(context: PlanContext, desired: DesiredNode, live: LiveNode): Cause {
  const names = context.replacingFields(desired, live);
  if (names.some((name) => desired.inputs?.[name] !== undefined)) return 'input';
  const drifted = names.every(
    (name) => fieldCause(context, desired, { name, before: context.liveField(live, name) }) === 'drift',
  );
  return drifted ? 'drift' : 'changed';
}
