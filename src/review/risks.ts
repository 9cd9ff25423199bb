/**
 * Risks of a change for a reviewer, by the fields' own rules: of a field, of a move into another container, of a new object. A new
 * object is compared with no access; a replacement with the replaced object. Drift is judged by the change outside git first, and
 * only then by its reversal.
 */
import type { Kind } from '../kinds/kind.ts';
import { type Field, fieldWith, type RiskSituation, type RiskText } from '../kinds/parts/field.ts';
import type { Fields, Value } from '../kinds/parts/payload.ts';
import type { PlanContext } from '../plan/context.ts';
import { type Cause, type FieldChange, isUpdate, type Step } from '../plan/plan.ts';
import { withAdded } from '../tree/additive.ts';
import { type DesiredNode, rootAddress } from '../tree/desired.ts';
import type { LiveNode } from '../tree/live.ts';
import { defined } from '../util/defined.ts';
import { sameJson } from '../util/json.ts';
import { remembered } from '../util/remembered.ts';
import type { FormerLinks } from './former-links.ts';
import { deletionCosts } from './referrers.ts';
import type { StepRisk } from './reviewed-plan.ts';

type Risks = readonly StepRisk[];

export function stepRisks(context: PlanContext, links: FormerLinks): (step: Step) => Risks {
  const costsOf = deletionCosts(context);
  return ({ address, kind, liveId, phase, cause, fields, calls }) => {
    const desired = context.desired.get(address);
    const live = liveId === undefined ? undefined : context.live.get({ kind, id: liveId });
    // The step is impossible without requests.
    if (calls.length === 0) return [];
    if (phase === 'delete' && live !== undefined) {
      const isAddition = cause === 'drift' && desired === undefined;
      const costs = costsOf(live).map((text) => ({ text }));
      return [...(isAddition ? additionRisks(context, live) : []), ...costs, ...links.ofDelete(live)];
    }
    if (desired === undefined) return [];
    const reviewed = { desired, cause };
    if (phase === 'create')
      return [
        ...fieldRisks(context, reviewed, fields),
        ...creationRisks(context, reviewed),
        ...exposureRisks(context, desired, fields),
      ];
    if (phase === 'attach') return live === undefined ? [] : moveRisks(context, reviewed, live);
    if (!isUpdate({ phase })) return [];
    const risks = fieldRisks(context, { desired }, fields);
    return live === undefined ? risks : links.ofUpdate(live, risks);
  };
}

interface Reviewed {
  readonly desired: DesiredNode;
  /** Cause of a new object; fields of other objects have their own. */
  readonly cause?: Cause | undefined;
}

/** Risks of changes outside git come first, then risks of the step. */
function fieldRisks(
  context: PlanContext,
  { desired, cause }: Reviewed,
  fields: readonly FieldChange[],
): Risks {
  const { fields: rules } = context.kindOf(desired);
  const former = context.replaced.get(desired.address);
  const found = fields.flatMap((change) => {
    const { field: name, before, after } = change;
    const rule = rules[name];
    if (rule?.risk === undefined || after === undefined) return [];
    const was = former === undefined ? before : context.liveField(former, name);
    if (former !== undefined && sameJson(was, after)) return [];
    const why = change.cause ?? cause ?? context.unexplained;
    const situation = situationOf(context, desired, name);
    const reverted = rule.risk(was as Value | undefined, after as Value, situation);
    const outside = outsideChange(rule, { ...change, ...defined({ cause: why, before: was }) });
    const happened = outside && rule.risk(outside.from, outside.to, swapped(context, situation, desired));
    return [
      ...riskOf(happened, { field: name, outside: true }),
      ...riskOf(reverted, { field: name, isReversal: why === 'drift' }),
    ];
  });
  return outsideFirst(found);
}

/** A change outside git: from the value of the manifests, or of the base for a conflict, to the live one. */
function outsideChange(
  { absent, nullable }: Field,
  { cause, before, after, base, additive }: FieldChange,
): { readonly from: Value; readonly to: Value } | undefined {
  if (cause !== 'drift' && cause !== 'conflict') return undefined;
  const to = before ?? absent ?? (before === null || nullable !== undefined ? null : undefined);
  const from = cause === 'conflict' ? base : after;
  if (from === undefined || to === undefined) return undefined;
  // The step does not affect additions by others.
  const kept = additive === true ? withAdded(to as Value, from as Value) : (from as Value);
  return { from: kept, to: to as Value };
}

/** The surroundings before and after the change that the step reverts. */
function swapped(context: PlanContext, situation: RiskSituation, { address }: DesiredNode): RiskSituation {
  const live = context.matching.liveOf(address);
  const { takerOf: _after, ...rest } = situation;
  const { before, after } = situation.inherited;
  const container = live && context.matching.addressOf(live.container);
  return {
    ...rest,
    inherited: { before: after, after: before },
    container: container === undefined || container === rootAddress ? 'the organization' : container,
  };
}

interface RiskKind {
  readonly field?: string;
  readonly outside?: true;
  readonly isReversal?: boolean;
}

function riskOf(risk: RiskText | undefined, { field, outside, isReversal }: RiskKind): Risks {
  if (risk === undefined) return [];
  const { text, past, severe } = typeof risk === 'string' ? { text: risk } : { past: undefined, ...risk };
  const happened = past === undefined ? `changed outside git: ${text}` : `${past} outside git`;
  const done = isReversal === true ? `reverting it: ${text}` : text;
  return [
    {
      text: outside === true ? happened : done,
      ...defined({ field, outside, severe: isReversal === true ? undefined : severe }),
    },
  ];
}

function outsideFirst(risks: Risks): Risks {
  return risks.toSorted((left, right) => Number(right.outside ?? 0) - Number(left.outside ?? 0));
}

function moveRisks(
  context: PlanContext,
  { desired, cause = context.unexplained }: Reviewed,
  live: LiveNode,
): Risks {
  const isReversal = cause === 'drift';
  const found = Object.entries(context.kindOf(desired).fields).flatMap(([name, { risk, inherits }]) => {
    const before = context.liveField(live, name);
    const after = desired.fields[name] ?? before;
    // A change of the field itself reports its own risk.
    if (risk === undefined || inherits === undefined || after !== before) return [];
    if (after !== undefined && after !== inherits) return [];
    const situation = situationOf(context, desired, name);
    const happened = isReversal ? risk(inherits, inherits, swapped(context, situation, desired)) : undefined;
    return [
      ...riskOf(happened, { outside: true }),
      ...riskOf(risk(inherits, inherits, situation), { isReversal }),
    ];
  });
  return outsideFirst(found);
}

function creationRisks(context: PlanContext, { desired, cause = context.unexplained }: Reviewed): Risks {
  return wholeRisks(context.kindOf(desired), desired.fields).flatMap((text) =>
    riskOf(text, { isReversal: cause === 'drift' }),
  );
}

/** A replacement is created without the condition of the replaced object if only a second request can set it. */
function exposureRisks(context: PlanContext, desired: DesiredNode, fields: readonly FieldChange[]): Risks {
  const condition = fieldWith(context.kindOf(desired), 'condition')?.name ?? '';
  const isLater =
    context.replaced.has(desired.address) &&
    typeof desired.fields[condition] === 'string' &&
    !fields.some(({ field }) => field === condition);
  return isLater ? [{ text: 'until the next request sets its condition, everyone can see it' }] : [];
}

/** Risks of a live object that was added outside git, and that a delete removes. */
function additionRisks(context: PlanContext, live: LiveNode): Risks {
  const kind = context.kindOf(live);
  const above = context.live.parentOf(live);
  const ofFields = Object.entries(live.fields).flatMap(([name, value]) => {
    const field = kind.fields[name];
    const risk = field?.risk?.(undefined, value, {
      isNew: true,
      inherited: { before: undefined, after: inheritedLive(context, above, { name, field }) },
      container: 'the organization',
      isSetBelow: () => false,
    });
    return risk === undefined ? [] : [risk];
  });
  return [...ofFields, ...wholeRisks(kind, live.fields)].flatMap((risk) => riskOf(risk, { outside: true }));
}

function wholeRisks({ display: { givesAccess, createRisk } }: Kind, fields: Fields): readonly string[] {
  return [givesAccess?.(fields)?.risk, createRisk?.(fields)].flatMap((text) => text ?? []);
}

function situationOf(context: PlanContext, desired: DesiredNode, name: string): RiskSituation {
  const { address } = desired;
  const { parent = rootAddress } = desired;
  return {
    isNew: context.matching.liveOf(address) === undefined,
    inherited: inheritedLevels(context, desired, name),
    container: parent === rootAddress ? 'the organization' : parent,
    isSetBelow: (other) => isSetBelow(context, desired, other),
    takerOf: (value) => takers(context).get(slotOf(context, desired, { field: name, value })),
  };
}

/** Owner of each unique value after the plan. */
const takers = remembered((context: PlanContext): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const node of context.desired.nodes.values())
    for (const { field } of context.kindOf(node).identity.unique ?? []) {
      const value = node.fields[field] ?? context.liveOf(node.address)?.fields[field];
      if (value !== undefined) found.set(slotOf(context, node, { field, value }), node.address);
    }
  return found;
});

function slotOf(
  context: PlanContext,
  node: DesiredNode,
  { field, value }: { readonly field: string; readonly value: Value },
): string {
  const { within } = context.kindOf(node).identity.unique?.find((one) => one.field === field) ?? {};
  const scope = within && context.desired.closest(node, within)?.address;
  return JSON.stringify([node.kind, field, scope, value]);
}

/** Levels from the containers, before and after. */
export function inheritedLevels(
  context: PlanContext,
  desired: DesiredNode,
  name: string,
): RiskSituation['inherited'] {
  const live = context.matching.liveOf(desired.address);
  const field = context.kindOf(desired).fields[name];
  return {
    before: live && inheritedLive(context, context.live.parentOf(live), { name, field }),
    after: inheritedDesired(context, context.desired.parentOf(desired), { name, field }),
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
  const above = container === undefined ? [] : [container, ...context.live.ancestorsOf(container)];
  return above.map((one) => context.liveField(one, name)).find((value) => value !== field?.inherits);
}

function inheritedDesired(
  context: PlanContext,
  container: DesiredNode | undefined,
  { name, field }: NamedField,
): Value | undefined {
  const above = container === undefined ? [] : [container, ...context.desired.ancestorsOf(container)];
  const valueAt = ({ address, fields }: DesiredNode) => {
    const live = context.liveOf(address);
    return fields[name] ?? (live && context.liveField(live, name));
  };
  return above.map(valueAt).find((value) => value !== field?.inherits);
}

function isSetBelow(context: PlanContext, { address }: DesiredNode, field: string): boolean {
  const hasValue = (fields: Fields) => fields[field] !== undefined && fields[field] !== null;
  if (context.desired.inside(address).some(({ fields }) => hasValue(fields))) return true;
  const live = context.matching.liveOf(address);
  if (live === undefined) return false;
  return context.live
    .nodes()
    .some((node) => hasValue(node.fields) && context.live.ancestorsOf(node).includes(live));
}
