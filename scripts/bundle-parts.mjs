/**
 * Groups the modules of the bundle into files. Loading a file has a fixed cost, so modules that the same commands load are together,
 * and small files are merged.
 */

import { budgets, changing, entriesOf, startEntries } from './bundle-sizes.mjs';

/** Modules that are loaded together: by every command, and by each to run. */
const wholes = [startEntries, ...Object.keys(budgets).map(entriesOf), [...entriesOf('plan'), ...changing]];

/** Fixed cost of a file as the number of bytes that load in that time: it is found, opened and read. */
const perFile = 2000;

/**
 * The group of a module, by its path: the same for modules that the same wholes load. Undefined for modules without a whole, and for
 * modules that are loaded by name. Imports of a module are in its group, or in one that more wholes load, so that files never depend on
 * each other.
 */
export function groupsOf(bundle) {
  const users = new Map(bundle.chunks.map((chunk) => [chunk, new Set()]));
  wholes.forEach((paths, whole) => {
    for (const chunk of bundle.closure(paths)) users.get(chunk).add(whole);
  });
  // Every command also loads the modules of the start.
  for (const [chunk, loading] of users) if (loading.has(0)) users.set(chunk, new Set(wholes.keys()));
  const needs = wholes.map((paths) => bundle.closure(paths).reduce((sum, { bytes }) => sum + bytes, 0));
  while (joinTwo(bundle, { users, needs }));
  const groups = new Map();
  for (const [{ modules, entry }, loading] of users) {
    for (const path of modules) if (path !== entry && loading.size > 0) groups.set(path, nameOf(loading));
  }
  return (path) => groups.get(path);
}

/** Merges the two groups with the greatest savings; false if no merge saves time. */
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
        // Never adds to the modules that every command loads.
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

/** Cost of chunks that wholes load unnecessarily, each as a share of its needed size; summed. */
function costOf(chunks, loading, { users, needs }) {
  let cost = 0;
  for (const chunk of chunks) {
    for (const whole of loading) if (!users.get(chunk).has(whole)) cost += chunk.bytes / needs[whole];
  }
  return cost;
}

/** Each of these wholes loads one file less. */
function savedBy(loading, needs) {
  return [...loading].reduce((sum, whole) => sum + perFile / needs[whole], 0);
}

/** Encodes wholes by their numbers, as a character each. */
function nameOf(loading) {
  const numbers = [...loading].sort((one, other) => one - other).map((whole) => whole.toString(36));
  return loading.has(0) ? 'start' : `part-${numbers.join('')}`;
}
