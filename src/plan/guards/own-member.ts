/** Prevents the token's owner from being removed or losing rights, because the run could not be finished without them. */
import type { Kind } from '../../kinds/kind.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isRecord } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';
import { fieldsToChange } from '../diff/changed-fields.ts';
import type { Removals } from '../removals.ts';
import type { Guard, GuardedPlan, OwnRefusal } from './guard.ts';

export const ownMember: Guard = {
  name: 'own-member',
  needs: ({ context, removals }) =>
    context.desired.settings.self === undefined && isAtStake(context, removals) ? [{ type: 'owner' }] : [],
  check: (plan) => ({
    refusals: owningKinds(plan.context).flatMap((kind) => {
      const owner = ownerIn(plan.context, kind);
      if (owner === undefined) return [];
      const { own } = owner;
      return [...own.flatMap((live) => refusalOf(plan, owner, live) ?? []), ...lostLevels(plan, owner)];
    }),
  }),
};

function owningKinds({ registry }: PlanContext): readonly Kind[] {
  return registry.kinds.filter(({ display: { ownsToken } }) => ownsToken === true);
}

/** True if anyone loses the role, or if access granted to people changes. */
function isAtStake(context: PlanContext, removals: Removals): boolean {
  const owning = owningKinds(context);
  const decisive = new Set(owning.map(({ deletion }) => deletion.atLeastOne?.field));
  return (
    owning.some(({ name }) => context.live.ofKind(name).some((live) => removals.deletes(live))) ||
    context.registry.kinds.some((kind) => {
      const names = Object.keys(kind.fields).filter(
        (name) => kind.fields[name]?.trait?.is === 'grants' || (owning.includes(kind) && decisive.has(name)),
      );
      if (names.length === 0) return false;
      return context.desired.ofKind(kind.name).some((node) => {
        const live = context.liveOf(node.address);
        return (
          live !== undefined && fieldsToChange(context, node, live.fields).some((one) => names.includes(one))
        );
      });
    })
  );
}

interface TokenOwner {
  readonly kind: Kind;
  readonly self: string;
  readonly own: readonly LiveNode[];
  /** True if the owner needs no level. */
  readonly isAdministrator: boolean;
}

/** The owner named in the manifests, or else the one that the service reports. */
function ownerIn({ desired, live }: PlanContext, kind: Kind): TokenOwner | undefined {
  const [identity] = kind.identity.by;
  if (identity === undefined) return undefined;
  const { self: named } = desired.settings;
  const { id, email } = live.owner ?? {};
  const self = named ?? (email ? identityValue({ [identity.field]: email }, identity) : undefined);
  const own = live
    .ofKind(kind.name)
    .filter((one) => (named === undefined && one.id === id) || identityValue(one.fields, identity) === self);
  const [first] = own;
  const name = self ?? (first && identityValue(first.fields, identity)) ?? id;
  if (name === undefined) return undefined;
  const { field = '', value } = kind.deletion.atLeastOne ?? {};
  const isAdministrator = own.some(({ fields }) => fields[field] === value);
  const isUnread = named === undefined && first === undefined;
  return { kind, self: name, own, isAdministrator: isUnread ? live.seesAll : isAdministrator };
}

function refusalOf(
  { context, draft, deletions }: GuardedPlan,
  owner: TokenOwner,
  live: LiveNode,
): OwnRefusal | undefined {
  const field = owner.kind.deletion.atLeastOne?.field ?? '';
  const address = context.matching.addressOf(live) ?? live.id;
  const deletion = deletions.find((each) => each.live === live);
  const update = draft.get(address, 'update');
  const loses = update?.sets[field] !== undefined ? update : undefined;
  if (deletion === undefined && loses === undefined) return undefined;
  const loss = deletion === undefined ? `be given another ${field}` : 'be removed';
  const steps = [deletion?.by, loses?.id].filter((id) => id !== undefined);
  return refusal(owner, deletion?.address ?? address, loss, steps);
}

/** Refuses steps that lower the owner's access through their own grants or their teams' grants. */
function lostLevels({ context, draft }: GuardedPlan, owner: TokenOwner): readonly OwnRefusal[] {
  if (owner.isAdministrator) return [];
  return [...draft.steps.values()].flatMap((step): readonly OwnRefusal[] => {
    const live = step.phase === 'update' ? context.liveOf(step.address) : undefined;
    if (live === undefined) return [];
    const { fields } = context.kindOf(live);
    const ranks = { before: -1, after: -1 };
    for (const [name, { trait, ...rule }] of Object.entries(fields)) {
      if (trait?.is !== 'grants' || rule.type !== 'members') continue;
      const before = context.liveField(live, name);
      const best = (rank: number, value: unknown) =>
        Object.entries(isRecord(value) ? value : {})
          .filter(([key]) => isOwn(context, owner, rule.of, key))
          .reduce((most, [, level]) => Math.max(most, trait.rank(level)), rank);
      ranks.before = best(ranks.before, before);
      ranks.after = best(ranks.after, step.sets[name] ?? before);
    }
    const isLost = ranks.after < ranks.before;
    return isLost ? [refusal(owner, step.address, 'lose access granted here', [step.id])] : [];
  });
}

function refusal(
  { kind, self }: TokenOwner,
  address: string,
  loss: string,
  steps: readonly string[],
): OwnRefusal {
  return {
    address,
    message: `${kind.noun} ${self}, whose token this is, would ${loss}`,
    suggestion: `apply this with the token of another ${kind.noun}, who is named under settings: self`,
    steps,
  };
}

/** True if the key names the owner, or a group that is known to contain the owner. */
function isOwn(context: PlanContext, { self, kind }: TokenOwner, of: string, key: string): boolean {
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
