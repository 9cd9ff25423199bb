/**
 * Compiles the source and the helpers of tests to JavaScript that Node.js loads itself, which takes a sixth less CPU than modules that
 * vitest links. Test files stay with vitest, whose watch mode does not see changes of the others.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'rolldown/utils';
import type { Plugin } from 'vitest/config';

/** Loaded once for each file of tests, as vitest does it. */
const setup = resolve('test/support/cpu-of-files.ts');

const isNative = (file: string) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== setup;

/** Builds name their commit, and what they write does, too. */
const commit = '" (0123456+)"';

/** Another run may load what is there, so only what has changed is written. */
function writeChanged(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function compile(file: string, text: string, target: string): void {
  const url = JSON.stringify(pathToFileURL(file).href);
  const folder = JSON.stringify(dirname(file));
  const { code, map, errors } = transformSync(file, text, {
    target: 'node20',
    sourcemap: true,
    typescript: { rewriteImportExtensions: 'rewrite' },
    define: { 'import.meta.url': url, 'import.meta.dirname': folder, OCTAVO_COMMIT: commit },
  });
  if (errors.length > 0) throw new Error(`${relative('.', file)}: ${errors[0]?.message}`);
  writeChanged(target, `${code}\n//# sourceMappingURL=${basename(target)}.map\n`);
  writeChanged(`${target}.map`, JSON.stringify({ ...map, sources: [file] }));
}

/** Compiles into a folder of this name; change is what a mutant does to the text of a file. */
export function nativeModules(name: string, change: (file: string, text: string) => string): Plugin {
  const out = resolve('node_modules/.cache/octavo', name);
  const targetOf = (file: string) => join(out, relative('.', file)).replace(/\.ts$/, '.js');
  for (const folder of ['src', 'test']) {
    for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const file = resolve(folder, entry);
      if (isNative(file)) compile(file, change(file, readFileSync(file, 'utf8')), targetOf(file));
      else if (folder === 'src' && file.endsWith('.json'))
        writeChanged(targetOf(file), readFileSync(file, 'utf8'));
    }
  }
  return {
    name: 'native-modules',
    enforce: 'pre',
    resolveId(id, from) {
      if (from === undefined || !id.startsWith('.')) return undefined;
      const file = resolve(from, '..', id);
      const isOurs = !relative('.', file).startsWith('..') && !file.includes('node_modules');
      return isOurs && isNative(file) ? { id: targetOf(file), external: true } : undefined;
    },
  };
}
