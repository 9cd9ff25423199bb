/** Which live objects the desired ones were by the base, as far as that still holds. */

import type { DesiredNode } from '../../tree/desired.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { UnclearSwap } from '../matching.ts';
import type { ClaimContext } from './differences.ts';
import { formerAddresses } from './former-addresses.ts';
import { outdatedClaims } from './outdated-base.ts';

/** What the base says, and of what it cannot tell whether it was done already. */
export interface BaseClaims {
  readonly claims: ReadonlyMap<DesiredNode, LiveNode>;
  readonly unclear: readonly UnclearSwap[];
}

/** An address is the object that it was in the base; so is one that says which address it was. */
export function claimsByBase(context: ClaimContext): BaseClaims {
  const claims = new Map(
    [...addressClaims(context)].filter(([desired, live]) => !isLate(context, desired, live)),
  );
  const outdated = outdatedClaims(context, claims);
  for (const desired of outdated.claims) claims.delete(desired);
  return { claims, unclear: outdated.unclear };
}

/** What the base says of objects that natural identity did not find. */
export function lateClaims(context: ClaimContext): BaseClaims {
  const claims = [...addressClaims(context)].filter(([desired, live]) => isLate(context, desired, live));
  return { claims: new Map(claims), unclear: [] };
}

/**
 * True where another live object may be what is declared: when something that cannot be changed differs, so that this one would
 * be replaced, and when it is not certain that this is the base's object.
 */
function isLate(context: ClaimContext, desired: DesiredNode, live: LiveNode): boolean {
  const { matching } = context.base;
  return isReplaced(context, desired, live) || !matching.isCertain(matching.addressOf(live) ?? '');
}

/** True when an identity differs that only a new object can have. */
export function isReplaced(
  { kind, desiredIdentityOf }: Pick<ClaimContext, 'kind' | 'desiredIdentityOf'>,
  desired: DesiredNode,
  live: LiveNode,
): boolean {
  return kind.identities.some((identity) => {
    if (kind.fields[identity.field]?.change !== 'replace') return false;
    const value = desiredIdentityOf(kind, desired, identity);
    return value !== undefined && value !== identityValue(live.fields, identity);
  });
}

function addressClaims(context: ClaimContext): Map<DesiredNode, LiveNode> {
  const claims = new Map<DesiredNode, LiveNode>();
  const taken = new Set<LiveNode>();
  const known = new Set(context.lives);
  for (const addressesOf of [(desired: DesiredNode) => [desired.address], formerAddresses]) {
    for (const desired of context.desiredNodes) {
      if (claims.has(desired)) continue;
      for (const address of addressesOf(desired)) {
        const live = context.base.matching.liveOf(address);
        if (live === undefined || !known.has(live) || taken.has(live) || context.isClaimed(live)) continue;
        claims.set(desired, live);
        taken.add(live);
        break;
      }
    }
  }
  return claims;
}
