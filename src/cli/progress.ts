/** What is said while something takes its time: one line that changes on terminals, elsewhere a dated line now and then. */
import type { LineBatch } from './line-batch.ts';
import type { Traffic, TrafficMark } from './traffic.ts';

/** What is under way. */
export interface ProgressState {
  /** For example `Reading the live state`. */
  readonly text: string;
  /** How far it is; without it, requests are counted. */
  readonly counts?: string | undefined;
  /** What is being done right now; the first to be cut. */
  readonly detail?: string | undefined;
}

/** Something that takes a while. */
export interface ProgressLine {
  update(state: ProgressState): void;
  /** Writes a line that stays. */
  line(text: string): void;
  /** Leaves the terminal to others, until the returned function is called. */
  pause(): () => void;
  stop(): void;
}

/** Milliseconds between the lines that show where there is no terminal that something is under way. */
const lineInterval = 10_000;

/** Puts together what is under way, what was sent and what it waits for. */
export class ProgressText {
  readonly #traffic: () => Traffic | undefined;
  readonly #start: TrafficMark;
  #state: ProgressState;

  constructor(state: ProgressState, traffic: () => Traffic | undefined, now: () => number) {
    this.#state = state;
    this.#traffic = traffic;
    this.#start = traffic()?.mark() ?? { at: now(), requests: 0, objects: 0 };
  }

  update(state: ProgressState): void {
    this.#state = state;
  }

  /**
   * For example `Reading the live state: throttled, retry in 2 s; 412 requests, 180/s, 9,800 objects`. Narrow terminals cut the end, so what
   * keeps everything waiting comes first.
   */
  toString(): string {
    const { text, counts, detail } = this.#state;
    const traffic = this.#traffic();
    const [waiting, rate] = [traffic?.waiting(), traffic?.rate(this.#start)];
    const done =
      counts === undefined
        ? traffic?.counts(this.#start)
        : [counts, ...(rate === undefined ? [] : [rate.replace('/', ' requests/')])].join(', ');
    const parts = [waiting, done, detail].filter((part) => part !== undefined && part !== '');
    return parts.length === 0 ? text : `${text}: ${parts.join('; ')}`;
  }
}

/** What dated lines need. */
interface DatedLines {
  readonly text: ProgressText;
  readonly now: () => number;
  readonly batch: LineBatch;
  readonly note: (line: string) => void;
  readonly quiet: boolean;
}

/** A line every ten seconds, the time first. */
export function datedLines({ text, now, batch, note, quiet }: DatedLines): ProgressLine {
  const timer = setInterval(() => note(`${timeText(now())} ${text}`), lineInterval);
  // Waiting to say something is no reason to go on.
  timer.unref();
  return {
    update: (state) => text.update(state),
    line: (line) => {
      if (!quiet) batch.add(line);
    },
    pause: () => () => undefined,
    stop: () => {
      clearInterval(timer);
      batch.flush();
    },
  };
}

/** ISO 8601, without the milliseconds. */
function timeText(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
