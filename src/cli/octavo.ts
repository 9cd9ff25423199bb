/** The command itself. Answers `--version` at once, and loads the rest only when it is needed. */

import { version } from '../util/version.ts';
import { processArgs, processWorld, setExitCode } from './process-world.ts';

const args = processArgs();
if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  processWorld().stdout.write(`${version}\n`);
} else {
  const { main } = await import('./main.ts');
  setExitCode(await main(args, processWorld()));
}
