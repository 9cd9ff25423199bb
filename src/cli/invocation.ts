/** One run of a command: what it was called with and what it may use. */
import type { RunEvent } from '../run/run-report/run-event.ts';
import type { Flags } from './flags.ts';
import type { Interrupt } from './interrupt.ts';
import type { Output } from './output.ts';
import type { World } from './world.ts';

/** Passed to each command's `run`, which returns the exit code. */
export interface Invocation {
  /** Name of the command. */
  readonly commandName: string;
  readonly flags: Flags;
  /** The command line as it was written, without `octavo`. */
  readonly args: readonly string[];
  /** What followed the command's name. */
  readonly argument: string | undefined;
  /** What followed the command's name, for commands that take any number of words. */
  readonly words: readonly string[];
  readonly env: World['env'];
  readonly cwd: string;
  readonly world: World;
  /** The name of this run. */
  readonly runId: string;
  readonly output: Output;
  readonly interrupt: Interrupt;
  /** Tells reports, logs and traces what happens; does nothing where there are none. */
  readonly observe: (event: RunEvent) => void;
}
