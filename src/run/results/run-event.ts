/** Events of a run, as data, for the JSON of runs and log files. */
import type { ApplyEvent, ApplyResult } from '../../apply/events.ts';
import type { RequestEvent } from '../../client/client.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Rehearsal } from '../../plan/rehearsal.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';

export type RunEvent =
  /** Sent once the service is known: its address before `/v1`, or `local[:path]`. */
  | { readonly type: 'service'; readonly baseUrl: string }
  | { readonly type: 'request'; readonly request: RequestEvent }
  | { readonly type: 'planned'; readonly plan: Plan }
  | { readonly type: 'rehearsed'; readonly rehearsal: Rehearsal }
  | { readonly type: 'declined' }
  | { readonly type: 'apply'; readonly event: ApplyEvent }
  | { readonly type: 'applied'; readonly result: ApplyResult };

export interface RunEnd {
  readonly exitCode: number;
  readonly interrupted: boolean;
  /** Empty unless the run failed; contains code `bug` for a bug. */
  readonly diagnostics: readonly Diagnostic[];
}
