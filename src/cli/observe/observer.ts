/** Observers record a run. They make no decisions, and their failures do not stop it. */
import type { RunEnd, RunEvent } from '../../run/run-event.ts';
import type { WorkFolder } from '../../run/work-folder.ts';
import type { Command, Invocation } from '../line/command.ts';
import type { Output } from '../world/output.ts';
import type { World } from '../world/world.ts';

export interface WatchedRun {
  readonly name: string;
  readonly command: Command;
  readonly flags: Invocation['flags'];
  readonly runId: string;
  readonly world: World;
  readonly folder: WorkFolder;
  readonly output: Output;
}

export interface Observer {
  readonly observe: (event: RunEvent) => void;
  readonly end: (end: RunEnd) => void;
}
