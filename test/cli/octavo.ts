/** Runs commands in the test process through `main`, each in its own world: real files and sockets, no child process. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { gitWith, thisMachine } from '../../src/cli/world/process-world.ts';
import type { StopSignal, World } from '../../src/cli/world/world.ts';
import { type WorkFolder, workFolder } from '../../src/manifest/files/work-folder.ts';
import { JournalFolder } from '../../src/past/journal/journal-folder.ts';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where commands keep state of the user, separate from the state of the user who runs the tests. */
export const stateHome = mkdtempSync(join(tmpdir(), 'octavo-state-'));
process.once('exit', () => rmSync(stateHome, { recursive: true, force: true }));

/** Options for running a command. */
export interface RunOptions {
  readonly cwd?: string;
  /** The environment, in addition to PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** On a terminal: text typed before the prompt. */
  readonly typedAhead?: string;
  /** Whether all three streams are a terminal with 100 columns. */
  readonly isTerminal?: boolean;
  /** Replaces the machine that the tests run on. */
  readonly machine?: World['machine'];
  /** Replaces the one that writes to the disk. */
  readonly folder?: WorkFolder;
  /** Replaces the system time. */
  readonly now?: World['clock']['now'];
  /** Replaces the default, which does not wait. */
  readonly sleep?: World['clock']['sleep'];
}

/** The result of a command. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Collects written text, and emits each chunk as `data`. */
class Capture extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 100;

  constructor({ isTerminal = false }: RunOptions) {
    super();
    this.isTTY = isTerminal;
  }

  /** Cursor movement of terminals, which tests ignore. */
  cursorTo = () => true;
  moveCursor = () => true;
  clearLine = () => true;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    this.emit('data', chunk.toString('utf8'));
    done();
  }

  /** Resolves when the text has been written. */
  async until(text: string | RegExp): Promise<void> {
    while (typeof text === 'string' ? !this.text.includes(text) : !text.test(this.text)) {
      await new Promise((resolve) => this.once('data', resolve));
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

/** On a terminal, the input answers a prompt, so it is typed when the prompt appears. */
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

/** Starts the command, which is interrupted at the end of the test. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
  const { PATH = '', HOME = '' } = process.env;
  const [stdout, stderr] = [new Capture(options), new Capture(options)];
  const stdin = inputOf(options, stderr);
  const listeners = new Set<(signal: StopSignal) => void>();
  // A signal that comes before the command can hear it waits for it.
  const early: StopSignal[] = [];
  const kill = (signal: StopSignal) => {
    if (listeners.size === 0) early.push(signal);
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
        for (const signal of early.splice(0)) listener(signal);
        return () => listeners.delete(listener);
      },
      onStrayError: () => () => undefined,
      // Tests do not wait.
      clock: { now: options.now ?? Date.now, random: Math.random, sleep: options.sleep ?? (() => turn()) },
      machine: options.machine ?? thisMachine,
      openRepository: gitWith({ PATH, HOME, ...options.env }),
      folder: async () => options.folder ?? workFolder,
      journals: async (cwd) => new JournalFolder(cwd),
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

/** A folder with these files, deleted after the test. */
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
