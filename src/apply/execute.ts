/** Runs steps in parallel, as their graph allows. A failed step stops only its dependents. */

import { ApiError } from '../contract/api.ts';
import type { Step } from '../plan/plan.ts';
import { push } from '../util/group.ts';
import { append } from '../util/lists.ts';
import { asError } from '../util/user-error.ts';
import { isFailed, type Outcome } from './events.ts';
import { CallFailure, NotStored } from './failures.ts';
import { LookUps, type ReadyLookUp } from './look-ups.ts';
import type { LookUpList } from './new-objects.ts';
import { runStep, type StepContext } from './run-step.ts';

export interface ExecuteOptions extends StepContext {
  /** Minimum: 1. */
  readonly parallelism: number;
  /** True if objects that a stopped run created may still be looked up. */
  readonly mayLookUp?: () => boolean;
  /** Awaited before each step starts; checks doubts that may end the run. True: one step at a time. */
  readonly doubt?: () => Promise<true> | undefined;
  readonly onStart: (step: Step) => void;
  readonly onEnd: (outcome: Outcome) => void;
}

/** Reports how each step ended. Never throws for a step's failure. */
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
  /** Number of earlier steps that each step still waits for. */
  readonly #waiting = new Map<string, number>();
  readonly #dependents = new Map<string, Step[]>();
  /** Steps in the order in which they became ready; the first `#taken` of them have started. */
  readonly #ready: Step[] = [];
  #taken = 0;
  readonly #lookUps: LookUps;
  /** Look-ups that start together and share a single request. */
  #released: ReadyLookUp[] = [];
  #running = 0;
  #hasEnded = false;
  #defect: Error | undefined;
  #onEnd: (() => void) | undefined;

  constructor(steps: readonly Step[], options: ExecuteOptions) {
    this.#steps = steps;
    this.#options = options;
    this.#known = new Set(steps.map(({ id }) => id));
    this.#lookUps = new LookUps(steps);
    for (const step of steps) {
      const earlier = [...step.needs, ...step.after].filter((id) => this.#known.has(id));
      this.#waiting.set(step.id, earlier.length);
      for (const id of earlier) push(this.#dependents, id, step);
      if (earlier.length === 0) this.#makeReady(step);
    }
  }

  async run(): Promise<readonly Outcome[]> {
    for (;;) {
      if (this.#defect !== undefined) throw this.#defect;
      this.#hasEnded = false;
      this.#startLookUps();
      await this.#startReady();
      if (this.#released.length > 0) continue;
      if (this.#running > 0) await this.#nextEnd();
      else if (!this.#releaseRest()) break;
    }
    for (const step of this.#steps) {
      if (!this.#ended.has(step.id)) this.#outcomes.push({ type: 'notStarted', step });
    }
    return this.#outcomes;
  }

  async #startReady(): Promise<void> {
    while (this.#taken < this.#ready.length && this.#running < this.#options.parallelism) {
      const isAlone = (await this.#options.doubt?.()) === true && this.#running > 0;
      if (isAlone || this.#options.isInterrupted()) return;
      const step = this.#ready[this.#taken];
      this.#taken += 1;
      if (step !== undefined) this.#start(step);
    }
  }

  #startLookUps(): void {
    const released = this.#released;
    this.#released = [];
    if (this.#mayLookUp()) for (const { step, list } of released) this.#start(step, list);
  }

  /**
   * Releases the waiting look-ups: no other step can start, so their groups are complete. A stopped run also looks up the
   * objects that it created, to learn their ids. Returns false if no look-up waits.
   */
  #releaseRest(): boolean {
    if (!this.#mayLookUp()) return false;
    append(this.#released, this.#lookUps.rest());
    return this.#released.length > 0;
  }

  #mayLookUp(): boolean {
    return !this.#options.isInterrupted() || this.#options.mayLookUp?.() === true;
  }

  #nextEnd(): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onEnd = resolve;
    });
  }

  #start(step: Step, lookUps?: LookUpList): void {
    const blockers = step.needs.filter((id) => this.#known.has(id) && !mayFollow(step, this.#ended.get(id)));
    const [blocker] = blockers;
    if (blocker !== undefined) {
      // Dependents of a held-back step are held back as well.
      const failed = blockers.find((id) => this.#ended.get(id)?.type !== 'notStarted');
      const outcome = this.#ended.get(failed ?? '');
      const because = outcome?.type === 'skipped' ? outcome.because : failed;
      this.#end(because === undefined ? { type: 'notStarted', step } : { type: 'skipped', step, because });
      return;
    }
    this.#options.onStart(step);
    this.#running += 1;
    const context = lookUps === undefined ? this.#options : { ...this.#options, lookUps };
    void runStep(context, step)
      .then(
        (result): Outcome => ({ type: endings[result], step }),
        (error: unknown) => failure(step, error),
      )
      .then((outcome) => {
        this.#running -= 1;
        this.#hasEnded = true;
        this.#end(outcome);
      })
      .catch((error: unknown) => {
        // A listener threw; the run fails with its error.
        this.#defect = asError(error);
      })
      .then(() => this.#onEnd?.());
  }

  #end(outcome: Outcome): void {
    this.#ended.set(outcome.step.id, outcome);
    this.#outcomes.push(outcome);
    this.#options.onEnd(outcome);
    for (const dependent of this.#dependents.get(outcome.step.id) ?? []) {
      const left = (this.#waiting.get(dependent.id) ?? 0) - 1;
      this.#waiting.set(dependent.id, left);
      if (left === 0) this.#makeReady(dependent);
    }
  }

  #makeReady(step: Step): void {
    if (this.#lookUps.has(step)) append(this.#released, this.#lookUps.ready(step));
    else this.#ready.push(step);
  }
}

const endings = { sent: 'done', notNeeded: 'satisfied', held: 'notStarted', pending: 'pending' } as const;

/** If the response to a create or update differs from the sent value, dependents still run, except deletes. */
function mayFollow({ phase }: Step, before: Outcome | undefined): boolean {
  if (isFailed(before)) return before.error instanceof NotStored && phase !== 'delete';
  return before?.type === 'done' || before?.type === 'satisfied';
}

function failure(step: Step, error: unknown): Outcome {
  const known = asError(error);
  const cause = known instanceof CallFailure ? known.cause : known;
  const isUnsent = cause instanceof ApiError && cause.type === 'cancelled' && !cause.mayHaveHappened;
  if (isUnsent && known instanceof CallFailure && known.call === step.calls[0])
    return { type: 'notStarted', step };
  return {
    type: cause instanceof ApiError && cause.mayHaveHappened ? 'unknown' : 'failed',
    step,
    error: cause,
    ...(known instanceof CallFailure ? { call: known.call } : {}),
  };
}
