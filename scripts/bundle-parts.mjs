/**
 * Which modules of the bundle go into one file. A file that is loaded takes time whatever is in it, so modules that the
 * same commands load are together, and a small file is not worth its while.
 */

import { budgets, changing, entriesOf, startEntries } from './bundle-sizes.mjs';

/** Modules that are loaded together: by every command, and by each of them to run. */
const wholes = [startEntries, ...Object.keys(budgets).map(entriesOf), [...entriesOf('plan'), ...changing]];

/** Bytes that load in the time that another file takes: it is looked for, opened and read. */
const perFile = 2000;

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
  const needs = wholes.map((paths) => bundle.closure(paths).reduce((sum, { bytes }) => sum + bytes, 0));
  while (joinTwo(bundle, { users, needs }));
  const groups = new Map();
  for (const [{ modules, entry }, loading] of users) {
    for (const path of modules) if (path !== entry && loading.size > 0) groups.set(path, nameOf(loading));
  }
  return (path) => groups.get(path);
}

/** Gives one group to all that load another, where that saves the most; false where it saves nothing. */
function joinTwo(bundle, { users, needs }) {
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
      .map((other) => ({
        needed,
        loading: other.loading,
        cost: costOf(needed, other.loading, { users, needs }) - savedBy(loading, needs),
      }));
  });
  const [best] = joins.sort((one, other) => one.cost - other.cost);
  if (best === undefined || best.cost >= 0) return false;
  for (const chunk of best.needed) users.set(chunk, new Set([...users.get(chunk), ...best.loading]));
  return true;
}

/** What wholes load in vain when they load these chunks as well, each as a share of what it needs; in all. */
function costOf(chunks, loading, { users, needs }) {
  let cost = 0;
  for (const chunk of chunks) {
    for (const whole of loading) if (!users.get(chunk).has(whole)) cost += chunk.bytes / needs[whole];
  }
  return cost;
}

/** A file less for each of these wholes. */
function savedBy(loading, needs) {
  return [...loading].reduce((sum, whole) => sum + perFile / needs[whole], 0);
}

/** Wholes by their numbers, a character each. */
function nameOf(loading) {
  const numbers = [...loading].sort((one, other) => one - other).map((whole) => whole.toString(36));
  return loading.has(0) ? 'start' : `part-${numbers.join('')}`;
}
