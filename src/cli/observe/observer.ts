/** Observers record a run. They decide nothing, and their failures stop nothing. */
import type { RunEnd, RunEvent } from '../../run/run-report/run-event.ts';

export interface Observer {
  readonly observe: (event: RunEvent) => void;
  /** Throws or rejects if the requested output is missing. A promise is lost if the process ends immediately. */
  readonly end: (end: RunEnd) => void | Promise<void>;
}
