/**
 * Compares base, desired and live: did the manifests change, did the live state drift, or both? Without a base there
 * is no answer. A base is filled in with today's environment: a different value from there is a changed input, never
 * drift.
 *
 * Example, title of a section:   base   desired  live
 *                                Guide  Guides   Guide    changed
 *                                Guide  Guide    Guides!  drift
 *                                Guide  Guides   Guides!  conflict
 */
import type { Field } from '../../kinds/field.ts';
import { mapOf, type Payload, type Value } from '../../kinds/payload.ts';
import { isAdditive, withAdded } from '../../tree/additive.ts';
import { declaresKind } from '../../tree/declared-collections.ts';
import { type DesiredNode, writesSecret } from '../../tree/desired.ts';
import { sameField } from '../../tree/difference.ts';
import type { LiveNode } from '../../tree/live.ts';
import { resolveField, type Target } from '../../tree/references.ts';
import { isSameObject, type ObjectRef } from '../../tree/refs.ts';
import { pruneOf } from '../../tree/settings.ts';
import { isRecord } from '../../util/json.ts';
import { revealSecrets } from '../../util/secret.ts';
import type { PlanContext } from '../context.ts';
import type { Cause, FieldChange } from '../plan.ts';

export function fieldCause(
  context: PlanContext,
  desired: DesiredNode,
  { name, before }: { readonly name: string; readonly before: Payload | undefined },
): Cause | undefined {
  if (context.base === undefined) return undefined;
  const field = context.kindOf(desired).fields[name];
  const base = context.baseOf(desired);
  if (field === undefined || desired.fields[name] === undefined) return 'changed';
  // What nobody declares follows the object that it names.
  const isDeclared = context.declared.get(desired.address)?.fields[name] !== undefined;
  if ((isDeclared && base?.fields[name] === undefined) || isBegun(base, name)) return 'changed';
  // It is not known if the applied value is still live.
  if (writesSecret(base, name) && !writesSecret(desired, name)) return 'changed';
  const input = inputCause(context, desired, { field, name, before });
  if (input !== undefined) return input;
  const followed = followedCause(context, desired, { field, name });
  if (followed !== undefined) return followed;
  if (base?.fields[name] === undefined) return 'changed';
  const one: ThreeWay = { field, name, desired, base };
  if (isUnchanged(context, one)) return 'drift';
  // Keys of a mapping that was deleted with the replaced object are still live now.
  const isKeyed = field.type === 'map' || field.type === 'members';
  const present =
    (isKeyed ? context.names.named(field, context.liveOf(desired.address)?.fields[name]) : undefined) ??
    before;
  const applied = baseAsLive(context, one);
  const adds = isAdditive(desired, name) || isAdditive(base, name);
  const kept = adds ? withAdded(present as Value | undefined, applied as Value) : applied;
  const isApplied =
    sameField(field, kept, present as Value | undefined) ||
    context.isStored({ address: desired.address, name }, kept, present);
  return isApplied ? 'changed' : 'conflict';
}

/** An unfinished run may have changed it, so it is not drift. */
function isBegun(base: DesiredNode | undefined, ...what: readonly string[]): boolean {
  return base?.begun?.some((one) => what.includes(one)) === true;
}

const placing = ['#move', '#attach', '#detach'];

/**
 * Of a field that a variable fills in. Undefined if the variable still has the value that was applied: then the base, which is
 * filled in with it too, says what was applied.
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

/** Why it is not known whether the input or the live value of a field changed. */
export function undecidedBy(
  context: PlanContext,
  desired: DesiredNode,
  name: string,
): FieldChange['undecided'] {
  const value = context.declaredValue(desired, name);
  const [field, written] = [context.kindOf(desired).fields[name], desired.inputs?.[name]];
  if (field === undefined || written === undefined || value === undefined) return undefined;
  if (written.includes('${secret:')) return 'secret';
  const isKnown = context.wasApplied({ address: desired.address, name, field }, value) !== undefined;
  return isKnown && field.type !== 'reference' ? undefined : 'variable';
}

function followedCause(
  context: PlanContext,
  desired: DesiredNode,
  { field, name }: { readonly field: Field; readonly name: string },
): Cause | undefined {
  const target = context.targetOf(desired, name);
  const made = target === undefined ? undefined : context.desired.get(target);
  if (made !== undefined && context.fresh.has(made.address)) return creationCause(context, made);
  const live = context.liveOf(desired.address);
  const kinds = field.type === 'map' ? [field.keysOf] : field.type === 'members' ? [field.of] : [];
  const value = desired.fields[name];
  if (kinds.length === 0 || live === undefined || !isRecord(value)) return undefined;
  // With the values of the replaced objects, nothing would differ.
  if (
    !sameField(
      field,
      context.names.renamed(field, value as Value),
      context.names.named(field, live.fields[name] ?? field.absent),
    )
  )
    return undefined;
  const replaced = kinds
    .flatMap((kind) => Object.keys(value).flatMap((key) => context.desired.keyed(kind, key)))
    .find(({ address }) => context.replaced.has(address));
  return replaced === undefined ? undefined : creationCause(context, replaced);
}

export function baseValue(context: PlanContext, desired: DesiredNode, name: string): Payload | undefined {
  const base = context.baseOf(desired);
  const value = base?.fields[name];
  if (base === undefined || value === undefined) return undefined;
  const target = targetInBase(context, { field: context.kindOf(desired).fields[name], name, base });
  if (target?.type === 'node') return { $id: target.address };
  return target?.type === 'id'
    ? target.id
    : context.names.renamed(context.kindOf(desired).fields[name], value, context.base);
}

export function creationCause(context: PlanContext, desired: DesiredNode): Cause | undefined {
  if (context.base === undefined) return undefined;
  const base = context.baseOf(desired);
  if (base === undefined || isBegun(base, '#delete')) return 'changed';
  for (const node of [desired, ...context.desired.ancestorsOf(desired)]) {
    const replaced = context.replaced.get(node.address);
    if (replaced !== undefined) return replacementCause(context, node, replaced);
  }
  return isRecognisedByInput(context, desired) && !context.isGone(desired) ? 'input' : 'drift';
}

function isRecognisedByInput(context: PlanContext, { kind, inputs = {} }: DesiredNode): boolean {
  return context.kindOf({ kind }).identity.by.some(({ field }) => inputs[field] !== undefined);
}

export function deletionCause(context: PlanContext, live: LiveNode, address: string): Cause | undefined {
  if (context.base === undefined) return undefined;
  const desired = context.desired.get(address);
  if (desired !== undefined && context.replaced.get(address) === live) return creationCause(context, desired);
  if (isInBase(context, live)) return 'changed';
  const wasPruned = pruneOf(context.base.tree.settings, live.kind) === 'unlisted';
  return wasPruned && wasListed(context, live) ? 'drift' : 'changed';
}

export function expulsionCause(context: PlanContext, live: LiveNode): Cause | undefined {
  if (context.base === undefined) return undefined;
  const parent = context.baseNodeOf(live)?.parent;
  const there = parent === undefined ? undefined : context.base.matching.liveOf(parent);
  const wasInside = there !== undefined && isSameObject(there, live.container);
  return !wasInside && wasListed(context, live) ? 'drift' : 'changed';
}

export function containerCause(context: PlanContext, desired: DesiredNode): Cause | undefined {
  if (context.base === undefined) return undefined;
  const base = context.baseOf(desired);
  const parent = base?.parent;
  if (parent === undefined || isBegun(base, ...placing)) return 'changed';
  const made = parent === desired.parent ? context.desired.get(parent) : undefined;
  if (made !== undefined && context.fresh.has(made.address)) return creationCause(context, made);
  const live = context.base.matching.liveOf(parent);
  const now = desired.parent === undefined ? undefined : context.liveOf(desired.parent);
  return live !== undefined && live === now ? 'drift' : 'changed';
}

export function orderCause(context: PlanContext, children: readonly DesiredNode[]): Cause | undefined {
  if (context.base === undefined) return undefined;
  const places = children.flatMap((child) => {
    const base = context.baseOf(child);
    return base === undefined || isBegun(base, ...placing)
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

export function isInBase({ base }: PlanContext, ref: ObjectRef): boolean {
  return base?.matching.addressOf(ref) !== undefined;
}

interface ThreeWay {
  readonly field: Field;
  readonly name: string;
  readonly desired: DesiredNode;
  readonly base: DesiredNode;
}

function isUnchanged(context: PlanContext, one: ThreeWay): boolean {
  const { field, name, desired, base } = one;
  if (isAdditive(base, name) && !isAdditive(desired, name)) return false;
  const own = context.declaredValue(desired, name);
  const now = resolveField(context.desired, desired, { field, value: own });
  const then = targetInBase(context, one);
  if (now === undefined || then === undefined)
    return sameField(
      field,
      context.names.renamed(field, own ?? null),
      context.names.renamed(field, revealSecrets(base.fields[name]) as Value, context.base),
    );
  if (now.type === 'id' && then.type === 'id') return now.id === then.id;
  if (now.type !== 'node' || then.type !== 'node') return false;
  if (now.address === then.address) return true;
  const live = context.matching.liveOf(now.address);
  return live !== undefined && live === context.base?.matching.liveOf(then.address);
}

function baseAsLive(context: PlanContext, one: ThreeWay): Payload {
  const value = one.base.fields[one.name] ?? null;
  const target = targetInBase(context, one);
  if (target?.type === 'id') return target.id;
  const live = target?.type === 'node' ? context.base?.matching.liveOf(target.address) : undefined;
  return live?.id ?? context.names.renamed(one.field, value, context.base);
}

function targetInBase(
  context: PlanContext,
  { field, name, base }: Pick<ThreeWay, 'name' | 'base'> & { readonly field: Field | undefined },
): Target | undefined {
  if (context.base === undefined) return undefined;
  return resolveField(context.base.tree, base, { field, value: base.fields[name] });
}

/** The base declared the list of the live object: whatever the base does not name was added later. */
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
