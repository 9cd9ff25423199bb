/**
 * Applies a plan: runs its steps, reads the state again where structure changed or an answer was lost, and applies what
 * still differs, a few times at most. A delete that the approved plan does not hold is never sent.
 */
import { type Api, ApiError } from '../contract/api.ts';
import { operations } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import type { Registry } from '../kinds/registry.ts';
import { type OrganizationPlan, type Plan, type Step, standingRefusals } from '../plan/plan.ts';
import { type ObjectRef, RefSet } from '../tree/refs.ts';
import { DiagnosticError } from '../util/diagnostic.ts';
import type { ApplyEvent, ApplyResult, OrganizationResult, Outcome } from './events.ts';
import { executeSteps } from './execute.ts';

/** Everything that an apply needs from outside. */
export interface ApplyOptions {
  readonly api: Api;
  readonly registry: Registry;
  /** Steps that may run at the same time; 8 unless told. */
  readonly parallelism?: number;
  /**
   * Reads the live state again and plans what still differs, with the same manifests and options. `made`: ids, by
   * address, of the objects that this run made or found.
   */
  readonly replan: (
    organization: OrganizationPlan,
    made: ReadonlyMap<string, string>,
  ) => Promise<OrganizationPlan>;
  /** True for steps that a later look may add; all others are reported. Unless told, every step is. */
  readonly isWithin?: (organization: OrganizationPlan, step: Step) => boolean;
  readonly isInterrupted?: () => boolean;
  readonly onEvent?: (event: ApplyEvent) => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** How often leftovers are planned again. */
const rounds = 3;

/** How often a look is repeated that does not show what was just done; lists may lag behind a write. */
const lookAttempts = 5;
const lookDelay = 150;

/**
 * Applies the plan of each organization in turn.
 *
 * @throws DiagnosticError, before any call, when the plan holds refusals.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<ApplyResult> {
  const refused = standingRefusals(plan);
  if (refused.length > 0) {
    throw new DiagnosticError(
      refused.map(({ guard, address, message, suggestion }) => ({
        severity: 'error',
        code: `refused-${guard}`,
        message,
        address,
        suggestion,
      })),
    );
  }
  const isInterrupted = options.isInterrupted ?? (() => false);
  const organizations: OrganizationResult[] = [];
  for (const organization of plan.organizations) {
    organizations.push(await new OrganizationApply(organization, options, isInterrupted).run());
  }
  return { organizations, interrupted: isInterrupted() };
}

/** What a look at the live state after the changes gave. */
type SecondLook = Pick<OrganizationResult, 'leftover' | 'unread'>;

type FailedStep = Extract<Outcome, { type: 'failed' }>;

/** A plan of what still differs, or the reason why there is none. */
type Replanned = { readonly plan: OrganizationPlan } | { readonly unread: Error };

class OrganizationApply {
  readonly #plan: OrganizationPlan;
  readonly #options: ApplyOptions;
  readonly #isInterrupted: () => boolean;
  readonly #ids = new Map<string, string>();
  readonly #approvedDeletes: RefSet;
  /** Outcomes by step; a later round's outcome of the same step replaces an uncertain one. */
  readonly #outcomes = new Map<string, Outcome>();

  constructor(plan: OrganizationPlan, options: ApplyOptions, isInterrupted: () => boolean) {
    this.#plan = plan;
    this.#options = options;
    this.#isInterrupted = isInterrupted;
    this.#approvedDeletes = new RefSet(plan.steps.filter(isDelete).map(objectOf));
  }

  async run(): Promise<OrganizationResult> {
    let steps = this.#plan.steps;
    let look: SecondLook = { leftover: [] };
    for (let round = 1; steps.length > 0; round += 1) {
      const outcomes = await this.#execute(steps);
      for (const outcome of outcomes) this.#outcomes.set(outcome.step.id, outcome);
      if (this.#isInterrupted() || !outcomes.some(needsAnotherLook)) break;
      look = await this.#lookAgain(look);
      const differing = look.leftover;
      steps = round > rounds || look.unread !== undefined ? [] : this.#allowed(differing);
      if (steps.length === 0) break;
      look = { leftover: differing.filter((step) => !steps.includes(step)) };
      this.#options.onEvent?.({ type: 'round', organization: this.#plan.label, round, steps });
    }
    const outcomes = [...this.#outcomes.values()];
    return { label: this.#plan.label, outcomes, made: this.#ids, ...look };
  }

  /** Reads the live state again, until it shows what was done, and finds what still differs. */
  async #lookAgain({ leftover }: SecondLook): Promise<SecondLook> {
    let look = await this.#look();
    for (let attempt = 1; attempt < lookAttempts && this.#mayLag(look); attempt += 1) {
      await this.#options.sleep(lookDelay * attempt);
      look = await this.#look();
    }
    if ('unread' in look) return { leftover, unread: look.unread };
    this.#adopt(look.plan);
    return { leftover: this.#open(look.plan.steps) };
  }

  async #look(): Promise<Replanned> {
    try {
      return { plan: await this.#options.replan(this.#plan, this.#ids) };
    } catch (error) {
      return { unread: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  /** True for a look that misses what was done, or what may have been made although its response was lost. */
  #mayLag(look: Replanned): boolean {
    if (this.#isInterrupted()) return false;
    if ('unread' in look) return look.unread instanceof DiagnosticError;
    return look.plan.steps.some(({ id, phase }) => {
      const before = this.#outcomes.get(id);
      if (before?.type !== 'failed') return before?.type === 'done';
      return phase === 'create' && isWorthLooking(before) && !isRejected(before);
    });
  }

  #execute(steps: readonly Step[]): Promise<readonly Outcome[]> {
    const { api, registry, sleep, parallelism, onEvent } = this.#options;
    const organization = this.#plan.label;
    return executeSteps(steps, {
      api,
      registry,
      sleep,
      ids: this.#ids,
      parallelism: Math.max(1, parallelism ?? 8),
      isInterrupted: this.#isInterrupted,
      onStart: (step) => onEvent?.({ type: 'stepStarted', organization, step }),
      onEnd: (outcome) => onEvent?.({ type: 'stepEnded', organization, outcome }),
    });
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
    for (const [id, { type, step, ...rest }] of this.#outcomes) {
      const waited = type === 'skipped' && 'because' in rest && adopted.has(rest.because) && !still.has(id);
      if (adopted.has(id) || waited) this.#outcomes.set(id, { type: 'done', step });
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
  #allowed(steps: readonly Step[]): readonly Step[] {
    const out = new Set<string>();
    for (const step of steps) {
      if (!this.#isAllowed(step) || step.needs.some((id) => out.has(id))) out.add(step.id);
    }
    return steps.filter(({ id }) => !out.has(id));
  }

  #isAllowed(step: Step): boolean {
    if (isDelete(step)) return this.#approvedDeletes.has(objectOf(step));
    // What could not be recognised if it had been made is not made again.
    const before = this.#outcomes.get(step.id);
    if (before?.type === 'failed' && before.uncertain && isBareCreate(step)) return false;
    if (before?.type === 'failed' && isRejected(before)) return false;
    return this.#options.isWithin?.(this.#plan, step) ?? true;
  }
}

/** After structural changes, changes whose answers say nothing, and lost answers, the state is read again. */
function needsAnotherLook(outcome: Outcome): boolean {
  if (outcome.type === 'failed') return isWorthLooking(outcome);
  if (outcome.type !== 'done') return false;
  return (
    outcome.step.phase !== 'update' ||
    outcome.step.calls.some(({ operation }) => (operations[operation] as Operation).response === null)
  );
}

/**
 * A lost answer is looked up, not repeated, and so is what the service refuses as a conflict: the object may be there
 * already.
 */
function isWorthLooking(outcome: FailedStep): boolean {
  const { step, error, uncertain } = outcome;
  if (uncertain || step.phase === 'delete') return uncertain;
  const isConflict = error instanceof ApiError && error.status === 409;
  return (isConflict || isRejected(outcome)) && !isBareCreate(step);
}

/** True for a create that was called wrong: some services say so of a conflict. It is looked for, and not sent again. */
function isRejected({ step, error }: FailedStep): boolean {
  return step.phase === 'create' && error instanceof ApiError && error.status === 400;
}

/** True for a create that gives its object nothing to be recognised by, such as a duplicate. */
function isBareCreate({ phase, fields }: Step): boolean {
  return phase === 'create' && fields.length === 0;
}

function isDelete(step: Step): boolean {
  return step.phase === 'delete';
}

function objectOf({ kind, liveId }: Step): ObjectRef {
  return { kind, id: liveId ?? '' };
}
