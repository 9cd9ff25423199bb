/**
 * A plan's steps by object: its action and reasons. With a base, changes of the manifests and drift are separate, even within one
 * object. Pure.
 */

import { registry } from '../kinds/index.ts';
import {
  type Action,
  type CascadedDelete,
  type Cause,
  causeOfWhole,
  type FieldChange,
  isUpdate,
  isWhole,
  type Step,
} from '../plan/plan.ts';
import { keyOf, prefixesOf } from '../tree/addressing.ts';
import { defined } from '../util/defined.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import { grouped, push } from '../util/group.ts';
import { isRecord, sameJson } from '../util/json.ts';
import { byAddress } from '../util/natural-order.ts';
import type { ReviewedOrganization, StepRisk } from './reviewed-plan.ts';

/** `change`: made by the manifests, possibly by the live state as well; `drift`: made by the live state alone. */
export type CauseGroup = 'change' | 'drift';

/** The changes of one object; with a base, one entry for each group of causes. */
export interface ObjectChange {
  readonly address: string;
  readonly noun: string;
  readonly title?: string;
  /** Absent without a base. */
  readonly group?: CauseGroup;
  readonly cause?: Cause;
  /** Action on the object as a whole, in both groups. */
  readonly action: Action;
  readonly reasons: readonly string[];
  /** The final value of each field; without `before` if the object is new. */
  readonly fields: readonly FieldChange[];
  /** Risks of changes outside git come first. */
  readonly risks: readonly string[];
  readonly riskFields: Readonly<Record<string, string>>;
  /** True if one of the risks is shown before all others. */
  readonly isSevere?: true;
  readonly cascade: readonly CascadedDelete[];
  /** The new place of a move, for example `from a into b, after c`. */
  readonly place?: string;
  readonly detours: readonly string[];
  readonly at?: SourceRange;
  /** Author of drift, if the service reports it, or the line that would make a delete a rename. */
  readonly remark?: string;
}

/**
 * Sorted by address: the organization first, parents before children, new entries of an ordered list as they will stand. With a base,
 * an object that both the manifests and the live state changed has an entry for each, with separate fields and risks.
 */
export function objectChanges(plan: ReviewedOrganization): readonly ObjectChange[] {
  const objects = new Map<string, ReviewedStep[]>();
  for (const step of plan.steps)
    push(objects, `${step.address} ${step.action}`, {
      ...step,
      risks: plan.review?.risks[step.id] ?? [],
      ...defined({ remark: plan.review?.renames?.[step.id] }),
    });
  const placeOf = places(plan.steps);
  const sorted = [...objects.values()].sort(([left], [right]) =>
    byAddress(placeOf(left?.address ?? ''), placeOf(right?.address ?? '')),
  );
  const authors = new Map(plan.review?.authors?.found.map(({ address, text }) => [address, text]));
  return sorted.flatMap((steps) => {
    if (plan.shows === 'drift')
      return gather(steps, 'drift').map((one) => ({
        ...one,
        ...defined({ remark: authors.get(one.address) }),
      }));
    if (!plan.withBase) return gather(steps);
    return (['change', 'drift'] as const).flatMap((group) => gather(partOf(steps, group), group));
  });
}

/** Groups to which objects may grant access, with the people who join or leave; for a deleted group, an empty name if unknown. */
export function changedGroups(steps: readonly Step[]) {
  const people = registry.kinds.flatMap(({ name, fields }) =>
    Object.entries(fields).flatMap(([field, one]) => (one.type === 'members' ? [{ name, field, one }] : [])),
  );
  const groups = people.filter(({ name }) =>
    people.some(({ one }) => one.trait?.is === 'grants' && one.of === name),
  );
  const namesIn = (value: unknown) => Object.keys(isRecord(value) ? value : {});
  return steps.flatMap(({ kind, phase, address, fields }) => {
    const group = groups.find(({ name }) => name === kind);
    const members = fields.find(({ field }) => field === group?.field);
    if (group === undefined || phase === 'create') return [];
    const all = [...namesIn(members?.before), ...namesIn(members?.after)];
    const moving = members === undefined && phase === 'delete' ? [''] : all.filter(isOnce);
    return moving.length === 0 ? [] : [{ address, people: moving }];
  });
}

function isOnce(name: string, _: number, all: readonly string[]): boolean {
  return all.indexOf(name) === all.lastIndexOf(name);
}

/** New entries of an ordered list stand together, where the least of their keys would. */
function places(steps: readonly Step[]): (address: string) => string {
  const ordered = registry.kinds.filter(({ manifest }) => manifest.places.some((one) => one.ordered));
  const isOrdered = ({ kind, phase, action }: Step) =>
    `${phase} ${action}` === 'create create' && ordered.some(({ name }) => name === kind);
  const keys = new Map<string, string>();
  const lists = grouped(steps.filter(isOrdered), ({ address }) => address.slice(0, address.lastIndexOf('/')));
  for (const own of lists.values()) {
    const [least] = own.map(({ address }) => keyOf(address)).sort(byAddress);
    for (const [at, { address }] of own.entries()) keys.set(address, `${least} ${at}`);
  }
  const keyAt = (prefix: string) => keys.get(prefix) ?? keyOf(prefix);
  return (address) => (keys.size === 0 ? address : prefixesOf(address).map(keyAt).join('/'));
}

type ReviewedStep = Step & { readonly risks: readonly StepRisk[]; readonly remark?: string };

export function isLosing({ action }: { readonly action: Action }): boolean {
  return action === 'delete' || action === 'replace';
}

/** A difference without a cause counts as a change, because it must not look like a mere repair. */
function groupOf(cause: Cause | undefined): CauseGroup {
  return cause === 'drift' ? 'drift' : 'change';
}

/** An object's steps, reduced to one group of causes. Creates, replacements and deletes are not split. */
function partOf(steps: readonly ReviewedStep[], group: CauseGroup): readonly ReviewedStep[] {
  const [first] = steps;
  if (first === undefined) return [];
  if (isWhole(first.action)) return groupOf(causeOfWhole(steps)) === group ? steps : [];
  return steps.flatMap((step) => {
    if (step.phase === 'vacate') return detourGroup(step, steps) === group ? [step] : [];
    const part = narrow(step, group);
    return part === undefined ? [] : [part];
  });
}

/** A temporary value has the cause of the final one. */
function detourGroup({ fields }: Step, steps: readonly Step[]): CauseGroup {
  const names = fields.map(({ field }) => field);
  const updates = steps.filter(isUpdate).flatMap((step) => step.fields);
  return groupOf(updates.find(({ field }) => names.includes(field))?.cause);
}

/** Keeps only fields of the group and their risks; the rest of the step belongs to the other group. */
function narrow(step: ReviewedStep, group: CauseGroup): ReviewedStep | undefined {
  const { cause, ...rest } = step;
  const groupOfField = (field: FieldChange) => groupOf(field.cause ?? cause);
  const fields = step.fields.filter((field) => groupOfField(field) === group);
  const onlyDrift = step.fields.length > 0 && step.fields.every((field) => groupOfField(field) === 'drift');
  const own = groupOf(cause ?? (onlyDrift ? 'drift' : undefined)) === group;
  if (!own && fields.length === 0) return undefined;
  const risks = step.risks.filter(({ field }) =>
    field === undefined ? own : fields.some((one) => one.field === field),
  );
  return { ...rest, ...defined({ cause: own ? cause : undefined }), fields, risks };
}

function gather(steps: readonly ReviewedStep[], group?: CauseGroup): readonly ObjectChange[] {
  const [first] = steps;
  if (first === undefined) return [];
  const reasonsOf = (...roles: readonly ReasonRole[]) =>
    steps.filter((step) => roles.includes(roleOf(step))).map(({ reason }) => reason);
  // The fields of a deleted object are omitted, because its name identifies it.
  const shown = steps.filter(({ phase }) => phase !== 'vacate' && phase !== 'delete');
  const changed = new Map(shown.flatMap((step) => step.fields.map((change) => [change.field, change])));
  // The rest of a replacement: the successor has the values already.
  const isRest = first.action === 'replace' && !steps.some(({ phase }) => phase === 'create');
  const fields = first.action === 'replace' && !isRest ? withLost(steps, changed) : changed;
  const reasons = isRest
    ? steps.filter(({ phase }) => phase === 'delete').map(({ reason }) => reason)
    : reasonsOf('reason');
  const place = [reasonsOf('way').at(-1) ?? '', ...reasonsOf('spot')]
    .filter((text) => text !== '')
    .join(', ');
  const all = steps.flatMap((step) => step.risks);
  const risks = [...all].sort((left, right) => Number(right.outside ?? 0) - Number(left.outside ?? 0));
  const change: ObjectChange = {
    address: first.address,
    noun: first.noun,
    action: first.action,
    reasons: reasons.filter((reason) => reason !== ''),
    fields: [...fields.values()],
    risks: [...new Set(risks.map(({ text }) => text))],
    riskFields: Object.fromEntries(
      risks.flatMap(({ text, field }) => (field === undefined ? [] : [[text, field] as const])),
    ),
    cascade: steps.flatMap(({ cascade }) => cascade ?? []),
    ...defined({
      title: steps.find(({ title }) => title !== undefined)?.title,
      group,
      remark: steps.find(({ remark }) => remark !== undefined)?.remark,
      isSevere: risks.some(({ severe }) => severe === true) ? (true as const) : undefined,
      cause: steps.find(({ cause }) => cause !== undefined)?.cause,
      place: place === '' ? undefined : place,
      at: steps.findLast(({ at }) => at !== undefined)?.at,
    }),
    detours: reasonsOf('detour'),
  };
  return [change];
}

/** Compares a replacement with the object that it replaces: only fields whose value changes or is lost. */
function withLost(
  steps: readonly Step[],
  changed: ReadonlyMap<string, FieldChange>,
): ReadonlyMap<string, FieldChange> {
  const lost = steps.filter(({ phase }) => phase === 'delete').flatMap(({ fields }) => fields);
  const former = new Map(lost.map((change) => [change.field, change]));
  const names = [...new Set([...changed.keys(), ...former.keys()])];
  return new Map(
    names.flatMap((name) => {
      const [now, then] = [changed.get(name), former.get(name)];
      const value = then?.before;
      if (now === undefined) return then === undefined || isNothing(value) ? [] : [[name, then]];
      const called = { ...then?.called, ...now.called };
      const { before: _, ...rest } = now;
      const whole = { ...rest, ...defined({ before: value }), called };
      return value !== undefined && sameJson(value, now.after) ? [] : [[name, whole]];
    }),
  );
}

/** An empty value, whose loss does not matter. */
function isNothing(value: FieldChange['before']): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/** Role of a step's reason: why, the target of a move, its position among siblings, or a temporary state. */
type ReasonRole = 'reason' | 'way' | 'spot' | 'detour' | 'nothing';

function roleOf(step: Step): ReasonRole {
  if (step.phase === 'vacate') return 'detour';
  if (step.phase === 'move') return 'spot';
  // The address of a new object shows its place.
  if (step.phase === 'detach' || step.phase === 'attach') return isWhole(step.action) ? 'nothing' : 'way';
  return explains(step) ? 'reason' : 'nothing';
}

/** Neither the update that completes a creation nor the delete within a replacement needs an explanation. */
function explains({ action, phase }: Step): boolean {
  return action === 'replace' || action === 'create'
    ? phase === 'create'
    : !isUpdate({ phase }) || action === 'update';
}
