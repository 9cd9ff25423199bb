/** Refuses objects that were not found and cannot be created, with their dependents. */
import { valueWith } from '../../kinds/parts/field.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject } from '../../tree/refs.ts';
import { isRecord } from '../../util/json.ts';
import { mostAlike, nearest } from '../../util/nearest.ts';
import { placeText } from '../../util/places.ts';
import type { PlanContext } from '../context.ts';
import type { DraftStep } from '../order/draft.ts';
import { titleOf } from '../title-of.ts';
import type { Guard, GuardedPlan, OwnRefusal } from './guard.ts';

const suggested = 3;

export const missing: Guard = {
  name: 'missing',
  check: (plan) => ({
    refusals: [...plan.draft.steps.values()].flatMap((step) => {
      const desired = plan.context.desired.get(step.address);
      return desired === undefined ? [] : refusalOf(plan, step, desired);
    }),
  }),
};

function refusalOf(plan: GuardedPlan, step: DraftStep, desired: DesiredNode): readonly OwnRefusal[] {
  const { impossible, address } = step;
  if (impossible === undefined) return [];
  const { context } = plan;
  const mayBe = candidates(plan, desired)
    .slice(0, suggested)
    .map((live) => `if it is "${titleOf(context, live)}", add: id: ${live.id}`);
  const renamed =
    impossible.missing === 'object' &&
    context.base === undefined &&
    context.kindOf(desired).calls.createdOutside === true
      ? ['if it was renamed in git, pass --base']
      : [];
  return [
    {
      address,
      message: messageOf(context, step, desired),
      suggestion: [
        ...(impossible.missing === 'object' ? mayBe : unknownNames(context, desired)),
        ...renamed,
        impossible.suggestion,
      ].join('\n'),
      steps: withDependents(plan, step.id),
    },
  ];
}

/** Example: `sites.yaml:12:7: did you mean hana@acme.dev?`, one for each name without an object. */
function unknownNames(context: PlanContext, desired: DesiredNode): readonly string[] {
  return Object.entries(context.kindOf(desired).fields).flatMap(([name, field]) => {
    const value = desired.fields[name];
    if (field.type !== 'members' || !isRecord(value)) return [];
    const { of } = field;
    const known = [
      ...context.desired.keysOf(of),
      ...context.live.ofKind(of).map((live) => titleOf(context, live)),
    ];
    const absent = Object.keys(value).filter((key) => context.names.idOf(of, key) === undefined);
    return absent.map((key) => {
      const at = desired.fieldAt[`${name}.${key}`] ?? desired.at;
      const near = nearest(key, known, 2);
      return `${placeText(at)}: ${near === undefined ? 'check the spelling' : `did you mean ${near}?`}`;
    });
  });
}

function messageOf(context: PlanContext, { noun, impossible }: DraftStep, desired: DesiredNode): string {
  if (impossible?.missing !== 'object') return impossible?.unsupported ?? '';
  const title = valueWith(context.kindOf(desired), desired.fields, 'title');
  const name = typeof title === 'string' ? ` "${title}"` : '';
  const why = context.isGone(desired) ? 'it was deleted in the app, for good' : impossible.unsupported;
  return `${noun}${name} not found: ${why}`;
}

function candidates({ context }: GuardedPlan, desired: DesiredNode): readonly LiveNode[] {
  const parent = context.liveOf(desired.parent ?? '');
  const shown = new Set(
    [...context.desired.nodes.values()].flatMap((other) =>
      Object.keys(other.fields)
        .filter((field) => context.targetOf(other, field) === desired.address)
        .map((field) => context.matching.liveOf(other.address)?.fields[field]),
    ),
  );
  const words = [desired.key, ...Object.values(desired.fields).filter((one) => typeof one === 'string')];
  const isKeyed = context.kindOf(desired).manifest.key?.is === 'field';
  const unmatched = context.live
    .ofKind(desired.kind)
    .filter((live) => context.matching.addressOf(live) === undefined)
    .filter((live) => !isKeyed || nearest(desired.key, [titleOf(context, live)], 2) !== undefined);
  const open = mostAlike(unmatched, (live) => titleOf(context, live), { words, count: unmatched.length });
  const isBeside = (live: LiveNode) =>
    parent !== undefined && live.seenInPassing !== true && isSameObject(live.container, parent);
  return [
    ...open.filter(({ id }) => shown.has(id)),
    ...open.filter((live) => !shown.has(live.id) && isBeside(live)),
  ];
}

export function withDependents({ context, draft }: GuardedPlan, id: string): readonly string[] {
  const out = new Set([id]);
  for (const step of draft.steps.values()) {
    if (![...step.needs].some((needed) => out.has(needed))) continue;
    out.add(step.id);
    if (context.replaced.has(step.address)) for (const other of draft.at(step.address)) out.add(other.id);
  }
  return [...out];
}
