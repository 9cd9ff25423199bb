/** Guards: what a plan must not do unless it was asked for in so many words. They give verdicts; they change no step. */
import { type LiveNode, liveKey } from '../graph/live.ts';
import { addressMatcher } from '../util/glob.ts';
import type { Doomed } from './deletes.ts';
import type { DraftStep, PlanDraft } from './draft.ts';
import type { Refusal } from './plan.ts';
import type { Scene } from './scene.ts';
import { baseNodeOf } from './three-way.ts';
import { titleOf } from './title-of.ts';

/** Everything that the guards look at. */
export interface Guarded {
  readonly scene: Scene;
  readonly draft: PlanDraft;
  readonly doomed: readonly Doomed[];
  /** Deletes that are allowed this once, beyond the limit. */
  readonly allowDeletes?: number;
}

/** The verdicts of all guards, in a fixed order. */
export function guard(guarded: Guarded): readonly Refusal[] {
  return [
    ...protection(guarded),
    ...contents(guarded),
    ...defaults(guarded),
    ...lastOnes(guarded),
    ...restingValues(guarded),
    ...limits(guarded),
  ];
}

function deletesOf({ draft }: Guarded): readonly DraftStep[] {
  return [...draft.steps.values()].filter(({ phase }) => phase === 'delete');
}

/** Protected objects are neither deleted nor replaced. */
function protection(guarded: Guarded): readonly Refusal[] {
  const { scene, doomed } = guarded;
  // What the base protects stays protected: taking an object out together with its protection is no way around it.
  const protect = [
    ...scene.tree.settings.protect,
    ...(scene.base?.tree.settings.protect ?? []).filter(isProtection),
  ];
  const listed = addressMatcher(protect.filter(isProtection));
  const lifted = addressMatcher(protect.filter((glob) => !isProtection(glob)).map((glob) => glob.slice(1)));
  const going = new Map<string, LiveNode>();
  for (const { address, live } of doomed) going.set(address, live);
  for (const [address, live] of scene.replaced) going.set(address, live);
  return [...going].flatMap(([address, live]) => {
    const kind = scene.kindOf(live);
    const said =
      scene.tree.nodes.get(address)?.lifecycle.protect ??
      baseNodeOf(scene, live.kind, live.id)?.lifecycle.protect;
    const byKind = kind.protected === true && !lifted(address);
    if (!(said ?? (byKind || listed(address)))) return [];
    const verb = scene.replaced.has(address) ? 'replaced' : 'deleted';
    return [
      {
        guard: 'protect',
        address,
        message: `${kind.noun} ${JSON.stringify(titleOf(scene, live))} is protected and would be ${verb}${kind.cost === undefined ? '' : `: ${kind.cost}`}`,
        suggestion: scene.tree.nodes.has(address)
          ? `to allow it, set lifecycle: { protect: false } at ${address}`
          : `to allow it, add to the settings: protect: ["!${address}"]; to keep it, list it in the manifests`,
      },
    ];
  });
}

/** A glob that protects; a leading `!` lifts. */
function isProtection(glob: string): boolean {
  return !glob.startsWith('!');
}

/** What is deleted holds nothing that stays. */
function contents({ scene, draft, doomed }: Guarded): readonly Refusal[] {
  const gone = new Set(doomed.map(({ live }) => live));
  const byContainer = new Map<string, LiveNode[]>();
  for (const live of scene.live.nodes.values()) {
    const key = liveKey(live.container.kind, live.container.id);
    byContainer.set(key, [...(byContainer.get(key) ?? []), live]);
  }
  return doomed.flatMap(({ live, address, absorbed }) => {
    if (absorbed) return [];
    const kind = scene.kindOf(live);
    const staying = (byContainer.get(liveKey(live.kind, live.id)) ?? []).filter((child) => {
      if (gone.has(child) || child === live || child.deleted === true) return false;
      const claimed = scene.matching.addressOf.get(liveKey(child.kind, child.id));
      return (
        claimed === undefined ||
        (draft.get(claimed, 'leave') === undefined && draft.get(claimed, 'enter') === undefined)
      );
    });
    if (staying.length === 0) return [];
    const names = staying.map(
      (child) => `${scene.kindOf(child).noun} ${JSON.stringify(titleOf(scene, child))}`,
    );
    return [
      {
        guard: 'contents',
        address,
        message: `${kind.noun} ${JSON.stringify(titleOf(scene, live))} still holds ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`,
        suggestion: 'move them elsewhere first, or list what is to stay in the manifests',
      },
    ];
  });
}

/** A default is not deleted before another one is named, unless nothing is left to be the default. */
function defaults(guarded: Guarded): readonly Refusal[] {
  const { scene, draft, doomed } = guarded;
  const gone = new Set(doomed.map(({ live }) => live));
  return deletesOf(guarded).flatMap((step) => {
    const key = liveKey(step.kind, step.liveId ?? '');
    const live = scene.live.nodes.get(key);
    if (live === undefined) return [];
    return [live.scope, live.container].flatMap((above, index, both) => {
      if (index === 1 && above.id === both[0]?.id) return [];
      const holder = scene.live.nodes.get(liveKey(above.kind, above.id));
      const address = scene.matching.addressOf.get(liveKey(above.kind, above.id));
      if (holder === undefined || address === undefined || gone.has(holder) || scene.replaced.has(address))
        return [];
      const field = Object.entries(scene.kindOf(holder).fields).find(
        ([name, { reference }]) =>
          reference?.within === 'descendants' &&
          reference.kinds.includes(live.kind) &&
          holder.fields[name] === live.id,
      )?.[0];
      if (field === undefined || draft.get(address, 'update')?.releases.includes(key) === true) return [];
      const others = [...scene.live.nodes.values()].some(
        (other) =>
          other !== live && other.kind === live.kind && other.scope.id === live.scope.id && !gone.has(other),
      );
      if (!others) return [];
      return [
        {
          guard: 'default',
          address: step.address,
          message: `${step.noun} ${JSON.stringify(titleOf(scene, live))} is the ${field} of ${address} and would be deleted`,
          suggestion: `name another one first: ${field}: … at ${address}`,
        },
      ];
    });
  });
}

/** The last object with a value that must stay, for example the last administrator. */
function lastOnes(guarded: Guarded): readonly Refusal[] {
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
    return losing.map((live) => ({
      guard: 'last-one',
      address: scene.matching.addressOf.get(liveKey(live.kind, live.id)) ?? live.id,
      message: `this would leave no ${kind.noun} with ${keepOne.field} ${keepOne.value}`,
      suggestion: `give ${keepOne.field}: ${keepOne.value} to another ${kind.noun} first`,
    }));
  });
}

/** A value that rests on objects of a kind is not switched on without one, and the last one stays while it is on. */
function restingValues({ scene, draft, doomed }: Guarded): readonly Refusal[] {
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
          },
        ];
      }
      return losing.map((each) => ({
        guard: 'lockout',
        address: each.address,
        message: `the last ${noun} would be deleted while ${name} stays on: nobody could sign in`,
        suggestion: `set ${name}: false first, or keep the ${noun}`,
      }));
    });
  });
}

/** Limits on how much one plan may delete or change. */
function limits({ scene, draft, doomed, allowDeletes }: Guarded): readonly Refusal[] {
  const { limits: set } = scene.tree.settings;
  const deletes = doomed.length + scene.replaced.size;
  const refusals: Refusal[] = [];
  const refuse = (message: string, suggestion: string) =>
    refusals.push({ guard: 'limits', address: 'organization', message, suggestion });
  const once = `raise settings.limits, or allow it once with --allow-deletes ${deletes}`;
  if (allowDeletes === undefined || deletes > allowDeletes) {
    if (set.deletes !== undefined && deletes > set.deletes) {
      refuse(`${deletes} objects would be deleted; the limit is ${set.deletes}`, once);
    }
    const known = [...scene.live.nodes.values()].filter(({ incidental }) => incidental !== true).length;
    const percent = known === 0 ? 0 : Math.round((deletes / known) * 100);
    if (set.deletePercent !== undefined && percent > set.deletePercent) {
      refuse(
        `${percent}% of the objects that were read would be deleted; the limit is ${set.deletePercent}%`,
        once,
      );
    }
  }
  const changes = new Set([...draft.steps.values()].map(({ address }) => address)).size;
  if (set.changes !== undefined && changes > set.changes) {
    refuse(
      `${changes} objects would be changed; the limit is ${set.changes}`,
      'raise settings.limits.changes',
    );
  }
  return refusals;
}
