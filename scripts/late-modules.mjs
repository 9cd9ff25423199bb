/**
 * Modules that most runs do not need: each is a separate file, or part of Node, and is loaded when one of its functions is first called.
 * Importers get functions that do so.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const modules = [
  // Implements `toJSONSchema` of zod, which every schema refers to.
  'node_modules/zod/v4/core/to-json-schema.js',
  'node_modules/zod/v4/core/json-schema-processors.js',
  // Needed for text that is not ASCII.
  'node_modules/string-width/index.js',
  // Needed for lists and long texts that change.
  'node_modules/diff/libesm/index.js',
  // Needed for operations that no kind has.
  'src/contract/resources/content.ts',
  'src/contract/resources/discussion.ts',
  // Needed for invalid command lines.
  'src/cli/line/mistakes.ts',
  'src/manifest/build/repair.ts',
  'src/manifest/build/suggestion.ts',
  'src/plan/match/match-problems.ts',
  // Needed for references by title.
  'src/plan/match/titles.ts',
  'src/report/diagnostics/diagnostics.ts',
  'src/report/diagnostics/markdown.ts',
  // Needed for plans that change or omit objects.
  'src/plan/scope/changed.ts',
  'src/plan/scope/narrow.ts',
  'src/report/plan/field-statement.ts',
  'src/review/access/access.ts',
  'src/review/web-addresses.ts',
  // Needed for plans with a base.
  'src/plan/match/match-by-base.ts',
  'src/review/policy.ts',
  // Needed for plans that delete spaces or change paths.
  'src/review/inbound-links.ts',
  // Needed if rules apply, or runs are known.
  'src/review/rules.ts',
  'src/past/journal/read-journal.ts',
  // Needed for access that ends.
  'src/manifest/build/endings.ts',
  // Needed for shards.
  'src/manifest/build/outline.ts',
  // Needed for JSON files that manifests include.
  'src/yaml/json-text.ts',
];

/** undici itself requires this on processors without SIMD. */
const parser = 'node_modules/undici/lib/llhttp/llhttp-wasm.js';

/** Loading it takes a fifth of the time of starting Node, and most runs do not hash. */
const crypto = 'node:crypto';

/** File name of a module, next to the other chunks. */
function fileOf(path) {
  return `late-${path
    .split('/')
    .slice(-2)
    .join('-')
    .replace(/(?:-index)?\.[jt]s$/, '')}`;
}

/** Additional entry points of the bundle. */
export const lateInput = Object.fromEntries(
  [...modules, parser].map((path) => [`chunks/${fileOf(path)}`, path]),
);

const mark = '\0late:';

export function lateModules(root) {
  const late = new Set(modules.map((path) => join(root, path)));
  const sources = new Set([...modules.map((path) => basename(path)), 'string-width', 'diff']);
  return {
    name: 'late modules',
    async resolveId(source, importer) {
      if (source === crypto) return importer?.startsWith(join(root, 'src')) ? `${mark}${crypto}` : undefined;
      if (importer?.startsWith(mark)) return { id: source, external: true };
      if (importer === undefined || !(sources.has(basename(source)) || source.endsWith(basename(parser))))
        return undefined;
      const { id } = (await this.resolve(source, importer, { skipSelf: true })) ?? {};
      if (id === join(root, parser)) return { id: `./${fileOf(parser)}.js`, external: true };
      // Modules that belong to a late one import it directly.
      return late.has(id) && !/json-schema[\w-]*\.js$/.test(importer) ? `${mark}${id}` : undefined;
    },
    async load(id) {
      if (!id.startsWith(mark)) return undefined;
      const path = id.slice(mark.length);
      const file = path === crypto ? crypto : `./${fileOf(path)}.js`;
      const names = await functionsOf(path);
      return [`const load = () => require(${JSON.stringify(file)});`, ...names.map(standIn)].join('\n');
    },
  };
}

/** Names of the functions that it exports, and of tables of functions; importing any other export breaks the build. */
async function functionsOf(path) {
  if (path.endsWith('.ts')) {
    const found = readFileSync(path, 'utf8').matchAll(
      /^export (?:(?:async )?function\*? (\w+)|const (\w+)(?:: .+)? = (?:(?:once|resource)?\(|(\{)))/gm,
    );
    return [...found].map(([, name, constant, table]) => ({
      name: name ?? constant,
      isTable: table !== undefined,
    }));
  }
  const exported = await import(path === crypto ? crypto : pathToFileURL(path).href);
  const names = Object.keys(exported).filter((name) => typeof exported[name] === 'function');
  return names.map((name) => ({ name, isTable: false }));
}

function standIn({ name, isTable }) {
  const own = name === 'default' ? 'late' : name;
  const real = `load().${name}`;
  const text = isTable
    ? `const ${own} = new Proxy({}, { get: (_, key) => ${real}[key] });`
    : /^[A-Z]/.test(name)
      ? `function ${own}(...given) { return new (${real})(...given); }`
      : `const ${own} = (...given) => ${real}(...given);`;
  return `${text}\nexport { ${own} as ${name} };`;
}
