/**
 * Tells a rename that has yet to be made from one that was made already. A base that is older than the last apply names
 * objects as they were: after a swap of two names it would have them swapped back.
 */

import { identityValue } from '../graph/identity.ts';
import type { LiveNode } from '../graph/live.ts';
import type { WantNode } from '../graph/want.ts';
import type { Kind } from '../kinds/kind.ts';
import { push } from '../util/group.ts';

/** What the decision needs to know of one kind in one scope. */
export interface ClaimsByBase {
  readonly kind: Kind;
  readonly wants: readonly WantNode[];
  readonly lives: readonly LiveNode[];
  /** Which live object each wanted one was, by the base. */
  readonly claims: ReadonlyMap<WantNode, LiveNode>;
  /** The value that a wanted object has of an identity. */
  readonly wantedValue: (want: WantNode, identity: Kind['identities'][number]) => string | undefined;
  /** Names of what differs between a wanted and a live object, in fields and contents. */
  readonly differences: (want: WantNode, live: LiveNode) => readonly string[];
  /** True when the base wishes for the same as the manifests in what is named. */
  readonly isUnchanged: (want: WantNode, name: string) => boolean;
  /** True when the live object is just as the base has it. */
  readonly isAsBase: (want: WantNode, live: LiveNode) => boolean;
}

/** Claims that do not hold, and rings of which it cannot be told. */
export interface Outdated {
  readonly claims: ReadonlySet<WantNode>;
  readonly doubtful: readonly WantNode[];
}

/** The claims that the base makes only because it is older than the last apply. */
export function outdatedClaims(given: ClaimsByBase): Outdated {
  const renamed = [...given.claims].filter(([want, live]) => !agrees(given, want, live));
  if (renamed.length === 0) return { claims: new Set(), doubtful: [] };
  const natural = new NaturalMatch(given);
  const outdated = new Set<WantNode>();
  const doubtful: WantNode[] = [];
  const seen = new Set<WantNode>();
  for (const [start] of renamed) {
    if (seen.has(start)) continue;
    const chain = chainFrom(start, given, natural);
    for (const want of chain.wants) seen.add(want);
    if (chain.end === 'open') continue;
    const isMade = chain.end === 'free' || chain.wants.some((want) => isUnexplained(given, want));
    if (isMade) for (const want of chain.wants) outdated.add(want);
    else doubtful.push(...chain.wants);
  }
  return { claims: outdated, doubtful };
}

/**
 * From a wanted object to the one that already is what the first one was, and so on. `ring`: back to the first; `free`:
 * to one that the base does not know; `open`: to a live object that nobody wants as it is, so that the base is right.
 */
function chainFrom(
  start: WantNode,
  { claims }: ClaimsByBase,
  natural: NaturalMatch,
): { readonly wants: readonly WantNode[]; readonly end: 'ring' | 'free' | 'open' } {
  const wants: WantNode[] = [];
  for (let want: WantNode | undefined = start; want !== undefined; ) {
    wants.push(want);
    const claimed = claims.get(want);
    const own = natural.liveOf(want);
    if (claimed === undefined) return { wants, end: own === undefined ? 'open' : 'free' };
    if (own === undefined || own === claimed) return { wants, end: 'open' };
    want = natural.wantOf(claimed);
    if (want === start) return { wants, end: 'ring' };
    if (want !== undefined && wants.includes(want)) return { wants, end: 'open' };
  }
  return { wants, end: 'open' };
}

/** True when what the base says the object was is not as it was then, or differs in what the manifests did not change. */
function isUnexplained(given: ClaimsByBase, want: WantNode): boolean {
  const live = given.claims.get(want);
  if (live === undefined) return false;
  if (!given.isAsBase(want, live)) return true;
  return given.differences(want, live).some((name) => given.isUnchanged(want, name));
}

function agrees({ kind, wantedValue }: ClaimsByBase, want: WantNode, live: LiveNode): boolean {
  return kind.identities.every((identity) => {
    const wanted = wantedValue(want, identity);
    return wanted === undefined || wanted === identityValue(live.fields, identity);
  });
}

/** Pairs of a wanted object and the only live one that is just as it is wanted. */
class NaturalMatch {
  readonly #given: ClaimsByBase;
  readonly #livesByValue = new Map<string, LiveNode[]>();
  readonly #wantsByValue = new Map<string, WantNode[]>();

  constructor(given: ClaimsByBase) {
    this.#given = given;
    given.kind.identities.forEach((identity, index) => {
      for (const live of given.lives)
        pushKnown(this.#livesByValue, index, identityValue(live.fields, identity), live);
      for (const want of given.wants)
        pushKnown(this.#wantsByValue, index, given.wantedValue(want, identity), want);
    });
  }

  liveOf(want: WantNode): LiveNode | undefined {
    const candidates = this.#around(this.#livesByValue, (identity) =>
      this.#given.wantedValue(want, identity),
    );
    const exact = candidates.filter((live) => this.#isExact(want, live));
    return exact.length === 1 ? exact[0] : undefined;
  }

  wantOf(live: LiveNode): WantNode | undefined {
    const candidates = this.#around(this.#wantsByValue, (identity) => identityValue(live.fields, identity));
    const exact = candidates.filter((want) => this.#isExact(want, live));
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

  #isExact(want: WantNode, live: LiveNode): boolean {
    return this.#given.differences(want, live).length === 0;
  }
}

function pushKnown<T>(map: Map<string, T[]>, index: number, value: string | undefined, item: T): void {
  if (value !== undefined) push(map, `${index} ${value}`, item);
}
