/**
 * Objects of which one must always exist: the last administrator, the last sign-in provider while sign-in depends on it, the
 * last item of a published list. A step that removes one needs the success of a step that adds another, so that
 * at least one exists after a run that fails half-way. An unchanged object counts; a planned one only if the step can wait for it.
 *
 * Example: ada and bob are the administrators; cyd is to be the only one.
 *   members/cyd#update  role → admin
 *   members/ada#update  role → edit    needs members/cyd#update
 *   members/bob#update  role → edit    needs members/cyd#update
 */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject, RefLists } from '../../tree/refs.ts';
import { remembered } from '../../util/remembered.ts';
import type { PlanContext } from '../context.ts';
import type { Drafted, DraftStep, PlanDraft } from './draft.ts';

export interface Succession {
  readonly type: 'value' | 'requirement' | 'list';
  readonly kind: Kind;
  /** The object and its field with the requirement, and what happens without it. */
  readonly of?: { readonly address: string; readonly field: string; readonly otherwise: string };
  readonly losing: readonly { readonly live: LiveNode; readonly step: DraftStep }[];
  readonly remaining: number;
  readonly gaining: readonly DraftStep[];
}

interface Deleting extends Drafted {
  /** The steps that delete live objects. */
  readonly goes: ReadonlyMap<LiveNode, DraftStep>;
}

export function successionsIn(input: Drafted): readonly Succession[] {
  const goes = new Map<LiveNode, DraftStep>();
  for (const { live, by = '' } of input.deletions) {
    const step = input.draft.steps.get(by);
    if (step !== undefined) goes.set(live, step);
  }
  const deleting = { ...input, goes };
  return [
    ...input.context.registry.kinds.flatMap((kind) => valueSuccession(deleting, kind)),
    ...requirementSuccessions(deleting),
    ...listSuccessions(deleting),
  ].filter(({ losing }) => losing.length > 0);
}

export function connectSuccessors(drafted: Drafted): void {
  const { draft } = drafted;
  for (const { losing, remaining, gaining } of successionsIn(drafted)) {
    for (const { step } of losing) {
      const possible = gaining.filter((gain) => gain !== step && !draft.reaches(gain, step));
      if (remaining === 0) draft.need(step, possible[0]);
      for (const gain of possible) draft.follow(step, gain);
    }
  }
}

export function unsucceeded(draft: PlanDraft, succession: Succession): Succession['losing'] {
  const { losing, remaining, gaining } = succession;
  if (remaining > 0) return [];
  return losing.filter(({ step }) => !gaining.some((gain) => draft.reaches(step, gain)));
}

/** Example: members with the role admin. */
function valueSuccession({ context, draft, goes }: Deleting, kind: Kind): readonly Succession[] {
  const rule = kind.deletion.atLeastOne;
  if (rule === undefined) return [];
  const { field, value } = rule;
  const isCounted = (live: LiveNode | undefined) => live?.inactive !== true;
  const having = context.live
    .ofKind(kind.name)
    .filter((live) => live.fields[field] === value && isCounted(live));
  const losing = having.flatMap((live) => {
    const step = goes.get(live) ?? updateOf(context, draft, { live, field });
    return step === undefined ? [] : [{ live, step }];
  });
  const gaining = [...draft.steps.values()].filter(
    (step) => step.kind === kind.name && step.sets[field] === value && isCounted(context.liveOfStep(step)),
  );
  return [{ type: 'value', kind, losing, gaining, remaining: having.length - losing.length }];
}

function updateOf(
  context: PlanContext,
  draft: PlanDraft,
  { live, field }: { readonly live: LiveNode; readonly field: string },
): DraftStep | undefined {
  const update = draft.get(context.matching.addressOf(live) ?? '', 'update');
  return update?.sets[field] === undefined ? undefined : update;
}

/** Example: SAML providers while single sign-on is on. */
function requirementSuccessions({ context, draft, goes }: Deleting): readonly Succession[] {
  return requiringFields(context.registry).flatMap(({ of, field, kind: required, otherwise }) =>
    context.live.ofKind(of).flatMap((live): readonly Succession[] => {
      const address = context.matching.addressOf(live);
      if (address === undefined) return [];
      const value = draft.get(address, 'update')?.sets[field] ?? live.fields[field];
      if (value !== true) return [];
      const kind = context.registry.byName(required);
      const present = context.live.ofKind(kind.name).filter(({ inactive }) => inactive !== true);
      const losing = present.flatMap((one) => {
        const step = goes.get(one);
        return step === undefined ? [] : [{ live: one, step }];
      });
      const gaining = [...draft.steps.values()].filter(
        (step) => step.kind === kind.name && step.phase === 'create',
      );
      const remaining = present.length - losing.length;
      return [{ type: 'requirement', kind, of: { address, field, otherwise }, losing, gaining, remaining }];
    }),
  );
}

export const requiringFields = remembered(({ kinds }: Registry) =>
  kinds.flatMap(({ name, fields }) =>
    Object.entries(fields).flatMap(([field, rule]) =>
      rule.type === 'value' && rule.requires !== undefined ? [{ of: name, field, ...rule.requires }] : [],
    ),
  ),
);

/** Lists that visitors see: if arrivals are planned, the last entry is deleted only after one of them has arrived. */
function listSuccessions({ context, draft, deletions, goes }: Deleting): readonly Succession[] {
  if (deletions.length === 0) return [];
  const kinds = context.registry.kinds.filter(
    ({ deletion: { lastNeedsSuccessor } }) => lastNeedsSuccessor === true,
  );
  const losing = new RefLists<{ live: LiveNode; step: DraftStep }>();
  for (const { live, isCascaded } of deletions) {
    const step = goes.get(live);
    if (step !== undefined && !isCascaded && kinds.includes(context.kindOf(live)))
      losing.push(live.scope, { live, step });
  }
  const scopes = new Map(deletions.map(({ live }) => [`${live.scope.kind} ${live.scope.id}`, live.scope]));
  const arrivals = [...draft.steps.values()].filter(
    (step) => step.phase === 'create' && kinds.includes(context.registry.byName(step.kind)),
  );
  return [...scopes.values()].flatMap((scope): readonly Succession[] => {
    const lost = losing.get(scope);
    const [first] = lost;
    if (first === undefined) return [];
    const gone = new Set(lost.map(({ live }) => live));
    const remaining = kinds
      .flatMap((kind) => context.live.inScope(scope, kind.name))
      .filter((live) => !gone.has(live) && live.deleted !== true && !context.isReplaced(live)).length;
    const gaining = arrivals.filter(({ address }) => {
      const desired = context.desired.get(address);
      const live = context.liveOf((desired && context.scopeOf(desired))?.address ?? '');
      return live !== undefined && isSameObject(live, scope);
    });
    return [{ type: 'list', kind: context.kindOf(first.live), losing: lost, gaining, remaining }];
  });
}
