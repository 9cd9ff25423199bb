/** Opens the requested observers, passes events on, and ends them however the run ends. */
import type { LastEvents, RunEnd, RunEvent } from '../../run/results/run-event.ts';
import type { Invocation } from '../line/command.ts';
import { formatsIn } from '../show/formats.ts';
import type { World } from '../world/world.ts';
import type { Observer, WatchedRun } from './observer.ts';

export class RunWatch {
  readonly #run: WatchedRun;
  readonly #observers: Observer[] = [];
  readonly last: LastEvents = {};
  #isEnded = false;

  constructor(run: WatchedRun) {
    this.#run = run;
  }

  async open(): Promise<void> {
    const { flags, world } = this.#run;
    if (this.writesJson && chosenFormats(flags).includes('json')) {
      const { openRunDocument } = await import('./run-document.ts');
      this.#observers.push(openRunDocument(this.#run));
    }
    if (formatsIn(flags).files.length > 0) {
      const { requireFormatFiles } = await import('../show/view-for.ts');
      requireFormatFiles(this.#run);
    }
    if (isForGithub(flags, world.env)) {
      const { openGithubFiles } = await import('./github-files.ts');
      this.#observers.push(openGithubFiles(this.#run));
    }
  }

  get isWatched(): boolean {
    return this.#observers.length > 0;
  }

  /** The JSON of a command that has one plan is that of its run. */
  get writesJson(): boolean {
    const { command } = this.#run;
    const { accept, pin }: { readonly accept?: boolean; readonly pin?: unknown } = this.#run.flags;
    return command.makesPlan === true && accept !== true && pin !== true;
  }

  readonly observe = (event: RunEvent): void => {
    Object.assign(this.last, { [event.type]: event });
    for (const { observe } of this.#observers) observe?.(event);
  };

  /** Returns the exit code: an error also if only a file is missing. */
  async end(end: RunEnd): Promise<number> {
    const pending = this.#endAll(end);
    const { output } = this.#run;
    let { exitCode } = end;
    for (const one of pending) {
      try {
        one();
      } catch (error) {
        const { explain } = await import('../show/failure.ts');
        explain(output, error);
        exitCode ||= 1;
      }
    }
    return exitCode;
  }

  /** Writes whatever can be written synchronously, since the process ends immediately. */
  cut(end: RunEnd): void {
    for (const one of this.#endAll(end)) {
      try {
        one();
      } catch {
        // The output itself may be unusable.
      }
    }
  }

  #endAll(end: RunEnd): readonly (() => void)[] {
    if (this.#isEnded) return [];
    this.#isEnded = true;
    return this.#observers.map((observer) => () => observer.end(end, this.last));
  }
}

function chosenFormats(flags: Invocation['flags']): readonly (string | undefined)[] {
  const { stdout, files } = formatsIn(flags);
  return [stdout, ...files.map(({ format }) => format)];
}

function isForGithub(flags: Invocation['flags'], env: World['env']): boolean {
  return (
    chosenFormats(flags).includes('github') &&
    [env.GITHUB_OUTPUT, env.GITHUB_STEP_SUMMARY].some((file) => (file ?? '') !== '')
  );
}
