/** Events of a run, as data, for the JSON of runs and log files. */
import type { ApplyEvent, ApplyResult } from '../../apply/events.ts';
import type { RequestEvent } from '../../client/client.ts';
import type { Rehearsal } from '../../plan/rehearsal.ts';
import type { ReviewedPlan } from '../../review/reviewed-plan.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { Acceptance } from '../write-back/acceptance.ts';

export type RunEvent =
  /** Sent once the service is known: its address before `/v1`, or `local[:path]`. */
  | { readonly type: 'service'; readonly baseUrl: string }
  | { readonly type: 'request'; readonly request: RequestEvent }
  | { readonly type: 'planned'; readonly plan: ReviewedPlan }
  | { readonly type: 'rehearsed'; readonly rehearsal: Rehearsal }
  | { readonly type: 'declined' }
  | { readonly type: 'apply'; readonly event: ApplyEvent }
  | { readonly type: 'applied'; readonly result: ApplyResult }
  | { readonly type: 'accepted'; readonly acceptance: Acceptance };

/** The last event of each type: the plan that was shown, the result of the apply. */
export type LastEvents = { [T in RunEvent['type']]?: Extract<RunEvent, { readonly type: T }> };

export interface RunEnd {
  readonly exitCode: number;
  readonly interrupted: boolean;
  /** Empty unless the run failed; contains code `bug` for a bug. */
  readonly diagnostics: readonly Diagnostic[];
}
