/** Applies the remaining steps of an approved plan. Sends nothing for objects that the approved plan does not touch. */
import { applyPlan, type OtherWriters, type SinceThen } from '../apply/apply-plan.ts';
import type { ApplyEvent, ApplyResult } from '../apply/events.ts';
import type { StopReason } from '../apply/stop.ts';
import { findTwins } from '../apply/twins.ts';
import { formOf } from '../contract/form.ts';
import type { OrganizationPlan, Plan, Step } from '../plan/plan.ts';
import { covers } from '../tree/addressing.ts';
import type { LiveTree } from '../tree/live.ts';
import type { Read } from '../tree/reads.ts';
import { defined } from '../util/defined.ts';
import type { ApprovedPlan } from './approval.ts';
import type { JournaledRun } from './journal/read-journal.ts';
import { type JournalSettings, RunJournal } from './journal/run-journal.ts';
import { endDied } from './journal/unfinished.ts';
import { LooksBefore } from './look-before.ts';
import { pendingAfter } from './pending.ts';
import { type Look, type PlanInputs, replan, treeOf } from './planning.ts';
import { staleReads } from './stale-reads.ts';
import { journaledUndo } from './undo/journaled-trees.ts';

export interface ApplyRun {
  /** Concurrent steps; default: 8. */
  readonly parallelism?: number | undefined;
  /** True after an interrupt: nothing new may start. */
  readonly isInterrupted?: (() => boolean) | undefined;
  readonly stopReason?: (() => StopReason | undefined) | undefined;
  readonly onEvent?: ((event: ApplyEvent) => void) | undefined;
  /** Default: none. */
  readonly journal?: JournalSettings | undefined;
  /** The time in milliseconds, for a run that holds a lock: no other run can be at work, and lists stay valid for some creates. */
  readonly locked?: { readonly now: () => number } | undefined;
}

export interface ApplySession extends Look {
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly died: readonly JournaledRun[];
  /** Called only with a journal. */
  readonly commitOf: (approved: ApprovedPlan) => Promise<string | undefined>;
}

/** Creates into a list between two readings of it, if only people in the app can be at work. Not a time: a busy machine reads no more. */
const createsPerReading = 100;

/** The result includes steps that needed nothing any more. */
export async function runApply(
  session: ApplySession,
  approved: ApprovedPlan,
  options: ApplyRun,
): Promise<ApplyResult> {
  if (options.journal !== undefined) await endDied(options.journal.folder, session.died, options.journal.now);
  const isNothing = approved.today.organizations.every(({ steps }) => steps.length === 0);
  const journal =
    options.journal === undefined || isNothing
      ? undefined
      : await RunJournal.begin(options.journal, approved, {
          commit: await session.commitOf(approved),
          undo: await journaledUndo(session, approved),
        });
  let result: ApplyResult | undefined;
  try {
    const { now } = options.journal ?? {};
    const clock = now && (() => now().getTime());
    result = await applyApproved(session, approved, { ...options, journal, clock });
    return withSatisfied(result, approved);
  } finally {
    if (options.journal !== undefined) {
      const { run, now } = options.journal;
      const mark = { run, time: now().toISOString() };
      await journal?.end(result, pendingAfter(approved.today.organizations, result, mark));
    }
  }
}

function applyApproved(
  session: ApplySession,
  approved: ApprovedPlan,
  {
    parallelism,
    isInterrupted,
    stopReason,
    onEvent,
    locked,
    journal,
    clock,
  }: Omit<ApplyRun, 'journal'> & {
    readonly journal: RunJournal | undefined;
    readonly clock: (() => number) | undefined;
  },
): Promise<ApplyResult> {
  const { plan, inputs, today } = approved;
  const { api, registry, sleep } = session;
  const now = locked?.now ?? clock;
  const seen = new SeenByRun(session, approved, { locked, now });
  return applyPlan(today, {
    api,
    registry,
    sleep,
    replan: async (organization, since) => {
      const about = { inputs, approved: organization, isStale: seen.staleBy(organization, since) };
      const look = await replan({ api, registry, sleep, memory: approved.memory }, about, since.made);
      seen.looked(organization, look.live);
      return without(look.plan, approved.elsewhere);
    },
    isWithin: touchedBy(plan),
    others: seen,
    onEvent: (event) => {
      journal?.follow(event);
      onEvent?.(event);
    },
    ...defined({ parallelism, isInterrupted, stopReason, journal: journal?.writer }),
  });
}

interface Clocks extends Pick<ApplyRun, 'locked'> {
  readonly now: (() => number) | undefined;
}

/** The live state as the run has seen it: anything newer is by others, or by the run itself. */
class SeenByRun implements OtherWriters {
  readonly #session: ApplySession;
  readonly #inputs: PlanInputs;
  readonly #first: ReadonlyMap<string, LiveTree>;
  readonly #last: Map<string, LiveTree>;
  readonly #locked: ApplyRun['locked'];
  readonly changed: OtherWriters['changed'];

  constructor(session: ApplySession, approved: ApprovedPlan, { locked, now }: Clocks) {
    const { lives = new Map(), inputs } = approved;
    const before = now && new LooksBefore(session, approved, now);
    this.changed = before?.changed ?? (() => Promise.resolve(undefined));
    this.#session = session;
    this.#inputs = inputs;
    this.#first = lives;
    this.#last = new Map(lives);
    this.#locked = locked;
  }

  looked({ label }: OrganizationPlan, live: LiveTree): void {
    this.#last.set(label, live);
  }

  /** Everything, in case of doubt. */
  staleBy(plan: OrganizationPlan, { steps, made, isDoubtful }: SinceThen): (read: Read) => boolean {
    const live = this.#last.get(plan.label);
    if (live === undefined || isDoubtful === true) return () => true;
    const registry = this.#session.registry.under(formOf(plan));
    const idOf = (address: string) => made.get(address) ?? plan.ids[address];
    return staleReads({ steps, registry, desired: treeOf(this.#inputs, plan), live, idOf });
  }

  known: OtherWriters['known'] = ({ label }) => {
    if (!this.#first.has(label)) return undefined;
    return {
      has: (object) => this.#last.get(label)?.has(object) === true,
      trustFor: this.#locked === undefined ? 0 : createsPerReading,
    };
  };

  twins: OtherWriters['twins'] = ({ label, ids }, made) => {
    const [first, live] = [this.#first.get(label), this.#last.get(label)];
    if (first === undefined || live === undefined || live === first) return [];
    return findTwins({
      registry: this.#session.registry,
      live,
      ids: new Map([...Object.entries(ids), ...made]),
      made,
      isKnown: (object) => first.has(object),
    });
  };
}

/** Also steps on objects inside of touched ones. */
function touchedBy({ organizations }: Plan): (organization: OrganizationPlan, step: Step) => boolean {
  const touched = new Map(
    organizations.map(({ label, steps }) => [label, covers(steps.map(({ address }) => address))]),
  );
  return ({ label }, { address }) => touched.get(label)?.(address) === true;
}

/** No one requested steps that differed elsewhere before anything was sent. */
function without(plan: OrganizationPlan, elsewhere: ApprovedPlan['elsewhere']): OrganizationPlan {
  const known = elsewhere.get(plan.label);
  return known === undefined ? plan : { ...plan, steps: plan.steps.filter(({ id }) => !known.has(id)) };
}

/** Steps that were done when apply began come first. */
function withSatisfied(result: ApplyResult, { satisfied }: ApprovedPlan): ApplyResult {
  return {
    ...result,
    organizations: result.organizations.map((organization) => ({
      ...organization,
      outcomes: [
        ...(satisfied.get(organization.label) ?? []).map((step) => ({ type: 'satisfied' as const, step })),
        ...organization.outcomes,
      ],
    })),
  };
}
