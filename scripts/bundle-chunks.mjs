/** What the bundler made, for whoever asks which files an entry point loads and what is in them. */
import { relative } from 'node:path';

/** The chunks of an output of rolldown; modules by their path from the root. */
export function chunksOf(root, { output }) {
  const chunks = output
    .filter(({ type }) => type === 'chunk')
    .map(({ fileName, code, imports, modules, facadeModuleId }) => ({
      fileName,
      bytes: Buffer.byteLength(code),
      imports,
      entry: facadeModuleId ? relative(root, facadeModuleId) : undefined,
      // What nothing uses is left out of the code.
      modules: Object.entries(modules)
        .filter(([, { code }]) => code)
        .map(([id]) => relative(root, id)),
    }));
  const named = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const withImports = (some) => {
    const found = new Set(some);
    // A set goes on with what is added to it meanwhile.
    for (const { imports } of found) {
      for (const name of imports) if (named.has(name)) found.add(named.get(name));
    }
    return [...found];
  };
  return { chunks, withImports, closure: (paths) => withImports(paths.map((path) => chunkOf(chunks, path))) };
}

/** The one that is loaded by the name of the module, or else the one that it is in. */
function chunkOf(chunks, path) {
  const chunk =
    chunks.find(({ entry }) => entry === path) ?? chunks.find(({ modules }) => modules.includes(path));
  if (chunk === undefined) throw new Error(`no chunk for ${path}`);
  return chunk;
}
