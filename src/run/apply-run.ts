/** Applies the remaining steps of an approved plan. Sends no request for objects that the approved plan does not touch. */

import { setTimeout as wait } from 'node:timers/promises';
import { applyPlan, type OtherWriters, type SinceStart } from '../apply/apply-plan.ts';
import { findDuplicates } from '../apply/duplicates.ts';
import type { ApplyEvent, ApplyResult } from '../apply/events.ts';
import type { StopReason } from '../apply/stop.ts';
import type { Registry } from '../kinds/registry.ts';
import { pendingAfter } from '../past/pending.ts';
import type { OrganizationPlan, Plan, Step } from '../plan/plan.ts';
import { covers } from '../tree/addressing.ts';
import type { LiveTree } from '../tree/live.ts';
import type { OwnWork } from '../tree/own-work.ts';
import type { Read } from '../tree/reads.ts';
import { defined } from '../util/defined.ts';
import type { ApprovedPlan } from './approval/approval.ts';
import type { LiveSource } from './plan-tree.ts';
import { type PlanInputs, replan, treeOf } from './planning.ts';
import { ChecksBefore } from './reads/check-before.ts';
import { staleReads } from './reads/stale-reads.ts';
import { beginJournal, endingOf, type JournalSettings } from './run-journal.ts';
import { journaledUndo } from './undo/journaled-trees.ts';

export interface ApplyRun {
  readonly parallelism?: number | undefined;
  readonly isInterrupted?: (() => boolean) | undefined;
  readonly stopReason?: (() => StopReason | undefined) | undefined;
  readonly onEvent?: ((event: ApplyEvent) => void) | undefined;
  readonly journal?: JournalSettings | undefined;
  /** The time in milliseconds, for a run that holds a lock: no other run can be active, and lists remain valid for some creates. */
  readonly locked?: { readonly now: () => number } | undefined;
}

/**
 * Maximum of creates into a list between two reads, while only people in the app can be active. Not a time limit, because a slow
 * machine should not read more often.
 */
const createsPerReading = 100;

/** The result includes steps that needed no request. `commitOf`: called only with a journal. */
export async function runApply(
  source: LiveSource,
  approved: ApprovedPlan,
  options: ApplyRun,
  commitOf: () => Promise<string | undefined>,
): Promise<ApplyResult> {
  const { parallelism, isInterrupted, stopReason, onEvent, locked, journal: settings } = options;
  const { plan, inputs, today } = approved;
  const { api, registry, sleep = (milliseconds: number) => wait(milliseconds) } = source;
  const isNothing = today.organizations.every(({ steps }) => steps.length === 0);
  // A run that changes nothing may be printed, but is not kept.
  const kept = settings && (isNothing ? { ...settings, store: undefined } : settings);
  const journal =
    kept?.store === undefined && kept?.print === undefined
      ? undefined
      : await beginJournal(kept, approved, {
          commit: await commitOf(),
          undo: await journaledUndo(source, approved),
        });
  const now = locked?.now ?? (settings?.store && (() => settings.now().getTime()));
  const seen = new SeenByRun(registry, approved, {
    isLocked: locked !== undefined,
    before: now && ((liveOf) => new ChecksBefore(source, approved, { now, sleep, liveOf })),
  });
  let result: ApplyResult | undefined;
  let unjournaled: string | undefined;
  try {
    result = await applyPlan(today, {
      api,
      registry,
      sleep,
      replan: async (organization, since) => {
        const isStale = seen.staleBy(organization, since);
        const again = { api, registry, sleep, memory: approved.memory };
        const work = seen.withOthers(organization, since.work);
        const { plan: rest, live } = await replan(again, inputs, organization, { ...since, work, isStale });
        seen.remember(organization, live);
        // Steps that differed before anything was sent and that no one requested are removed.
        const known = approved.elsewhere.get(rest.label);
        return known === undefined ? rest : { ...rest, steps: rest.steps.filter(({ id }) => !known.has(id)) };
      },
      isWithin: touchedBy(plan),
      others: seen,
      onEvent: (event) => {
        const written = journal?.add(event);
        onEvent?.(event);
        return written;
      },
      ...defined({ parallelism, isInterrupted, stopReason }),
    });
  } finally {
    if (settings !== undefined && journal !== undefined) {
      const run = { run: settings.run, time: settings.now().toISOString() };
      const pending = pendingAfter(today.organizations, result, run);
      const all = pending.size === 0 ? {} : { pending: Object.fromEntries(pending) };
      unjournaled = await journal.end({ ...endingOf(result), ...all });
    }
  }
  return { ...withSatisfied(result, approved), ...defined({ unjournaled }) };
}

/** The live state as this run saw it; newer changes are by others, or by the run itself. */
class SeenByRun implements OtherWriters {
  readonly #registry: Registry;
  readonly #inputs: PlanInputs;
  readonly #first: ReadonlyMap<string, LiveTree>;
  readonly #last: Map<string, LiveTree>;
  readonly #trustFor: number;
  readonly changed: OtherWriters['changed'];

  constructor(
    registry: Registry,
    { lives = new Map(), inputs }: ApprovedPlan,
    {
      isLocked,
      before,
    }: {
      readonly isLocked: boolean;
      readonly before: ((liveOf: (label: string) => LiveTree | undefined) => ChecksBefore) | undefined;
    },
  ) {
    this.#registry = registry;
    this.#inputs = inputs;
    this.#first = lives;
    this.#last = new Map(lives);
    this.changed = before?.((label) => this.#last.get(label)).changed ?? (() => Promise.resolve(undefined));
    this.#trustFor = isLocked ? createsPerReading : 0;
  }

  remember({ label }: OrganizationPlan, live: LiveTree): void {
    this.#last.set(label, live);
  }

  /** A lost create did not make an object that was live before the run. */
  withOthers({ label }: OrganizationPlan, work: OwnWork): OwnWork {
    if (work.uncertain.length === 0) return work;
    const first = this.#first.get(label)?.nodes() ?? [];
    const ids = first.map(({ id }) => id);
    return { ...work, uncertain: work.uncertain.map((one) => ({ ...one, others: [...one.others, ...ids] })) };
  }

  /** Treats every read as stale if in doubt. */
  staleBy(
    plan: OrganizationPlan,
    { steps, made, isDoubtful }: Pick<SinceStart, 'steps' | 'made' | 'isDoubtful'>,
  ): (read: Read) => boolean {
    const live = this.#last.get(plan.label);
    if (live === undefined || isDoubtful === true) return () => true;
    const desired = treeOf(this.#inputs, plan);
    return staleReads(plan, { registry: this.#registry, desired, live, steps, made });
  }

  known: OtherWriters['known'] = ({ label }) => {
    if (!this.#first.has(label)) return undefined;
    return { has: (object) => this.#last.get(label)?.has(object) === true, trustFor: this.#trustFor };
  };

  duplicates: OtherWriters['duplicates'] = ({ label, ids }, made) => {
    const [first, live] = [this.#first.get(label), this.#last.get(label)];
    if (first === undefined || live === undefined || live === first) return [];
    return findDuplicates({
      registry: this.#registry,
      live,
      ids: new Map([...Object.entries(ids), ...made]),
      made,
      isKnown: (object) => first.has(object),
    });
  };
}

/** Includes steps on objects inside of touched ones. */
function touchedBy({ organizations }: Plan): (organization: OrganizationPlan, step: Step) => boolean {
  const touched = new Map(
    organizations.map(({ label, steps }) => [label, covers(steps.map(({ address }) => address))]),
  );
  return ({ label }, { address }) => touched.get(label)?.(address) === true;
}

/** Puts steps that were already done first. */
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
