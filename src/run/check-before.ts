/**
 * A long run re-reads objects that it is about to delete, or to overwrite as a whole, because others may have changed them since
 * planning. One read serves all steps for some time, which is longer for slower reads.
 */
import type { OtherWriters, SinceStart } from '../apply/apply-plan.ts';
import type { Clock } from '../client/pacing.ts';
import { referredAddress } from '../kinds/payload.ts';
import { comparePlans } from '../plan/compare/compare-plans.ts';
import type { OrganizationPlan, Step } from '../plan/plan.ts';
import { isRecord } from '../util/json.ts';
import type { ApprovedPlan } from './approval.ts';
import type { LiveSource } from './plan-tree.ts';
import { recheck, treeOf } from './planning.ts';
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

export class ChecksBefore {
  readonly #source: LiveSource;
  readonly #approved: ApprovedPlan;
  readonly #clock: Pick<Clock, 'now' | 'sleep'>;
  readonly #last = new Map<string, Promise<LastCheck>>();

  constructor(source: LiveSource, approved: ApprovedPlan, clock: Pick<Clock, 'now' | 'sleep'>) {
    this.#source = source;
    this.#approved = approved;
    this.#clock = clock;
    const first = Promise.resolve({ until: clock.now() + goodFor, changed: new Map() });
    for (const { label } of approved.today.organizations) this.#last.set(label, first);
  }

  changed: OtherWriters['changed'] = async (organization, step, made) => {
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
      const next = this.#checkAgain(organization, made);
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
    if (phase !== 'update' && !(phase === 'create' && isOnly())) return phase === 'delete';
    return fields.some(({ after }) => isWhole(after));
  }

  async #checkAgain(organization: OrganizationPlan, made: SinceStart['made']): Promise<LastCheck> {
    const started = this.#clock.now();
    for (let attempt = 1; ; attempt += 1) {
      const changed = await this.#changes(organization, made);
      if (changed.size === 0 || attempt === attempts) {
        const ended = this.#clock.now();
        return { until: ended + Math.max(goodFor, timesAsLong * (ended - started)), changed };
      }
      await this.#clock.sleep(delay * attempt);
    }
  }

  async #changes(
    organization: OrganizationPlan,
    made: SinceStart['made'],
  ): Promise<ReadonlyMap<string, string>> {
    const { inputs, memory, lives } = this.#approved;
    const live = lives?.get(organization.label);
    const { registry } = this.#source;
    const desired = treeOf(inputs, organization);
    const isStale =
      live && staleReads(organization, { registry, desired, live, made, withDependencies: true });
    const { label, ids } = organization;
    const created = [...made].map(([address, id]) => ({ address, id, kind: '', run: '' }));
    // Objects deleted by this run, or together with those, are expected to be missing.
    const { plan } = await recheck(
      { ...this.#source, memory },
      { ...inputs, known: new Map([[label, { ...inputs.known?.get(label), created }]]) },
      { ...organization, ids: { ...ids, ...Object.fromEntries(made) } },
      { isStale },
    );
    const { differences } = comparePlans(organization, plan, { registry, sameDesired: true });
    return new Map(differences.map(({ address, message }) => [address, message]));
  }
}

/** True for a list or mapping that replaces the existing one. */
function isWhole(value: unknown): boolean {
  return Array.isArray(value) || (isRecord(value) && referredAddress(value) === undefined);
}
