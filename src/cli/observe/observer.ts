/** Those who watch a run and write down what they see. They never decide anything, and their failures stop nothing. */
import type { RunEnd, RunEvent } from '../../run/run-report/run-event.ts';

/** Watches one run. */
export interface Observer {
  readonly observe: (event: RunEvent) => void;
  /**
   * The run ended. What a promise stands for is lost where the process ends at once. Returns or throws the reason why
   * what was asked for is not there.
   */
  readonly end: (end: RunEnd) => void | Promise<void>;
}
