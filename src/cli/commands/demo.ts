/** `octavo demo`: a pull request from its first plan to its undo, on an organization that is made up. Leaves nothing behind. */
import { createInterface } from 'node:readline';
import { makeStyle } from '../../report/style.ts';
import { DemoStage } from '../demo/stage.ts';
import { tellStory } from '../demo/story.ts';
import type { Invocation } from '../invocation.ts';

/** Time to read on, between scenes on a terminal. */
const pauseMilliseconds = 2000;

/** Exit code 0 when every command did what the story says. */
export async function run(invocation: Invocation): Promise<number> {
  const { output, interrupt, flags } = invocation;
  const stage = await DemoStage.open(invocation);
  const forget = interrupt.onExit(() => stage.close());
  const { strong } = makeStyle(output);
  // Whatever is under way ends before the folder goes.
  interrupt.finishFirst();
  try {
    output.result(introduction(strong(stage.folder)));
    const isAsTold = await tellStory({
      output,
      stage,
      pause: () => pause(invocation),
      isInterrupted: () => interrupt.requested,
    });
    if (interrupt.requested) return interrupt.exitCode;
    if (!isAsTold) return 1;
    output.result(farewell(stage.folder, flags.keep));
    return 0;
  } finally {
    forget();
    stage.close();
  }
}

function introduction(folder: string): string {
  return `Octavo keeps documentation workspaces in git. This is Acme, which is made up: a git repository,
and a service on this machine. Every command below runs in this folder, and can be run by hand:

  ${folder}

`;
}

function farewell(folder: string, kept: string | undefined): string {
  const where =
    kept === undefined
      ? 'The folder is gone now; octavo demo --keep DIR keeps it, with demo.html, the plan as a page.'
      : `Everything is in ${folder}: open demo.html, or change a file and run octavo plan.`;
  return `That is all: change the files, read the plan, apply it.\n${where}\nYour own workspace: octavo init, or docs/adopting.md.\n`;
}

/** On a terminal: until Enter is pressed, with --step; for a while otherwise. */
async function pause(invocation: Invocation): Promise<void> {
  const { output, world, flags, interrupt } = invocation;
  if (!output.isTerminal) return;
  if (flags.step === true && world.stdin.isTTY === true) await waitForEnter(invocation);
  else await world.clock.sleep(pauseMilliseconds, interrupt.signal);
}

function waitForEnter({ world, interrupt }: Invocation): Promise<void> {
  const lines = createInterface({ input: world.stdin, output: world.stderr, prompt: '(Enter to go on) ' });
  return new Promise((resolve) => {
    // In raw mode the terminal hands Ctrl-C to the reader and not to the process.
    lines.once('SIGINT', () => {
      interrupt.receive('SIGINT');
      lines.close();
    });
    lines.once('line', () => lines.close());
    lines.once('close', resolve);
    lines.prompt();
  });
}
