import type { Interface } from 'node:readline/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Invocation } from '../line/command.ts';
import { variableIn } from './environment.ts';
import type { Interrupt } from './interrupt.ts';
import type { World } from './world.ts';

export function isInteractive({ flags, env, world }: Pick<Invocation, 'flags' | 'env' | 'world'>): boolean {
  const isTerminal = [world.stdin, world.stdout, world.stderr].every(({ isTTY }) => isTTY === true);
  return isTerminal && flags.quiet !== true && variableIn(env, 'CI') === undefined;
}

/** True only for the answer `yes`; false if the command is interrupted or the input ends. */
export async function ask(
  { stdin, stderr }: Pick<World, 'stdin' | 'stderr'>,
  interrupt: Interrupt,
  question: string,
): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const questions = createInterface({ input: stdin, output: stderr });
  // In raw mode the terminal sends Ctrl-C to the reader, not to the process.
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

/** Discards input that was typed before the question could be read. */
async function discardTyped(questions: Interface, stdin: World['stdin']): Promise<void> {
  let isQuiet = false;
  const hear = () => {
    isQuiet = false;
  };
  stdin.on('data', hear);
  // Input buffered by the terminal arrives in the next turns of the event loop. A turn without input ends it.
  while (!isQuiet) {
    isQuiet = true;
    await wait(20);
  }
  stdin.off('data', hear);
  questions.write(null, { ctrl: true, name: 'u' });
}
