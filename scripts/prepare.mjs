/** Builds all that a package contains: for npm pack, and where npm or pre-commit installs from git, whose settings are not for us. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

for (const name of Object.keys(process.env)) {
  if (/^npm_config_(?:global|location|prefix|omit|include|production)$/i.test(name)) delete process.env[name];
}
await import('./ensure.mjs');
const root = fileURLToPath(new URL('..', import.meta.url));
const args = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'];
process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] }).status ?? 1;
