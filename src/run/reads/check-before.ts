/**
 * A long run re-reads objects that it is about to delete, or to overwrite as a whole, because others may have changed them since
 * planning. One read serves all steps for some time, which is longer for slower reads.
 */
import type { OtherWriters, SoFar } from '../../apply/apply-plan.ts';
import type { Clock } from '../../client/pacing.ts';
import { referredAddress } from '../../kinds/parts/payload.ts';
import { withForms } from '../../past/pending.ts';
import { comparePlans } from '../../plan/compare/compare-plans.ts';
import { isUpdate, type OrganizationPlan, type Step } from '../../plan/plan.ts';
import type { LiveTree } from '../../tree/live.ts';
import { joinOwnWork } from '../../tree/own-work.ts';
import { isRecord } from '../../util/json.ts';
import type { ApprovedPlan } from '../approval/approval.ts';
import type { LiveSource } from '../plan-tree.ts';
import { recheck, treeOf } from '../planning.ts';
import { staleReads } from './stale-reads.ts';

/** A read is recent for this many milliseconds, or for `timesAsLong` times its duration if that is longer. */
const goodFor = 3000;
const timesAsLong = 10;

/** Lists may lag behind changes by the run itself. */
const attempts = 5;
const delay = 150;

interface LastCheck {
  /** Unit: milliseconds. */
  readonly until: number;
  /** Descriptions of changes, by address. */
  readonly changed: ReadonlyMap<string, string>;
}

interface CheckClock extends Pick<Clock, 'now' | 'sleep'> {
  /** The live state that the current round was planned with. */
  readonly liveOf: (label: string) => LiveTree | undefined;
}

export class ChecksBefore {
  readonly #source: LiveSource;
  readonly #approved: ApprovedPlan;
  readonly #clock: CheckClock;
  readonly #last = new Map<string, Promise<LastCheck>>();

  constructor(source: LiveSource, approved: ApprovedPlan, clock: CheckClock) {
    this.#source = source;
    this.#approved = approved;
    this.#clock = clock;
    const first = Promise.resolve({ until: clock.now() + goodFor, changed: new Map() });
    for (const { label } of approved.today.organizations) this.#last.set(label, first);
  }

  changed: OtherWriters['changed'] = async (organization, step, since) => {
    if (!this.#overwrites(step)) return undefined;
    const { label } = organization;
    for (;;) {
      const current = this.#last.get(label);
      const last = await current;
      // A check may be older than the run's own changes, so only a new one refuses a step.
      const isRecent = last === undefined || this.#clock.now() < last.until;
      if (isRecent && last?.changed.has(step.address) !== true) return undefined;
      // Another step may have started a read in the meantime.
      if (current === undefined || this.#last.get(label) !== current) continue;
      const next = this.#checkAgain(organization, since());
      this.#last.set(label, next);
      // The next step retries a failed read.
      next.catch(() => this.#last.set(label, current));
      return (await next).changed.get(step.address);
    }
  };

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

  async #checkAgain(organization: OrganizationPlan, since: SoFar): Promise<LastCheck> {
    const started = this.#clock.now();
    for (let attempt = 1; ; attempt += 1) {
      const changed = await this.#changes(organization, since);
      if (changed.size === 0 || attempt === attempts) {
        const ended = this.#clock.now();
        return { until: ended + Math.max(goodFor, timesAsLong * (ended - started)), changed };
      }
      await this.#clock.sleep(delay * attempt);
    }
  }

  async #changes(
    organization: OrganizationPlan,
    { made, work, stored }: SoFar,
  ): Promise<ReadonlyMap<string, string>> {
    const { inputs, memory } = this.#approved;
    const { label, ids } = organization;
    const live = this.#clock.liveOf(label);
    const { registry } = this.#source;
    const desired = treeOf(inputs, organization);
    const isStale =
      live && staleReads(organization, { registry, desired, live, made, withDependencies: true });
    const before = inputs.pasts.get(label);
    const own = joinOwnWork(work, before?.own);
    const asStored = withForms(before?.asStored, organization, { made, stored });
    // Objects deleted by this run, or together with those, are expected to be missing.
    const { plan } = await recheck(
      { ...this.#source, memory },
      { ...inputs, pasts: new Map([[label, { ...before, own, asStored }]]) },
      { ...organization, ids: { ...ids, ...Object.fromEntries(made) } },
      { isStale },
    );
    // Objects that were live when this round was planned are not new.
    const fresh = Object.entries(plan.made ?? {}).filter(([address, id]) => ids[address] !== id);
    const today = { ...plan, made: Object.fromEntries(fresh) };
    const { differences } = comparePlans(organization, today, { registry, sameDesired: true });
    return new Map(differences.map(({ address, message }) => [address, message]));
  }
}
