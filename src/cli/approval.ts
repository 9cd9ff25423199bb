/** Asks on the terminal whether a plan is to be applied. */
import { createInterface } from 'node:readline/promises';
import type { Interrupt } from './interrupt.ts';
import type { World } from './world.ts';

/** True for the answer `yes` alone. Ends with false when the command is interrupted or the input ends. */
export async function askForApproval(
  { stdin, stderr }: Pick<World, 'stdin' | 'stderr'>,
  interrupt: Interrupt,
): Promise<boolean> {
  const questions = createInterface({ input: stdin, output: stderr });
  // In raw mode the terminal hands Ctrl-C to the reader and not to the process.
  questions.on('SIGINT', () => interrupt.receive('SIGINT'));
  try {
    const ended = new Promise<string>((resolve) => questions.once('close', () => resolve('')));
    const { signal } = interrupt;
    const asked = questions.question('\nApply these changes? Only "yes" is accepted: ', { signal });
    return (await Promise.race([asked, ended])).trim() === 'yes';
  } finally {
    questions.close();
  }
}
