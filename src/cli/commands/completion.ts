/** `octavo completion`: prints what a shell completes the command with. Reads and changes nothing. */
import { userError } from '../../util/user-error.ts';
import { completionScripts } from '../completion/scripts.ts';
import { completingShells } from '../completion/shells.ts';
import type { Invocation } from '../invocation.ts';

/** Exit code 0. Without a shell, the one that `SHELL` names. */
export async function run({ argument, env, output }: Invocation): Promise<number> {
  const own = /([^/\\]+)$/.exec(env.SHELL ?? '')?.[1];
  const shell = completingShells.find((one) => one === (argument ?? own));
  if (shell === undefined) {
    throw userError('usage', 'for which shell?', `name it: octavo completion ${completingShells.join('|')}`);
  }
  output.result(completionScripts[shell]);
  return 0;
}
