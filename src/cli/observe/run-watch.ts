/** Opens the requested observers, passes events on, and ends them however the run ends. */
import type { RunEnd, RunEvent } from '../../run/run-report/run-event.ts';
import { parseShard } from '../../run/shard.ts';
import { defined } from '../../util/defined.ts';
import type { Command, Invocation } from '../line/command.ts';
import { formatsIn } from '../show/formats.ts';
import type { Output } from '../world/output.ts';
import type { World } from '../world/world.ts';
import type { Observer } from './observer.ts';

export interface WatchedRun {
  readonly name: string;
  readonly command: Command;
  readonly flags: Invocation['flags'];
  readonly runId: string;
  readonly world: World;
  readonly output: Output;
}

export class RunWatch {
  readonly #run: WatchedRun;
  readonly #observers: Observer[] = [];
  #isEnded = false;

  constructor(run: WatchedRun) {
    this.#run = run;
  }

  async open(): Promise<void> {
    const { name: commandName, command, flags, runId, world, output } = this.#run;
    const { cwd, clock, env } = world;
    const { reportFile, logFile } = flags;
    const warn = (text: string) => output.error(text);
    if (reportFile !== undefined) {
      const { openRunReport } = await import('./run-report.ts');
      const shard = 'shard' in command.flags ? parseShard(flags.shard ?? env.OCTAVO_SHARD ?? '') : undefined;
      const applies = commandName !== 'plan' && flags.out === undefined;
      const run = { run: runId, command: commandName, applies, now: clock.now, ...defined({ shard }) };
      this.#observers.push(openRunReport({ cwd, name: reportFile, otherFiles: [logFile, flags.out], run }));
    }
    if (logFile !== undefined) {
      const { openLogFile } = await import('./log-file.ts');
      this.#observers.push(openLogFile({ cwd, name: logFile, run: runId, now: clock.now, warn }));
    }
    // The format of that name of a matrix only concerns stdout.
    if (commandName !== 'matrix' && isForGithub(flags, env)) {
      const { openGithubFiles } = await import('./github-files.ts');
      this.#observers.push(openGithubFiles({ env, now: clock.now, warn }));
    }
  }

  readonly observe = (event: RunEvent): void => {
    for (const { observe } of this.#observers) observe(event);
  };

  /** Returns the exit code: an error also if only a report is missing. */
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

  /** The process ends immediately: writes what can be written without waiting. */
  cut(end: RunEnd): void {
    for (const one of this.#endAll(end)) {
      try {
        one();
      } catch {
        // No one is left to report to.
      }
    }
  }

  #endAll(end: RunEnd): readonly (() => void)[] {
    if (this.#isEnded) return [];
    this.#isEnded = true;
    return this.#observers.map((observer) => () => observer.end(end));
  }
}

function isForGithub(flags: Invocation['flags'], env: World['env']): boolean {
  const { stdout, files } = formatsIn(flags);
  const isAsked = [stdout, ...files.map(({ format }) => format)].includes('github');
  return isAsked && [env.GITHUB_OUTPUT, env.GITHUB_STEP_SUMMARY].some((file) => (file ?? '') !== '');
}
