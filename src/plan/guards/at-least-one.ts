/** Keeps the value of the last object with certain values, for example the last administrator. */
import type { Kind } from '../../kinds/kind.ts';
import { keyOf } from '../../tree/addressing.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { type Succession, successionsIn, unsucceeded } from '../order/successors.ts';
import { namedObject } from '../title-of.ts';
import type { Guard, GuardedPlan, OwnRefusal, Situation } from './guard.ts';

export const atLeastOne: Guard = {
  name: 'last-one',
  needs: (situation) => situation.context.registry.kinds.flatMap((kind) => readsOf(situation, kind)),
  check: (plan) => ({
    refusals: successionsIn(plan).flatMap((one) => {
      if (one.type === 'value') return lastOnes(plan, one);
      return one.type === 'list' ? lastOfList(plan, one) : [];
    }),
  }),
};

function readsOf({ context, removals }: Situation, kind: Kind): readonly Read[] {
  const rule = kind.deletion.atLeastOne;
  if (rule === undefined || kind.reads.list === undefined) return [];
  const losesIt = (live: LiveNode) => {
    if (live.fields[rule.field] !== rule.value) return false;
    const value = context.desiredOf(live)?.fields[rule.field];
    return removals.deletes(live) || (value !== undefined && value !== rule.value);
  };
  if (!context.live.ofKind(kind.name).some(losesIt)) return [];
  return [{ type: 'having', kind: kind.name, field: rule.field, value: rule.value }];
}

function lastOnes({ context, draft }: GuardedPlan, succession: Succession): readonly OwnRefusal[] {
  const { noun, deletion } = succession.kind;
  const { field = '', value } = deletion.atLeastOne ?? {};
  return unsucceeded(draft, succession).map(({ live, step }) => ({
    address: context.matching.addressOf(live) ?? live.id,
    message: `this would leave no ${noun} with ${field} ${value}`,
    suggestion: `give ${field}: ${value} to another ${noun} first`,
    steps: [step.id],
  }));
}

/** The last entry of a list cannot make way for one with the same value: another one must be there first. */
function lastOfList({ context, draft }: GuardedPlan, succession: Succession): readonly OwnRefusal[] {
  return unsucceeded(draft, succession).flatMap(({ live, step }) => {
    const { noun, identity } = context.kindOf(live);
    const [gain] = succession.gaining.filter(
      ({ kind, sets }) =>
        kind === live.kind && identity.usuallyUnique?.some((name) => sets[name] === live.fields[name]),
    );
    if (gain === undefined) return [];
    return {
      address: gain.address,
      message: `it can only replace the ${namedObject(context, live)} while another ${noun} is there`,
      suggestion: `if it is the same ${noun}, write under ${gain.address}:\n  was: ${JSON.stringify(keyOf(step.address))}`,
      steps: [gain.id, step.id],
    };
  });
}
