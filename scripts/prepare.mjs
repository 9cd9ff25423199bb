/** Builds all that a package contains: for npm pack, and where npm or pre-commit installs from git, whose settings are not for us. */
import { lstatSync, mkdirSync, realpathSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
unlinkClone(process.env);
for (const name of Object.keys(process.env)) {
  if (/^npm_config_(?:global|location|prefix|omit|include|production)$/i.test(name)) delete process.env[name];
}
await import('./ensure.mjs');
await import('./types.mjs');

/** `npm install --global git+…` links its temporary clone in place of the folder of the package: what it writes there is deleted with the clone. */
function unlinkClone({ npm_config_global: isGlobal, npm_config_prefix: prefix }) {
  if (isGlobal !== 'true' || prefix === undefined) return;
  const link = join(prefix, 'lib', 'node_modules', 'octavo');
  try {
    const isClone = /[\\/]_cacache[\\/]tmp[\\/]/.test(root) && realpathSync(link) === realpathSync(root);
    if (!isClone || !lstatSync(link).isSymbolicLink()) return;
    unlinkSync(link);
    mkdirSync(link);
  } catch {
    // There is none.
  }
}
