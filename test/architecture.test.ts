/**
 * Checks the rules of the architecture: which layer imports which, where the outside world is used, that no layer names
 * a kind, and that files are small.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { kinds } from '../src/kinds/index.ts';
import { diagnosticCodes } from '../src/util/diagnostic-codes.ts';

const source = fileURLToPath(new URL('../src', import.meta.url));

interface Import {
  readonly from: string;
  /** Erased by the compiler. */
  readonly typeOnly: boolean;
  /** True for `import(…)`. */
  readonly isDynamic?: boolean;
}

interface SourceFile {
  /** For example `plan/match.ts`. */
  readonly name: string;
  /** The folder under src, or the name of a file directly in src. */
  readonly layer: string;
  readonly text: string;
  /** The text without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const files: readonly SourceFile[] = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const name = relative(source, path).replaceAll('\\', '/');
    const text = readFileSync(path, 'utf8');
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
    return { name, layer: name.split('/')[0] ?? '', text, code, imports: importsOf(code) };
  });

function importsOf(code: string): readonly Import[] {
  const found = [...code.matchAll(/^(?:import|export)\s+([^;]*?)from\s+'([^']+)'/gm)].map(
    ([, names = '', from = '']) => {
      const listed = /^\{([\s\S]*)\}\s*$/.exec(names.trim())?.[1];
      const eachIsType =
        listed?.split(',').every((one) => one.trim() === '' || /^type\s/.test(one.trim())) ?? false;
      return { from, typeOnly: names.startsWith('type ') || eachIsType };
    },
  );
  const bare = [...code.matchAll(/^import\s+'([^']+)'/gm)].map(([, from = '']) => ({
    from,
    typeOnly: false,
  }));
  const dynamic = [...code.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)].map(([, from = '']) => ({
    from,
    typeOnly: false,
    isDynamic: true,
  }));
  return [...found, ...bare, ...dynamic];
}

/** The layer that an import leads to; undefined for packages. */
function layerOf(file: SourceFile, { from }: Import): string | undefined {
  if (!from.startsWith('.')) return undefined;
  return join(file.name, '..', from).replaceAll('\\', '/').split('/')[0];
}

const everything = [
  'contract',
  'kinds',
  'tree',
  'yaml',
  'manifest',
  'live',
  'plan',
  'review',
  'apply',
  'report',
  'client',
  'forge',
  'server',
  'past',
  'run',
];

/** Layer → layers that it may import, in addition to util and itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  util: [],
  contract: [],
  kinds: ['contract'],
  tree: ['kinds', 'contract'],
  yaml: [],
  manifest: ['yaml', 'tree', 'kinds', 'contract'],
  live: ['tree', 'kinds', 'contract'],
  plan: ['tree', 'kinds', 'contract'],
  review: ['plan', 'tree', 'kinds', 'contract'],
  apply: ['plan', 'live', 'tree', 'kinds', 'contract'],
  // `past` and `run` are for the types of results.
  report: ['plan', 'review', 'tree', 'apply', 'contract', 'past', 'run'],
  client: ['contract'],
  // Only connections and retries.
  forge: ['client'],
  server: ['contract'],
  // Plans, events and reads are what it keeps; it makes none.
  past: ['plan', 'apply', 'live', 'manifest', 'yaml', 'tree', 'kinds', 'contract'],
  // A session is given its service, and prints nothing.
  run: everything.filter((layer) => layer !== 'server' && layer !== 'report'),
  cli: everything,
  reference: [...everything, 'cli'],
  'index.ts': everything,
};

/** Stages of planning in their order: none imports a later one. Files of plan/ itself belong to all of them. */
const stages = ['match', 'complete', 'diff', 'order', 'guards'];

/** The stage of a file of plan/; -1 for others. */
function stageOf(name: string): number {
  const [layer = '', folder = ''] = name.split('/');
  return layer === 'plan' ? stages.indexOf(folder) : -1;
}

/** Packages → layers that may import them; no layer may import other packages. */
const packages: Readonly<Record<string, readonly string[]>> = {
  zod: [
    'util',
    'contract',
    'kinds',
    'tree',
    'manifest',
    'plan',
    'review',
    'apply',
    'server',
    'past',
    'run',
    'cli',
    'client',
    'reference',
  ],
  yaml: ['yaml', 'server', 'cli'],
  ajv: ['manifest', 'server'],
  diff: ['report'],
  semver: ['manifest'],
  'string-width': ['report'],
  'fastest-levenshtein': ['util'],
  // Pure.
  tinyqueue: ['plan'],
  undici: ['client', 'server'],
  libsql: ['server'],
  fflate: ['server'],
  yargs: ['cli'],
  ora: ['cli'],
};

/** Layers that use the outside world. */
const edges = ['manifest', 'client', 'server', 'past', 'run', 'cli'];

const lineCount = (text: string): number => text.trimEnd().split('\n').length;

/** One line per finding, so that a failure shows all of them. */
function offences(find: (file: SourceFile) => readonly string[]): readonly string[] {
  return files.flatMap((file) => find(file).map((what) => `${file.name}: ${what}`));
}

describe('imports', () => {
  test('follow the table of layers', () => {
    const wrong = offences((file) =>
      file.imports
        .filter((one) => {
          const layer = layerOf(file, one);
          if (layer === undefined || layer === file.layer || layer === 'util') return false;
          return !(allowed[file.layer] ?? []).includes(layer);
        })
        .map(({ from }) => `imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  test('of report/ from past/ and run/ are types only', () => {
    const wrong = offences((file) =>
      file.layer !== 'report'
        ? []
        : file.imports
            .filter((one) => /^(?:past|run)$/.test(layerOf(file, one) ?? '') && !one.typeOnly)
            .map(({ from }) => `imports values of ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  test('of planning stages never point to a later stage', () => {
    const wrong = offences((file) => {
      const own = stageOf(file.name);
      return file.imports
        .filter(({ from }) => from.startsWith('.') && own >= 0)
        .filter(({ from }) => stageOf(join(file.name, '..', from).replaceAll('\\', '/')) > own)
        .map(({ from }) => `imports ${from}`);
    });
    expect(wrong).toEqual([]);
  });

  test('form no cycle, types included', () => {
    const byName = new Map(files.map((file) => [file.name, file]));
    const reached = (from: string): ReadonlySet<string> => {
      const found = new Set<string>();
      const open = [from];
      for (let name = open.pop(); name !== undefined; name = open.pop())
        for (const { from: target } of byName.get(name)?.imports ?? []) {
          const next = join(name, '..', target).replaceAll('\\', '/');
          if (!target.startsWith('.') || !byName.has(next) || found.has(next)) continue;
          found.add(next);
          open.push(next);
        }
      return found;
    };
    expect([...byName.keys()].filter((name) => reached(name).has(name))).toEqual([]);
  });

  test('every layer has a row in the table', () => {
    expect(files.filter(({ layer }) => allowed[layer] === undefined).map(({ name }) => name)).toEqual([]);
  });

  test('the observers of few runs are imported dynamically or as types', () => {
    const few = ['github-files.ts', 'run-document.ts'].map((name) => `cli/observe/${name}`);
    const loaded = new Set<string>();
    const wrong = offences((file) =>
      file.imports
        .filter(({ from, typeOnly, isDynamic = false }) => {
          const target = join(file.name, '..', from).replaceAll('\\', '/');
          if (!few.includes(target)) return false;
          loaded.add(target);
          return !typeOnly && !isDynamic;
        })
        .map(({ from }) => `imports ${from}`),
    );
    expect(wrong).toEqual([]);
    expect([...loaded].sort()).toEqual([...few].sort());
  });

  test('packages and node:* are imported only at the edges', () => {
    const wrong = offences((file) =>
      file.imports
        .filter(({ from, typeOnly }) => {
          if (from.startsWith('.') || typeOnly) return false;
          if (from.startsWith('node:')) return !edges.includes(file.layer) && from !== 'node:path';
          const name = from.split('/')[0] ?? '';
          return !(packages[name] ?? []).includes(file.layer);
        })
        .map(({ from }) => `imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  test('include the file extension', () => {
    const wrong = offences((file) =>
      file.imports
        .filter(({ from }) => from.startsWith('.') && !/\.(?:ts|json)$/.test(from))
        .map(({ from }) => from),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the outside world', () => {
  test('console, process, the clock and randomness are injected', () => {
    const world = /\b(console\.\w+|process\.\w+|Date\.now\(|new Date\(\)|Math\.random\b|performance\.now\()/g;
    const wrong = offences(({ name, layer, code }) =>
      layer === 'cli' || layer === 'server' || name === 'client/system-clock.ts'
        ? []
        : [...code.matchAll(world)].map(([found]) => found),
    );
    expect(wrong).toEqual([]);
  });

  test('only octavo.ts and process-world.ts of the command line use the process', () => {
    const touching = files.filter(
      ({ layer, code }) => layer === 'cli' && /\b(process|console)\.\w/.test(code),
    );
    expect(touching.map(({ name }) => name)).toEqual(['cli/octavo.ts', 'cli/world/process-world.ts']);
  });

  test('only the work folder and the journals write files', () => {
    const ports = ['manifest/files/work-folder.ts', 'past/journal/journal-folder.ts'];
    // Empty work trees and indexes of git, outside of the checkout.
    const scratch = ['manifest/files/git-repository.ts'];
    const reads =
      /^(?:(?:access|close|exists|fstat|lstat|open|readFile|read|readdir|readlink|realpath|stat)Sync|constants|promises as fs)$/;
    const wrong = offences(({ name, layer, code }) => {
      if (layer === 'server' || ports.includes(name)) return [];
      const imports = [...code.matchAll(/^import \{([^}]*)\} from 'node:fs(?:\/promises)?'/gm)];
      const names = imports.flatMap(([, list = '']) => list.split(',').map((one) => one.trim()));
      const uses = code.match(
        /\bfs\.(?!(?:stat|lstat|readdir|readFile|realpath)\b)\w+|\bopenSync\([^)]*, '(?!r')[^)]*/g,
      );
      const writes = names.filter((one) => one !== '' && !reads.test(one));
      const isScratch = (one: string) => scratch.includes(name) && /^(?:mkdtemp|rm)(?:Sync)?$/.test(one);
      return [...writes.filter((one) => !isScratch(one)), ...(uses ?? [])];
    });
    expect(wrong).toEqual([]);
  });

  test('only the repository of git runs programs', () => {
    const running = files.filter(({ imports }) => imports.some(({ from }) => from === 'node:child_process'));
    expect(running.map(({ name }) => name)).toEqual([
      'manifest/files/git-objects.ts',
      'manifest/files/git.ts',
    ]);
    const users = files.filter(({ imports }) => imports.some(({ from }) => from.endsWith('/git.ts')));
    expect(users.map(({ name }) => name)).toEqual([
      'manifest/files/git-repository.ts',
      'run/rules/load-rules.ts',
    ]);
  });

  test('planning and reporting are synchronous', () => {
    const wrong = offences(({ layer, code }) =>
      layer === 'plan' || layer === 'report'
        ? [...code.matchAll(/\b(async|await|Promise)\b/g)].map(([word]) => word)
        : [],
    );
    expect(wrong).toEqual([]);
  });
});

describe('kinds', () => {
  const blind = ['manifest', 'tree', 'live', 'plan', 'review', 'apply', 'report'];

  test('are not named in any other layer', () => {
    const names = kinds.map(({ name }) => name).filter((name) => name !== 'organization');
    const wrong = offences(({ layer, code }) => {
      if (!blind.includes(layer)) return [];
      const quoted = names.filter((name) => code.includes(`'${name}'`));
      // The organization is the root of every manifest, so messages may name it.
      const compared = /kind(?:\.name)?\s*[!=]==?\s*'\w+'|case\s+'organization'/.exec(code)?.[0];
      return [...quoted, ...(compared === undefined ? [] : [compared])];
    });
    expect(wrong).toEqual([]);
  });

  test('have no field that another layer names', () => {
    const names = new Set(
      kinds.flatMap((kind) => [kind, kind.newer?.() ?? kind]).flatMap(({ fields }) => Object.keys(fields)),
    );
    /** Each pattern captures names. Words that are not next to `fields` may mean anything. */
    const uses = [
      // fields.title, fields['title']
      /\bfields\??\.(\w+)\b(?!\()/g,
      /\bfields(?:\?\.)?\[('[^']+')\]/g,
      // const { title } = node.fields, ({ fields: { title } })
      /\{([^{}]*)\}\s*=\s*[\w.?]*\bfields\s*;/g,
      /\bfields:\s*\{([^{}]*)\}[^;]*=/g,
      // name === 'title'
      /\b(?:name|field)\s*[!=]==\s*('[^']+')/g,
      // for (const name of ['title', 'label']) … fields[name]
      /\[((?:\s*'[^']+',?)+)[^\]]*\](?=[^;]*;?[^;]*\bfields\??\.?\[)/g,
    ];
    const wrong = offences(({ layer, code }) =>
      blind.includes(layer) || layer === 'run'
        ? uses.flatMap((use) =>
            [...code.matchAll(use)].flatMap(([, found = '']) => {
              const words = found.split(',').map((word) => word.trim().replace(/:.*$|^'|'$/g, ''));
              return words.filter((word) => names.has(word));
            }),
          )
        : [],
    );
    expect(wrong).toEqual([]);
  });

  test('are each imported by name in kinds/index.ts', () => {
    const index = readFileSync(join(source, 'kinds/index.ts'), 'utf8');
    for (const { name } of kinds)
      expect(index).toMatch(new RegExp(`import \\{ ${name} \\} from './[a-z-]+\\.ts'`));
  });
});

describe('files', () => {
  const barrels = ['contract/index.ts', 'kinds/index.ts', 'server/index.ts', 'index.ts'];

  test('have at most 500 lines', () => {
    const wrong = files.filter(({ text }) => lineCount(text) > 500).map(({ name }) => name);
    expect(wrong).toEqual([]);
  });

  test('under 40 lines with a single importer are merged into it', () => {
    // Small by design: one file for each kind, check and guard, generated files, a worker, and ambient types.
    const apart = /^(?:kinds|manifest\/warnings|plan\/guards)\/|yaml-parse|page-assets|\.d\.ts$/;
    const importers = new Map<string, { readonly file: SourceFile; readonly isLazy: boolean }[]>();
    for (const file of files) {
      for (const { from, isDynamic = false } of file.imports) {
        const target = from.startsWith('.') ? join(file.name, '..', from).replaceAll('\\', '/') : from;
        importers.set(target, [...(importers.get(target) ?? []), { file, isLazy: isDynamic }]);
      }
    }
    const wrong = files.filter(({ name, layer, text }) => {
      if (apart.test(name)) return false;
      const [only, ...others] = importers.get(name) ?? [];
      if (only === undefined || others.length > 0 || only.isLazy || only.file.layer !== layer) return false;
      return lineCount(text) < 40 && lineCount(text) + lineCount(only.file.text) <= 500;
    });
    expect(wrong.map(({ name }) => `${name} belongs into ${importers.get(name)?.[0]?.file.name}`)).toEqual(
      [],
    );
  });

  test('have names in kebab-case', () => {
    expect(files.filter(({ name }) => !/^[a-z0-9/.-]+$/.test(name)).map(({ name }) => name)).toEqual([]);
  });

  test('have no default export, and re-export only in barrels', () => {
    const wrong = offences(({ name, code }) => [
      ...(/^export default\b/m.test(code) ? ['default export'] : []),
      ...(barrels.includes(name)
        ? []
        : [...code.matchAll(/^export\s+(\*|\{[^}]*\})\s+from/gm)].map(([found]) => found)),
    ]);
    expect(wrong).toEqual([]);
  });

  test('give each type a unique name', () => {
    const places = new Map<string, string[]>();
    for (const { name, code } of files) {
      for (const [, type = ''] of code.matchAll(
        /^(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm,
      )) {
        places.set(type, [...(places.get(type) ?? []), name]);
      }
    }
    const wrong = [...places].filter(([, at]) => at.length > 1);
    expect(wrong).toEqual([]);
  });

  test('of the library, the contract and the kinds document each export', () => {
    const wrong = offences(({ name, text }) => {
      if (!/^(?:kinds\/|contract\/|index\.ts)/.test(name)) return [];
      const lines = text.split('\n');
      return lines.filter((line, at) => {
        // The head of its file describes a command.
        if (!/^export (async )?(function|class|const(?! command = )|interface)\b/.test(line)) return false;
        const before = lines[at - 1] ?? '';
        return !before.trim().endsWith('*/');
      });
    });
    expect(wrong).toEqual([]);
  });
});

test('no list is spread into arguments, which overflows the stack for long lists', () => {
  const spreads = /\.push\(\s*\.\.\.|Math\.(?:min|max)\((?:[^;()]*,\s*)?\.\.\./;
  expect(files.filter(({ code }) => spreads.test(code)).map(({ name }) => name)).toEqual([]);
});

describe('diagnostics', () => {
  /** Whether the code is quoted in a file, or composed of a prefix and a quoted name. */
  const isUsed = (code: string) =>
    files.some(
      ({ name, code: text }) =>
        name !== 'util/diagnostic-codes.ts' &&
        (text.includes(`'${code}'`) ||
          text.includes(`[${code}]`) ||
          (/^(?:api|refused)-/.test(code) && text.includes(`'${code.replace(/^(?:api|refused)-/, '')}'`))),
    );

  // The compiler refuses codes that are not in the list.
  test('each code in the list is used', () => {
    expect(diagnosticCodes.filter((code) => !isUsed(code))).toEqual([]);
    expect(new Set(diagnosticCodes).size).toBe(diagnosticCodes.length);
  });
});

test('the lock file does not record where packages were downloaded from', () => {
  const lock = readFileSync(join(source, '../package-lock.json'), 'utf8');
  expect(lock).not.toMatch(/"resolved"/);
});
