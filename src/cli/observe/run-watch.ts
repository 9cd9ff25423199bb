/** Opens whatever was asked for to watch a run with, passes on what happens, and ends it, however the run ends. */
import type { RunEnd, RunEvent } from '../../run/run-report/run-event.ts';
import { parseShard } from '../../run/shard.ts';
import { defined } from '../../util/defined.ts';
import type { Command } from '../command-table.ts';
import type { Flags } from '../flags.ts';
import { formatsIn } from '../formats.ts';
import type { Output } from '../output.ts';
import type { World } from '../world.ts';
import type { Observer } from './observer.ts';

/** The run that is watched. */
export interface WatchedRun {
  readonly command: Command;
  readonly flags: Flags;
  readonly runId: string;
  readonly world: World;
  readonly output: Output;
}

/** Watches a run. What nobody asked for is not even loaded. */
export class RunWatch {
  readonly #run: WatchedRun;
  readonly #observers: Observer[] = [];
  #isEnded = false;

  constructor(run: WatchedRun) {
    this.#run = run;
  }

  /** Opens what was asked for. Throws a DiagnosticError where a file cannot be written. */
  async open(): Promise<void> {
    const { command, flags, runId, world, output } = this.#run;
    const { cwd, clock, env } = world;
    const { reportFile, logFile } = flags;
    const warn = (text: string) => output.error(text);
    if (reportFile !== undefined) {
      const { openRunReport } = await import('./run-report.ts');
      const shard = command.flags.includes('shard')
        ? parseShard(flags.shard ?? env.OCTAVO_SHARD ?? '')
        : undefined;
      const applies = !['plan', 'rehearse'].includes(command.name) && flags.out === undefined;
      const run = { run: runId, command: command.name, applies, now: clock.now, ...defined({ shard }) };
      this.#observers.push(openRunReport({ cwd, name: reportFile, otherFiles: [logFile, flags.out], run }));
    }
    if (logFile !== undefined) {
      const { openLogFile } = await import('./log-file.ts');
      this.#observers.push(openLogFile({ cwd, name: logFile, run: runId, now: clock.now, warn }));
    }
    if (isForGithub(flags, env)) {
      const { openGithubFiles } = await import('./github-files.ts');
      this.#observers.push(openGithubFiles({ env, now: clock.now, warn }));
    }
    if (isTraced(command, env)) await this.#openTraces();
  }

  /** Passes on what happened. */
  readonly observe = (event: RunEvent): void => {
    for (const { observe } of this.#observers) observe(event);
  };

  /** The run ended. Gives the exit code: an error also where only a report is missing. */
  async end(end: RunEnd): Promise<number> {
    const pending = this.#endAll(end);
    const { output } = this.#run;
    let { exitCode } = end;
    for (const one of pending) {
      try {
        await one();
      } catch (error) {
        const { explain } = await import('../failure.ts');
        explain(output, error);
        exitCode ||= 1;
      }
    }
    return exitCode;
  }

  /** The process ends at once: writes what can be written without waiting. */
  cut(end: RunEnd): void {
    for (const one of this.#endAll(end)) {
      try {
        void one();
      } catch {
        // Nobody is left to tell.
      }
    }
  }

  /** Traces are never a reason not to run. */
  async #openTraces(): Promise<void> {
    const { command, runId: run, world, output } = this.#run;
    const warn = (text: string) => output.error(text);
    try {
      const { openTraces } = await import('./traces.ts');
      const { env, clock } = world;
      this.#observers.push(openTraces({ run, command: command.name, env, now: clock.now, warn }));
    } catch (error) {
      warn(`warning[traces]: no traces are sent: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #endAll(end: RunEnd): readonly (() => void | Promise<void>)[] {
    if (this.#isEnded) return [];
    this.#isEnded = true;
    return this.#observers.map((observer) => () => observer.end(end));
  }
}

/** `matrix` has a format of the same name, which is about stdout alone. */
function isForGithub(flags: Flags, env: World['env']): boolean {
  const { stdout, files } = formatsIn(flags);
  const isAsked = flags.of === undefined && [stdout, ...files.map(({ format }) => format)].includes('github');
  return isAsked && [env.GITHUB_OUTPUT, env.GITHUB_STEP_SUMMARY].some((file) => (file ?? '') !== '');
}

/** Commands that plan or apply are traced where the environment names a collector. */
function isTraced({ flags }: Command, env: World['env']): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = env;
  if (!flags.includes('logFile')) return false;
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return false;
  return [OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT].some((one) => (one ?? '') !== '');
}
