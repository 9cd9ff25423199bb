/** Runs the built command as people do: its own process, real files, real sockets. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
const command = join(root, 'dist/octavo.js');

/** How a command is run. */
export interface RunOptions {
  readonly cwd?: string;
  /** The whole environment, beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** What came of it. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the command; ends with the test at the latest. */
export function start(
  args: readonly string[],
  options: RunOptions = {},
): ChildProcess & { ended: Promise<Ran> } {
  if (!existsSync(command)) throw new Error('dist/ is missing: run npm run build first');
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [command, ...args], {
    cwd: options.cwd ?? root,
    env: { PATH, HOME, ...options.env },
    stdio: 'pipe',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(options.input ?? '');
  const ended = new Promise<Ran>((done) => child.on('close', (code) => done({ code, stdout, stderr })));
  onTestFinished(() => void child.kill('SIGKILL'));
  return Object.assign(child, { ended });
}

/** Runs the command to its end. */
export function octavo(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return start(args, options).ended;
}

/** A folder with these files, gone after the test. */
export function folder(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), 'octavo-cli-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

/** A manifest of one organization with two teams. */
export const manifest = `octavo: 1
organization: { id: org_acme, title: Acme }
teams:
  platform: { title: Platform }
  writers: { title: Writers }
`;
