/** Answers `--version` immediately, and loads the rest only when it is needed. */
import { version } from '../util/version.ts';

const [, , first, ...more] = process.argv;
if (more.length === 0 && (first === '--version' || first === '-v')) {
  process.stdout.write(`${version}\n`);
} else {
  // For a command that never ends: Node's code for an unsettled top-level await.
  process.exitCode = 13;
  void Promise.all([import('./main.ts'), import('./world/process-world.ts')]).then(
    async ([{ main }, { processWorld }]) => {
      process.exitCode = await main(process.argv.slice(2), processWorld());
    },
  );
}
