/**
 * Compares today's plan with an approved one: finds the parts that were approved, are already done, or are new. Pure;
 * the wording and order of either plan make no difference.
 */

import type { Registry } from '../../kinds/registry.ts';
import { parentOf, prefixesOf } from '../../tree/addressing.ts';
import { RefSet } from '../../tree/refs.ts';
import { sameJson } from '../../util/json.ts';
import type { CascadedDelete, FieldChange, OrganizationPlan, Step } from '../plan.ts';
import { type Effect, effectsOf, inOrder, isApproved } from './effects.ts';

export interface PlanDifference {
  readonly address: string;
  /** A sentence without a final period, with the approved and the current value. */
  readonly message: string;
  /** True if the approved plan does not touch the object and no approved step needs it. */
  readonly elsewhere: boolean;
}

export interface Comparison {
  readonly steps: readonly Step[];
  readonly satisfied: readonly Step[];
  readonly differences: readonly PlanDifference[];
}

export function comparePlans(
  approved: OrganizationPlan,
  today: OrganizationPlan,
  { registry, sameDesired }: { readonly registry: Registry; readonly sameDesired: boolean },
): Comparison {
  const before = effectsOf(approved, registry);
  // Today's plan may cover only a part of the manifests; objects outside it keep the addresses of the approved plan.
  const now = effectsOf({ ...today, ids: { ...approved.ids, ...today.ids } }, registry);
  const texts = new Set(before.flatMap(({ approves }) => approves));
  const bySubject = new Map(before.map((effect) => [effect.subject, effect]));
  const placed = new Set(sameDesired ? approved.steps.filter(isPlacing).map(({ address }) => address) : []);
  const unapproved = now.filter(
    (effect) =>
      !isApproved(texts, effect) && !(effect.step.phase === 'move' && placed.has(effect.step.address)),
  );
  const out = new Set(unapproved.map(({ step }) => step.id));
  const steps = today.steps.filter(({ id }) => !out.has(id));
  const needed = new Set(steps.flatMap(({ needs }) => needs));
  const touched = touchedBy(approved);
  const subjects = new Set(now.map(({ subject }) => subject));
  const open = new Set(before.flatMap(({ step, subject }) => (subjects.has(subject) ? [step] : [])));
  const satisfied = approved.steps.filter((step) => !open.has(step));
  const reordered = reorderedSince(approved.steps, satisfied);
  return {
    steps,
    satisfied,
    differences: [
      ...unapproved.map((effect) => ({
        address: effect.step.address,
        message: describe(effect, bySubject.get(effect.subject), approved),
        elsewhere: !touched(effect.step) && !needed.has(effect.step.id) && !reordered(effect.step),
      })),
      ...(sameDesired ? changedSince(approved, today, { registry, steps, open }) : []),
    ],
  };
}

/**
 * Changes by other writers to objects that are still to be changed, declared or undeclared. After a part of the plan was
 * applied to an object or its contents, the change may be the plan's own.
 */
function changedSince(
  approved: OrganizationPlan,
  today: OrganizationPlan,
  more: {
    readonly registry: Registry;
    readonly steps: readonly Step[];
    readonly open: ReadonlySet<Step>;
  },
): readonly PlanDifference[] {
  const begun = new Set(
    approved.steps.filter((step) => !more.open.has(step)).flatMap(({ address }) => prefixesOf(address)),
  );
  const planned = new Map<string, Set<string>>();
  for (const { address, fields } of approved.steps) {
    const names = planned.get(address) ?? new Set();
    for (const { field } of fields) names.add(field);
    planned.set(address, names);
  }
  const kinds = new Map(more.steps.map(({ address, kind }) => [address, more.registry.byName(kind)]));
  return [...kinds].flatMap(([address, kind]) => {
    const [then, now] = [approved.seen[address], today.seen[address]];
    if (then === undefined || now === undefined || begun.has(address)) return [];
    return Object.keys({ ...then, ...now }).flatMap((name) => {
      const isSet = kind.fields[name]?.type === 'set';
      const isSame = sameJson(inOrder(then[name], isSet) ?? null, inOrder(now[name], isSet) ?? null);
      if (isSame || planned.get(address)?.has(name) === true) return [];
      const message = `${name} was ${show(then[name])} and is ${show(now[name])} now`;
      return [{ address, message, elsewhere: false }];
    });
  });
}

/** If other objects arrive late, a step that places an object needs another move. */
function isPlacing({ phase }: Step): boolean {
  return phase === 'create' || phase === 'attach' || phase === 'move';
}

/** Positions are relative: a move in addition to the approved ones means another order, unless some of them are already done. */
function reorderedSince(approved: readonly Step[], satisfied: readonly Step[]): (step: Step) => boolean {
  const parentsIn = (steps: readonly Step[]) =>
    new Set(steps.filter(isPlacing).map(({ address }) => parentOf(address)));
  const [placed, begun] = [parentsIn(approved), parentsIn(satisfied)];
  return ({ phase, address }) => {
    const parent = parentOf(address);
    return phase === 'move' && placed.has(parent) && !begun.has(parent);
  };
}

/** Returns whether a step affects an object of these steps, or the order among them. */
export function concerns(steps: readonly Step[]): (step: Step) => boolean {
  const [touched, reordered] = [touchedBy({ steps }), reorderedSince(steps, [])];
  return (step) => touched(step) || reordered(step);
}

function touchedBy({ steps }: Pick<OrganizationPlan, 'steps'>): (step: Step) => boolean {
  const addresses = new Set(steps.map(({ address }) => address));
  const objects = new RefSet(
    steps.flatMap(({ kind, liveId }) => (liveId === undefined ? [] : [{ kind, id: liveId }])),
  );
  return ({ address, kind, liveId }) => addresses.has(address) || objects.has({ kind, id: liveId ?? '' });
}

function describe(effect: Effect, approved: Effect | undefined, plan: OrganizationPlan): string {
  const { action, phase, noun, liveId } = effect.step;
  if (effect.field !== undefined) return describeField(effect, effect.field, approved);
  if (approved === undefined) {
    return phase === 'create' && plan.ids[effect.step.address] !== undefined
      ? `the ${noun} does not exist any more`
      : `${action} (${phase}) was not in the plan`;
  }
  if (approved.step.liveId !== liveId) return describeOther(effect.step);
  if (phase === 'delete') {
    const changed = [
      ...changedFields(approved.step, effect.step),
      ...changedContents(approved.step, effect.step),
    ];
    return `the ${noun} to delete has changed: ${changed.join(', ')}`;
  }
  return `${action} (${phase}) would send something other than what was approved`;
}

function describeField({ step }: Effect, change: FieldChange, approved: Effect | undefined): string {
  const { field, before, after } = change;
  if (approved?.field === undefined) return `${field} differs now: ${show(before)} → ${show(after)}`;
  if (approved.step.liveId !== step.liveId) return describeOther(step);
  const meant = approved.field.means ?? {};
  const [other] = Object.entries(change.means ?? {}).filter(([name, id]) => meant[name] !== id);
  if (other !== undefined && sameJson(approved.field.after ?? null, after ?? null)) {
    const [name, id] = other;
    return `${show(name)} in ${field} refers to ${id} now; ${meant[name] ?? 'a new object'} was approved`;
  }
  return show(approved.field.before) === show(before)
    ? `${field} would become ${show(after)}; ${show(approved.field.after)} was approved`
    : `${field} was ${show(approved.field.before)} and is ${show(before)} now`;
}

function describeOther({ noun, liveId }: Step): string {
  return `it is another ${noun} now: ${liveId ?? 'a new one'}`;
}

function changedFields(approved: Step, today: Step): readonly string[] {
  const before = new Map(approved.fields.map(({ field, before: value }) => [field, show(value)]));
  const now = new Map(today.fields.map(({ field, before: value }) => [field, show(value)]));
  const names = [...new Set([...before.keys(), ...now.keys()])].filter(
    (name) => before.get(name) !== now.get(name),
  );
  return names.map(
    (name) => `${name} was ${before.get(name) ?? 'not set'} and is ${now.get(name) ?? 'not set'} now`,
  );
}

function changedContents({ cascade: before = [] }: Step, { cascade: now = [] }: Step): readonly string[] {
  const without = (left: readonly CascadedDelete[], right: readonly CascadedDelete[]) =>
    left.filter((one) => !right.some((other) => other.kind === one.kind && other.id === one.id));
  const sentences = (taken: readonly CascadedDelete[], verb: string) =>
    taken.map(({ noun, title }) => `${noun} ${show(title)} ${verb}`);
  return [
    ...sentences(without(now, before), 'is in it now'),
    ...sentences(without(before, now), 'is no longer in it'),
  ];
}

function show(value: unknown): string {
  if (value === undefined) return 'not set';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
