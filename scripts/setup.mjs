/** Puts the command octavo on the PATH with npm link. Says what to do if npm's folder for global packages belongs to someone else. */
import './node-version.cjs';
import { execFileSync, execSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const prefix = execSync('npm prefix --global', { encoding: 'utf8' }).trim();
const folders =
  process.platform === 'win32' ? [prefix] : ['lib/node_modules', 'bin'].map((name) => join(prefix, name));
const closed = folders.find((folder) => !isWritable(folder));
if (closed === undefined) {
  execFileSync(process.execPath, [fileURLToPath(new URL('ensure.mjs', import.meta.url))], {
    stdio: 'inherit',
  });
  execSync('npm link --no-audit --no-fund', { stdio: 'inherit' });
} else {
  process.stderr.write(
    [
      `error: cannot write ${closed}, where npm puts global commands`,
      '  help: choose a folder of yours: npm_config_prefix=~/.local npm run setup, with ~/.local/bin in PATH;',
      '        or run npm run demo once, and then node dist/octavo.js',
      '',
    ].join('\n'),
  );
  process.exitCode = 1;
}

/** A folder that does not exist is made in its parent, which must be a folder. */
function isWritable(folder) {
  if (!existsSync(folder)) return dirname(folder) !== folder && isWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
