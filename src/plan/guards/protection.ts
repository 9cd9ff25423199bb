/** Guards over single objects: protected ones stay, and so does what others have work under way in, until it is named. */
import type { LiveNode } from '../../tree/live.ts';
import { addressMatcher } from '../../util/glob.ts';
import type { Scene } from '../context.ts';
import { baseNodeOf } from '../diff/cause.ts';
import type { Refusal } from '../plan.ts';
import { titleOf } from '../title-of.ts';
import { type Guarded, goingOf } from './guarded.ts';

/** Protected objects are neither deleted nor replaced. */
export function protection(guarded: Guarded): readonly Refusal[] {
  const { scene } = guarded;
  const isProtected = protectionOf(scene);
  return goingOf(guarded).flatMap(({ address, live, steps, replaced }) => {
    if (!isProtected(address, live)) return [];
    const kind = scene.kindOf(live);
    const verb = replaced ? 'replaced' : 'deleted';
    const cost = kind.cost === undefined ? '' : `: ${kind.cost}`;
    return [
      {
        guard: 'protect',
        address,
        message: `${kind.noun} ${JSON.stringify(titleOf(scene, live))} is protected and would be ${verb}${cost}`,
        suggestion: scene.tree.nodes.has(address)
          ? `to allow it, set lifecycle: { protect: false } at ${address}`
          : `to allow it, add to the settings: protect: ["!${address}"]; to keep it, list it in the manifests`,
        steps,
      },
    ];
  });
}

/**
 * What the base protects stays protected: taking an object out together with its protection is no way around it. What
 * the manifests say of the object itself comes first.
 */
function protectionOf(scene: Scene): (address: string, live: LiveNode) => boolean {
  const protect = [
    ...scene.tree.settings.protect,
    ...(scene.base?.tree.settings.protect ?? []).filter(isProtection),
  ];
  const listed = addressMatcher(protect.filter(isProtection));
  const lifted = addressMatcher(protect.filter((glob) => !isProtection(glob)).map((glob) => glob.slice(1)));
  return (address, live) => {
    const said =
      scene.tree.nodes.get(address)?.lifecycle.protect ??
      baseNodeOf(scene, live.kind, live.id)?.lifecycle.protect;
    const byKind = scene.kindOf(live).protected === true && !lifted(address);
    return said ?? (byKind || listed(address));
  };
}

/** A glob that protects; a leading `!` lifts. */
function isProtection(glob: string): boolean {
  return !glob.startsWith('!');
}

/** A glob may lift protections by the dozen; work that others have under way is given up only by name. */
export function openWork(guarded: Guarded): readonly Refusal[] {
  const { scene } = guarded;
  return goingOf(guarded).flatMap(({ address, live, steps }) => {
    const work = scene.kindOf(live).openWork;
    const count = live.openWork ?? 0;
    if (work === undefined || count === 0 || scene.tree.settings.protect.includes(`!${address}`)) return [];
    const { noun } = scene.kindOf(live);
    return [
      {
        guard: 'open-work',
        address,
        message: `${noun} ${JSON.stringify(titleOf(scene, live))} has ${count} ${work.noun}${count === 1 ? '' : 's'}, which would be lost with it`,
        suggestion: `to allow it, name it in the settings (no glob): protect: ["!${address}"]`,
        steps,
      },
    ];
  });
}
