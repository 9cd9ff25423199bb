/** Runs commands inside the test through `main`, in a world of their own: real files and real sockets, no process. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { thisMachine } from '../../src/cli/world/process-world.ts';
import type { StopSignal, World } from '../../src/cli/world/world.ts';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where commands keep what belongs to the user: not with that of who runs the tests. */
export const stateHome = mkdtempSync(join(tmpdir(), 'octavo-state-'));
process.once('exit', () => rmSync(stateHome, { recursive: true, force: true }));

/** How a command is run. */
export interface RunOptions {
  readonly cwd?: string;
  /** The whole environment, beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** On a terminal: what is typed before there is a question. */
  readonly typedAhead?: string;
  /** True where all three streams are a terminal of 100 columns. */
  readonly isTerminal?: boolean;
  /** In place of the machine that the tests run on. */
  readonly machine?: World['machine'];
  /** In place of the machine's time. */
  readonly now?: World['clock']['now'];
  /** In place of not waiting at all. */
  readonly sleep?: World['clock']['sleep'];
}

/** What came of it. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Keeps what is written to it, and emits each piece as `data`. */
class Capture extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 100;

  constructor({ isTerminal = false }: RunOptions) {
    super();
    this.isTTY = isTerminal;
  }

  /** As terminals do; nobody looks at what is where. */
  cursorTo = () => true;
  moveCursor = () => true;
  clearLine = () => true;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    this.emit('data', chunk.toString('utf8'));
    done();
  }

  /** Resolves as soon as the text was written. */
  async until(text: string | RegExp): Promise<void> {
    while (typeof text === 'string' ? !this.text.includes(text) : !text.test(this.text)) {
      await new Promise((heard) => this.once('data', heard));
    }
  }
}

/** A command that is running. */
export interface Running {
  readonly stdout: Capture;
  readonly stderr: Capture;
  readonly kill: (signal: StopSignal) => void;
  /** Types on the terminal. */
  readonly press: (text: string) => void;
  readonly ended: Promise<Ran>;
}

/** On a terminal the input is the answer to a question: it is typed when that is there. */
function inputOf({ input = '', typedAhead = '', isTerminal = false }: RunOptions, stderr: Capture) {
  const isTTY = isTerminal;
  if (!isTerminal) return Object.assign(Readable.from([Buffer.from(input)]), { isTTY });
  const stdin = Object.assign(new Readable({ read: () => undefined }), { isTTY });
  if (typedAhead !== '') stdin.push(typedAhead);
  void stderr.until('Only "yes"').then(() => {
    stdin.push(input);
    stdin.push(null);
  });
  return stdin;
}

/** Starts the command; ends with the test at the latest. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
  const { PATH = '', HOME = '' } = process.env;
  const [stdout, stderr] = [new Capture(options), new Capture(options)];
  const stdin = inputOf(options, stderr);
  const listeners = new Set<(signal: StopSignal) => void>();
  const kill = (signal: StopSignal) => {
    for (const listener of listeners) listener(signal);
  };
  let hasEnded = false;
  const ended = new Promise<Ran>((done) => {
    const end = (code: number) => {
      hasEnded = true;
      done({ code, stdout: stdout.text, stderr: stderr.text });
    };
    const world: World = {
      env: { PATH, HOME, XDG_STATE_HOME: stateHome, ...options.env },
      cwd: options.cwd ?? root,
      stdin,
      stdout,
      stderr,
      exit: end,
      onSignal: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      onStrayError: () => () => undefined,
      // Nobody waits in tests.
      clock: { now: options.now ?? Date.now, random: Math.random, sleep: options.sleep ?? (() => turn()) },
      machine: options.machine ?? thisMachine,
    };
    void main(args, world).then(end);
  });
  onTestFinished(async () => {
    for (let count = 0; count < 3 && !hasEnded; count += 1) kill('SIGINT');
    await ended;
  });
  return { stdout, stderr, kill, press: (text) => void stdin.push(text), ended };
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
