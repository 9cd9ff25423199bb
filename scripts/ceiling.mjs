/**
 * The size of src: all lines of its *.ts files. The ceiling may only be lowered, to what src has after a change that removes some; what is
 * added replaces something.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ceiling = 79_732;

const root = fileURLToPath(new URL('..', import.meta.url));
const lines = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .reduce((sum, name) => sum + readFileSync(join(root, 'src', name), 'utf8').split('\n').length - 1, 0);
const committed = committedCeiling();

process.stdout.write(`src has ${lines} lines, at most ${ceiling}\n`);
if (lines > ceiling) fail(`src has ${lines - ceiling} lines too many: remove some`);
if (ceiling > committed) fail(`the ceiling may only be lowered: it was ${committed}`);

/** The ceiling of the last commit; infinite in a folder without one. */
function committedCeiling() {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    const text = execFileSync('git', ['show', 'HEAD:scripts/ceiling.mjs'], options);
    return Number(/^const ceiling = ([\d_]+);$/m.exec(text)[1].replaceAll('_', ''));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
