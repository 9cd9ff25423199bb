/** Finds files that come with the package, from bundles and from sources alike. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The absolute path of a file or folder of the package; undefined where it was not shipped. */
export function shippedPath(name: string): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    // The one in dist/ only says what sort of modules are there.
    if (basename(folder) !== 'dist' && existsSync(join(folder, 'package.json'))) {
      const path = join(folder, name);
      return existsSync(path) ? path : undefined;
    }
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}
