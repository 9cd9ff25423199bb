/**
 * Refuses both halves of a transfer: an object that leaves the manifests of one organization, and is declared in those of
 * another, would be deleted in the first and created without its content in the second.
 */
import { identityValue, pinnedId } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject } from '../../tree/refs.ts';
import type { PlanContext } from '../context.ts';
import { transferOf } from '../own/foreign.ts';
import { namedObject } from '../title-of.ts';
import type { DeletedObject, Guard, GuardedPlan, OwnRefusal, Situation } from './guard.ts';
import { deletedObjects } from './guard.ts';
import { withDependents } from './missing.ts';

export interface Transfer {
  readonly live: LiveNode;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Its address in the organization that it leaves; the id if it was in no manifest. */
  readonly leaves: string;
  /** Its address in the organization that it goes to. */
  readonly address: string;
  readonly suggestion: string;
}

/** `situations`: of all organizations of a run. */
export function transfersBetween(situations: readonly Situation[]): readonly Transfer[] {
  return situations.flatMap(({ context, removals }) => {
    const leaving = context.live
      .nodes()
      .filter((live) => context.matching.addressOf(live) === undefined && live.deleted !== true)
      .filter((live) => removals.deletes(live) || context.baseNodeOf(live) !== undefined);
    if (leaving.length === 0) return [];
    const others = situations.map((one) => one.context).filter((one) => one !== context);
    return leaving.flatMap((live) => others.flatMap((other) => transferTo(context, live, other)));
  });
}

function transferTo(from: PlanContext, live: LiveNode, to: PlanContext): readonly Transfer[] {
  const [owner, target] = [from.live.organizationId, to.live.organizationId];
  const command = transferOf(from.registry, live, target);
  if (command === undefined) return [];
  const kind = to.kindOf(live);
  const arriving = to.desired.ofKind(live.kind).find((node) => {
    const [pin, copied] = [pinnedId(kind, node), node.fields[kind.calls.copies?.field ?? '']];
    if (!to.toCreate.has(node.address) || node.isNew === true) return false;
    const isSame = kind.identity.by.some(
      (one) => identityValue(node.fields, one) === identityValue(live.fields, one),
    );
    return pin === undefined ? copied === undefined && isSame : pin === live.id;
  });
  if (arriving === undefined) return [];
  const { address, id } = arriving;
  const leaves = from.baseNodeOf(live)?.address ?? live.id;
  const orNew = id === undefined ? `; if the one in ${target} is another one, add was: [] to it` : '';
  const suggestion = `transfer it: ${command}${orNew}`;
  return [{ live, name: namedObject(from, live), from: owner, to: target, leaves, address, suggestion }];
}

export function transferGuard(transfers: readonly Transfer[]): Guard {
  return {
    name: 'transfer',
    check: (plan) => {
      const id = plan.context.live.organizationId;
      const deleted = deletedObjects(plan);
      return {
        refusals: [
          ...transfers.filter(({ from }) => from === id).flatMap((one) => leavingOf(one, deleted)),
          ...transfers.filter(({ to }) => to === id).flatMap((one) => arrivingOf(one, plan)),
        ],
      };
    },
  };
}

function leavingOf(
  { live, name, to, address: goal, suggestion }: Transfer,
  deleted: readonly DeletedObject[],
): readonly OwnRefusal[] {
  const message = `${name} is declared in ${to} now (${goal}): it would be deleted instead of transferred`;
  return deleted
    .filter((one) => isSameObject(one.live, live))
    .map(({ address, steps }) => ({ address, message, suggestion, steps }));
}

function arrivingOf(
  { name, from, leaves, address, suggestion }: Transfer,
  plan: GuardedPlan,
): readonly OwnRefusal[] {
  const message = `${name} is still in ${from} (${leaves}): it would be created without its content instead of transferred`;
  const step = plan.draft.get(address, 'create');
  return step === undefined ? [] : [{ address, message, suggestion, steps: withDependents(plan, step.id) }];
}
