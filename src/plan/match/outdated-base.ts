/**
 * Tells a rename that has yet to be made from one that was made already. A base that is older than the last apply names
 * objects as they were: after a swap of two names it would have them swapped back.
 */

import type { Kind } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { push } from '../../util/group.ts';

/** What the decision needs to know of one kind in one scope. */
export interface ClaimsByBase {
  readonly kind: Kind;
  readonly desiredNodes: readonly DesiredNode[];
  readonly lives: readonly LiveNode[];
  /** Which live object each desired one was, by the base. */
  readonly claims: ReadonlyMap<DesiredNode, LiveNode>;
  /** The value that a desired object has of an identity. */
  readonly desiredIdentityOf: (
    desired: DesiredNode,
    identity: Kind['identities'][number],
  ) => string | undefined;
  /** Names of what differs between a desired and a live object, in fields and contents. */
  readonly differences: (desired: DesiredNode, live: LiveNode) => readonly string[];
  /** True when the base wishes for the same as the manifests in what is named. */
  readonly isUnchanged: (desired: DesiredNode, name: string) => boolean;
  /** True when the live object is just as the base has it. */
  readonly isAsBase: (desired: DesiredNode, live: LiveNode) => boolean;
}

/** Claims that do not hold, and rings of which it cannot be told. */
export interface Outdated {
  readonly claims: ReadonlySet<DesiredNode>;
  readonly doubtful: readonly DesiredNode[];
}

/** The claims that the base makes only because it is older than the last apply. */
export function outdatedClaims(given: ClaimsByBase): Outdated {
  const renamed = [...given.claims].filter(([desired, live]) => !agrees(given, desired, live));
  if (renamed.length === 0) return { claims: new Set(), doubtful: [] };
  const natural = new NaturalMatch(given);
  const outdated = new Set<DesiredNode>();
  const doubtful: DesiredNode[] = [];
  const seen = new Set<DesiredNode>();
  for (const [start] of renamed) {
    if (seen.has(start)) continue;
    const chain = chainFrom(start, given, natural);
    for (const desired of chain.desiredNodes) seen.add(desired);
    if (chain.end === 'open') continue;
    const isMade =
      chain.end === 'free' || chain.desiredNodes.some((desired) => isUnexplained(given, desired));
    if (isMade) for (const desired of chain.desiredNodes) outdated.add(desired);
    else doubtful.push(...chain.desiredNodes);
  }
  return { claims: outdated, doubtful };
}

/**
 * From a desired object to the one that already is what the first one was, and so on. `ring`: back to the first; `free`:
 * to one that the base does not know; `open`: to a live object that nobody wants as it is, so that the base is right.
 */
function chainFrom(
  start: DesiredNode,
  { claims }: ClaimsByBase,
  natural: NaturalMatch,
): { readonly desiredNodes: readonly DesiredNode[]; readonly end: 'ring' | 'free' | 'open' } {
  const desiredNodes: DesiredNode[] = [];
  for (let desired: DesiredNode | undefined = start; desired !== undefined; ) {
    desiredNodes.push(desired);
    const claimed = claims.get(desired);
    const own = natural.liveOf(desired);
    if (claimed === undefined) return { desiredNodes, end: own === undefined ? 'open' : 'free' };
    if (own === undefined || own === claimed) return { desiredNodes, end: 'open' };
    desired = natural.desiredOf(claimed);
    if (desired === start) return { desiredNodes, end: 'ring' };
    if (desired !== undefined && desiredNodes.includes(desired)) return { desiredNodes, end: 'open' };
  }
  return { desiredNodes, end: 'open' };
}

/** True when what the base says the object was is not as it was then, or differs in what the manifests did not change. */
function isUnexplained(given: ClaimsByBase, desired: DesiredNode): boolean {
  const live = given.claims.get(desired);
  if (live === undefined) return false;
  if (!given.isAsBase(desired, live)) return true;
  return given.differences(desired, live).some((name) => given.isUnchanged(desired, name));
}

function agrees({ kind, desiredIdentityOf }: ClaimsByBase, desired: DesiredNode, live: LiveNode): boolean {
  return kind.identities.every((identity) => {
    const desiredValue = desiredIdentityOf(desired, identity);
    return desiredValue === undefined || desiredValue === identityValue(live.fields, identity);
  });
}

/** Pairs of a desired object and the only live one that is just as it is wanted. */
class NaturalMatch {
  readonly #given: ClaimsByBase;
  readonly #livesByValue = new Map<string, LiveNode[]>();
  readonly #desiredByValue = new Map<string, DesiredNode[]>();

  constructor(given: ClaimsByBase) {
    this.#given = given;
    given.kind.identities.forEach((identity, index) => {
      for (const live of given.lives)
        pushKnown(this.#livesByValue, index, identityValue(live.fields, identity), live);
      for (const desired of given.desiredNodes)
        pushKnown(this.#desiredByValue, index, given.desiredIdentityOf(desired, identity), desired);
    });
  }

  liveOf(desired: DesiredNode): LiveNode | undefined {
    const candidates = this.#around(this.#livesByValue, (identity) =>
      this.#given.desiredIdentityOf(desired, identity),
    );
    const exact = candidates.filter((live) => this.#isExact(desired, live));
    return exact.length === 1 ? exact[0] : undefined;
  }

  desiredOf(live: LiveNode): DesiredNode | undefined {
    const candidates = this.#around(this.#desiredByValue, (identity) => identityValue(live.fields, identity));
    const exact = candidates.filter((desired) => this.#isExact(desired, live));
    return exact.length === 1 ? exact[0] : undefined;
  }

  #around<T>(
    index: ReadonlyMap<string, readonly T[]>,
    read: (identity: Kind['identities'][number]) => string | undefined,
  ): readonly T[] {
    const found = this.#given.kind.identities.flatMap((identity, at) => {
      const value = read(identity);
      return value === undefined ? [] : (index.get(`${at} ${value}`) ?? []);
    });
    return [...new Set(found)];
  }

  #isExact(desired: DesiredNode, live: LiveNode): boolean {
    return this.#given.differences(desired, live).length === 0;
  }
}

function pushKnown<T>(map: Map<string, T[]>, index: number, value: string | undefined, item: T): void {
  if (value !== undefined) push(map, `${index} ${value}`, item);
}
