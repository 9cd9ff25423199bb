/**
 * What a reviewer should weigh about a change, as the fields' own rules say it: of a field, of a move into another
 * container, of a new object. A new object counts as wider than nothing; a replacement is compared with what it replaces.
 */
import type { Field, RiskSituation } from '../../kinds/field.ts';
import type { Fields, Payload, Value } from '../../kinds/payload.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { sameJson } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';

/** A field's value before and after, references as addresses. */
export interface ValueChange {
  readonly name: string;
  readonly before: Payload | undefined;
  readonly after: Payload | undefined;
}

/** The risk of one field of an object that is kept, made or replaced. */
export function fieldRisk(
  context: PlanContext,
  desired: DesiredNode,
  { name, before, after }: ValueChange,
): string | undefined {
  const risk = context.kindOf(desired).fields[name]?.risk;
  if (risk === undefined || after === undefined) return undefined;
  const former = context.replaced.get(desired.address);
  const was = former === undefined ? before : context.liveField(former, name);
  if (former !== undefined && sameJson(was, after)) return undefined;
  return risk(was as Value | undefined, after as Value, situationOf(context, desired, name));
}

/** The risks of an object's entering another container: what it inherits there. */
export function moveRisks(context: PlanContext, desired: DesiredNode, live: LiveNode): readonly string[] {
  return Object.entries(context.kindOf(desired).fields).flatMap(([name, { risk, inherits }]) => {
    const before = context.liveField(live, name);
    const after = desired.fields[name] ?? before;
    // A change of the field itself tells.
    if (risk === undefined || inherits === undefined || after !== before) return [];
    return after !== undefined && after !== inherits
      ? []
      : (risk(inherits, inherits, situationOf(context, desired, name)) ?? []);
  });
}

/** The risks of a new object as such. */
export function creationRisks(context: PlanContext, desired: DesiredNode): readonly string[] {
  const { givesAccess, createRisk } = context.kindOf(desired);
  const fields: Fields = desired.fields;
  return [givesAccess?.(fields)?.risk, createRisk?.(fields)].filter((text) => text !== undefined);
}

function situationOf(context: PlanContext, desired: DesiredNode, name: string): RiskSituation {
  const { address } = desired;
  const live = context.matching.liveOf(address);
  const field = context.kindOf(desired).fields[name];
  const { parent = rootAddress } = desired;
  return {
    isNew: live === undefined,
    inherited: {
      before: live && inheritedLive(context, context.live.parentOf(live), { name, field }),
      after: inheritedDesired(context, context.desired.parentOf(desired), { name, field }),
    },
    container: parent === rootAddress ? 'the organization' : parent,
    isSetBelow: (other) => isSetBelow(context, desired, other),
  };
}

interface NamedField {
  readonly name: string;
  readonly field: Field | undefined;
}

/** The first value above that is one of its own; undefined where it is not known. */
function inheritedLive(
  context: PlanContext,
  container: LiveNode | undefined,
  { name, field }: NamedField,
): Value | undefined {
  if (container === undefined) return undefined;
  for (const above of [container, ...context.live.ancestorsOf(container)]) {
    const value = context.liveField(above, name);
    if (value !== field?.inherits) return value;
  }
  return undefined;
}

function inheritedDesired(
  context: PlanContext,
  container: DesiredNode | undefined,
  { name, field }: NamedField,
): Value | undefined {
  if (container === undefined) return undefined;
  for (const above of [container, ...context.desired.ancestorsOf(container)]) {
    const live = context.liveOf(above.address);
    const value = above.fields[name] ?? (live && context.liveField(live, name));
    if (value !== field?.inherits) return value;
  }
  return undefined;
}

/** Live or desired: what hides something now, and what is to hide something. */
function isSetBelow(context: PlanContext, { address }: DesiredNode, field: string): boolean {
  const hasValue = (fields: Fields) => fields[field] !== undefined && fields[field] !== null;
  const inside = [...context.desired.nodes.values()].filter((node) => node.address.startsWith(`${address}/`));
  if (inside.some(({ fields }) => hasValue(fields))) return true;
  const live = context.matching.liveOf(address);
  if (live === undefined) return false;
  return context.live
    .nodes()
    .some((node) => hasValue(node.fields) && context.live.ancestorsOf(node).includes(live));
}
