/** The package as users install it: packed, installed into a separate folder, and run there, without a network. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { patience } from '../support/runs.ts';
import { folder, manifest, root } from './octavo.ts';

const { PATH = '', HOME = '' } = process.env;

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { PATH, HOME, ...env },
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
  expect(existsSync(join(prefix, 'lib', 'node_modules', 'octavo', 'dist', 'types', 'index.d.ts'))).toBe(true);
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
