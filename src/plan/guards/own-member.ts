/** The owner of the token stays and keeps their rights: the run could not be finished without them. */
import type { Kind } from '../../kinds/kind.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isRecord } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';
import type { Refusal } from '../plan.ts';
import type { Guard, GuardedPlan } from './guard.ts';

export const ownMember: Guard = {
  name: 'own-member',
  check: (plan) => ({
    refusals: plan.context.registry.kinds
      .filter(({ display: { ownsToken } }) => ownsToken === true)
      .flatMap((kind) => {
        const own = ownObjects(plan, kind);
        return [...own.flatMap((live) => refusalOf(plan, kind, live) ?? []), ...lostLevels(plan, kind, own)];
      }),
  }),
};

function ownObjects({ context }: GuardedPlan, kind: Kind): readonly LiveNode[] {
  const { self } = context.desired.settings;
  const [identity] = kind.identity.by;
  if (self === undefined || identity === undefined) return [];
  return context.live.ofKind(kind.name).filter((live) => identityValue(live.fields, identity) === self);
}

function refusalOf(
  { context, draft, deletions }: GuardedPlan,
  kind: Kind,
  live: LiveNode,
): Refusal | undefined {
  const { self } = context.desired.settings;
  const field = kind.deletion.atLeastOne?.field ?? '';
  const address = context.matching.addressOf(live) ?? live.id;
  const deletion = deletions.find((each) => each.live === live);
  const update = draft.get(address, 'update');
  const loses = update?.sets[field] !== undefined ? update : undefined;
  if (deletion === undefined && loses === undefined) return undefined;
  const verb = deletion === undefined ? `be given another ${field}` : 'be removed';
  return {
    guard: ownMember.name,
    address: deletion?.address ?? address,
    message: `${kind.noun} ${self}, whose token this is, would ${verb}`,
    suggestion: `let somebody else apply this, or name another ${kind.noun} under settings: self`,
    steps: [deletion?.by, loses?.id].filter((id) => id !== undefined),
  };
}

/** Where the owner of the token can do less by what they and their teams were given there. Administrators need no level. */
function lostLevels(
  { context, draft }: GuardedPlan,
  kind: Kind,
  own: readonly LiveNode[],
): readonly Refusal[] {
  const { self } = context.desired.settings;
  const { field = '', value } = kind.deletion.atLeastOne ?? {};
  if (self === undefined || own.some(({ fields }) => fields[field] === value)) return [];
  return [...draft.steps.values()].flatMap((step): readonly Refusal[] => {
    const live = step.phase === 'update' ? context.liveOf(step.address) : undefined;
    if (live === undefined) return [];
    const { fields } = context.kindOf(live);
    const ranks = { before: -1, after: -1 };
    for (const [name, { trait, ...rule }] of Object.entries(fields)) {
      if (trait?.is !== 'grants' || rule.type !== 'members') continue;
      const before = context.liveField(live, name);
      const best = (rank: number, value: unknown) =>
        Object.entries(isRecord(value) ? value : {})
          .filter(([key]) => isOwn(context, { self, kind, of: rule.of }, key))
          .reduce((most, [, level]) => Math.max(most, trait.rank(level)), rank);
      ranks.before = best(ranks.before, before);
      ranks.after = best(ranks.after, step.sets[name] ?? before);
    }
    if (ranks.after >= ranks.before) return [];
    return [
      {
        guard: ownMember.name,
        address: step.address,
        message: `${kind.noun} ${self}, whose token this is, would lose access that was given here`,
        suggestion: `let somebody else apply this, or name another ${kind.noun} under settings: self`,
        steps: [step.id],
      },
    ];
  });
}

interface OwnKey {
  readonly self: string;
  readonly kind: Kind;
  /** The kind of what the key names. */
  readonly of: string;
}

/** The owner, or a group that is known to have the owner in it. */
function isOwn(context: PlanContext, { self, kind, of }: OwnKey, key: string): boolean {
  if (of === kind.name) return key === self;
  const id = context.names.idOf(of, key);
  const live = typeof id === 'string' ? context.live.get({ kind: of, id }) : undefined;
  const declared = context.desired.keyed(of, key);
  const lists = Object.entries(context.registry.byName(of).fields).filter(
    ([, field]) => field.type === 'members' && field.of === kind.name,
  );
  return lists.some(([name]) =>
    [live, ...declared].some((one) => {
      const people = one?.fields[name];
      return isRecord(people) && Object.hasOwn(people, self);
    }),
  );
}
