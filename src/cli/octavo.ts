/** The command itself. Answers `--version` at once, and loads the rest only when it is needed. */
import { version } from '../util/version.ts';

const [, , first, ...more] = process.argv;
if (more.length === 0 && (first === '--version' || first === '-v')) {
  process.stdout.write(`${version}\n`);
} else {
  void import('./start.ts').then(({ start }) => start());
}
