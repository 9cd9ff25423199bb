/** Ctrl-C: the first waits for requests in flight, if the command enabled that; the next aborts them. */
import type { StopSignal, World } from './world.ts';

const exitCodes: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Unit: milliseconds. An aborted command has this time to clean up. It may wait for something that does not know of signals, such as git. */
const grace = 2000;

export class Interrupt {
  readonly #aborting = new AbortController();
  readonly #stopping = new AbortController();
  readonly #write: (line: string) => void;
  readonly #world: Pick<World, 'exit' | 'onSignal'>;
  readonly #atExit: (() => void)[] = [];
  #graceful = false;
  #first: StopSignal | undefined;
  #stop: (() => void) | undefined;

  constructor(write: (line: string) => void, world: Pick<World, 'exit' | 'onSignal'>) {
    this.#write = write;
    this.#world = world;
  }

  get signal(): AbortSignal {
    this.listen();
    return this.#aborting.signal;
  }

  /** Aborted by the first signal: nothing waits any longer, and no request is retried. */
  get stopping(): AbortSignal {
    this.listen();
    return this.#stopping.signal;
  }

  get requested(): boolean {
    this.listen();
    return this.#first !== undefined;
  }

  get exitCode(): number {
    return exitCodes[this.#first ?? 'SIGINT'];
  }

  wroteNothing(): number {
    this.#write('Interrupted. Nothing was written.');
    return this.exitCode;
  }

  /** From now on, the first signal waits for requests in flight. */
  finishFirst(): void {
    this.listen();
    this.#graceful = true;
  }

  /** The first signal waits if enabled, the next aborts, and the one after that exits. */
  receive(signal: StopSignal): void {
    const isFirst = this.#first === undefined;
    this.#first ??= signal;
    this.#stopping.abort();
    if (isFirst && this.#graceful) {
      this.#write('Interrupted. Waiting for requests in flight; press Ctrl-C again to abort.');
    } else if (!this.#aborting.signal.aborted) {
      this.#aborting.abort();
      setTimeout(() => this.#giveUp(), grace).unref();
    } else this.exit(this.exitCode);
  }

  #giveUp(): void {
    if (this.#stop !== undefined) this.#write('Interrupted.');
    this.exit(this.exitCode);
  }

  onExit(listener: () => void): void {
    this.#atExit.push(listener);
  }

  exit(code: number): void {
    for (const listener of this.#atExit) listener();
    this.#world.exit(code);
  }

  /** Handles signals from now on. Until then, a signal ends the process by itself, even during work that blocks the event loop. */
  listen(): void {
    this.#stop ??= this.#world.onSignal((signal) => this.receive(signal));
  }

  end(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
