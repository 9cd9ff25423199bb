import { userError } from '../../util/user-error.ts';
import completionScripts from '../completion/scripts.json' with { type: 'json' };
import { defineCommand, type Invocation } from '../line/command.ts';

const completingShells = ['bash', 'zsh', 'fish'] as const;

export const command = defineCommand({
  words: { name: 'shell', choices: completingShells },
  flags: {},
  run,
});

async function run({ words: [named], env, output }: Invocation): Promise<number> {
  const own = /([^/\\]+)$/.exec(env.SHELL ?? '')?.[1];
  const shell = completingShells.find((one) => one === (named ?? own));
  if (shell === undefined) {
    throw userError(
      'usage',
      'no shell is named, and SHELL names none that is supported',
      `name it: octavo completion ${completingShells.join('|')}`,
    );
  }
  output.result(completionScripts[shell]);
  return 0;
}
