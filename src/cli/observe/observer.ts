/** Observers record a run. They decide nothing, and their failures stop nothing. */
import type { RunEnd, RunEvent } from '../../run/run-report/run-event.ts';

export interface Observer {
  readonly observe: (event: RunEvent) => void;
  /** Throws if the requested output is missing. */
  readonly end: (end: RunEnd) => void;
}
