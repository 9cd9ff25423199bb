/** The package as users install it: packed, installed into a separate folder, and run there, without a network. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { patience } from '../support/runs.ts';
import { folder, manifest, root } from './octavo.ts';

const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS = '' } = process.env;

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { PATH, HOME, NODE_EXTRA_CA_CERTS, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Installs the tarball. If the npm cache lacks the optional database, links the packages of the repository. */
function install(prefix: string, tarball: string): string {
  const target = join(prefix, 'lib', 'node_modules', 'octavo');
  const quiet = ['--no-audit', '--no-fund', '--offline'];
  const npm = run('npm', ['install', '--global', ...quiet, '--prefix', prefix, tarball], prefix);
  if (npm.status !== 0) {
    mkdirSync(target, { recursive: true });
    expect(run('tar', ['-xzf', tarball, '--strip-components=1', '-C', target], prefix)).toMatchObject({
      status: 0,
    });
  }
  if (!existsSync(join(target, 'node_modules')))
    symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'));
  return join(target, 'dist', 'octavo.js');
}

test('the packed tarball installs and runs', { timeout: patience(120_000) }, () => {
  const cwd = folder({ 'acme.yaml': manifest });
  // Packs the existing build; another destination does not change the repository.
  const packed = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', cwd], root);
  expect(packed.status).toBe(0);
  const tarball = join(cwd, packed.stdout.trim());
  const prefix = join(cwd, 'prefix');
  mkdirSync(prefix);
  const command = install(prefix, tarball);
  const octavo = (...args: string[]) => run(process.execPath, [command, ...args], cwd);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const named = new RegExp(`^${version.replaceAll('.', '\\.')}(?: \\([0-9a-f]{7}\\+?\\))?\n$`);
  expect(octavo('--version')).toMatchObject({ status: 0, stdout: expect.stringMatching(named) });
  expect(octavo('validate', '-f', 'acme.yaml')).toMatchObject({ status: 0 });
  expect(octavo('plan', '-f', 'acme.yaml', '--base-url', 'local').stdout).toMatch(/^Plan: \d+ to create/m);
  expect(octavo('api', 'orgs.list', '--base-url', 'local')).toMatchObject({ status: 0 });
  // The bundle includes all dependencies, with their licenses.
  const manifestOf = readFileSync(join(prefix, 'lib', 'node_modules', 'octavo', 'package.json'), 'utf8');
  expect(JSON.parse(manifestOf)).not.toHaveProperty('dependencies');
  expect(existsSync(join(prefix, 'lib', 'node_modules', 'octavo', 'dist', 'LICENSES.txt'))).toBe(true);
  // The package includes no files for development.
  const target = join(prefix, 'lib', 'node_modules', 'octavo');
  for (const name of ['src', 'test', 'Dockerfile', '.octavo'])
    expect(existsSync(join(target, name))).toBe(false);
});

test('links of packed pages lead to packed files, and declarations are one file', () => {
  const packed = run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], root);
  // npm 12 has an object by name instead of a list.
  const [{ files = [] } = {}] = Object.values(JSON.parse(packed.stdout)) as [
    { readonly files?: readonly { readonly path: string }[] },
  ];
  const paths = files.map(({ path }) => path);
  const isPacked = (target: string) => paths.some((path) => path === target || path.startsWith(`${target}/`));
  const links = paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [
        ...readFileSync(join(root, path), 'utf8').matchAll(
          /(?:\]\(|\b(?:src|href)=")(?!\w+:|#)([^)\s"#]+)|^\[[^\]]+\]: (?!\w+:)(\S+)/gm,
        ),
      ].map(([, inline, below]) => ({ path, target: join(dirname(path), inline ?? below ?? '') })),
    );
  expect(links.length).toBeGreaterThan(200);
  expect(links.filter(({ target }) => !isPacked(target.replace(/\/$/, '')))).toEqual([]);
  expect(
    paths.filter((path) => /\.d\.[cm]?ts$/.test(path)).filter((path) => path !== 'dist/index.d.ts'),
  ).toEqual([]);
  expect(paths.length).toBeLessThan(300);
});

/** TypeScript that programs may use: the present one, and the last one in JavaScript. */
const compilers = ['typescript', 'dts-bundle-generator/node_modules/typescript'];

test('the types of the library are strict, without zod', { timeout: patience(240_000) }, () => {
  const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const cwd = folder({
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        ...{ target: 'es2023', lib: ['es2023'], module: 'nodenext', strict: true, noEmit: true },
        ...{ skipLibCheck: false, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
        ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
      },
      include: ['*.ts'],
    }),
    'node_modules/octavo/package.json': readFileSync(join(root, 'package.json'), 'utf8'),
    'node_modules/octavo/dist/package.json': '{ "type": "commonjs" }',
    'example.ts': example,
    'operations.ts': `import { kinds, type OperationInput, type OperationOutput } from 'octavo';
export const title: string = ({} as OperationOutput<'sites.get'>).title;
export const body: OperationInput<'sites.update'>['body'] = { title: 'Guides' };
// @ts-expect-error: no such field
export const wrong: OperationInput<'sites.update'>['body'] = { heading: 'Guides' };
// @ts-expect-error: no number
export const number: number = ({} as OperationOutput<'sites.get'>).title;
// @ts-expect-error: a text
export const name: number = kinds[0]?.name;
`,
  });
  const types = join(cwd, 'node_modules/octavo/dist/index.d.ts');
  expect(run(process.execPath, ['scripts/types.mjs', types], root)).toMatchObject({ status: 0, stderr: '' });
  const imported = readFileSync(types, 'utf8').matchAll(/\bfrom ['"]([^'"]+)|\bimport\(['"]([^'"]+)/g);
  expect(
    [...imported].map(([, from, inline]) => from ?? inline).filter((from) => !from?.startsWith('node:')),
  ).toEqual([]);
  for (const compiler of compilers) {
    const tsc = join(root, 'node_modules', compiler, 'bin/tsc');
    expect(run(process.execPath, [tsc, '-p', '.'], cwd)).toEqual({ status: 0, stdout: '', stderr: '' });
  }
});

test('npm installs it from git, with what only its build makes', {
  timeout: patience(600_000),
}, (context) => {
  // Only deep runs install packages.
  if (process.env.OCTAVO_TEST_TIER !== 'deep') return context.skip();
  const isReachable = run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000'], root).status === 0;
  const commit = run('git', ['rev-parse', 'HEAD'], root).stdout.trim();
  if (!isReachable || commit === '' || !existsSync(join(root, '.git'))) return context.skip();
  const cwd = folder({ 'acme.yaml': manifest });
  const prefix = join(cwd, 'prefix');
  mkdirSync(prefix);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--allow-git=all'];
  const from = `git+file://${root.replace(/\/$/, '')}#${commit}`;
  const npm = run('npm', ['install', '--global', ...quiet, '--prefix', prefix, from], prefix);
  expect(npm).toMatchObject({ status: 0 });
  const command = join(prefix, 'bin', 'octavo');
  expect(run(command, ['--version'], cwd).stdout).toContain(`(${commit.slice(0, 7)})`);
  expect(run(command, ['validate', '-f', 'acme.yaml'], cwd)).toMatchObject({ status: 0 });
  expect(existsSync(join(prefix, 'lib', 'node_modules', 'octavo', 'dist', 'index.d.ts'))).toBe(true);
});

test('pre-commit installs and runs both hooks', { timeout: patience(600_000) }, (context) => {
  const commit = run('git', ['rev-parse', 'HEAD'], root).stdout.trim();
  // pre-commit installs the packages of the build.
  const isReachable = run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000'], root).status === 0;
  const isThere = run('pre-commit', ['--version'], root).status === 0;
  if (process.env.OCTAVO_TEST_TIER !== 'deep' || !isThere || !isReachable || commit === '')
    return context.skip();
  const hooks = ['octavo-validate', 'octavo-fmt'].map((id) => ({ id }));
  const repository = { repo: root.replace(/\/$/, ''), rev: commit, hooks };
  const cwd = folder({
    'acme.yaml': manifest,
    '.pre-commit-config.yaml': JSON.stringify({ repos: [repository] }),
  });
  const home = { PRE_COMMIT_HOME: join(cwd, '.cache') };
  const hook = () => run('pre-commit', ['run', '--all-files', '--color=never'], cwd, home);
  for (const args of [
    ['init', '--quiet'],
    ['add', 'acme.yaml'],
  ])
    run('git', args, cwd);
  const first = hook();
  expect(first.stdout + first.stderr).toMatch(/octavo validate\.+Passed\noctavo fmt\.+/);
  writeFileSync(join(cwd, 'acme.yaml'), manifest.replace('teams:', 'teams:  '));
  run('git', ['add', 'acme.yaml'], cwd);
  expect(hook()).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/octavo fmt\.+Failed\n.*\n- files were modified/),
  });
  run('git', ['add', 'acme.yaml'], cwd);
  expect(hook()).toMatchObject({ status: 0 });
  writeFileSync(join(cwd, 'acme.yaml'), manifest.replace('teams:', 'teems:'));
  run('git', ['add', 'acme.yaml'], cwd);
  expect(hook()).toMatchObject({ status: 1, stdout: expect.stringMatching(/octavo validate\.+Failed/) });
});

test('the lock file includes optional dependencies for other platforms', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(
        (name) =>
          packages[`node_modules/${name}`] === undefined &&
          packages[`${from}/node_modules/${name}`] === undefined,
      )
      .map((name) => `${from} asks for ${name}`),
  );
  expect(missing).toEqual([]);
});
