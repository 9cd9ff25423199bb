/**
 * The rules of the house that a reader would otherwise have to trust: who imports whom, where the outside world is
 * touched, that no layer knows a kind by name, and that files stay small.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { kinds } from '../src/kinds/index.ts';
import { diagnosticCodes, lintRuleIds } from '../src/util/diagnostic-codes.ts';

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
  /** The folder under src, or the file itself for those beside the folders. */
  readonly layer: string;
  readonly text: string;
  /** Without comments. */
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
  'run',
];

/** Layer → layers that it may import, beside util and itself. */
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
  // Of results, their types.
  report: ['plan', 'review', 'tree', 'apply', 'contract', 'run'],
  client: ['contract'],
  // Connections and retries alone.
  forge: ['client'],
  server: ['contract'],
  // A session is handed its service, and paints nothing.
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

/** Packages, by the layers that may use them; other packages are for nobody. */
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
  undici: ['client', 'server'],
  libsql: ['server'],
  fflate: ['server'],
  yargs: ['cli'],
  ora: ['cli'],
};

/** Layers that touch the outside world. */
const edges = ['manifest', 'client', 'server', 'run', 'cli'];

const lineCount = (text: string): number => text.trimEnd().split('\n').length;

/** Every entry as one line, so that a failure shows all of them. */
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

  test('of reports take types alone from the use cases: what is painted is decided elsewhere', () => {
    const wrong = offences((file) =>
      file.layer !== 'report'
        ? []
        : file.imports
            .filter((one) => layerOf(file, one) === 'run' && !one.typeOnly)
            .map(({ from }) => `imports values of ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  test('of planning stages lead back, never forward', () => {
    const wrong = offences((file) => {
      const own = stageOf(file.name);
      return file.imports
        .filter(({ from }) => from.startsWith('.') && own >= 0)
        .filter(({ from }) => stageOf(join(file.name, '..', from).replaceAll('\\', '/')) > own)
        .map(({ from }) => `imports ${from}`);
    });
    expect(wrong).toEqual([]);
  });

  test('lead in no circle, types included', () => {
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

  test('every layer is in the table', () => {
    expect(files.filter(({ layer }) => allowed[layer] === undefined).map(({ name }) => name)).toEqual([]);
  });

  test('what only few runs need is loaded by those alone', () => {
    const few = ['log-file.ts', 'run-document.ts'].map((name) => `cli/observe/${name}`);
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

  test('packages and node:* stay at the edges', () => {
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

  test('have their extension', () => {
    const wrong = offences((file) =>
      file.imports
        .filter(({ from }) => from.startsWith('.') && !from.endsWith('.ts'))
        .map(({ from }) => from),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the outside world', () => {
  test('console, process, the clock and chance are handed in', () => {
    const world = /\b(console\.\w+|process\.\w+|Date\.now\(|new Date\(\)|Math\.random\b|performance\.now\()/g;
    const wrong = offences(({ layer, code }) =>
      layer === 'cli' || layer === 'server' ? [] : [...code.matchAll(world)].map(([found]) => found),
    );
    expect(wrong).toEqual([]);
  });

  test('the process is touched where the command line starts, and where its world is made', () => {
    const touching = files.filter(
      ({ layer, code }) => layer === 'cli' && /\b(process|console)\.\w/.test(code),
    );
    expect(touching.map(({ name }) => name)).toEqual(['cli/octavo.ts', 'cli/world/process-world.ts']);
  });

  test('plans are made without waiting', () => {
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

  test('no other layer knows one by name', () => {
    const names = kinds.map(({ name }) => name).filter((name) => name !== 'organization');
    const wrong = offences(({ layer, code }) => {
      if (!blind.includes(layer)) return [];
      const quoted = names.filter((name) => code.includes(`'${name}'`));
      // The organization is the root of every manifest and has a word of its own in messages.
      const compared = /kind(?:\.name)?\s*[!=]==?\s*'\w+'|case\s+'organization'/.exec(code)?.[0];
      return [...quoted, ...(compared === undefined ? [] : [compared])];
    });
    expect(wrong).toEqual([]);
  });

  test('no other layer knows a field by name', () => {
    const names = new Set(
      kinds.flatMap((kind) => [kind, kind.newer?.() ?? kind]).flatMap(({ fields }) => Object.keys(fields)),
    );
    /** Each captures names. Words that are not next to the fields of an object may mean anything. */
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

  test('each is one file and one line', () => {
    const index = readFileSync(join(source, 'kinds/index.ts'), 'utf8');
    for (const { name } of kinds)
      expect(index).toMatch(new RegExp(`import \\{ ${name} \\} from './[a-z-]+\\.ts'`));
  });
});

describe('files', () => {
  const barrels = ['contract/index.ts', 'kinds/index.ts', 'server/index.ts', 'index.ts'];

  test('are of a size to be read in one go', () => {
    const wrong = files.filter(({ text }) => lineCount(text) > 500).map(({ name }) => name);
    expect(wrong).toEqual([]);
  });

  test('under 40 lines with a single importer belong into it', () => {
    // One file for each kind, rule and guard, what is generated, and what is loaded where the others have no place: a worker, ambient types.
    const apart = /^(?:kinds|manifest\/lint|plan\/guards)\/|yaml-parse|page-assets|\.d\.ts$/;
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

  test('export by name, and what is their own', () => {
    const wrong = offences(({ name, code }) => [
      ...(/^export default\b/m.test(code) ? ['default export'] : []),
      ...(barrels.includes(name)
        ? []
        : [...code.matchAll(/^export\s+(\*|\{[^}]*\})\s+from/gm)].map(([found]) => found)),
    ]);
    expect(wrong).toEqual([]);
  });

  test('give each type a name of its own', () => {
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

  test('of the library, the contract and the kinds say what each export is', () => {
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

test('no list is spread into arguments: the stack has no room for long ones', () => {
  const spreads = /\.push\(\s*\.\.\.|Math\.(?:min|max)\((?:[^;()]*,\s*)?\.\.\./;
  expect(files.filter(({ code }) => spreads.test(code)).map(({ name }) => name)).toEqual([]);
});

describe('diagnostics', () => {
  /** Quoted in the code, or made of a prefix and a name that is quoted there. */
  const isUsed = (code: string) =>
    files.some(
      ({ name, code: text }) =>
        name !== 'util/diagnostic-codes.ts' &&
        (text.includes(`'${code}'`) ||
          text.includes(`[${code}]`) ||
          (/^(?:api|refused)-/.test(code) && text.includes(`'${code.replace(/^(?:api|refused)-/, '')}'`))),
    );

  // The compiler refuses codes that are not in the list.
  test('every code in the list is used', () => {
    const codes = [...diagnosticCodes, ...lintRuleIds];
    expect(codes.filter((code) => !isUsed(code))).toEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
  });
});

test('the lock file does not say where packages came from', () => {
  const lock = readFileSync(join(source, '../package-lock.json'), 'utf8');
  expect(lock).not.toMatch(/"resolved"/);
});
