/** Runs git with a fixed identity, independent of the settings of the machine. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Returns the output of git. Throws if git fails. */
export function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.dev', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const templates = mkdtempSync(join(tmpdir(), 'octavo-repositories-'));
process.once('exit', () => rmSync(templates, { recursive: true, force: true }));
const made = new Set<string>();

/** Initializes a repository on the branch main, by copying a template. */
export function initRepository(folder: string): void {
  cpSync(join(template('plain'), '.git'), join(folder, '.git'), { recursive: true });
}

/** Initializes a bare repository, by copying a template. */
export function initBare(folder: string, name: string): void {
  cpSync(template('bare'), resolve(folder, name), { recursive: true });
}

function template(name: 'plain' | 'bare'): string {
  const bare = name === 'bare' ? ['--bare'] : [];
  if (!made.has(name)) git(templates, 'init', '--quiet', ...bare, '--initial-branch=main', name);
  made.add(name);
  return join(templates, name);
}
