/** Runs the command line of this process. */
import { main } from './main.ts';
import { processArgs, processWorld, setExitCode } from './process-world.ts';

/** Runs the command that this process was started with, and sets the exit code. */
export async function start(): Promise<void> {
  // What the process ends with if the command never comes to its end, as Node has it for modules.
  setExitCode(13);
  setExitCode(await main(processArgs(), processWorld()));
}
