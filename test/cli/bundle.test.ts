/** The chunks that each command loads: they fit a budget, and include no package that the command does not use. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { commandNames } from '../../src/cli/line/names.ts';
import { folder, root } from './octavo.ts';
import { served } from './served.ts';

interface Size {
  readonly bytes: number;
  readonly chunks: number;
  readonly packages: readonly string[];
  readonly modules: readonly string[];
  readonly budget: number;
}

/** Sizes as recorded by the build. */
const sizes = JSON.parse(
  readFileSync(join(root, 'node_modules', '.cache', 'octavo', 'bundle-sizes.json'), 'utf8'),
) as Readonly<Record<string, Size>>;

test('the parser that a worker loads by path requires no package', () => {
  const chunk = join(root, 'dist', 'chunks', 'yaml-parse.js');
  const required = [...readFileSync(chunk, 'utf8').matchAll(/require\(["'`]([^"'`]+)/g)].map(
    ([, name]) => name,
  );
  expect(required.filter((name) => name?.startsWith('./') !== true)).toEqual([]);
  const load: (path: string) => unknown = createRequire(import.meta.url);
  const { parse } = load(chunk) as { parse: (text: string) => unknown };
  expect(parse('a: [1, b]')).toEqual({ a: [1, 'b'] });
});

test('undici finds its parser for processors without SIMD', () => {
  const load: (path: string) => unknown = createRequire(import.meta.url);
  const parser = load(join(root, 'dist', 'chunks', 'late-llhttp-llhttp-wasm.js')) as Buffer;
  expect(parser.toString('latin1', 0, 4)).toBe('\0asm');
  const chunks = readdirSync(join(root, 'dist', 'chunks')).map((name) =>
    readFileSync(join(root, 'dist', 'chunks', name), 'utf8'),
  );
  expect(
    chunks.some((code) =>
      /new WebAssembly\.Module\([^)]*require\("\.\/late-llhttp-llhttp-wasm\.js"\)\)/.test(code),
    ),
  ).toBe(true);
});

test('no chunks require each other in a cycle, in which exports would be undefined', () => {
  const codes = new Map(
    readdirSync(join(root, 'dist', 'chunks')).map((name) => [
      name,
      readFileSync(join(root, 'dist', 'chunks', name), 'utf8'),
    ]),
  );
  const chunks = [...codes.keys()].filter((name) => codes.get(name)?.includes('exports.'));
  const needs = new Map(
    chunks.map((name) => {
      const code = codes.get(name) ?? '';
      const found = [...code.matchAll(/(?:^|[;\n]|[\w$]=)require\("\.\/([^"]+)"\)/g)];
      return [name, found.map(([, needed = '']) => needed)] as const;
    }),
  );
  expect([...needs.values()].flat().length).toBeGreaterThan(chunks.length);
  const done = new Set<string>();
  const circleFrom = (name: string, above: readonly string[]): readonly string[] | undefined => {
    if (above.includes(name)) return [...above, name];
    if (done.has(name)) return undefined;
    done.add(name);
    for (const needed of needs.get(name) ?? []) {
      const circle = circleFrom(needed, [...above, name]);
      if (circle !== undefined) return circle;
    }
    return undefined;
  };
  expect(chunks.flatMap((name) => circleFrom(name, []) ?? [])).toEqual([]);
});

test('each command has a budget', () => {
  const lines = ['--version', '--help', ...commandNames];
  expect(Object.keys(sizes).sort()).toEqual(lines.sort());
});

test.each(Object.entries(sizes))('%s loads no more than its budget', (_, { bytes, budget }) => {
  expect(bytes).toBeGreaterThan(0);
  expect(Math.ceil(bytes / 1024)).toBeLessThanOrEqual(budget);
});

describe('a run loads what its budget counts', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const title = 'Hub';
  const files = {
    'acme.yaml': `octavo: 1\norganization: { id: org_acme }\nsites: { hub: { title: ${title} } }\nteams:\n${names
      .map((name) => `  ${name}: { title: ${name} }\n`)
      .join('')}`,
    // Counts the bytes of each file that is loaded.
    'loaded.cjs': `const { Module } = require('node:module');
const load = Module._extensions['.js'];
let bytes = 0;
Module._extensions['.js'] = (module, file) => {
  if (file.includes('/dist/')) bytes += require('node:fs').statSync(file).size;
  return load(module, file);
};
process.on('exit', () => process.stderr.write(\`loaded \${bytes}\\n\`));
`,
  };
  const organization = {
    id: 'org_acme',
    title: 'Acme',
    teams: names.map((name) => ({ id: `team_${name}`, title: name })),
    sites: [{ id: 'site_hub', title }],
  };

  test.each([
    ['validate', 'Valid: 1 organization, 10 objects'],
    ['plan', 'No changes.'],
  ])('%s of ten objects loads no more than its budget', async (command, shown) => {
    const { env: of } = await served({ seed: { organizations: [organization] } });
    const cwd = folder(files);
    const { PATH = '' } = process.env;
    const env = { ...of, PATH, HOME: cwd };
    const line = ['--require', join(cwd, 'loaded.cjs'), join(root, 'dist', 'octavo.js'), command];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, line, { cwd, env });
    expect(stdout).toContain(shown);
    const bytes = Number(/^loaded (\d+)$/m.exec(stderr)?.[1]);
    const { budget = 0 } = sizes[command] ?? {};
    expect(bytes).toBeGreaterThan(budget * 512);
    expect(Math.ceil(bytes / 1024)).toBeLessThanOrEqual(budget);
  });
});

describe('packages are only loaded by commands that need them', () => {
  const packagesOf = (command: string) => sizes[command]?.packages ?? [];
  const without = (name: string) => Object.keys(sizes).filter((line) => !packagesOf(line).includes(name));

  test('--version loads none', () => {
    expect(packagesOf('--version')).toEqual([]);
  });

  test('plan loads yargs-parser, and help does not', () => {
    for (const line of ['--version', '--help']) expect(without('yargs-parser')).toContain(line);
    expect(packagesOf('plan')).toContain('yargs-parser');
  });

  test('no command statically loads modules that few runs need', () => {
    for (const name of ['string-width', 'diff']) expect(without(name)).toEqual(Object.keys(sizes));
    const modules = Object.values(sizes).flatMap((size) => size.modules);
    expect(
      modules.filter((path) => /proxy-agent|llhttp-wasm|report\/diagnostics\/diagnostics/.test(path)),
    ).toEqual([]);
  });

  test('no command statically loads yargs, ora or the service, except serve', () => {
    const late = /^(yargs|cliui|y18n|ora)$/;
    expect(
      Object.values(sizes).flatMap(({ packages }) => packages.filter((name) => late.test(name))),
    ).toEqual([]);
    for (const name of ['ajv', 'fflate'])
      expect(
        Object.keys(sizes).filter((line) => !without(name).includes(line)),
        name,
      ).toEqual(['serve']);
  });

  test('commands that send no requests load no HTTP client', () => {
    for (const line of ['--help', 'validate', 'schema', 'show', 'history', 'unlock', 'serve'])
      expect(without('undici')).toContain(line);
  });

  test('commands that read no manifests load no YAML', () => {
    const fastReader = 'src/yaml/plain-yaml.ts';
    for (const line of ['--help', 'schema', 'show', 'history']) {
      expect(without('yaml')).toContain(line);
      expect(sizes[line]?.modules, line).not.toContain(fastReader);
    }
    expect(sizes.validate?.modules).toContain(fastReader);
  });

  test('only commands that edit manifests statically load the slower YAML reader', () => {
    const users = Object.keys(sizes).filter((line) => packagesOf(line).includes('yaml'));
    expect(users).toEqual(['drift', 'fmt', 'mv']);
  });
});

test('no chunk includes the locales of zod, or unused parts of undici', () => {
  const text = readFileSync(join(root, 'node_modules', '.cache', 'octavo', 'bundle-inputs.json'), 'utf8');
  const inputs = JSON.parse(text) as readonly string[];
  expect(inputs.some((path) => path.includes('node_modules/zod/'))).toBe(true);
  const locales = inputs.filter((path) => /zod\/v4\/locales\//.test(path));
  expect(locales.map((path) => path.replace(/.*\//, ''))).toEqual(['en.js']);
  expect(
    inputs.filter((path) => /undici\/lib\/(mock|cache|interceptor|web|dispatcher\/client-h2)[/.]/.test(path)),
  ).toEqual([]);
});

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly integrity: string;
}

/** The packages of all files in the bundle, from the lock file; each version counts. */
function bundled(): readonly Package[] {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const inputs = read('node_modules/.cache/octavo/bundle-inputs.json') as readonly string[];
  const { packages } = read('package-lock.json') as { packages: Record<string, Omit<Package, 'name'>> };
  const folders = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0]);
  return [...new Set(folders)].flatMap((folder) => {
    const found = packages[folder ?? 'none'];
    return folder === undefined || found === undefined
      ? []
      : [{ ...found, name: folder.replace(/^.*node_modules\//, '') }];
  });
}

test('the bundle includes the licenses of all its packages', () => {
  const licenses = readFileSync(join(root, 'dist', 'LICENSES.txt'), 'utf8');
  const packages = bundled();
  expect(packages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(Object.values(sizes).flatMap((size) => size.packages)),
  );
  expect(packages.length).toBeGreaterThan(20);
  for (const { name, version } of packages) expect(licenses).toContain(`\n${name} ${version} (`);
});

test('an SBOM names exactly the packages in the bundle, and those that npm adds', () => {
  const text = readFileSync(join(root, 'dist', 'sbom.cdx.json'), 'utf8');
  const bom = JSON.parse(text) as {
    readonly components: readonly Record<string, unknown>[];
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
    readonly metadata: { readonly component: Record<string, unknown> };
  };
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Package;
  expect(bom.metadata.component).toMatchObject({
    type: 'application',
    purl: `pkg:npm/${own.name.replace('@', '%40')}@${own.version}`,
    licenses: [{ license: { id: own.license } }],
  });
  const wanted = bundled().map(({ name, version, license, integrity }) => ({
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: license } }],
    scope: 'required',
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') },
    ],
  }));
  const order = (one: { purl?: unknown }, other: { purl?: unknown }) =>
    String(one.purl) < String(other.purl) ? -1 : 1;
  const found = bom.components.map(({ 'bom-ref': ref, ...rest }) => {
    expect(ref).toBe(rest.purl);
    return rest;
  });
  expect(found.filter(({ scope }) => scope !== 'optional')).toEqual(wanted.sort(order));
  // npm installs these for any system, although the lock of the machine may lack some.
  const added = found.flatMap(({ name, scope }) => (scope === 'optional' ? [String(name)] : []));
  expect(added).toEqual(expect.arrayContaining(['libsql', '@neon-rs/load', 'detect-libc']));
  expect(added.every((name) => /^(?:@libsql\/.*|libsql|@neon-rs\/load|detect-libc)$/.test(name))).toBe(true);
  const refs = new Set([bom.metadata.component, ...bom.components].map((one) => one['bom-ref']));
  expect(
    bom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !refs.has(ref)),
  ).toEqual([]);
  // It does not depend on the time or place of the build.
  expect(text).not.toMatch(/serialNumber|\/work|\/home/);
});
