/** Asks on the terminal whether something that matters is to be done. */
import { createInterface, type Interface } from 'node:readline/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Interrupt } from './interrupt.ts';
import type { World } from './world.ts';

/** Asks whether to apply what was shown. */
export function askForApproval(
  world: Pick<World, 'stdin' | 'stderr'>,
  interrupt: Interrupt,
): Promise<boolean> {
  return ask(world, interrupt, 'Apply these changes? Only "yes" is accepted: ');
}

/** True for the answer `yes` alone. Ends with false when the command is interrupted or the input ends. */
export async function ask(
  { stdin, stderr }: Pick<World, 'stdin' | 'stderr'>,
  interrupt: Interrupt,
  question: string,
): Promise<boolean> {
  const questions = createInterface({ input: stdin, output: stderr });
  // In raw mode the terminal hands Ctrl-C to the reader and not to the process.
  questions.on('SIGINT', () => interrupt.receive('SIGINT'));
  try {
    let isClosed = false;
    questions.once('close', () => {
      isClosed = true;
    });
    await discardTyped(questions, stdin);
    if (isClosed) return false;
    const ended = new Promise<string>((resolve) => questions.once('close', () => resolve('')));
    const { signal } = interrupt;
    const asked = questions.question(`\n${question}`, { signal });
    return (await Promise.race([asked, ended])).trim() === 'yes';
  } finally {
    questions.close();
  }
}

/** Forgets what was typed before the question could be read: it answers something else. */
async function discardTyped(questions: Interface, stdin: World['stdin']): Promise<void> {
  let isQuiet = false;
  const hear = () => {
    isQuiet = false;
  };
  stdin.on('data', hear);
  // What the terminal kept arrives in the next turns of the event loop; then nothing more comes at once.
  while (!isQuiet) {
    isQuiet = true;
    await wait(20);
  }
  stdin.off('data', hear);
  questions.write(null, { ctrl: true, name: 'u' });
}
