/** Turns the events of an apply into lines for people. Counts the changes of the plan: each ends with its last step. */
import type { ApplyEvent, ApplyResult } from '../../apply/events.ts';
import { countActions, type Plan, type Step } from '../../plan/plan.ts';
import {
  type OutcomeColumns,
  otherWriterLine,
  outcomeColumns,
  outcomeLine,
} from '../../report/apply/outcome-line.ts';
import { safeText } from '../../report/text/safe-text.ts';
import { countOf } from '../../util/count.ts';
import { durationText } from '../../util/duration.ts';
import type { Invocation } from '../line/command.ts';
import type { ProgressLine, ProgressState } from '../world/progress.ts';

export interface TrackOptions {
  readonly now: () => number;
  readonly color: boolean;
  readonly quiet?: boolean;
  /** Columns of the terminal; unlimited if undefined. */
  readonly width: number | undefined;
}

/** The remaining time is estimated after so many changes and milliseconds. */
const enough = { changes: 3, milliseconds: 2000 };

interface TrackedStep {
  readonly step: Step;
  begun?: number;
  isDoubtful?: true;
}

export class ApplyTrack {
  readonly #options: TrackOptions;
  readonly #columns: OutcomeColumns;
  readonly #total: number;
  readonly #start: number;
  readonly #open = new Map<string, number>();
  readonly #steps = new Map<string, TrackedStep>();
  #ended = 0;
  #last = '';
  /** Undefined for an empty plan. */
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
        this.#steps.set(`${label} ${step.id}`, { step });
      }
    }
    this.head = this.#total === 0 ? undefined : headOf(plan, this.#total);
  }

  take(event: ApplyEvent): string | undefined {
    const { type, organization } = event;
    if (type === 'otherWriter') return otherWriterLine(event);
    if (type === 'round') {
      for (const step of event.steps) {
        const name = `${organization} ${step.id}`;
        this.#steps.set(name, { ...this.#steps.get(name), step });
      }
      return `Re-read live state: ${countOf(event.steps.length, 'change')} still pending`;
    }
    const tracked = this.#steps.get(`${organization} ${event.step}`);
    if (tracked === undefined) return undefined;
    if (type === 'step') return this.#lineOf(event, tracked);
    if (type !== 'start') return undefined;
    this.#last = tracked.step.address;
    tracked.begun = this.#options.now();
    return undefined;
  }

  state(): ProgressState {
    return {
      text: 'Applying',
      counts: [`${this.#ended} of ${countOf(this.#total, 'change')}`, ...this.#timeLeft()].join(', '),
      detail: this.#last,
    };
  }

  /** Example: `Finished in 4.1 s`. */
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

  #lineOf(event: Extract<ApplyEvent, { type: 'step' }>, tracked: TrackedStep): string | undefined {
    const { step, begun, isDoubtful } = tracked;
    if (!event.final) tracked.isDoubtful = true;
    else {
      const key = changeOf(event.organization, step);
      const left = (this.#open.get(key) ?? 0) - 1;
      this.#open.set(key, left);
      if (left === 0) this.#ended += 1;
    }
    const { color, quiet, now } = this.#options;
    // An unconfirmed failure already has its line; the summary shows the final outcome.
    if (quiet || (isDoubtful && event.error !== undefined)) return undefined;
    const milliseconds = begun === undefined ? undefined : now() - begun;
    return outcomeLine(step, event, { color, columns: this.#columns, milliseconds });
  }
}

/** Example: `Applying to Acme (org_acme)   12 changes, 38 requests`. */
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

function changeOf(organization: string, { address, action }: Step): string {
  return `${organization} ${address} ${action}`;
}

/** Shows the progress of an apply. */
export class ApplyProgress {
  readonly #invocation: Invocation;
  #shown: { readonly track: ApplyTrack; readonly line: ProgressLine } | undefined;

  constructor(invocation: Invocation) {
    this.#invocation = invocation;
  }

  async begin(plan: Plan): Promise<void> {
    const { output, interrupt, world } = this.#invocation;
    interrupt.finishFirst();
    const track = new ApplyTrack(plan, {
      now: world.clock.now,
      color: output.errorColor,
      quiet: output.quiet,
      // Log lines are not cut.
      width: output.isLively ? output.errorWidth : undefined,
    });
    if (track.head !== undefined) output.note(track.head);
    this.#shown = { track, line: await output.progress('Applying') };
    this.#shown.line.update(track.state());
  }

  event(event: ApplyEvent): void {
    this.#invocation.observe({ type: 'apply', event });
    const line = this.#shown?.track.take(event);
    if (line !== undefined) this.#shown?.line.line(line);
    if (this.#shown !== undefined) this.#shown.line.update(this.#shown.track.state());
  }

  end(result: ApplyResult): void {
    this.#invocation.observe({ type: 'applied', result });
    if (this.#shown?.track.head !== undefined) this.#shown.line.line(this.#shown.track.ending(result));
    this.stop();
  }

  stop(): void {
    this.#shown?.line.stop();
    this.#shown = undefined;
  }
}
