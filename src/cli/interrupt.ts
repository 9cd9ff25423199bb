/** Ctrl-C: the first one waits for requests in flight, where a command asks for that; the next one aborts them. */
import type { StopSignal, World } from './world.ts';

/** Exit codes of commands that a signal ended. */
const exitCodes: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Tells a command that it is to end. */
export class Interrupt {
  readonly #aborting = new AbortController();
  readonly #write: (line: string) => void;
  readonly #exit: (code: number) => void;
  readonly #atExit = new Set<() => void>();
  #graceful = false;
  #first: StopSignal | undefined;

  constructor(write: (line: string) => void, exit: (code: number) => void) {
    this.#write = write;
    this.#exit = exit;
  }

  /** Aborted when everything is to stop at once. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  /** True as soon as nothing new may be started. */
  get requested(): boolean {
    return this.#first !== undefined;
  }

  /** The interrupted command's exit code: that of the first signal. */
  get exitCode(): number {
    return exitCodes[this.#first ?? 'SIGINT'];
  }

  /** From now on the first signal waits for requests in flight. */
  finishFirst(): void {
    this.#graceful = true;
  }

  /** Takes a signal: the first waits where that was asked for, the next aborts, and the one after that exits. */
  receive(signal: StopSignal): void {
    const isFirst = this.#first === undefined;
    this.#first ??= signal;
    if (isFirst && this.#graceful) {
      this.#write('Interrupted. Waiting for requests in flight; press Ctrl-C again to abort.');
    } else if (!this.signal.aborted) this.#aborting.abort();
    else this.exit(this.exitCode);
  }

  /** Calls the listener when the process ends at once, until the returned function is called. */
  onExit(listener: () => void): () => void {
    this.#atExit.add(listener);
    return () => void this.#atExit.delete(listener);
  }

  /** Ends the process at once, whatever is in flight. */
  exit(code: number): void {
    for (const listener of this.#atExit) listener();
    this.#exit(code);
  }

  /** Listens until the returned function is called. */
  listen({ onSignal }: Pick<World, 'onSignal'>): () => void {
    return onSignal((signal) => this.receive(signal));
  }
}
