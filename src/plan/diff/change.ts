/** Differences between the desired and the live state, object by object. Order and calls follow later. */
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Cause, FieldChange } from '../plan.ts';
import type { Placement } from './positions.ts';

interface Caused {
  readonly cause: Cause | undefined;
}

interface Removed {
  readonly live: LiveNode;
  readonly address: string;
  readonly lost: readonly FieldChange[];
}

export type Change =
  /** `placement`: its position, if that is not the end. */
  | ({
      readonly type: 'create';
      readonly desired: DesiredNode;
      readonly placement: Placement | undefined;
    } & Caused)
  | ({
      readonly type: 'replace';
      readonly desired: DesiredNode;
      readonly placement: Placement | undefined;
      readonly fields: readonly string[];
    } & Removed &
      Caused)
  | ({ readonly type: 'restore'; readonly desired: DesiredNode } & Caused)
  | ({
      readonly type: 'detach';
      readonly live: LiveNode;
      readonly address: string;
      readonly desired: DesiredNode | undefined;
      readonly reason: string;
    } & Caused)
  | ({
      readonly type: 'attach';
      readonly desired: DesiredNode;
      readonly placement: Placement | undefined;
    } & Caused)
  | {
      readonly type: 'update';
      readonly desired: DesiredNode;
      readonly live: LiveNode;
      readonly fields: readonly FieldChange[];
    }
  | ({ readonly type: 'move'; readonly desired: DesiredNode; readonly placement: Placement } & Caused)
  | ({
      readonly type: 'delete';
      readonly reason: string;
    } & Removed &
      Caused);
