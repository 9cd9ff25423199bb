/** Where words go: results to stdout, everything else to stderr; colour and spinners only on terminals. */
import type { ServicePace } from '../report/plan-text.ts';
import { chunksOf } from '../util/chunks.ts';
import { LineBatch } from './line-batch.ts';
import { datedLines, type ProgressLine, ProgressText } from './progress.ts';
import type { Traffic } from './traffic.ts';
import type { OutputStream, World } from './world.ts';

type Streams = Pick<World, 'stdout' | 'stderr'>;

/** What decides about looks. */
export interface OutputOptions {
  readonly color?: boolean | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly env: World['env'];
  readonly now: World['clock']['now'];
}

/** Writes for people and for pipes. */
export class Output {
  readonly #streams: Streams;
  readonly #options: OutputOptions;
  /** Colour on stdout. */
  readonly color: boolean;
  /** Colour on stderr. */
  readonly errorColor: boolean;
  #closed = false;
  #traffic: Traffic | undefined;
  #progress: ProgressLine | undefined;
  /** Lines about what is under way. */
  #batch: LineBatch | undefined;

  constructor(streams: Streams, options: OutputOptions) {
    this.#streams = streams;
    this.#options = options;
    this.color = wantsColor(streams.stdout, options);
    this.errorColor = wantsColor(streams.stderr, options);
    for (const stream of [streams.stdout, streams.stderr]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        // Whoever read the output has left; the work goes on.
        if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') this.#closed = true;
        else throw error;
      });
    }
  }

  /** True where people read stdout. */
  get isTerminal(): boolean {
    return this.#streams.stdout.isTTY === true;
  }

  /** Columns for text on stdout. */
  get width(): number {
    return columnsOf(this.#streams.stdout);
  }

  /** Columns for text on stderr. */
  get errorWidth(): number {
    return columnsOf(this.#streams.stderr);
  }

  get verbose(): boolean {
    return this.#options.verbose;
  }

  /** The result of the command, as it is, whole or in pieces. */
  result(text: string | Generator<string>): void {
    this.flush();
    for (const chunk of chunksOf(text)) if (!this.#closed) this.#streams.stdout.write(chunk);
  }

  /** A line beside the result. */
  note(text: string): void {
    if (!this.#options.quiet) this.error(text);
  }

  /** A line that must be seen. */
  error(text: string): void {
    this.flush();
    this.#write(text);
  }

  /** Writes the lines that wait for others: before anything else is written, and before the process ends. */
  flush(): void {
    this.#batch?.flush();
  }

  #write(text: string): void {
    if (!this.#streams.stderr.destroyed) this.#streams.stderr.write(`${text}\n`);
  }

  /** A line for those who look closely. */
  detail(text: string): void {
    if (this.#options.verbose) this.error(text);
  }

  /** From now on progress counts these requests as well, and says what they wait for. */
  follow(traffic: Traffic): void {
    this.#traffic = traffic;
  }

  /** How fast requests went so far; undefined where there were none. */
  get measuredPace(): ServicePace | undefined {
    return this.#traffic?.measured;
  }

  /** True where people see on stderr how something goes on. */
  get isLively(): boolean {
    const { quiet, verbose, env } = this.#options;
    const { stderr } = this.#streams;
    // A terminal that does not know its width makes a spinner clear lines for ever.
    const terminal = stderr.isTTY === true && (stderr.columns ?? 0) > 0 && env.TERM !== 'dumb';
    return terminal && !quiet && !verbose && !isSet(env.CI);
  }

  /** Shows that something is under way: all the time on terminals, elsewhere with a dated line every ten seconds. */
  async progress(text: string): Promise<ProgressLine> {
    const { quiet, now } = this.#options;
    const progress = new ProgressText({ text }, () => this.#traffic, now);
    const gather = (write: (lines: string) => void) => this.#gather(write);
    const write = (lines: string) => this.#write(lines);
    this.#progress = undefined;
    if (!this.isLively) {
      const note = (line: string) => this.note(line);
      return datedLines({ text: progress, now, batch: gather(write), note, quiet });
    }
    const { spinning } = await import('./spinner.ts');
    this.#progress = spinning({ text: progress, stream: this.#streams.stderr, gather, note: write });
    return this.#progress;
  }

  /** Does the work, such as a question, while no progress is shown. */
  async withoutProgress<T>(work: () => Promise<T>): Promise<T> {
    const resume = this.#progress?.pause();
    try {
      return await work();
    } finally {
      resume?.();
    }
  }

  #gather(write: (lines: string) => void): LineBatch {
    this.flush();
    this.#batch = new LineBatch(write);
    return this.#batch;
  }
}

/** Columns of a stream; 100 where it has none, as pipes, or does not know. */
function columnsOf({ columns = 0 }: OutputStream): number {
  return columns > 0 ? columns : 100;
}

/** True when an environment variable is set to something. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function wantsColor(stream: OutputStream, { color, env }: OutputOptions): boolean {
  if (color !== undefined) return color;
  if (isSet(env.NO_COLOR)) return false;
  if (isSet(env.FORCE_COLOR)) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && env.TERM !== 'dumb';
}
