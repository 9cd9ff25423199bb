/** Runs whole processes of Node and tells what they took: wall time, CPU, peak memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a process took. */
export interface Used {
  /** Milliseconds from start to end. */
  readonly wall: number;
  /** Milliseconds of CPU, user and system. */
  readonly cpu: number;
  /** Bytes of memory at most. */
  readonly peak: number;
  readonly output: string;
  /** Milliseconds of virtual time (`virtual-time.cjs`); absent where nobody asked for it. */
  readonly virtual?: number;
}

/** How a process is run. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are as they should be; default: 0 alone. */
  readonly codes?: readonly number[];
}

/** The command as it was built. Benchmarks run in the root of the project. */
export const octavo = join(process.cwd(), 'dist', 'octavo.js');

const preload = join(process.cwd(), 'bench', 'support', 'usage.cjs');

/** Runs Node with these arguments. Throws with what it printed when it fails. */
export async function runNode(args: readonly string[], options: RunOptions = {}): Promise<Used> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-used-'));
  const report = join(folder, 'used.json');
  // This variable makes every start of Node 20 slower, and none of these processes needs it.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  try {
    const started = performance.now();
    const child = spawn(process.execPath, ['--require', preload, ...args], {
      cwd: options.cwd,
      env: { ...env, ...options.env, OCTAVO_BENCH_USAGE: report },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk;
    });
    const [code] = await once(child, 'close');
    const wall = performance.now() - started;
    if (!(options.codes ?? [0]).includes(code)) {
      throw new Error(`node ${args.join(' ')} ended with ${code}:\n${output}${errors}`);
    }
    return { wall, output, ...JSON.parse(readFileSync(report, 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How often the memory of a command is looked at, in milliseconds. */
const lookEvery = 20;

/** Runs any command under the shell's `time`; its memory at most is what Linux says of it. Throws with what it printed when it fails. */
export async function timeCommand(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<Omit<Used, 'output'>> {
  const script = 'TIMEFORMAT="%U %S"; { time "$@" >&3 2>&3; } 3>&1';
  const started = performance.now();
  const child = spawn('bash', ['-c', script, 'bash', command, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, times, peak] = ['', '', 0];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    times += chunk;
  });
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOfChild(child.pid));
  }, lookEvery);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  const wall = performance.now() - started;
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}${times}`);
  const [user = 0, system = 0] = times.trim().split(/\s+/).map(Number);
  return { wall, cpu: (user + system) * 1000, peak };
}

/** Bytes that the only child of a process needed at most so far; 0 where the system does not say. */
function peakOfChild(parent: number | undefined): number {
  try {
    const [child] = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ');
    const [, kibibytes = 0] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * 2 ** 10;
  } catch {
    return 0;
  }
}
