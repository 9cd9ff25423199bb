/** What matching gives: which live object is which desired one, now and in the base. */

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
  /** Addresses with their live objects, in the order in which they were matched. */
  pairs(): Iterable<readonly [address: string, live: LiveNode]>;
  readonly problems: readonly Diagnostic[];
  /** Doubts that change nothing but deserve the reader's attention. */
  readonly notes: readonly Diagnostic[];
}

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
