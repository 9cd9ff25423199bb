/** Runs steps in parallel, as their graph allows. A failed step stops what needs it and nothing else. */

import { ApiError } from '../contract/api.ts';
import type { Step } from '../plan/plan.ts';
import { asError } from '../util/user-error.ts';
import type { Outcome } from './events.ts';
import { CallFailure, runStep, type StepContext } from './run-step.ts';

/** How steps are run. */
export interface ExecuteOptions extends StepContext {
  /** Steps that may run at the same time, at least 1. */
  readonly parallelism: number;
  /** True as soon as nothing new may be started. */
  readonly isInterrupted: () => boolean;
  /** Awaited before a step starts, where it is there: a doubt that may end the run. */
  readonly doubt?: () => Promise<void> | undefined;
  readonly onStart: (step: Step) => void;
  readonly onEnd: (outcome: Outcome) => void;
}

/** Runs all steps and tells how each ended. Never throws for a step's failure. */
export async function executeSteps(
  steps: readonly Step[],
  options: ExecuteOptions,
): Promise<readonly Outcome[]> {
  return new Execution(steps, options).run();
}

class Execution {
  readonly #options: ExecuteOptions;
  readonly #steps: readonly Step[];
  readonly #known: ReadonlySet<string>;
  readonly #ended = new Map<string, Outcome>();
  readonly #outcomes: Outcome[] = [];
  /** How many earlier steps each step still waits for. */
  readonly #waiting = new Map<string, number>();
  readonly #dependents = new Map<string, Step[]>();
  readonly #ready: Step[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(steps: readonly Step[], options: ExecuteOptions) {
    this.#steps = steps;
    this.#options = options;
    this.#known = new Set(steps.map(({ id }) => id));
    for (const step of steps) {
      const earlier = [...step.needs, ...step.after].filter((id) => this.#known.has(id));
      this.#waiting.set(step.id, earlier.length);
      for (const id of earlier) {
        const dependents = this.#dependents.get(id);
        if (dependents === undefined) this.#dependents.set(id, [step]);
        else dependents.push(step);
      }
      if (earlier.length === 0) this.#ready.push(step);
    }
  }

  async run(): Promise<readonly Outcome[]> {
    for (;;) {
      while (this.#ready.length > 0 && this.#running.size < this.#options.parallelism) {
        await this.#options.doubt?.();
        if (this.#options.isInterrupted()) break;
        const step = this.#ready.shift();
        if (step !== undefined) this.#start(step);
      }
      if (this.#running.size === 0) break;
      await Promise.race(this.#running);
    }
    for (const step of this.#steps) {
      if (!this.#ended.has(step.id)) this.#outcomes.push({ type: 'notStarted', step });
    }
    return this.#outcomes;
  }

  #start(step: Step): void {
    const blockers = step.needs.filter((id) => this.#known.has(id) && !isDone(this.#ended.get(id)));
    const [blocker] = blockers;
    if (blocker !== undefined) {
      // What waits for something that was held back is held back as well.
      const failed = blockers.find((id) => this.#ended.get(id)?.type !== 'notStarted');
      this.#end(
        failed === undefined
          ? { type: 'notStarted', step }
          : { type: 'skipped', step, because: this.#rootOf(failed) },
      );
      return;
    }
    this.#options.onStart(step);
    const running = runStep(this.#options, step).then(
      (result) => this.#end({ type: endings[result], step }),
      (error: unknown) => this.#end(failure(step, error)),
    );
    const tracked = running.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  #end(outcome: Outcome): void {
    this.#ended.set(outcome.step.id, outcome);
    this.#outcomes.push(outcome);
    this.#options.onEnd(outcome);
    for (const dependent of this.#dependents.get(outcome.step.id) ?? []) {
      const left = (this.#waiting.get(dependent.id) ?? 0) - 1;
      this.#waiting.set(dependent.id, left);
      if (left === 0) this.#ready.push(dependent);
    }
  }

  /** The failed step at the root of a skipped one. */
  #rootOf(id: string): string {
    const outcome = this.#ended.get(id);
    return outcome?.type === 'skipped' ? outcome.because : id;
  }
}

const endings = { sent: 'done', notNeeded: 'satisfied', held: 'notStarted' } as const;

function isDone(outcome: Outcome | undefined): boolean {
  return outcome?.type === 'done' || outcome?.type === 'satisfied';
}

function failure(step: Step, error: unknown): Outcome {
  const known = asError(error);
  const cause = known instanceof CallFailure ? known.cause : known;
  return {
    type: 'failed',
    step,
    error: cause,
    ...(known instanceof CallFailure ? { call: known.call } : {}),
    uncertain: cause instanceof ApiError && cause.mayHaveHappened,
  };
}
