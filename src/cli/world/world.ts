/** The parts of the machine that a command may use. Only `process-world.ts` touches the process itself. */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../client/pacing.ts';
import type { Exchanges } from '../../client/transport.ts';
import type { OpenRepository } from '../../manifest/files/repository.ts';
import type { WorkFolder } from '../../manifest/files/work-folder.ts';
import type { JournalStore } from '../../past/journal/journal-folder.ts';

export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** Passed to `main`; tests make their own. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Called for each signal, until the returned function is called. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /** Called for each uncaught error, until the returned function is called. */
  readonly onStrayError: (listener: (error: unknown) => void) => () => void;
  /** Exits immediately, without waiting for requests in flight. */
  readonly exit: (code: number) => void;
  readonly clock: Clock;
  /** Loaded by commands, not by help and completion. */
  readonly folder: () => Promise<WorkFolder>;
  /** Journals of the workspace that contains a folder. */
  readonly journals: (cwd: string) => Promise<JournalStore>;
  readonly machine: Machine;
  readonly openRepository: OpenRepository;
  /** In place of sockets to an origin. */
  readonly transport?: (origin: string) => Exchanges;
}

export interface Machine {
  readonly host: string;
  readonly user: string;
  /** Example: `v22.22.2`. */
  readonly node?: string;
  readonly pid: number;
  /** Also true if unknown. */
  readonly isRunning: (pid: number) => boolean;
}
