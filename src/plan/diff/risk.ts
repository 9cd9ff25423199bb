/**
 * Risks of a change for a reviewer, by the fields' own rules: of a field, of a move into another container, of a new
 * object. A new object counts as wider than nothing; a replacement is compared with the replaced object.
 */
import type { Field, RiskSituation } from '../../kinds/field.ts';
import type { Fields, Value } from '../../kinds/payload.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { sameJson } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';
import type { FieldChange, Step } from '../plan.ts';

type Risks = Step['risks'];

export function fieldRisks(
  context: PlanContext,
  desired: DesiredNode,
  fields: readonly FieldChange[],
): Risks {
  return fields.flatMap(({ field, before, after }) => {
    const risk = context.kindOf(desired).fields[field]?.risk;
    if (risk === undefined || after === undefined) return [];
    const former = context.replaced.get(desired.address);
    const was = former === undefined ? before : context.liveField(former, field);
    if (former !== undefined && sameJson(was, after)) return [];
    const text = risk(was as Value | undefined, after as Value, situationOf(context, desired, field));
    return text === undefined ? [] : [{ text, field }];
  });
}

export function moveRisks(context: PlanContext, desired: DesiredNode, live: LiveNode): Risks {
  return Object.entries(context.kindOf(desired).fields).flatMap(([name, { risk, inherits }]) => {
    const before = context.liveField(live, name);
    const after = desired.fields[name] ?? before;
    // A change of the field itself reports its own risk.
    if (risk === undefined || inherits === undefined || after !== before) return [];
    if (after !== undefined && after !== inherits) return [];
    const text = risk(inherits, inherits, situationOf(context, desired, name));
    return text === undefined ? [] : [{ text }];
  });
}

export function creationRisks(context: PlanContext, desired: DesiredNode): Risks {
  const { givesAccess, createRisk } = context.kindOf(desired).display;
  const fields: Fields = desired.fields;
  return [givesAccess?.(fields)?.risk, createRisk?.(fields)].flatMap((text) =>
    text === undefined ? [] : [{ text }],
  );
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
