/**
 * Applies the plan of one organization: runs its steps, reads the state again where structure changed, an answer was lost
 * or somebody else was at work, and applies what still differs, a few times at most.
 */

import type { OrganizationPlan, Step } from '../plan/plan.ts';
import { type ObjectRef, RefSet } from '../tree/refs.ts';
import { DiagnosticError } from '../util/diagnostic.ts';
import { append } from '../util/lists.ts';
import { asError } from '../util/user-error.ts';
import type { ApplyOptions } from './apply-plan.ts';
import { CreateWatch } from './create-watch.ts';
import type { OrganizationResult, Outcome } from './events.ts';
import { executeSteps } from './execute.ts';
import { fillParams } from './fill.ts';
import {
  type FailedStep,
  isBareCreate,
  isConflict,
  isRejected,
  isWorthLooking,
  needsAnotherLook,
} from './outcomes.ts';
import { RunIds } from './run-ids.ts';
import { JournalFailure } from './send-call.ts';
import { ServiceWatch } from './service-watch.ts';
import type { RunStop } from './stop.ts';

/** How often leftovers are planned again. */
const rounds = 3;

/** How often a look is repeated that does not show what was just done; lists may lag behind a write. */
const lookAttempts = 5;
const lookDelay = 150;

/** What a look at the live state after the changes gave. */
type SecondLook = Pick<OrganizationResult, 'leftover' | 'unread'>;

/** A plan of what still differs, or the reason why there is none. */
type Replanned = { readonly plan: OrganizationPlan } | { readonly unread: Error };

/** Applies the plan of one organization. */
export class OrganizationApply {
  readonly #plan: OrganizationPlan;
  readonly #options: ApplyOptions;
  readonly #stop: RunStop;
  readonly #service: ServiceWatch;
  readonly #creates: CreateWatch;
  readonly #ids = new RunIds();
  readonly #tried: Step[] = [];
  readonly #approvedDeletes: RefSet;
  /** Steps that have ended and may end otherwise once the live state is read again. */
  readonly #unsettled = new Set<string>();
  /** Steps that were rejected and have been taken a second time. */
  readonly #repeated = new Set<string>();
  /** Outcomes by step; a later round's outcome of the same step replaces an uncertain one. */
  readonly #outcomes = new Map<string, Outcome>();

  constructor(plan: OrganizationPlan, options: ApplyOptions, stop: RunStop) {
    this.#plan = plan;
    this.#options = options;
    this.#stop = stop;
    const { api, registry, others, onEvent } = options;
    const { label: organization, organizationId } = plan;
    this.#service = new ServiceWatch(() => api.send('orgs.get', { params: { organizationId } }), stop);
    this.#creates = new CreateWatch({
      api,
      registry,
      known: others?.known(plan),
      own: this.#ids,
      declared: plan.ids,
      onOther: (other) => onEvent?.({ type: 'otherWriter', organization, other }),
      onTwin: ({ address }) =>
        stop.stop({
          type: 'other-writer',
          message: `someone else created ${address} at the same time, so another run is at work`,
        }),
    });
    this.#approvedDeletes = new RefSet(plan.steps.filter(isDelete).map(objectOf));
  }

  async run(): Promise<OrganizationResult> {
    let steps = this.#plan.steps;
    let look: SecondLook = { leftover: [] };
    for (let round = 1; steps.length > 0; round += 1) {
      append(this.#tried, steps);
      const outcomes = await this.#execute(steps);
      for (const outcome of outcomes) this.#outcomes.set(outcome.step.id, outcome);
      if (!this.#isWorthAnotherLook(outcomes)) break;
      look = await this.#lookAgain(look);
      this.#creates.release();
      const differing = look.leftover;
      const isLast = round > rounds || look.unread !== undefined || this.#stop.reason !== undefined;
      steps = isLast ? [] : this.#allowed(differing, outcomes.some(isDone));
      if (steps.length === 0) break;
      this.#repeat(steps);
      const taken = new Set(steps);
      look = { leftover: differing.filter((step) => !taken.has(step)) };
      this.#options.onEvent?.({ type: 'round', organization: this.#plan.label, round, steps });
    }
    for (const id of this.#unsettled) {
      const outcome = this.#outcomes.get(id);
      if (outcome !== undefined) this.#tell(outcome, true);
    }
    const outcomes = [...this.#outcomes.values()];
    const { label, steps: approved } = this.#plan;
    const twins = this.#options.others?.twins(this.#plan, this.#ids) ?? [];
    return { label, steps: approved, outcomes, made: new Map(this.#ids), twins, ...look };
  }

  #isWorthAnotherLook(outcomes: readonly Outcome[]): boolean {
    const { reason } = this.#stop;
    // What exists twice is to be named.
    if (reason !== undefined) return reason.type === 'other-writer';
    return outcomes.some((one) => needsAnotherLook(one) || this.#isUnsettled(one));
  }

  /** Reads the live state again, until it shows what was done, and finds what still differs. */
  async #lookAgain({ leftover }: SecondLook): Promise<SecondLook> {
    let look = await this.#look();
    for (let attempt = 1; attempt < lookAttempts && this.#mayLag(look); attempt += 1) {
      await this.#options.sleep(lookDelay * attempt);
      look = await this.#look();
    }
    // Nothing is taken for different, and sent once more, by what was read before the changes.
    if (this.#isDoubtful(look)) look = await this.#look({ isDoubtful: true });
    if ('unread' in look) return { leftover, unread: look.unread };
    this.#adopt(look.plan);
    return { leftover: this.#open(look.plan.steps) };
  }

  async #look({ isDoubtful = false } = {}): Promise<Replanned> {
    const since = { made: this.#ids, steps: this.#tried, isDoubtful };
    try {
      return { plan: await this.#options.replan(this.#plan, since) };
    } catch (error) {
      return { unread: asError(error) };
    }
  }

  #isDoubtful(look: Replanned): boolean {
    if ('unread' in look) return look.unread instanceof DiagnosticError;
    return this.#open(look.plan.steps).length > 0;
  }

  /** True for a look that misses what was done, or what may have been made although its response was lost. */
  #mayLag(look: Replanned): boolean {
    const { reason } = this.#stop;
    if (reason !== undefined && reason.type !== 'other-writer') return false;
    if ('unread' in look) return look.unread instanceof DiagnosticError;
    return look.plan.steps.some(({ id, phase }) => {
      const before = this.#outcomes.get(id);
      if (before?.type !== 'failed') return before?.type === 'done';
      return phase === 'create' && isWorthLooking(before) && !isRejected(before);
    });
  }

  #execute(steps: readonly Step[]): Promise<readonly Outcome[]> {
    const { api, registry, sleep, parallelism, onEvent, journal } = this.#options;
    const organization = this.#plan.label;
    return executeSteps(steps, {
      api,
      registry,
      sleep,
      organization,
      journal,
      creates: this.#creates,
      ids: this.#ids,
      parallelism: Math.max(1, parallelism ?? 8),
      isInterrupted: () => this.#stop.reason !== undefined,
      mayLookUp: () => this.#stop.reason?.type !== 'unavailable',
      doubt: () => this.#service.doubt(),
      onStart: (step) => onEvent?.({ type: 'stepStarted', organization, step }),
      onEnd: (outcome) => this.#ended(outcome),
    });
  }

  #ended(outcome: Outcome): void {
    this.#service.ended(outcome);
    if (outcome.type === 'failed') this.#failed(outcome);
    const { step } = outcome;
    const isSettled = !this.#isUnsettled(outcome);
    if (isSettled) this.#unsettled.delete(step.id);
    else this.#unsettled.add(step.id);
    this.#tell(outcome, isSettled);
  }

  #failed(outcome: FailedStep): void {
    const { step, call, error } = outcome;
    if (error instanceof JournalFailure) this.#stop.stop({ type: 'journal', message: error.message });
    const isNamed = step.phase === 'create' || step.phase === 'update';
    if (isNamed && call !== undefined && isConflict(outcome)) {
      this.#creates.hold({ step, params: fillParams({ ids: this.#ids }, call.params) });
    }
  }

  /** True for an outcome that may become another one once the live state is read again. */
  #isUnsettled(outcome: Outcome): boolean {
    if (outcome.type === 'failed') return isWorthLooking(outcome);
    if (outcome.type === 'skipped') return this.#unsettled.has(outcome.because);
    return outcome.type === 'notStarted' && this.#stop.reason === undefined;
  }

  #tell(outcome: Outcome, isFinal: boolean): void {
    const { label: organization } = this.#plan;
    this.#options.onEvent?.({ type: 'stepEnded', organization, outcome, isFinal });
  }

  /** What could not be told to have happened, and does not differ any more, has happened; so has what waited for it. */
  #adopt({ steps, ids }: OrganizationPlan): void {
    const still = new Set(steps.map(({ id }) => id));
    const adopted = new Set<string>();
    for (const [id, outcome] of this.#outcomes) {
      if (outcome.type !== 'failed' || !isWorthLooking(outcome) || still.has(id)) continue;
      adopted.add(id);
      const { address, phase } = outcome.step;
      const made = ids[address];
      if (phase === 'create' && made !== undefined) this.#ids.set(address, made);
    }
    this.#settle(still, adopted);
  }

  /** Gives the steps that are not called for any more their outcomes. */
  #settle(still: ReadonlySet<string>, adopted: ReadonlySet<string>): void {
    for (const [id, outcome] of this.#outcomes) {
      if (still.has(id)) continue;
      const { type, step } = outcome;
      const waited = type === 'skipped' && adopted.has(outcome.because);
      if (adopted.has(id) || waited) this.#outcomes.set(id, { type: 'done', step });
      // Held back, and done by somebody else meanwhile.
      else if (type === 'notStarted') this.#outcomes.set(id, { type: 'satisfied', step });
    }
  }

  /**
   * Without what failed for good or was refused, and without what needs that: it is reported already. A refusal holds
   * for the whole apply, also where a later look would see no reason for it.
   */
  #open(steps: readonly Step[]): readonly Step[] {
    const out = new Set(this.#plan.refusals.flatMap((refusal) => refusal.steps));
    for (const step of steps) {
      const before = this.#outcomes.get(step.id);
      const failed = before?.type === 'failed' && !isWorthLooking(before);
      const skipped = before?.type === 'skipped' && this.#isLost(before.because);
      if (failed || skipped || step.needs.some((id) => out.has(id))) out.add(step.id);
    }
    return steps.filter(({ id }) => !out.has(id));
  }

  #isLost(id: string): boolean {
    const outcome = this.#outcomes.get(id);
    return outcome?.type === 'failed' && !isWorthLooking(outcome);
  }

  /** The steps that may be taken, without those that need others. */
  #allowed(steps: readonly Step[], hasChanged: boolean): readonly Step[] {
    const out = new Set<string>();
    for (const step of steps) {
      if (!this.#isAllowed(step, hasChanged) || step.needs.some((id) => out.has(id))) out.add(step.id);
    }
    return steps.filter(({ id }) => !out.has(id));
  }

  #isAllowed(step: Step, hasChanged: boolean): boolean {
    if (isDelete(step)) return this.#approvedDeletes.has(objectOf(step));
    // What could not be recognised if it had been made is not made again.
    const before = this.#outcomes.get(step.id);
    if (before?.type === 'failed' && before.uncertain && isBareCreate(step)) return false;
    // What was in the way of a rejected step may be gone by now.
    if (this.#isRejected(step.id) && (!hasChanged || this.#repeated.has(step.id))) return false;
    return this.#options.isWithin?.(this.#plan, step) ?? true;
  }

  #repeat(steps: readonly Step[]): void {
    for (const { id } of steps) if (this.#isRejected(id)) this.#repeated.add(id);
  }

  #isRejected(id: string): boolean {
    const before = this.#outcomes.get(id);
    return before?.type === 'failed' && isRejected(before);
  }
}

function isDone({ type }: Outcome): boolean {
  return type === 'done';
}

function isDelete(step: Step): boolean {
  return step.phase === 'delete';
}

function objectOf({ kind, liveId }: Step): ObjectRef {
  return { kind, id: liveId ?? '' };
}
