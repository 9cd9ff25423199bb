/** What matching gives: which live object is which desired one, now and in the base. */

import type { DesiredTree } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';

/** The result of matching. */
export interface Matching {
  /** Live objects by the address of the desired object that claimed them. */
  readonly liveOf: ReadonlyMap<string, LiveNode>;
  /** Addresses by live key. */
  readonly addressOf: ReadonlyMap<string, string>;
  readonly problems: readonly Diagnostic[];
  /** What could not be told for certain; nothing hangs on it but the reader's attention. */
  readonly notes: readonly Diagnostic[];
}

/** What was wanted before, and which live objects that is. */
export interface Base {
  readonly tree: DesiredTree;
  readonly matching: Matching;
  /** True when differences that only the live state made are left alone. */
  readonly ignoreDrift?: boolean;
}
