/** Reads the bundler's output: the files that an entry point loads, and their contents. */
import { relative } from 'node:path';

/** Chunks of a rolldown output; modules by their path from the root. */
export function chunksOf(root, { output }) {
  const chunks = output
    .filter(({ type }) => type === 'chunk')
    .map(({ fileName, code, imports, modules, facadeModuleId }) => ({
      fileName,
      bytes: Buffer.byteLength(code),
      imports,
      entry: facadeModuleId ? relative(root, facadeModuleId) : undefined,
      // Unused modules are omitted from the code.
      modules: Object.entries(modules)
        .filter(([, { code }]) => code)
        .map(([id]) => relative(root, id)),
    }));
  const named = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const withImports = (some) => {
    const found = new Set(some);
    // Iterating a set includes elements that are added during the loop.
    for (const { imports } of found) {
      for (const name of imports) if (named.has(name)) found.add(named.get(name));
    }
    return [...found];
  };
  return { chunks, withImports, closure: (paths) => withImports(paths.map((path) => chunkOf(chunks, path))) };
}

/** The chunk that is loaded by the name of the module, else the one that contains it. */
function chunkOf(chunks, path) {
  const chunk =
    chunks.find(({ entry }) => entry === path) ?? chunks.find(({ modules }) => modules.includes(path));
  if (chunk === undefined) throw new Error(`no chunk for ${path}`);
  return chunk;
}
