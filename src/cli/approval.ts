/** Asks on the terminal whether a plan is to be applied. */
import { createInterface } from 'node:readline/promises';

/** True for the answer `yes` alone. Ends with false when the signal is aborted or the input ends. */
export async function askForApproval(signal: AbortSignal): Promise<boolean> {
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  // In raw mode the terminal hands Ctrl-C to the reader and not to the process.
  questions.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const ended = new Promise<string>((resolve) => questions.once('close', () => resolve('')));
    const asked = questions.question('\nApply these changes? Only "yes" is accepted: ', { signal });
    return (await Promise.race([asked, ended])).trim() === 'yes';
  } finally {
    questions.close();
  }
}
