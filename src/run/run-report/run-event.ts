/** What happens during a run, as data, for those who report it: run reports, log files and traces. */
import type { ApplyEvent, ApplyResult } from '../../apply/events.ts';
import type { RequestEvent } from '../../client/client.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Rehearsal } from '../../plan/rehearsal.ts';

/** The parts of a run: reading the live state and planning, rehearsing, looking again after an approval, applying. */
export type RunPhase = 'plan' | 'rehearse' | 'recheck' | 'apply';

/** Something that happened. */
export type RunEvent =
  /** The service is known: its address before `/v1`, or `local[:path]`. */
  | { readonly type: 'service'; readonly baseUrl: string }
  | { readonly type: 'phaseStarted'; readonly phase: RunPhase }
  | { readonly type: 'phaseEnded'; readonly phase: RunPhase }
  /** An attempt of a request ended. */
  | { readonly type: 'request'; readonly request: RequestEvent }
  | { readonly type: 'planned'; readonly plan: Plan; readonly digest: string }
  | { readonly type: 'rehearsed'; readonly rehearsal: Rehearsal }
  /** Somebody was asked, and said no. */
  | { readonly type: 'declined' }
  | { readonly type: 'apply'; readonly event: ApplyEvent }
  | { readonly type: 'applied'; readonly result: ApplyResult };

/** How a run ended. */
export interface RunEnd {
  readonly exitCode: number;
  readonly interrupted: boolean;
  /** What it failed with, where it did. */
  readonly errors: readonly { readonly code: string; readonly message: string; readonly address?: string }[];
}
