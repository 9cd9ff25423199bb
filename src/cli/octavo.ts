/** The command itself. Answers what needs nothing at once, and loads the rest only when it is needed. */
import { version } from './version.ts';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  process.stdout.write(`${version}\n`);
} else {
  const { main } = await import('./main.ts');
  process.exitCode = await main(args);
}
