/** Claims live objects by ids from the record and from unfinished runs. */
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { formerAddresses, movedFrom } from '../matching.ts';
import type { ClaimContext } from './differences.ts';
import type { Group } from './same-name.ts';

interface PastIdContext extends Group {
  readonly tree: DesiredTree;
  readonly base: DesiredTree | undefined;
  readonly pastIds: ReadonlyMap<string, string>;
  readonly recordedIds: ReadonlyMap<string, string>;
}

export function claimsByPastId(context: PastIdContext): ReadonlyMap<DesiredNode, LiveNode> {
  const { desiredNodes, tree, base, pastIds, recordedIds } = context;
  const byId = new Map(context.lives.map((live) => [live.id, live]));
  const at = (addresses: readonly string[], ids = pastIds) =>
    addresses.flatMap((address) => byId.get(ids.get(address) ?? '') ?? []);
  const about = { tree, base, knows: (address: string) => recordedIds.has(address) };
  return claimsInTurn(desiredNodes, context.lives, [
    // An unfinished run assigned another object to the address, so it has already applied `was`.
    ({ address }) => (recordedIds.get(address) === pastIds.get(address) ? [] : at([address])),
    (desired) => at(movedFrom(desired, about), recordedIds),
    ({ address }) => at([address]),
    (desired) => at(formerAddresses(desired, tree)),
  ]);
}

/** Each way in turn, for all entries that the ways before left open. Each live object is claimed once. */
export function claimsInTurn(
  desiredNodes: readonly DesiredNode[],
  lives: Iterable<LiveNode>,
  ways: readonly ((desired: DesiredNode) => readonly LiveNode[])[],
): Map<DesiredNode, LiveNode> {
  const claims = new Map<DesiredNode, LiveNode>();
  const open = new Set(lives);
  for (const livesOf of ways)
    for (const desired of desiredNodes) {
      const live = claims.has(desired) ? undefined : livesOf(desired).find((one) => open.has(one));
      if (live === undefined) continue;
      claims.set(desired, live);
      open.delete(live);
    }
  return claims;
}

interface Replacing extends Pick<ClaimContext, 'kind' | 'desiredIdentityOf'> {
  readonly recordedIds: ReadonlyMap<string, string>;
}

/**
 * The other object of a replacement that was cut off: the new one, which the record does not know, or, after a revert, the recorded
 * one. It has the immutable values of the manifest, which the known object can never have.
 */
export function wantedInstead(
  { kind, desiredIdentityOf, recordedIds }: Replacing,
  desired: DesiredNode,
  { live, lives }: { readonly live: LiveNode; readonly lives: readonly LiveNode[] },
): LiveNode | undefined {
  const fixed = Object.keys(desired.fields).filter((name) => kind.fields[name]?.change === 'replace');
  const isSame = (one: LiveNode, field: string) => {
    const value = desiredIdentityOf(kind, desired, { field });
    return value === undefined || value === identityValue(one.fields, { field });
  };
  const isWanted = (one: LiveNode) => fixed.every((field) => isSame(one, field));
  if (isWanted(live)) return undefined;
  const recorded = recordedIds.get(desired.address);
  if (recorded !== live.id) return lives.find((one) => one.id === recorded && isWanted(one));
  const [identity] = kind.identity.by;
  if (identity === undefined || desiredIdentityOf(kind, desired, identity) === undefined) return undefined;
  const others = new Set(recordedIds.values());
  const [successor, ...more] = lives.filter(
    (one) => !others.has(one.id) && isSame(one, identity.field) && isWanted(one),
  );
  return more.length === 0 ? successor : undefined;
}
