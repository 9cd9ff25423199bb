/** Runs whole processes of Node and measures wall time, CPU and peak memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Used {
  /** Wall time in milliseconds. */
  readonly wall: number;
  /** CPU time in milliseconds, user and system. */
  readonly cpu: number;
  /** Peak memory in bytes. */
  readonly peak: number;
  readonly output: string;
  /** Virtual time in milliseconds (`virtual-time.cjs`); absent unless requested. */
  readonly virtual?: number;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Expected exit codes; default: only 0. */
  readonly codes?: readonly number[];
}

/** The built command. Benchmarks run in the root of the project. */
export const octavo = join(process.cwd(), 'dist', 'octavo.js');

const preload = join(process.cwd(), 'bench', 'support', 'usage.cjs');

/** Runs Node with these arguments. If it fails, throws with its output. */
export async function runNode(args: readonly string[], options: RunOptions = {}): Promise<Used> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-used-'));
  const report = join(folder, 'used.json');
  // This variable slows down each start of Node 20, and these processes do not need it.
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

/** Interval for reading the memory of a command, in milliseconds. */
const lookEvery = 20;

/** Runs any command under the shell's `time`; peak memory is from Linux. If it fails, throws with its output. */
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

/** Peak memory so far in bytes of the only child of a process; 0 if the system does not report it. */
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
