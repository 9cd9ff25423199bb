/** Differences between the desired and the live state, object by object. Why, in which order and by which calls follow later. */
import type { Anchor } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Cause } from '../plan.ts';

/** One object to be placed; `anchor` undefined means the end. */
export interface Placement {
  readonly address: string;
  readonly anchor: Anchor | undefined;
  readonly next?: string;
  /** The service may already have put it there: its place of arrival is not known. */
  readonly mayBeThere?: true;
}

export interface There {
  readonly live: LiveNode;
  readonly address: string;
}

interface OfDesired {
  readonly desired: DesiredNode;
}

/** Its position, if that is not the end. */
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
  /** `order`: why the order differs. */
  | ({ readonly type: 'move'; readonly placement: Placement; readonly order: Cause | undefined } & OfDesired)
  | ({ readonly type: 'delete'; readonly reason: string } & There);
