/** What matching gives: which live object is which desired one, now and in the base. */

import type { DesiredNode } from '../tree/desired.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { LiveNode } from '../tree/live.ts';
import type { ObjectRef } from '../tree/refs.ts';
import type { Diagnostic } from '../util/diagnostic.ts';

/** The result of matching. Each live object is matched once at most. */
export interface Matching {
  /** The live object of an address. */
  liveOf(address: string): LiveNode | undefined;
  /** The address that a live object was matched with. */
  addressOf(ref: ObjectRef): string | undefined;
  /** False when the object was found elsewhere than declared, or by a weaker name than it is declared with: it may be another one. */
  isCertain(address: string): boolean;
  /** Addresses with their live objects, in the order in which they were matched. */
  pairs(): Iterable<readonly [address: string, live: LiveNode]>;
  /** Swaps of which it cannot be told whether they were made. */
  readonly unclear: readonly UnclearSwap[];
  readonly problems: readonly Diagnostic[];
  /** Doubts that change nothing but deserve the reader's attention. */
  readonly notes: readonly Diagnostic[];
}

/** Objects that have each other's names by a base that may be older than the last apply. */
export type UnclearSwap = readonly {
  readonly desired: DesiredNode;
  /** The live object if the swap has yet to be made. */
  readonly pending: LiveNode;
  /** The live object if it was made. */
  readonly made: LiveNode;
}[];

/** The base: what was applied last, and which live objects that is. */
export interface Base {
  readonly tree: DesiredTree;
  readonly matching: Matching;
  /** True when differences that only the live state made are left alone. */
  readonly ignoreDrift?: boolean;
  /**
   * The run whose changes are undone: the base is what it made, and the desired tree what was there before. Both say a part
   * of their lists only, so that what neither says is left alone.
   */
  readonly undoes?: string;
}
