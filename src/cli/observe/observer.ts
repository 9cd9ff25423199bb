/** Observers record a run. They make no decisions, and their failures do not stop it. */
import type { LastEvents, RunEnd, RunEvent } from '../../run/results/run-event.ts';
import type { Command, Invocation } from '../line/command.ts';

export interface WatchedRun extends Pick<Invocation, 'flags' | 'runId' | 'world' | 'folder' | 'output'> {
  readonly name: string;
  readonly command: Command;
}

export interface Observer {
  readonly observe?: (event: RunEvent) => void;
  readonly end: (end: RunEnd, last: LastEvents) => void;
}
