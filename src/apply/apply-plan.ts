/**
 * Applies a plan: runs its steps, reads the state again if the structure changed or a response was lost, and applies
 * the remaining differences, a few times at most. A delete that is not in the approved plan is never sent.
 */

import { type Api, hasStatus } from '../contract/api.ts';
import { formOf } from '../contract/form.ts';
import { operations } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import type { Payload, Value } from '../kinds/parts/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { ownWorkOf } from '../plan/own/own-work-of.ts';
import { isUpdate, type OrganizationPlan, type Plan, type Step, standingRefusals } from '../plan/plan.ts';
import { withAdded } from '../tree/additive.ts';
import { sameField } from '../tree/difference.ts';
import type { OwnWork } from '../tree/own-work.ts';
import { type ObjectRef, RefSet } from '../tree/refs.ts';
import { defined } from '../util/defined.ts';
import { DiagnosticError } from '../util/diagnostic.ts';
import { sameJson } from '../util/json.ts';
import { append } from '../util/lists.ts';
import { asError } from '../util/user-error.ts';
import { CreateWatch, type KnownObjects } from './create-watch.ts';
import type { Duplicate } from './duplicates.ts';
import {
  type ApplyListener,
  type ApplyResult,
  endOf,
  type FailedStep,
  isFailed,
  type OrganizationResult,
  type Outcome,
  type StopReason,
  type StoredValue,
} from './events.ts';
import { executeSteps } from './execute.ts';
import { ChangedDuringRun, JournalFailure } from './failures.ts';
import { RunIds } from './run-ids.ts';
import { RunStop, ServiceWatch } from './stop.ts';
import { storedAndHidden } from './stored-value.ts';

export interface ApplyOptions {
  readonly api: Api;
  readonly registry: Registry;
  /** Steps that may run at the same time; 8 by default. */
  readonly parallelism?: number;
  /** Reads the live state again and plans the remaining differences, with the same manifests and options. */
  readonly replan: (organization: OrganizationPlan, since: SinceStart) => Promise<OrganizationPlan>;
  /** Steps that a later round may add; all others are reported. By default, every step. */
  readonly isWithin?: (organization: OrganizationPlan, step: Step) => boolean;
  /** True after an interrupt: no new step may start. */
  readonly isInterrupted?: () => boolean;
  readonly stopReason?: () => StopReason | undefined;
  readonly others?: OtherWriters;
  readonly onEvent?: ApplyListener;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

export interface SinceStart {
  readonly made: ReadonlyMap<string, string>;
  /** Steps that the run tried. The objects that they touch must be read again. */
  readonly steps: readonly Step[];
  readonly work: OwnWork;
  readonly stored: OrganizationResult['stored'];
  /** True if something still seems to differ, so everything must be read again. */
  readonly isDoubtful?: boolean;
}

/** Changes by the run itself. */
export type SoFar = Pick<SinceStart, 'made' | 'work' | 'stored'>;

/** Other runs or people in the app that may change the same workspace at the same time. */
export interface OtherWriters {
  readonly known: (organization: OrganizationPlan) => KnownObjects | undefined;
  readonly duplicates: (
    organization: OrganizationPlan,
    made: ReadonlyMap<string, string>,
  ) => readonly Duplicate[];
  /**
   * Changes by others to the step's object since it was planned, as a clause; undefined if the step may be sent. `organization`: the
   * plan of this round.
   */
  readonly changed: (
    organization: OrganizationPlan,
    step: Step,
    since: () => SoFar,
  ) => Promise<string | undefined>;
}

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
  const stop = new RunStop(() =>
    isInterrupted() ? { type: 'interrupted', message: 'interrupted' } : options.stopReason?.(),
  );
  const organizations: OrganizationResult[] = [];
  for (const organization of plan.organizations) {
    organizations.push(await new OrganizationApply(organization, options, stop).run());
  }
  return { organizations, interrupted: isInterrupted(), ...defined({ stopped: stop.reason }) };
}

const rounds = 3;

/** How often the live state is read again while it misses a change that was just made; lists may lag behind a write. */
const replanAttempts = 5;
const replanDelay = 150;

type Remaining = Pick<OrganizationResult, 'leftover' | 'unread'>;

type Replanned = { readonly plan: OrganizationPlan } | { readonly unread: Error };

class OrganizationApply {
  readonly #plan: OrganizationPlan;
  readonly #options: ApplyOptions;
  readonly #stop: RunStop;
  readonly #service: ServiceWatch;
  readonly #creates: CreateWatch;
  readonly #ids = new RunIds();
  readonly #tried: Step[] = [];
  readonly #started = new Set<string>();
  #round: OrganizationPlan;
  /** Addresses refused since the approval, for example of a pinned object that was deleted. Their steps may be left out. */
  #refused: ReadonlySet<string> = new Set();
  readonly #approvedDeletes: RefSet;
  /** Ended steps whose outcome may change once the live state is read again. */
  readonly #unsettled = new Set<string>();
  readonly #repeated = new Set<string>();
  /** Keyed by address and field. */
  readonly #stored = new Map<string, StoredValue>();
  /** Fields that responses to own writes have, by address and name. */
  readonly #shown = new Set<string>();
  /** Steps whose responses lack a field that was sent. */
  readonly #unseen = new Set<string>();
  /** A later round's outcome of a step replaces an uncertain one. */
  readonly #outcomes = new Map<string, Outcome>();

  constructor(plan: OrganizationPlan, options: ApplyOptions, stop: RunStop) {
    this.#plan = plan;
    this.#round = plan;
    const registry = options.registry.under(formOf(plan));
    this.#options = { ...options, registry };
    this.#stop = stop;
    const { api, others, onEvent } = options;
    const { label: organization, organizationId } = plan;
    this.#service = new ServiceWatch(() => api.send('orgs.get', { params: { organizationId } }), stop);
    this.#creates = new CreateWatch({
      api,
      registry,
      known: others?.known(plan),
      own: this.#ids,
      declared: plan.ids,
      onOther: (address, id) => onEvent?.({ type: 'otherWriter', organization, address, id }),
      onDuplicate: (address) =>
        stop.stop({
          type: 'other-writer',
          message: `someone else created ${address} at the same time, so another run is at work`,
        }),
    });
    this.#approvedDeletes = new RefSet(plan.steps.filter(isDelete).map(objectOf));
  }

  async run(): Promise<OrganizationResult> {
    let { steps } = this.#plan;
    let remaining: Remaining = { leftover: [] };
    for (let round = 1; steps.length > 0; round += 1) {
      append(this.#tried, steps);
      const outcomes = await this.#execute(steps);
      // Steps that did not start have no end.
      for (const outcome of outcomes) this.#outcomes.set(outcome.step.id, outcome);
      if (!this.#mustReplan(outcomes)) break;
      remaining = await this.#remainingSteps(remaining);
      this.#creates.release();
      const differing = remaining.leftover;
      const isLast = round > rounds || remaining.unread !== undefined || this.#stop.reason !== undefined;
      const hasChanged = outcomes.some(isDone);
      steps = isLast ? [] : withoutDependents(differing, (step) => !this.#isAllowed(step, hasChanged));
      if (steps.length === 0) break;
      for (const { id } of steps) if (this.#isRejected(id)) this.#repeated.add(id);
      const taken = new Set(steps);
      remaining = { leftover: differing.filter((step) => !taken.has(step)) };
      this.#options.onEvent?.({ type: 'round', organization: this.#plan.label, round, steps });
    }
    for (const id of this.#unsettled) {
      const outcome = this.#outcomes.get(id);
      if (outcome !== undefined) this.#report(outcome, true);
    }
    const outcomes = [...this.#outcomes.values()];
    const { label, steps: approved } = this.#plan;
    const duplicates = this.#options.others?.duplicates(this.#plan, this.#ids) ?? [];
    const { made, stored } = this.#soFar();
    return { label, steps: approved, outcomes, made: new Map(made), stored, duplicates, ...remaining };
  }

  #mustReplan(outcomes: readonly Outcome[]): boolean {
    const { reason } = this.#stop;
    // Read again, so that the report can name the objects that exist twice.
    if (reason !== undefined) return reason.type === 'other-writer';
    return outcomes.some(
      (one) => needsReplan(one) || this.#isUnsettled(one) || this.#unseen.has(one.step.id),
    );
  }

  /** Reads the live state again until it shows the changes, and finds the remaining differences. */
  async #remainingSteps({ leftover }: Remaining): Promise<Remaining> {
    let replanned = await this.#replan();
    for (let attempt = 1; attempt < replanAttempts && this.#mayLag(replanned); attempt += 1) {
      await this.#options.sleep(replanDelay * attempt);
      replanned = await this.#replan();
    }
    // Reads from before the changes must not make an object look different, which would send the change a second time.
    if (this.#isDoubtful(replanned)) replanned = await this.#replan({ isDoubtful: true });
    if ('unread' in replanned) return { leftover, unread: replanned.unread };
    this.#round = replanned.plan;
    this.#adopt(replanned.plan);
    return { leftover: this.#open(replanned.plan.steps) };
  }

  async #replan({ isDoubtful = false } = {}): Promise<Replanned> {
    const since = { ...this.#soFar(), steps: this.#tried, isDoubtful };
    try {
      const plan = await this.#options.replan(this.#plan, since);
      return { plan: { ...plan, steps: plan.steps.filter((step) => !this.#isStored(step)) } };
    } catch (error) {
      return { unread: asError(error) };
    }
  }

  #soFar(): SoFar {
    return { made: this.#ids, work: this.#work(), stored: [...this.#stored.values()] };
  }

  #work(): OwnWork {
    const outcomes = [...this.#outcomes.values()];
    const done = outcomes.filter(isDone).map(({ step }) => step.id);
    const isRejectedCreate = (one: Outcome) => one.type === 'failed' && one.step.phase === 'create';
    const touched = new Set(this.#started);
    for (const one of outcomes.filter(isRejectedCreate)) touched.delete(one.step.id);
    const { ids, unmanaged } = this.#plan;
    const run = { run: '', since: '', isOver: true, ids, steps: this.#tried, made: this.#ids, touched };
    const others = unmanaged.map(({ id }) => id);
    return ownWorkOf({ ...run, done: new Set(done), unmanaged: others }, this.#options.registry);
  }

  /** True if the step would only send a value again that this run sent and the service stores in another form, or does not show. */
  #isStored(step: Step): boolean {
    if (!isUpdate(step) || step.fields.length === 0) return false;
    const { fields } = this.#options.registry.byName(step.kind);
    const done = this.#tried.filter(
      ({ id, address }) => address === step.address && this.#outcomes.get(id)?.type === 'done',
    );
    const tried = done.flatMap((one) => one.fields);
    const values = step.fields.flatMap(
      ({ field: name, before: stored, after: wanted, additive }): readonly StoredValue[] => {
        const field = fields[name];
        const whole = (sent: Payload = null) =>
          additive === true ? withAdded(stored as Value, sent as Value) : sent;
        const own = tried.find((one) => one.field === name && sameJson(whole(one.after), wanted));
        const sent = own?.after;
        if (field === undefined || own === undefined || sent === undefined) return [];
        // No response has the field, so it is not known whether the service keeps it.
        const isAbsent = stored === undefined || sameJson(stored, field.absent);
        const isHidden = sent !== null || sameField(field, sent, stored);
        if (isAbsent && isHidden && !this.#shown.has(`${step.address} ${name}`))
          return [{ step, field: name, sent, stored: undefined }];
        const form = storedAndHidden(field, { step, name, sent, stored: stored ?? null, before: own.before });
        return form === undefined ? [] : [form];
      },
    );
    if (values.length < step.fields.length) return false;
    for (const value of values) this.#stored.set(`${step.address} ${value.field}`, value);
    return true;
  }

  #isDoubtful(replanned: Replanned): boolean {
    if ('unread' in replanned) return replanned.unread instanceof DiagnosticError;
    return this.#open(replanned.plan.steps).length > 0;
  }

  /** True if the new plan misses a change, a deletion, or an object that may have been created although its response was lost. */
  #mayLag(replanned: Replanned): boolean {
    const { reason } = this.#stop;
    if (reason !== undefined && reason.type !== 'other-writer') return false;
    // A list still contained a deleted object, whose own lists no longer exist.
    if ('unread' in replanned)
      return replanned.unread instanceof DiagnosticError || hasStatus(replanned.unread, 404);
    return replanned.plan.steps.some(({ id, phase }) => {
      const before = this.#outcomes.get(id);
      if (!isFailed(before)) return before?.type === 'done';
      return phase === 'create' && mayHaveTakenEffect(before) && !isRejected(before);
    });
  }

  #execute(steps: readonly Step[]): Promise<readonly Outcome[]> {
    const { api, registry, sleep, parallelism, onEvent } = this.#options;
    const organization = this.#plan.label;
    return executeSteps(steps, {
      api,
      registry,
      sleep,
      organization,
      onEvent,
      creates: this.#creates,
      isOlder: (object) => this.#creates.isOlder(object),
      changed: (step) =>
        this.#options.others?.changed(this.#round, step, () => this.#soFar()) ?? Promise.resolve(undefined),
      ids: this.#ids,
      parallelism: Math.max(1, parallelism ?? 8),
      isInterrupted: () => this.#stop.reason !== undefined,
      // If no request can succeed, objects that the run created cannot be looked up either.
      mayLookUp: () => !['unavailable', 'token'].includes(this.#stop.reason?.type ?? ''),
      doubt: () => this.#service.doubt(),
      onStored: (value) => this.#stored.set(`${value.step.address} ${value.field}`, value),
      onShown: ({ id, address }, field, isShown) =>
        isShown ? this.#shown.add(`${address} ${field}`) : this.#unseen.add(id),
      onStart: (step) => {
        this.#started.add(step.id);
        onEvent?.({ type: 'start', organization, step: step.id });
      },
      onEnd: (outcome) => this.#ended(outcome),
    });
  }

  #ended(outcome: Outcome): void {
    this.#outcomes.set(outcome.step.id, outcome);
    this.#service.ended(outcome);
    if (isFailed(outcome)) this.#failed(outcome);
    const { step } = outcome;
    const isSettled = !this.#isUnsettled(outcome);
    if (isSettled) this.#unsettled.delete(step.id);
    else this.#unsettled.add(step.id);
    this.#report(outcome, isSettled);
  }

  #failed(outcome: FailedStep): void {
    const { step, call, error } = outcome;
    if (error instanceof JournalFailure) this.#stop.stop({ type: 'journal', message: error.message });
    const isNamed = step.phase === 'create' || isUpdate(step);
    if (isNamed && call !== undefined && isConflict(outcome)) this.#creates.hold(step, call);
  }

  #isUnsettled(outcome: Outcome): boolean {
    if (isFailed(outcome)) return mayHaveTakenEffect(outcome);
    if (outcome.type === 'skipped') return this.#unsettled.has(outcome.because);
    return outcome.type === 'notStarted' && this.#stop.reason === undefined;
  }

  #report(outcome: Outcome, final: boolean): void {
    const { label: organization } = this.#plan;
    const { phase, address } = outcome.step;
    const id = phase === 'create' ? this.#ids.get(address) : undefined;
    this.#options.onEvent?.({ type: 'step', organization, ...endOf(outcome), final, ...defined({ id }) });
  }

  /** Marks uncertain changes that no longer differ as done, together with the steps that waited for them. */
  #adopt({ steps, ids, refusals }: OrganizationPlan): void {
    const still = new Set(steps.map(({ id }) => id));
    const known = new Set(this.#plan.refusals.map(({ address }) => address));
    // Limits were checked when the plan was approved, and count also what is not within it.
    const since = refusals.filter(({ guard, address }) => guard !== 'limits' && !known.has(address));
    const refused = new Set(since.map(({ address }) => address));
    this.#refused = refused;
    const isOpen = ({ id, address }: Step) => still.has(id) || refused.has(address);
    const adopted = new Set<string>();
    for (const [id, outcome] of this.#outcomes) {
      if (!isFailed(outcome) || !mayHaveTakenEffect(outcome) || isOpen(outcome.step)) continue;
      adopted.add(id);
      const { address, phase } = outcome.step;
      const made = ids[address];
      if (phase === 'create' && made !== undefined) this.#ids.set(address, made);
    }
    for (const [id, outcome] of this.#outcomes) {
      const { type, step } = outcome;
      // The step that it waited for may still be done.
      if (type === 'skipped' && refused.has(step.address))
        this.#outcomes.set(id, { type: 'notStarted', step });
      if (isOpen(step)) continue;
      const waited = type === 'skipped' && adopted.has(outcome.because);
      if (adopted.has(id) || waited || type === 'pending') this.#outcomes.set(id, { type: 'done', step });
      // The step was held back, and another writer or a consequence of another change did it.
      else if (type === 'notStarted' || type === 'skipped')
        this.#outcomes.set(id, { type: 'satisfied', step });
    }
  }

  /**
   * Drops failed, pending and refused steps and their dependents, which are already reported. A refusal is final for the
   * whole apply, even if a later plan has no reason for it.
   */
  #open(steps: readonly Step[]): readonly Step[] {
    const refused = new Set(this.#plan.refusals.flatMap((refusal) => refusal.steps));
    const left = new Set<string>();
    for (const one of this.#outcomes.values())
      if (isFailed(one) && one.error instanceof ChangedDuringRun) left.add(one.step.address);
    const isOut = ({ id, address }: Step) => {
      const before = this.#outcomes.get(id);
      const skipped = before?.type === 'skipped' && this.#isLost(before.because);
      return left.has(address) || this.#isLost(id) || skipped;
    };
    return withoutDependents(steps, isOut, refused);
  }

  #isLost(id: string): boolean {
    const outcome = this.#outcomes.get(id);
    return outcome?.type === 'pending' || (isFailed(outcome) && !mayHaveTakenEffect(outcome));
  }

  #isAllowed(step: Step, hasChanged: boolean): boolean {
    if (isDelete(step)) return this.#approvedDeletes.has(objectOf(step));
    if (this.#refused.has(step.address)) return false;
    // An unrecognizable object is not created a second time, and no one is invited twice.
    const before = this.#outcomes.get(step.id);
    if (step.phase === 'create' && before?.type === 'unknown') {
      const isAsked = this.#options.registry.byName(step.kind).calls.createIsAsync === true;
      // A queued create (202) is not repeated either: the object may still appear.
      if (isAsked || hasStatus(before.error, 202) || isBareCreate(step)) return false;
    }
    // The obstacle to a rejected step may no longer exist.
    if (this.#isRejected(step.id) && (!hasChanged || this.#repeated.has(step.id))) return false;
    return this.#options.isWithin?.(this.#plan, step) ?? true;
  }

  #isRejected(id: string): boolean {
    const before = this.#outcomes.get(id);
    return isFailed(before) && isRejected(before);
  }
}

/** Leaves out these steps, and all that need one of them. */
function withoutDependents(
  steps: readonly Step[],
  isOut: (step: Step) => boolean,
  known: ReadonlySet<string> = new Set(),
): readonly Step[] {
  const out = new Set(known);
  for (const step of steps) if (isOut(step) || step.needs.some((id) => out.has(id))) out.add(step.id);
  return steps.filter(({ id }) => !out.has(id));
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

/** True for structural changes, and changes whose responses are empty. */
function needsReplan(outcome: Outcome): boolean {
  if (outcome.type !== 'done') return false;
  return (
    !isUpdate(outcome.step) ||
    outcome.step.calls.some(({ operation }) => (operations[operation] as Operation).response === null)
  );
}

/** A lost response or a conflict is looked up, not repeated: the object may already exist. */
function mayHaveTakenEffect(outcome: FailedStep): boolean {
  const { type, step } = outcome;
  if (type === 'unknown' || step.phase === 'delete') return type === 'unknown';
  return (isConflict(outcome) || isRejected(outcome)) && !isBareCreate(step);
}

/** True if another object has the same position or name. */
function isConflict({ error }: FailedStep): boolean {
  return hasStatus(error, 409);
}

/** Some services report a conflict as an invalid request. The object is looked up, and the request is sent again once. */
function isRejected({ error }: FailedStep): boolean {
  return hasStatus(error, 400);
}

/** True for a create without fields, such as a duplicate: its object cannot be recognized. */
function isBareCreate({ phase, fields }: Step): boolean {
  return phase === 'create' && fields.length === 0;
}
