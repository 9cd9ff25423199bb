/**
 * The live state as a run last read it, and whether it is still so: before an approved plan is applied, before a step overwrites what
 * others may have changed since, and after each round. Only reads that show objects of the steps are repeated.
 */
import type { OtherWriters, SinceStart, SoFar } from '../../apply/apply-plan.ts';
import { findDuplicates } from '../../apply/duplicates.ts';
import type { Clock } from '../../client/pacing.ts';
import { referredAddress } from '../../kinds/parts/payload.ts';
import { withForms } from '../../past/pending.ts';
import { type Comparison, comparePlans } from '../../plan/compare/compare-plans.ts';
import { isUpdate, type OrganizationPlan, type Step } from '../../plan/plan.ts';
import { covers } from '../../tree/addressing.ts';
import type { LiveTree } from '../../tree/live.ts';
import { joinOwnWork, type OwnWork } from '../../tree/own-work.ts';
import { defined } from '../../util/defined.ts';
import { isRecord } from '../../util/json.ts';
import { type LiveSource, lag, type PlannedTree } from '../plan-tree.ts';
import { type PlanAgainOptions, type PlanRun, planApproved, treeOf } from '../planning.ts';
import { staleReads } from './stale-reads.ts';

/** A check is recent for this many milliseconds, or for `timesAsLong` times its duration if that is longer. */
const goodFor = 3000;
const timesAsLong = 10;

interface LastCheck {
  /** Unit: milliseconds. */
  readonly until: number;
  /** Descriptions of changes, by address. */
  readonly changed: ReadonlyMap<string, string>;
}

type CheckClock = Pick<Clock, 'now' | 'sleep'>;

interface RunLimits {
  /** Number of creates that one read of a list may serve. */
  readonly trustFor: number;
  /** Absent if steps are not checked: no plan was approved for this run. */
  readonly clock?: CheckClock | undefined;
}

export class SeenState implements OtherWriters {
  readonly #source: LiveSource;
  readonly #inputs: PlanRun['inputs'];
  readonly #limits: RunLimits;
  readonly #first: ReadonlyMap<string, LiveTree>;
  readonly #last: Map<string, LiveTree>;
  /** Running and last checks, by label. */
  readonly #checks = new Map<string, Promise<LastCheck>>();

  /** `lives` are absent if nothing was read yet: then everything is read. */
  constructor(
    source: LiveSource,
    { inputs, lives = new Map() }: Pick<PlanRun, 'inputs' | 'lives'>,
    limits: RunLimits = { trustFor: 0 },
  ) {
    this.#source = source;
    this.#inputs = inputs;
    this.#limits = limits;
    this.#first = lives;
    this.#last = new Map(lives);
    const now = limits.clock?.now() ?? 0;
    const first = Promise.resolve({ until: now + goodFor, changed: new Map() });
    for (const { label } of inputs.trees) this.#checks.set(label, first);
  }

  /**
   * Plans what is approved again, as the live state is now: a deleted object shows by its consequences. `since`: what the run has done
   * itself. `only`: addresses to plan, with their dependencies, from the same reads.
   */
  async recheck(
    approved: OrganizationPlan,
    { since, only }: { readonly since?: SoFar; readonly only?: ReadonlySet<string> } = {},
  ): Promise<PlannedTree & { readonly comparison: Comparison }> {
    const { registry } = this.#source;
    const planned = await this.#again(approved, since, {
      only,
      isStale:
        only === undefined ? this.#staleBy(approved, { ...since, withDependencies: true }) : () => false,
      goneIds: 'forgotten',
      // Limits were checked against the whole plan when it was approved, and the saved part has a greater share of each.
      allowDeletes: Number.MAX_SAFE_INTEGER,
    });
    // Objects that were live when this round was planned are not new.
    const isNew = ([address, id]: readonly [string, string]) => approved.ids[address] !== id;
    const made = since && Object.fromEntries(Object.entries(planned.plan.made ?? {}).filter(isNew));
    const today = { ...planned.plan, ...defined({ made }) };
    return { ...planned, comparison: comparePlans(approved, today, { registry, sameDesired: true }) };
  }

  /** Plans the remainder of an approved plan while it is applied. */
  async replan(approved: OrganizationPlan, since: SinceStart): Promise<OrganizationPlan> {
    const { steps, made, isDoubtful } = since;
    const deletes = approved.steps.filter(({ phase }) => phase === 'delete');
    const own = { ...since, work: this.#withOthers(approved, since.work) };
    const { plan, live } = await this.#again(approved, own, {
      isStale: isDoubtful === true ? undefined : this.#staleBy(approved, { steps, made }),
      isDeleted: covers(deletes.map(({ address }) => address)),
    });
    this.#last.set(approved.label, live);
    return plan;
  }

  changed: OtherWriters['changed'] = async (organization, step, since) => {
    const { clock } = this.#limits;
    if (clock === undefined || !this.#overwrites(step)) return undefined;
    const { label } = organization;
    for (;;) {
      const current = this.#checks.get(label);
      const last = await current;
      // A check may be older than the run's own changes, so only a new one refuses a step.
      const isRecent = last === undefined || clock.now() < last.until;
      if (isRecent && last?.changed.has(step.address) !== true) return undefined;
      // Another step may have started a check in the meantime.
      if (current === undefined || this.#checks.get(label) !== current) continue;
      const next = this.#check(organization, since(), clock);
      this.#checks.set(label, next);
      // The next step repeats a failed check.
      next.catch(() => this.#checks.set(label, current));
      return (await next).changed.get(step.address);
    }
  };

  known: OtherWriters['known'] = ({ label }) => {
    if (!this.#first.has(label)) return undefined;
    const { trustFor } = this.#limits;
    return { has: (object) => this.#last.get(label)?.has(object) === true, trustFor };
  };

  duplicates: OtherWriters['duplicates'] = ({ label, ids }, made) => {
    const [first, live] = [this.#first.get(label), this.#last.get(label)];
    if (first === undefined || live === undefined || live === first) return [];
    return findDuplicates({
      registry: this.#source.registry,
      live,
      ids: new Map([...Object.entries(ids), ...made]),
      made,
      isKnown: (object) => first.has(object),
    });
  };

  #again(
    approved: OrganizationPlan,
    since: SoFar | undefined,
    options: PlanAgainOptions,
  ): Promise<PlannedTree> {
    const before = this.#inputs.pasts.get(approved.label);
    const past = since && {
      ...before,
      own: joinOwnWork(since.work, before?.own),
      asStored: withForms(before?.asStored, approved, since),
    };
    const ids = new Map([...Object.entries(approved.ids), ...(since?.made ?? [])]);
    return planApproved(this.#source, this.#inputs, approved, { ids, ...defined({ past }), ...options });
  }

  /** Every read is stale if the live state is not known. */
  #staleBy(
    approved: OrganizationPlan,
    touching: Partial<Pick<Parameters<typeof staleReads>[1], 'steps' | 'made' | 'withDependencies'>>,
  ): PlanAgainOptions['isStale'] {
    const live = this.#last.get(approved.label);
    const { registry } = this.#source;
    const desired = treeOf(this.#inputs, approved);
    return live && staleReads(approved, { ...touching, registry, desired, live });
  }

  /** A lost create did not make an object that was live before the run. */
  #withOthers({ label }: OrganizationPlan, work: OwnWork): OwnWork {
    if (work.uncertain.length === 0) return work;
    const first = this.#first.get(label)?.nodes() ?? [];
    const ids = first.map(({ id }) => id);
    return { ...work, uncertain: work.uncertain.map((one) => ({ ...one, others: [...one.others, ...ids] })) };
  }

  /** A create overwrites an object only if the parent can have at most one of that kind. */
  #overwrites({ kind, phase, fields }: Step): boolean {
    const isOnly = () =>
      this.#source.registry.byName(kind).manifest.places.some(({ shape }) => shape === 'single');
    if (!isUpdate({ phase }) && !(phase === 'create' && isOnly())) return phase === 'delete';
    // A list or mapping replaces the existing one.
    return fields.some(
      ({ after }) => Array.isArray(after) || (isRecord(after) && referredAddress(after) === undefined),
    );
  }

  async #check(organization: OrganizationPlan, since: SoFar, clock: CheckClock): Promise<LastCheck> {
    const started = clock.now();
    for (let attempt = 1; ; attempt += 1) {
      const { differences } = (await this.recheck(organization, { since })).comparison;
      // Lists may lag behind changes by the run itself.
      if (differences.length === 0 || attempt === lag.attempts) {
        const changed = new Map(differences.map(({ address, message }) => [address, message]));
        const ended = clock.now();
        return { until: ended + Math.max(goodFor, timesAsLong * (ended - started)), changed };
      }
      await clock.sleep(lag.delay * attempt);
    }
  }
}
