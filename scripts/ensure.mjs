/**
 * Prepares a fresh clone: installs the packages in package-lock.json, and builds dist/ if sources are newer. Needs only Node and npm, and
 * does nothing if everything is up to date.
 */
// Node.js before 14 has to be able to read this file, because it reads all of it first.
import './node-version.cjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', '.built');
/** Sizes that the build measured; deleted when packages are installed again. */
const findings = join(root, 'node_modules', '.cache', 'octavo', 'bundle-sizes.json');

/** The newest modification time below a folder, in milliseconds. */
function newest(folder) {
  let time = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

/** True if every locked package for this machine is in node_modules at its version; optional ones may be absent. */
function isInstalled() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { packages: present } = JSON.parse(readFileSync(installed, 'utf8'));
  return Object.entries(locked).every(([name, { version, optional }]) => {
    const { version: own } = present[name] || {};
    return name === '' || own === version || (optional === true && present[name] === undefined);
  });
}

function isBuilt() {
  if (!existsSync(stamp) || !existsSync(findings)) return false;
  const built = statSync(stamp).mtimeMs;
  const sources = [join(root, 'src'), join(root, 'scripts'), join(root, 'package.json')];
  return sources.every(
    (path) => (statSync(path).isDirectory() ? newest(path) : statSync(path).mtimeMs) <= built,
  );
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status === null ? 1 : status);
}

if (!isInstalled()) {
  process.stderr.write('Installing dependencies (npm ci) …\n');
  // The build does not need packages' scripts.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
}
if (!isBuilt()) {
  process.stderr.write('Building …\n');
  run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
}
