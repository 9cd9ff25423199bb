/** Progress of long work: one updating line on terminals, elsewhere a dated line now and then. */
import type { Traffic, TrafficSnapshot } from './traffic.ts';

export interface ProgressState {
  readonly text: string;
  /** Example: `3 of 12 changes`; if absent, requests are counted. */
  readonly counts?: string | undefined;
  /** The current activity; the first part to be cut. */
  readonly detail?: string | undefined;
}

export interface ProgressLine {
  update(state: ProgressState): void;
  line(text: string): void;
  pause(): () => void;
  stop(): void;
}

/** Interval between lines without a terminal, in milliseconds. */
const lineInterval = 10_000;

export class ProgressText {
  readonly #traffic: () => Traffic | undefined;
  readonly #start: TrafficSnapshot;
  #state: ProgressState;

  constructor(state: ProgressState, traffic: () => Traffic | undefined, now: () => number) {
    this.#state = state;
    this.#traffic = traffic;
    this.#start = traffic()?.snapshot() ?? { at: now(), requests: 0, objects: 0 };
  }

  update(state: ProgressState): void {
    this.#state = state;
  }

  /**
   * Example: `Reading the live state: throttled, retry in 2 s; 412 requests, 180/s, 9,800 objects`. Narrow terminals cut the end, so
   * the reason for waiting comes first.
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

interface DatedLines {
  readonly text: ProgressText;
  readonly now: () => number;
  readonly batch: LineBatch;
  readonly note: (line: string) => void;
  readonly quiet: boolean;
}

/** Writes a line every ten seconds, beginning with the time. */
export function datedLines({ text, now, batch, note, quiet }: DatedLines): ProgressLine {
  const timer = setInterval(
    () => note(`${new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z')} ${text}`),
    lineInterval,
  );
  // The timer must not keep the process alive.
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

/** Time that a line waits for others, in milliseconds. */
const delay = 100;

/** Briefly collects lines. Flush it before writing elsewhere, so that lines remain in order. */
export class LineBatch {
  readonly #write: (lines: string) => void;
  #lines: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  /** `line` has no line break. */
  add(line: string): void {
    this.#lines.push(line);
    this.#timer ??= setTimeout(() => this.flush(), delay);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const lines = this.#lines.join('\n');
    this.#lines = [];
    this.#write(lines);
  }
}
