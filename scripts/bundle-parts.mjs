/**
 * Which modules of the bundle go into one file. A file that is loaded takes time whatever is in it, so modules that the
 * same commands load are together, and a small file is not worth its while.
 */

/** Modules that are loaded together: by every command, for help, and by one command or some, which all read a command line. */
const wholes = [
  ['src/cli/octavo.ts', 'src/cli/main.ts', 'src/cli/world/process-world.ts'],
  ['src/cli/line/help.ts'],
  ['src/cli/commands/show.ts'],
  ['src/cli/commands/history.ts'],
  ['src/cli/commands/report.ts'],
  ['src/cli/commands/comment.ts', 'src/cli/commands/issue.ts', 'src/cli/commands/approval.ts'],
  ['src/cli/commands/schema.ts'],
  ['src/cli/commands/explain.ts'],
  ['src/cli/commands/validate.ts'],
  ['src/cli/commands/matrix.ts'],
  ['src/cli/commands/graph.ts'],
  ['src/cli/commands/unlock.ts'],
  ['src/cli/commands/plan.ts'],
  ['src/cli/commands/api.ts'],
  ['src/cli/service/client.ts'],
  ['src/cli/commands/serve.ts', 'src/server/index.ts'],
].map((paths, at) => (at > 1 ? ['src/cli/line/read-line.ts', ...paths] : paths));

/** Bytes that commands may load in vain, all together, to save a file. */
const inVain = 80_000;

/**
 * The group of a module, by its path: the same for modules that the same wholes load; undefined for those of none, and
 * for the modules that are loaded by name. What a module imports is in its group, or in one that more wholes load, so no
 * two files need each other.
 */
export function groupsOf(bundle) {
  const users = new Map(bundle.chunks.map((chunk) => [chunk, new Set()]));
  wholes.forEach((paths, whole) => {
    for (const chunk of bundle.closure(paths)) users.get(chunk).add(whole);
  });
  // Everything loads what the start loads.
  for (const [chunk, loading] of users) if (loading.has(0)) users.set(chunk, new Set(wholes.keys()));
  while (joinTwo(users, bundle));
  const groups = new Map();
  for (const [{ modules, entry }, loading] of users) {
    for (const path of modules) if (path !== entry && loading.size > 0) groups.set(path, nameOf(loading));
  }
  return (path) => groups.get(path);
}

/** Gives one group to all that load another, where that costs the least; false where it costs too much for every two. */
function joinTwo(users, bundle) {
  const groups = new Map();
  for (const [chunk, loading] of users) {
    const name = nameOf(loading);
    if (loading.size > 0) groups.set(name, { loading, chunks: [...(groups.get(name)?.chunks ?? []), chunk] });
  }
  const joins = [...groups.values()].flatMap(({ loading, chunks }) => {
    const needed = bundle.withImports(chunks);
    return [...groups.values()]
      .filter(
        // Nothing is added to what every command loads.
        (other) =>
          !other.loading.has(0) &&
          other.loading.size > loading.size &&
          [...loading].every((whole) => other.loading.has(whole)),
      )
      .map((other) => ({ needed, loading: other.loading, cost: costOf(needed, other.loading, users) }));
  });
  const [best] = joins.sort((one, other) => one.cost - other.cost);
  if (best === undefined || best.cost > inVain) return false;
  for (const chunk of best.needed) users.set(chunk, new Set([...users.get(chunk), ...best.loading]));
  return true;
}

/** The bytes that wholes load in vain when they load these chunks as well. */
function costOf(chunks, loading, users) {
  const more = (chunk) => [...loading].filter((whole) => !users.get(chunk).has(whole)).length;
  return chunks.reduce((sum, chunk) => sum + chunk.bytes * more(chunk), 0);
}

/** Wholes by their numbers, as letters. */
function nameOf(loading) {
  const letters = [...loading]
    .sort((one, other) => one - other)
    .map((whole) => String.fromCharCode(97 + whole));
  return loading.has(0) ? 'start' : `part-${letters.join('')}`;
}
