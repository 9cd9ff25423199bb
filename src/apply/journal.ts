/** What an apply writes down before and after each request that changes something, so that a later run can read it. */
import type { OperationId } from '../contract/index.ts';

/** A request that changes something, as the journal knows it: no body, since secrets may be in it. */
export interface JournalRequest {
  /** The label of the organization. */
  readonly organization: string;
  /** The id of the step. */
  readonly step: string;
  /** Which of the step's calls, from 0. */
  readonly call: number;
  readonly operation: OperationId;
  /** Path parameters. */
  readonly params: Readonly<Record<string, string>>;
}

/** What came of a request. `unknown`: it may have been carried out. */
export interface JournalResponse extends JournalRequest {
  readonly outcome: 'done' | 'failed' | 'unknown';
  readonly status?: number;
  /** The id of the object that it created. */
  readonly id?: string;
}

/** Where an apply writes down what it does. */
export interface ApplyJournal {
  /**
   * Resolves once the request is on the disk; only then it is sent.
   *
   * @throws Error where it cannot be written: the request is not sent then, and nothing else is.
   */
  request(entry: JournalRequest): Promise<void>;
  /** Never throws: what was sent was sent. A failure shows with the next request. */
  response(entry: JournalResponse): void;
}
