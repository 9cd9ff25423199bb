/** What a command may use of the machine. The command line touches the process nowhere but in `process-world.ts`. */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../client/pacing.ts';

/** A stream that text is written to, and what is known of the terminal behind it. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The signals that end a command. */
export type StopSignal = 'SIGINT' | 'SIGTERM';

/** Handed to `main`; tests make their own. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Calls the listener for each signal, until the returned function is called. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /** Calls the listener for each error that nobody caught, until the returned function is called. */
  readonly onStrayError: (listener: (error: unknown) => void) => () => void;
  /** Ends at once, whatever is in flight. */
  readonly exit: (code: number) => void;
  readonly clock: Clock;
  readonly machine: Machine;
  /** Collects garbage sooner, so that large workspaces need less memory; absent where that is not the command's to decide. */
  readonly saveMemory?: () => void;
}

/** The machine, as far as runs name it to others. */
export interface Machine {
  readonly host: string;
  readonly user: string;
  /** The version of Node, for example `v22.22.2`. */
  readonly node?: string;
  /** This process. */
  readonly pid: number;
  /** True while a process of this machine runs; also where that cannot be told. */
  readonly isRunning: (pid: number) => boolean;
}
