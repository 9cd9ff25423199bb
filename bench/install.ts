/**
 * Cost of installing: the packed and the installed size, and the first `octavo --version` with an empty cache, from the packed tarball.
 * Uses the registry that npm is configured for. Only prints results.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Findings, size, tell, time } from './support/findings.ts';

const folder = mkdtempSync(join(tmpdir(), 'octavo-install-'));
try {
  tell('install', [bench()]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function bench(): Findings {
  const packed = npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], process.cwd());
  const tarball = join(folder, packed.trim());
  const [withDatabase, alone] = [install(tarball, 'all', []), install(tarball, 'alone', ['--omit=optional'])];
  const npx = join(folder, 'npx');
  mkdirSync(npx);
  writeFileSync(join(npx, 'package.json'), '{ "private": true }\n');
  const started = performance.now();
  const args = ['exec', '--yes', '--cache', join(folder, 'cache-npx'), `--package=${tarball}`];
  const version = npm([...args, '--', 'octavo', '--version'], npx).trim();
  const took = performance.now() - started;
  const line = (name: string, value: string) => ({ name, values: { '': value } });
  return {
    title: `Installing octavo ${version}`,
    about: 'From the packed tarball; packages that it needs come from the registry.',
    lines: [
      line('packed', size(statSync(tarball).size)),
      line('unpacked', size(bytesOf(join(folder, 'alone', 'node_modules', 'octavo')))),
      line('installed, with the database of the embedded service', size(withDatabase)),
      line('installed, without it', size(alone)),
      line('first octavo --version with an empty cache', time(took)),
    ],
  };
}

/** Installs into a folder with an empty cache. Returns the bytes of all packages. */
function install(tarball: string, name: string, flags: readonly string[]): number {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--silent', '--cache', join(folder, `cache-${name}`)];
  npm(['install', ...quiet, ...flags, tarball], cwd);
  return bytesOf(join(cwd, 'node_modules'));
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function bytesOf(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
