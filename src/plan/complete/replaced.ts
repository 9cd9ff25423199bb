/** Points references to a replaced object at the new one, carries its values over, and shows values that the service drops. */

import type { Field } from '../../kinds/parts/field.ts';
import type { Value } from '../../kinds/parts/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { type ObjectRef, RefMap } from '../../tree/refs.ts';
import { sameJson } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';
import { begunIn, owedTo } from '../own/begun.ts';
import type { Addition } from './addition.ts';

export function* referencesToReplaced(context: PlanContext): Iterable<Addition> {
  for (const [address, live] of replacedIn(context))
    for (const above of [live.container, live.scope]) {
      const holder = holderOf(context, above);
      if (holder === undefined) continue;
      for (const name of context.defaultFields(holder.live, live))
        if (holder.desired.fields[name] === undefined)
          yield { to: holder.desired, fields: { [name]: address } };
    }
  for (const { to, name, target } of outerReferences(context))
    if (to.fields[name] === undefined) yield { to, fields: { [name]: target } };
}

/** Replaced live objects, by this plan or by an unfinished run, with the addresses of their successors. */
function replacedIn(context: PlanContext): readonly (readonly [address: string, live: LiveNode])[] {
  const superseded = [...context.superseded].flatMap(([address, lives]) =>
    lives.map((live) => [address, live] as const),
  );
  const begun = [...begunIn(context)].map(([live, address]) => [address, live] as const);
  return [...context.replaced, ...superseded, ...begun];
}

function holderOf(context: PlanContext, ref: ObjectRef) {
  const [live, desired] = [context.live.get(ref), context.desiredOf(ref)];
  if (live === undefined || desired === undefined) return undefined;
  return context.toCreate.has(desired.address) ? undefined : { live, desired };
}

function outerReferences(context: PlanContext) {
  const replaced = replacedIn(context);
  if (replaced.length === 0) return [];
  const targets = new RefMap<string>();
  for (const [address, live] of replaced) targets.set(live, address);
  return context.live.nodes().flatMap((live) => {
    const to = context.desiredOf(live);
    if (to === undefined || context.toCreate.has(to.address)) return [];
    return Object.entries(context.kindOf(live).fields).flatMap(([name, field]) => {
      const id = live.fields[name];
      if (field.type !== 'reference' || field.within === 'descendants' || typeof id !== 'string') return [];
      if (field.change !== undefined) return [];
      const target = field.kinds.flatMap((kind) => targets.get({ kind, id }) ?? [])[0];
      return target === undefined ? [] : [{ to, name, target }];
    });
  });
}

/** From the replaced object, also if an unfinished run created its successor; if it is deleted by now, from the journal of that run. */
export function* carriedValues(context: PlanContext): Iterable<Addition> {
  for (const node of context.desired.nodes.values()) {
    const former = formerOf(context, node);
    const owed = owedTo(context, node);
    if (former === undefined && owed === undefined) continue;
    const values = Object.entries(context.kindOf(node).fields).flatMap(([name, field]) => {
      if (!isCarried(node, name, field)) return [];
      const value = former === undefined ? owed?.[name] : carriedValue(context, field, former.fields[name]);
      // A value that the service gives to every new object need not be sent.
      const isEmpty = value === undefined || value === null || value === '' || sameJson(value, field.absent);
      return isEmpty ? [] : [[name, value] as const];
    });
    if (values.length > 0)
      yield { to: node, fields: Object.fromEntries(values), carried: values.map(([name]) => name) };
  }
}

/** Undeclared values that the service drops with a changed one, so that the plan shows the loss. */
export function* droppedValues(context: PlanContext): Iterable<Addition> {
  for (const node of context.desired.nodes.values()) {
    const live = context.toCreate.has(node.address) ? undefined : context.liveOf(node.address);
    for (const [name, { dropsWith }] of Object.entries(context.kindOf(node).fields)) {
      if (dropsWith === undefined || node.fields[name] !== undefined) continue;
      if (live === undefined || (live.fields[name] ?? null) === null) continue;
      if (context.differs(node, live, dropsWith)) yield { to: node, fields: { [name]: null } };
    }
  }
}

/** The live object whose values the desired one is to have. */
function formerOf(context: PlanContext, node: DesiredNode): LiveNode | undefined {
  const { address } = node;
  const [superseded] = context.superseded.get(address) ?? [];
  if (superseded !== undefined) return superseded;
  if (!context.toCreate.has(address)) return undefined;
  const live = context.matching.liveOf(address);
  if (live !== undefined || !context.isSuccessor(node)) return live;
  // Contents of a superseded object are in the old one.
  const former = context.base?.matching.liveOf(address);
  return former !== undefined && context.matching.addressOf(former) === undefined ? former : undefined;
}

function isCarried(node: DesiredNode, name: string, field: Field): boolean {
  if (node.whole === true || field.change === 'create' || field.carriedIf?.(node.fields) === false)
    return false;
  return node.fields[name] === undefined || node.lifecycle.ignore.includes(name);
}

/** References use addresses of declared objects, so that they follow objects that are created again. */
function carriedValue(context: PlanContext, field: Field, value: Value | undefined): Value | undefined {
  if (field.type !== 'reference') return field.type === 'members' || field.type === 'map' ? undefined : value;
  if (typeof value !== 'string') return undefined;
  if (field.literal?.(value) === true) return value;
  for (const kind of field.kinds) {
    const address = context.matching.addressOf({ kind, id: value });
    if (address !== undefined) return address;
  }
  return field.within === 'organization' ? { id: value } : undefined;
}
