/** Ctrl-C: the first one lets finish what is under way, where a command asks for that; the next one cuts. */

/** The interrupted command's exit code. */
export const interruptedExitCode = 130;

/** Tells a command that it is to end. */
export class Interrupt {
  readonly #cut = new AbortController();
  readonly #say: (line: string) => void;
  #graceful = false;
  #count = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Aborted when everything is to stop at once. */
  get signal(): AbortSignal {
    return this.#cut.signal;
  }

  /** True as soon as nothing new may be started. */
  get requested(): boolean {
    return this.#count > 0;
  }

  /** From now on the first Ctrl-C lets finish what is under way. */
  finishFirst(): void {
    this.#graceful = true;
  }

  /** Listens until the returned function is called. */
  listen(): () => void {
    const onSignal = () => {
      this.#count += 1;
      if (this.#count === 1 && this.#graceful) {
        this.#say('Interrupted: finishing what is under way; once more to cut it off.');
      } else if (!this.#cut.signal.aborted) this.#cut.abort();
      else process.exit(interruptedExitCode);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    return () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    };
  }
}
