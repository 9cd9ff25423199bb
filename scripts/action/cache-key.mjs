/**
 * Gives the steps of the action the cache key of the build, and the checkout that contains it. The key depends on the sources, so that a
 * moved tag never uses a build of others. Prints nothing if the build exists.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));

if (!existsSync(join(root, 'dist', '.built'))) {
  const files = ['scripts', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
  );
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json', ...files].sort()) {
    const text = readFileSync(join(root, name));
    hash.update(`${name} ${text.length}\n`).update(text);
  }
  const { platform, arch } = process;
  process.stdout.write(`key=octavo-${platform}-${arch}-${hash.digest('hex')}\nroot=${root}\n`);
}
