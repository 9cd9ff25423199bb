/** Which live objects the desired ones are known to be, by ids from an earlier plan or a recorded apply. */
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { formerAddresses } from './former-addresses.ts';

/** Objects of one kind in one scope, none of them matched yet. */
export interface KnownIdContext {
  readonly desiredNodes: readonly DesiredNode[];
  readonly lives: readonly LiveNode[];
  readonly knownIds: ReadonlyMap<string, string>;
}

/** An address is the object that it is known to be; so is one that says which address it was. */
export function claimsByKnownId(context: KnownIdContext): ReadonlyMap<DesiredNode, LiveNode> {
  const { desiredNodes, knownIds } = context;
  const claims = new Map<DesiredNode, LiveNode>();
  const open = new Map(context.lives.map((live) => [live.id, live]));
  for (const addressesOf of [(desired: DesiredNode) => [desired.address], formerAddresses]) {
    for (const desired of desiredNodes) {
      if (claims.has(desired)) continue;
      const ids = addressesOf(desired).flatMap((address) => knownIds.get(address) ?? []);
      const live = ids.map((id) => open.get(id)).find((one) => one !== undefined);
      if (live === undefined) continue;
      claims.set(desired, live);
      open.delete(live.id);
    }
  }
  return claims;
}
