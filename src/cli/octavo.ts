/** Answers `--version` immediately, and loads the rest only when it is needed. */
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { build } from '../util/version.ts';

/** Node.js versions, from and to, whose V8 is known to have the flags; others would print an error. */
const knownVersions = [20, 26] as const;
const major = Number(process.versions.node.split('.')[0]);

const flags = [
  // Percent by which the heap may grow between two full collections. By default it may grow to four times its size.
  '--heap-growing-percent=75',
  // Delays the optimization of WebAssembly, with which undici parses HTTP, until a run has received very much. Otherwise V8
  // starts it after a few responses, and a short run has to wait for it at its end.
  '--wasm-tiering-budget=1000000000',
  // Optimizes functions later: V8 has no quick compiler before 22, and most runs end before its slow one pays.
  ...(major < 22 ? ['--interrupt-budget=300000'] : []),
];

const [, , first, ...more] = process.argv;
if (more.length === 0 && (first === '--version' || first === '-v')) {
  process.stdout.write(`${build}\n`);
} else {
  tuneEngine(process.env);
  // For a command that never ends: Node's code for an unsettled top-level await.
  process.exitCode = 13;
  void Promise.all([import('./main.ts'), import('./world/process-world.ts')]).then(
    async ([{ main }, { processWorld }]) => {
      process.exitCode = await main(process.argv.slice(2), processWorld());
    },
  );
}

/**
 * Runs before any other module is loaded: V8 rejects compiled code that was made with other flags. docs/internals/start-up.md lists
 * the savings of each measure.
 */
function tuneEngine({ XDG_CACHE_HOME = '', HOME = '' }: NodeJS.ProcessEnv): void {
  const [from, to] = knownVersions;
  if (major >= from && major <= to) for (const flag of flags) setFlagsFromString(flag);
  const folder = isAbsolute(XDG_CACHE_HOME)
    ? XDG_CACHE_HOME
    : isAbsolute(HOME)
      ? join(HOME, '.cache')
      : undefined;
  // NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE take precedence, and a read-only folder is not an error.
  const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
  // The check of the version of Node.js is in this file, so all of it has old syntax.
  if (folder !== undefined && enableCompileCache) enableCompileCache(join(folder, 'octavo'));
}
