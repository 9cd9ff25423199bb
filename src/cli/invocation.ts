/** One run of a command: what it was called with and what it may use. */
import type { Flags } from './flags.ts';
import type { Interrupt } from './interrupt.ts';
import type { Output } from './output.ts';
import type { World } from './world.ts';

/** Passed to each command's `run`, which returns the exit code. */
export interface Invocation {
  readonly flags: Flags;
  /** What followed the command's name. */
  readonly argument: string | undefined;
  /** What followed the command's name, for commands that take any number of words. */
  readonly words: readonly string[];
  readonly env: World['env'];
  readonly cwd: string;
  readonly world: World;
  readonly output: Output;
  readonly interrupt: Interrupt;
}
