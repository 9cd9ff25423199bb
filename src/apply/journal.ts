/** The record of each changing request, written before and after it, so that a later run can read it. */

import type { OperationId } from '../contract/index.ts';
import type { StepOutcome } from './events.ts';

/** A request without its body, which may contain secrets. */
export interface JournalRequest {
  readonly organization: string;
  readonly step: string;
  /** Index of the call in the step, from 0. */
  readonly call: number;
  readonly operation: OperationId;
  readonly params: Readonly<Record<string, string>>;
}

/** `unknown`: the request may have taken effect; `pending`: it was accepted. */
export interface JournalResponse extends JournalRequest {
  readonly outcome: Extract<StepOutcome, 'done' | 'pending' | 'failed' | 'unknown'>;
  readonly status?: number;
  readonly id?: string;
}

export interface ApplyJournal {
  /**
   * Resolves once the request is on the disk; only then it is sent.
   *
   * @throws Error if it cannot be written. Then neither this request nor a later one is sent.
   */
  request(entry: JournalRequest): Promise<void>;
  /** Never throws, because the request was already sent. A failure is reported with the next request. */
  response(entry: JournalResponse): void;
}
