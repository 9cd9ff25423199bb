/** What happens during an apply, as data. Those who show progress turn it into text; nothing here does. */
import type { Call } from '../kinds/payload.ts';
import type { Step } from '../plan/plan.ts';

/** How one step ended. */
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
  /** It was so already: when the apply began, or when its turn came. */
  | { readonly type: 'satisfied'; readonly step: Step };

/** Something that happened. `organization` is the label of the organization. */
export type ApplyEvent =
  | { readonly type: 'stepStarted'; readonly organization: string; readonly step: Step }
  | { readonly type: 'stepEnded'; readonly organization: string; readonly outcome: Outcome }
  | {
      /** The state was read again after structural changes; `steps` differ still and are applied now. */
      readonly type: 'round';
      readonly organization: string;
      readonly round: number;
      readonly steps: readonly Step[];
    };

/** What became of the plan of one organization. */
export interface OrganizationResult {
  readonly label: string;
  /** One per step, in the order in which the steps ended; those of later rounds follow. */
  readonly outcomes: readonly Outcome[];
  /** Steps that a last look at the live state still called for and that were not taken. */
  readonly leftover: readonly Step[];
  /** Ids, by address, of the objects that were made or found. */
  readonly made: ReadonlyMap<string, string>;
  /** Why the state could not be read again after the changes, where it could not. */
  readonly unread?: Error;
}

/** What became of a whole plan. */
export interface ApplyResult {
  readonly organizations: readonly OrganizationResult[];
  readonly interrupted: boolean;
}

/** True when everything that was planned was done and nothing differs any more. */
export function isComplete(result: ApplyResult): boolean {
  return (
    !result.interrupted &&
    result.organizations.every(
      ({ outcomes, leftover, unread }) =>
        unread === undefined &&
        leftover.length === 0 &&
        outcomes.every(({ type }) => type === 'done' || type === 'satisfied'),
    )
  );
}
