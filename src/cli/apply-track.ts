/**
 * Turns the events of an apply into lines for people. What is counted are the changes of the plan: one has ended with its
 * last step.
 */
import type { ApplyEvent, ApplyResult } from '../apply/events.ts';
import { countActions, type Plan, type Step } from '../plan/plan.ts';
import { type OutcomeColumns, otherWriterLine, outcomeColumns, outcomeLine } from '../report/outcome-line.ts';
import { safeText } from '../report/safe-text.ts';
import { countOf } from '../util/count.ts';
import { durationText } from '../util/duration.ts';
import { unreachable } from '../util/unreachable.ts';
import type { ProgressState } from './progress.ts';

/** What lines depend on, beside the events. */
export interface TrackOptions {
  readonly now: () => number;
  readonly color: boolean;
  /** Columns of the terminal; undefined where lines may be of any length. */
  readonly width: number | undefined;
}

/** From when on the time that is left can be estimated: changes that ended, and milliseconds. */
const enough = { changes: 3, milliseconds: 2000 };

/** Follows one apply. */
export class ApplyTrack {
  readonly #options: TrackOptions;
  readonly #columns: OutcomeColumns;
  readonly #total: number;
  readonly #start: number;
  /** Steps that are left, by change. */
  readonly #open = new Map<string, number>();
  /** When steps began, by organization and step. */
  readonly #begun = new Map<string, number>();
  readonly #doubtful = new Set<string>();
  #ended = 0;
  #last = '';
  /** What is applied, in one line; undefined where there is nothing to do. */
  readonly head: string | undefined;

  constructor(plan: Plan, options: TrackOptions) {
    this.#options = options;
    this.#start = options.now();
    this.#total = Object.values(countActions(plan)).reduce((sum, count) => sum + count, 0);
    this.#columns = outcomeColumns(
      plan.organizations.flatMap(({ steps }) => steps),
      options.width,
    );
    for (const { label, steps } of plan.organizations) {
      for (const step of steps) {
        const key = changeOf(label, step);
        this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
      }
    }
    this.head = this.#total === 0 ? undefined : headOf(plan, this.#total);
  }

  /** The line of an event; undefined where it has none. */
  take(event: ApplyEvent): string | undefined {
    switch (event.type) {
      case 'stepStarted':
        this.#last = event.step.address;
        this.#begun.set(`${event.organization} ${event.step.id}`, this.#options.now());
        return undefined;
      case 'stepEnded':
        return this.#stepEnded(event);
      case 'otherWriter':
        return otherWriterLine(event.other);
      case 'round':
        return `Re-read live state: ${countOf(event.steps.length, 'change')} still pending`;
      default:
        return unreachable(event);
    }
  }

  /** How far it is. */
  state(): ProgressState {
    return {
      text: 'Applying',
      counts: [`${this.#ended} of ${countOf(this.#total, 'change')}`, ...this.#timeLeft()].join(', '),
      detail: this.#last,
    };
  }

  /** For example `Finished in 4.1 s`. */
  ending({ interrupted, stopped }: Pick<ApplyResult, 'interrupted' | 'stopped'>): string {
    const elapsed = this.#options.now() - this.#start;
    const time = elapsed < 60_000 ? `${(elapsed / 1000).toFixed(1)} s` : durationText(elapsed);
    return interrupted || stopped !== undefined ? `Stopped after ${time}` : `Finished in ${time}`;
  }

  #timeLeft(): readonly string[] {
    const elapsed = this.#options.now() - this.#start;
    const left = this.#total - this.#ended;
    if (left <= 0 || this.#ended < enough.changes || elapsed < enough.milliseconds) return [];
    return [`about ${durationText(Math.max(1000, (elapsed / this.#ended) * left))} left`];
  }

  #stepEnded({ organization, outcome, isFinal }: Extract<ApplyEvent, { type: 'stepEnded' }>) {
    const name = `${organization} ${outcome.step.id}`;
    const isTold = outcome.type === 'failed' && this.#doubtful.has(name);
    if (!isFinal) this.#doubtful.add(name);
    else {
      const key = changeOf(organization, outcome.step);
      const left = (this.#open.get(key) ?? 0) - 1;
      this.#open.set(key, left);
      if (left === 0) this.#ended += 1;
    }
    // A failure that was not confirmed has its line; the summary says what became of it.
    if (isTold) return undefined;
    const begun = this.#begun.get(name);
    const milliseconds = begun === undefined ? undefined : this.#options.now() - begun;
    const { color } = this.#options;
    return outcomeLine(outcome, { color, isFinal, columns: this.#columns, milliseconds });
  }
}

/** For example `Applying to Acme (org_acme)   12 changes, 38 requests`. */
function headOf({ organizations }: Plan, total: number): string {
  const busy = organizations.filter(({ steps }) => steps.length > 0);
  const [first] = busy;
  const { label = '', organizationId = '' } = first ?? {};
  const id = label === organizationId ? '' : ` (${safeText(organizationId)})`;
  const where = busy.length === 1 ? `${safeText(label)}${id}` : countOf(busy.length, 'organization');
  const calls = busy
    .flatMap(({ steps }) => steps.flatMap((step) => step.calls))
    .filter(({ find }) => find === undefined);
  const most = calls.some(({ unlessPlaced }) => unlessPlaced !== undefined) ? 'at most ' : '';
  return `Applying to ${where}   ${countOf(total, 'change')}, ${most}${countOf(calls.length, 'request')}`;
}

/** As plans count: an object and what happens to it. */
function changeOf(organization: string, { address, action }: Step): string {
  return `${organization} ${address} ${action}`;
}
