import type { LiveNode } from '../../tree/live.ts';
import { addressMatcher } from '../../util/glob.ts';
import type { PlanContext } from '../context.ts';
import { baseNodeOf } from '../diff/cause.ts';
import { titleOf } from '../title-of.ts';
import { type Guard, goingObjects } from './guard.ts';

export const protection: Guard = {
  name: 'protect',
  check: (plan) => {
    const { context } = plan;
    const isProtected = protectionOf(context);
    const refused = goingObjects(plan).filter(({ address, live }) => isProtected(address, live));
    return {
      refusals: refused.map(({ address, live, steps, isReplaced }) => {
        const {
          noun,
          deletion: { cost },
        } = context.kindOf(live);
        const verb = isReplaced ? 'replaced' : 'deleted';
        return {
          guard: protection.name,
          address,
          message: `${noun} ${JSON.stringify(titleOf(context, live))} is protected and would be ${verb}${cost === undefined ? '' : `: ${cost}`}`,
          suggestion:
            context.desired.get(address) === undefined
              ? `to allow it, add to the settings: protect: ["!${address}"]; to keep it, list it in the manifests`
              : `to allow it, set lifecycle: { protect: false } at ${address}`,
          steps,
        };
      }),
    };
  },
};

/**
 * Objects that the base protects stay protected: removing an object together with its protection does not lift it.
 * The object's own lifecycle comes first; then settings that name it, without a glob, lift any other protection.
 */
function protectionOf(context: PlanContext): (address: string, live: LiveNode) => boolean {
  const { protect: own } = context.desired.settings;
  const protect = [...own, ...(context.base?.tree.settings.protect ?? []).filter(isProtecting)];
  const listed = addressMatcher(protect.filter(isProtecting));
  const lifted = addressMatcher(protect.filter((glob) => !isProtecting(glob)).map((glob) => glob.slice(1)));
  return (address, live) => {
    const declared = context.desired.get(address)?.lifecycle.protect;
    if (declared !== undefined) return declared;
    if (own.includes(`!${address}`)) return false;
    const byKind = context.kindOf(live).deletion.protected === true && !lifted(address);
    return baseNodeOf(context, live)?.lifecycle.protect ?? (byKind || listed(address));
  };
}

function isProtecting(glob: string): boolean {
  return !glob.startsWith('!');
}
