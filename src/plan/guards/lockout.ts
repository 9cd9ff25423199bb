/** Guards against locking people out: the last administrator stays, and so does the last way to sign in. */
import { identityValue } from '../../tree/identity.ts';
import { liveKey } from '../../tree/live.ts';
import { stepId } from '../order/draft.ts';
import type { Refusal } from '../plan.ts';
import type { Guarded } from './guarded.ts';

/** The last object with a value that must stay, for example the last administrator. */
export function lastOnes(guarded: Guarded): readonly Refusal[] {
  const { scene, draft, doomed } = guarded;
  const gone = new Set(doomed.map(({ live }) => live));
  return scene.registry.kinds.flatMap((kind) => {
    const { keepOne } = kind;
    if (keepOne === undefined) return [];
    const having = [...scene.live.nodes.values()].filter(
      (live) => live.kind === kind.name && live.fields[keepOne.field] === keepOne.value,
    );
    const losing = having.filter((live) => {
      if (gone.has(live)) return true;
      const address = scene.matching.addressOf.get(liveKey(live.kind, live.id));
      return address !== undefined && draft.get(address, 'update')?.gives[keepOne.field] !== undefined;
    });
    const gaining = [...draft.steps.values()].some(
      (step) => step.kind === kind.name && step.gives[keepOne.field] === keepOne.value,
    );
    if (losing.length === 0 || losing.length < having.length || gaining) return [];
    return losing.map((live) => {
      const address = scene.matching.addressOf.get(liveKey(live.kind, live.id)) ?? live.id;
      const going = doomed.find((each) => each.live === live)?.by;
      const update = draft.get(address, 'update')?.id;
      return {
        guard: 'last-one',
        address,
        message: `this would leave no ${kind.noun} with ${keepOne.field} ${keepOne.value}`,
        suggestion: `give ${keepOne.field}: ${keepOne.value} to another ${kind.noun} first`,
        steps: [going, update].filter((id) => id !== undefined),
      };
    });
  });
}

/** The member that the token belongs to: without it, or with fewer rights, the run could not be finished. */
export function ownMember({ scene, draft, doomed }: Guarded): readonly Refusal[] {
  const { self } = scene.tree.settings;
  if (self === undefined) return [];
  return scene.registry.kinds.flatMap((kind) => {
    const { keepOne } = kind;
    const [identity] = kind.identities;
    if (keepOne === undefined || identity === undefined) return [];
    const own = [...scene.live.nodes.values()].filter(
      (live) => live.kind === kind.name && identityValue(live.fields, identity) === self,
    );
    return own.flatMap((live) => {
      const address = scene.matching.addressOf.get(liveKey(live.kind, live.id)) ?? live.id;
      const going = doomed.find((each) => each.live === live);
      const update = draft.get(address, 'update');
      const loses = update?.gives[keepOne.field] !== undefined;
      if (going === undefined && !loses) return [];
      const verb = going === undefined ? `be given another ${keepOne.field}` : 'be removed';
      return [
        {
          guard: 'own-member',
          address: going?.address ?? address,
          message: `${kind.noun} ${self}, whose token this is, would ${verb}`,
          suggestion: `let somebody else apply this, or name another ${kind.noun} under settings: self`,
          steps: [going?.by, loses ? update?.id : undefined].filter((id) => id !== undefined),
        },
      ];
    });
  });
}

/** A value that rests on objects of a kind is not switched on without one, and the last one stays while it is on. */
export function restingValues({ scene, draft, doomed }: Guarded): readonly Refusal[] {
  return [...scene.live.nodes.values()].flatMap((live) => {
    const address = scene.matching.addressOf.get(liveKey(live.kind, live.id));
    if (address === undefined) return [];
    return Object.entries(scene.kindOf(live).fields).flatMap(([name, { restsOn }]) => {
      if (restsOn === undefined) return [];
      const update = draft.get(address, 'update')?.gives[name];
      const afterwards = update ?? live.fields[name];
      const losing = doomed.filter((each) => each.live.kind === restsOn);
      const left =
        [...scene.live.nodes.values()].filter((other) => other.kind === restsOn).length -
        losing.length +
        [...draft.steps.values()].filter((step) => step.kind === restsOn && step.phase === 'create').length;
      if (afterwards !== true || left > 0) return [];
      const noun = scene.registry.byName(restsOn).noun;
      if (update === true) {
        return [
          {
            guard: 'lockout',
            address,
            message: `${name} would be switched on without any ${noun}: nobody could sign in`,
            suggestion: `declare the ${noun} in the same manifests`,
            steps: [stepId(address, 'update')],
          },
        ];
      }
      return losing.map((each) => ({
        guard: 'lockout',
        address: each.address,
        message: `the last ${noun} would be deleted while ${name} stays on: nobody could sign in`,
        suggestion: `set ${name}: false first, or keep the ${noun}`,
        steps: each.by === undefined ? [] : [each.by],
      }));
    });
  });
}
