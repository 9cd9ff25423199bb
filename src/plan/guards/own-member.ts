/** The owner of the token stays and keeps their rights: the run could not be finished without them. */
import type { Kind } from '../../kinds/kind.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Refusal } from '../plan.ts';
import type { Guard, GuardedPlan } from './guard.ts';

export const ownMember: Guard = {
  name: 'own-member',
  check: (plan) => ({
    refusals: plan.context.registry.kinds
      .filter(({ display: { ownsToken } }) => ownsToken === true)
      .flatMap((kind) => ownObjects(plan, kind).flatMap((live) => refusalOf(plan, kind, live) ?? [])),
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
