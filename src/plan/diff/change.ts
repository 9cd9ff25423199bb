/** Differences between the desired and the live state, object by object. Later stages add causes, order and calls. */
import type { Anchor } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Cause } from '../plan.ts';

/** An object to be moved. If `anchor` is undefined, it moves to the end. */
export interface Placement {
  readonly address: string;
  readonly anchor: Anchor | undefined;
  readonly next?: string;
  /** True if the service may already have put the object there: its arrival position is not known. */
  readonly mayBeThere?: true;
}

interface There {
  readonly live: LiveNode;
  readonly address: string;
}

interface OfDesired {
  readonly desired: DesiredNode;
}

/** The position, unless it is the end. */
interface AtPlace extends OfDesired {
  readonly placement: Placement | undefined;
}

export type Change =
  | ({ readonly type: 'create' } & AtPlace)
  | ({ readonly type: 'replace'; readonly fields: readonly string[] } & AtPlace & There)
  | ({ readonly type: 'restore' } & OfDesired)
  | ({ readonly type: 'detach'; readonly desired: DesiredNode | undefined; readonly reason: string } & There)
  | ({ readonly type: 'attach' } & AtPlace)
  | ({ readonly type: 'update'; readonly live: LiveNode; readonly names: readonly string[] } & OfDesired)
  /** `order`: cause of the different order. */
  | ({ readonly type: 'move'; readonly placement: Placement; readonly order: Cause | undefined } & OfDesired)
  /** `isReplaced`: an unfinished run created the successor, whose address is used. */
  | ({ readonly type: 'delete'; readonly reason: string; readonly isReplaced?: true } & There);
