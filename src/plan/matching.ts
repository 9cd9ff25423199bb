/** What matching gives: which live object is which wanted one, now and in the base. */
import type { LiveNode } from '../graph/live.ts';
import type { WantTree } from '../graph/want.ts';
import type { Diagnostic } from '../util/diagnostic.ts';

/** The result of matching. */
export interface Matching {
  /** Live objects by the address of the wanted object that claimed them. */
  readonly liveOf: ReadonlyMap<string, LiveNode>;
  /** Addresses by live key. */
  readonly addressOf: ReadonlyMap<string, string>;
  readonly problems: readonly Diagnostic[];
  /** What could not be told for certain; nothing hangs on it but the reader's attention. */
  readonly notes: readonly Diagnostic[];
}

/** What was wanted before, and which live objects that is. */
export interface Base {
  readonly tree: WantTree;
  readonly matching: Matching;
  /** True when differences that only the live state made are left alone. */
  readonly ignoreDrift?: boolean;
}
