/** Events of an apply, as data; progress displays turn them into text. */
import * as z from 'zod';
import { once } from '../contract/once.ts';
import type { Call, Payload } from '../kinds/parts/payload.ts';
import type { Step } from '../plan/plan.ts';
import type { OtherObject } from './create-watch.ts';
import type { Duplicate } from './duplicates.ts';
import type { StopReason } from './stop.ts';

/** How a step ended; events, journals and reports use these words. `unknown`: failed, and it may have taken effect. */
export const stepOutcome = once(() =>
  z.enum(['done', 'pending', 'satisfied', 'failed', 'unknown', 'skipped', 'notStarted']),
);

export type StepOutcome = z.infer<ReturnType<typeof stepOutcome>>;

export function outcomeWord(outcome: Outcome): StepOutcome {
  return outcome.type === 'failed' && outcome.uncertain ? 'unknown' : outcome.type;
}

export type Outcome =
  | { readonly type: 'done'; readonly step: Step }
  | {
      readonly type: 'failed';
      readonly step: Step;
      readonly error: Error;
      readonly call?: Call;
      readonly uncertain: boolean;
    }
  | { readonly type: 'skipped'; readonly step: Step; readonly because: string }
  | { readonly type: 'notStarted'; readonly step: Step }
  /** The service accepted the request but has not applied it yet, for example because people decide. */
  | { readonly type: 'pending'; readonly step: Step }
  /** The change was already in effect when the apply began or the step was reached. */
  | { readonly type: 'satisfied'; readonly step: Step };

/** A value that the service accepted and stores in another form. */
export interface StoredValue {
  readonly step: Step;
  readonly field: string;
  readonly sent: Payload;
  /** Undefined if no response shows the field. */
  readonly stored: Payload | undefined;
  /** Of the stored value, if its letters differ from those sent: a clause. */
  readonly risk?: string;
}

/** `organization` is the label of the organization. */
export type ApplyEvent =
  | { readonly type: 'stepStarted'; readonly organization: string; readonly step: Step }
  | {
      /** `isFinal`: false if the live state will be read again, which may change the outcome. */
      readonly type: 'stepEnded';
      readonly organization: string;
      readonly outcome: Outcome;
      /** Id of the object that the step created or found. */
      readonly id?: string;
      readonly isFinal: boolean;
    }
  | {
      /** Another writer created an object that this run was about to create: the live state will be read again. */
      readonly type: 'otherWriter';
      readonly organization: string;
      readonly other: OtherObject;
    }
  | {
      /** The live state was read again after structural changes; `steps` still differ and are applied now. */
      readonly type: 'round';
      readonly organization: string;
      readonly round: number;
      readonly steps: readonly Step[];
    };

export interface OrganizationResult {
  readonly label: string;
  readonly steps: readonly Step[];
  /** Outcomes of all steps, in the order in which they ended; later rounds follow. */
  readonly outcomes: readonly Outcome[];
  /** Steps that the last read of the live state still requires and that were not attempted. */
  readonly leftover: readonly Step[];
  readonly made: ReadonlyMap<string, string>;
  /** Values that the service stores in another form; they are not sent again. */
  readonly stored: readonly StoredValue[];
  readonly duplicates: readonly Duplicate[];
  /** Why the state could not be read again after the changes. */
  readonly unread?: Error;
}

export interface ApplyResult {
  readonly organizations: readonly OrganizationResult[];
  readonly interrupted: boolean;
  readonly unjournaled?: string;
  readonly stopped?: StopReason;
}

export function isComplete(result: ApplyResult): boolean {
  return (
    !result.interrupted &&
    result.organizations.every(
      ({ outcomes, leftover, duplicates, unread }) =>
        unread === undefined &&
        leftover.length === 0 &&
        duplicates.length === 0 &&
        outcomes.every(({ type }) => type === 'done' || type === 'satisfied' || type === 'pending'),
    )
  );
}
