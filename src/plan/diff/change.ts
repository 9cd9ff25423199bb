/** What differs between the desired and the live state, object by object. Order and calls follow from it later. */
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Cause, FieldChange } from '../plan.ts';
import type { Placement } from './positions.ts';

/** Why something has to change; undefined without a base. */
interface Caused {
  readonly cause: Cause | undefined;
}

/** A live object that goes, with what is lost with it. */
interface Removed {
  readonly live: LiveNode;
  readonly address: string;
  readonly lost: readonly FieldChange[];
}

/** One difference. */
export type Change =
  /** The object does not exist. `placement`: where it goes, if that is not the end. */
  | ({
      readonly type: 'create';
      readonly desired: DesiredNode;
      readonly placement: Placement | undefined;
    } & Caused)
  /** Some fields can only have their desired values in a new object. */
  | ({
      readonly type: 'replace';
      readonly desired: DesiredNode;
      readonly placement: Placement | undefined;
      readonly fields: readonly string[];
    } & Removed &
      Caused)
  | ({ readonly type: 'restore'; readonly desired: DesiredNode } & Caused)
  /** The object leaves its container, for another one or for none. */
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
  /** Some fields differ; each has a cause of its own. */
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
