/** Claims the live objects that belonged to desired ones according to the base, if that is still true. */

import type { Identity } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { push } from '../../util/group.ts';
import { formerAddresses, movedFrom, type UnclearSwap } from '../matching.ts';
import { type ClaimContext, differing, isAsBase, isUnchanged } from './differences.ts';
import { claimsInTurn } from './past-ids.ts';

export interface BaseClaims {
  readonly claims: ReadonlyMap<DesiredNode, LiveNode>;
  readonly unclear: readonly UnclearSwap[];
}

/** An address keeps its object of the base, unless `was` assigns that object to another one. */
export function claimsByBase(context: ClaimContext): BaseClaims {
  const claims = new Map(
    [...addressClaims(context)].filter(([desired, live]) => !isLate(context, desired, live)),
  );
  const { outdated, unclear } = new OutdatedBase(context, claims).find();
  for (const desired of outdated) claims.delete(desired);
  return { claims, unclear };
}

export function lateClaims(context: ClaimContext): BaseClaims {
  const claims = [...addressClaims(context)].filter(([desired, live]) => isLate(context, desired, live));
  return { claims: new Map(claims), unclear: [] };
}

/**
 * True if another live object may be the declared one: an immutable field differs, so that this one would be replaced,
 * or it is not certain that this is the base's object.
 */
function isLate(context: ClaimContext, desired: DesiredNode, live: LiveNode): boolean {
  const { matching } = context.base;
  return isReplaced(context, desired, live) || !matching.isCertain(matching.addressOf(live) ?? '');
}

export function isReplaced(
  { kind, desiredIdentityOf }: Pick<ClaimContext, 'kind' | 'desiredIdentityOf'>,
  desired: DesiredNode,
  live: LiveNode,
): boolean {
  return kind.identity.by.some((identity) => {
    if (kind.fields[identity.field]?.change !== 'replace') return false;
    const value = desiredIdentityOf(kind, desired, identity);
    return value !== undefined && value !== identityValue(live.fields, identity);
  });
}

function addressClaims({ tree, base, desiredNodes, lives, isClaimed }: ClaimContext) {
  const at = (addresses: readonly string[]) =>
    addresses.flatMap((address) => base.matching.liveOf(address) ?? []);
  const open = lives.filter((live) => !isClaimed(live));
  return claimsInTurn(desiredNodes, open, [
    (desired) => at(movedFrom(desired, { tree, base: base.tree })),
    ({ address }) => at([address]),
    (desired) => at(formerAddresses(desired, tree)),
  ]);
}

/** Leads from a desired object to the desired object that exactly matches the first one's claim, and so on. */
interface Chain {
  readonly desiredNodes: readonly DesiredNode[];
  /**
   * `ring`: returns to the first; `free`: ends at an object that the base does not know; `open`: ends at a live object without
   * an exact match, so the base is right.
   */
  readonly end: 'ring' | 'free' | 'open';
}

class OutdatedBase {
  readonly #context: ClaimContext;
  readonly #claims: BaseClaims['claims'];
  #found: ExactMatch | undefined;

  constructor(context: ClaimContext, claims: BaseClaims['claims']) {
    this.#context = context;
    this.#claims = claims;
  }

  get #exact(): ExactMatch {
    this.#found ??= new ExactMatch(this.#context);
    return this.#found;
  }

  find() {
    const outdated = new Set<DesiredNode>();
    const unclear: UnclearSwap[] = [];
    const seen = new Set<DesiredNode>();
    for (const [start, live] of this.#claims) {
      if (seen.has(start) || this.#agrees(start, live)) continue;
      const { desiredNodes, end } = this.#chainFrom(start);
      for (const desired of desiredNodes) seen.add(desired);
      if (end === 'open') continue;
      const isMade = end === 'free' || desiredNodes.some((desired) => this.#isUnexplained(desired));
      if (isMade) for (const desired of desiredNodes) outdated.add(desired);
      else unclear.push(this.#swapOf(desiredNodes));
    }
    return { outdated, unclear };
  }

  #swapOf(desiredNodes: readonly DesiredNode[]): UnclearSwap {
    return desiredNodes.flatMap((desired) => {
      const [pending, made] = [this.#claims.get(desired), this.#exact.liveOf(desired)];
      return pending === undefined || made === undefined ? [] : [{ desired, pending, made }];
    });
  }

  #chainFrom(start: DesiredNode): Chain {
    const desiredNodes: DesiredNode[] = [];
    for (let desired: DesiredNode | undefined = start; desired !== undefined; ) {
      desiredNodes.push(desired);
      const claimed = this.#claims.get(desired);
      const own = this.#exact.liveOf(desired);
      const isThere = own !== undefined || this.#exact.hasSeveral(desired);
      if (claimed === undefined) return { desiredNodes, end: isThere ? 'free' : 'open' };
      if (!isThere || own === claimed) return { desiredNodes, end: 'open' };
      desired = this.#exact.desiredOf(claimed);
      if (desired === start) return { desiredNodes, end: 'ring' };
      if (desired !== undefined && desiredNodes.includes(desired)) return { desiredNodes, end: 'open' };
    }
    return { desiredNodes, end: 'open' };
  }

  /**
   * True if the base's object has changed, if it differs in fields that the manifests did not change, or if another object
   * has the additions of the manifests. With a pending swap, that would be a coincidence.
   */
  #isUnexplained(desired: DesiredNode): boolean {
    const live = this.#claims.get(desired);
    if (live === undefined) return false;
    // Matching by name will report the ambiguity.
    if (this.#exact.hasSeveral(desired)) return true;
    if (!isAsBase(this.#context, desired, live)) return true;
    const isAdded = this.#isAddedTo(desired);
    return differing(this.#context, desired, live).some(
      (name) => isUnchanged(this.#context, desired, name) || isAdded(name),
    );
  }

  #isAddedTo(desired: DesiredNode): (name: string) => boolean {
    const { base, kind } = this.#context;
    const own = this.#exact.liveOf(desired);
    const was = own && base.tree.get(base.matching.addressOf(own) ?? '');
    return (name) =>
      was !== undefined &&
      kind.fields[name] !== undefined &&
      was.fields[name] === undefined &&
      !kind.identity.by.some(({ field }) => field === name);
  }

  #agrees(desired: DesiredNode, live: LiveNode): boolean {
    const { kind, desiredIdentityOf } = this.#context;
    return kind.identity.by.every((identity) => {
      const value = desiredIdentityOf(kind, desired, identity);
      return value === undefined || value === identityValue(live.fields, identity);
    });
  }
}

class ExactMatch {
  readonly #context: ClaimContext;
  readonly #livesByValue = new Map<string, LiveNode[]>();
  readonly #desiredByValue = new Map<string, DesiredNode[]>();

  constructor(context: ClaimContext) {
    this.#context = context;
    for (const live of context.lives) {
      if (context.isClaimed(live) || live.deleted === true) continue;
      for (const value of this.#identitiesOf((identity) => identityValue(live.fields, identity)))
        push(this.#livesByValue, value, live);
    }
    for (const desired of context.desiredNodes) {
      for (const value of this.#identitiesOfDesired(desired)) push(this.#desiredByValue, value, desired);
    }
  }

  liveOf(desired: DesiredNode): LiveNode | undefined {
    return this.#only(this.#candidates(desired), (live) => [desired, live]);
  }

  hasSeveral(desired: DesiredNode): boolean {
    const exact = new Set(this.#candidates(desired).filter((live) => this.#isExact(desired, live)));
    return exact.size > 1 && this.liveOf(desired) === undefined;
  }

  desiredOf(live: LiveNode): DesiredNode | undefined {
    const identities = this.#identitiesOf((identity) => identityValue(live.fields, identity));
    const candidates = identities.flatMap((identity) => this.#desiredByValue.get(identity) ?? []);
    return this.#only(candidates, (desired) => [desired, live]);
  }

  #only<T>(
    candidates: readonly T[],
    pairOf: (candidate: T) => readonly [DesiredNode, LiveNode],
  ): T | undefined {
    const exact = [...new Set(candidates)].filter((one) => this.#isExact(...pairOf(one)));
    return single(exact) ?? single(exact.filter((one) => this.#isInPlace(...pairOf(one))));
  }

  #candidates(desired: DesiredNode): readonly LiveNode[] {
    return this.#identitiesOfDesired(desired).flatMap((identity) => this.#livesByValue.get(identity) ?? []);
  }

  #isInPlace(desired: DesiredNode, live: LiveNode): boolean {
    const { tree, kind, liveOf } = this.#context;
    const parent = tree.parentOf(desired);
    if (parent === undefined) return false;
    // A parent of the same kind is matched together with its contents.
    const place = liveOf(parent.address) ?? (parent.kind === kind.name ? this.liveOf(parent) : undefined);
    return place?.id === live.container.id;
  }

  #identitiesOfDesired(desired: DesiredNode): readonly string[] {
    const { kind, desiredIdentityOf } = this.#context;
    return this.#identitiesOf((identity) => desiredIdentityOf(kind, desired, identity));
  }

  #identitiesOf(read: (identity: Identity) => string | undefined): readonly string[] {
    return this.#context.kind.identity.by.flatMap((identity, at) => {
      const value = read(identity);
      return value === undefined ? [] : [`${at} ${value}`];
    });
  }

  #isExact(desired: DesiredNode, live: LiveNode): boolean {
    return differing(this.#context, desired, live).length === 0;
  }
}

function single<T>([first, ...others]: readonly T[]): T | undefined {
  return others.length === 0 ? first : undefined;
}
