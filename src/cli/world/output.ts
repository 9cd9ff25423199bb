/** Writes results to stdout, everything else to stderr; color and spinners only on terminals. */
import { chunksOf } from '../../util/chunks.ts';
import { datedLines, LineBatch, type ProgressLine, ProgressText } from './progress.ts';
import type { Traffic } from './traffic.ts';
import type { OutputStream, World } from './world.ts';

type Streams = Pick<World, 'stdout' | 'stderr'>;

export interface OutputOptions {
  readonly color?: boolean | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly env: World['env'];
  readonly now: World['clock']['now'];
}

export class Output {
  readonly #streams: Streams;
  readonly #options: OutputOptions;
  readonly color: boolean;
  readonly errorColor: boolean;
  /** Results that were written to files, by file, unless they may be very long. */
  readonly texts = new Map<string, string>();
  #closed = false;
  #traffic: Traffic | undefined;
  #progress: ProgressLine | undefined;
  #batch: LineBatch | undefined;

  constructor(streams: Streams, options: OutputOptions) {
    this.#streams = streams;
    this.#options = options;
    this.color = wantsColor(streams.stdout, options);
    this.errorColor = wantsColor(streams.stderr, options);
    for (const stream of [streams.stdout, streams.stderr]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        // The reader closed the pipe; the work continues.
        if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') this.#closed = true;
        else throw error;
      });
    }
  }

  get width(): number {
    return columnsOf(this.#streams.stdout, this.#options.env);
  }

  get errorWidth(): number {
    return columnsOf(this.#streams.stderr, this.#options.env);
  }

  get quiet(): boolean {
    return this.#options.quiet;
  }

  get verbose(): boolean {
    return this.#options.verbose;
  }

  /** Writes the text unchanged, whole or in pieces. */
  result(text: string | Generator<string>): void {
    this.flush();
    for (const chunk of chunksOf(text)) if (!this.#closed) this.#streams.stdout.write(chunk);
  }

  report(text: string | Generator<string>): void {
    this.result(isPipeline(this.#options.env) ? ownCommands(typeof text === 'string' ? [text] : text) : text);
  }

  note(text: string): void {
    if (!this.#options.quiet) this.error(text);
  }

  error(text: string): void {
    this.flush();
    this.#write(text);
  }

  /** Writes held-back lines: before any other output, and before the process ends. */
  flush(): void {
    this.#batch?.flush();
  }

  #write(text: string): void {
    const shown = isPipeline(this.#options.env)
      ? withoutCommands(text).replace(/^:(?=:)/gm, '\\u{3a}')
      : text;
    if (!this.#streams.stderr.destroyed) this.#streams.stderr.write(`${shown}\n`);
  }

  detail(text: string): void {
    if (this.#options.verbose) this.error(text);
  }

  /** Counts these requests in progress, too, and shows why they wait. */
  follow(traffic: Traffic): void {
    this.#traffic = traffic;
  }

  get isLively(): boolean {
    const { quiet, verbose, env } = this.#options;
    const { stderr } = this.#streams;
    // With an unknown width, a spinner would clear lines forever.
    const terminal = stderr.isTTY === true && (stderr.columns ?? 0) > 0 && env.TERM !== 'dumb';
    return terminal && !quiet && !verbose && !isSet(env.CI);
  }

  /** Shows a spinner on terminals; elsewhere a dated line every ten seconds. */
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
    this.#progress = spinning(progress, this.#streams.stderr, gather, write);
    return this.#progress;
  }

  async during<T>(text: string, work: (progress: ProgressLine) => Promise<T>): Promise<T> {
    const progress = await this.progress(text);
    try {
      return await work(progress);
    } finally {
      progress.stop();
    }
  }

  /** Hides progress during the work, for example a question. */
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

/** The width of the stream. Pipes and streams without a known width use COLUMNS, or 100. */
function columnsOf({ columns = 0 }: OutputStream, { COLUMNS = '' }: World['env']): number {
  if (columns > 0) return columns;
  return /^\d{2,3}$/.test(COLUMNS) && Number(COLUMNS) >= 40 ? Number(COLUMNS) : 100;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** Runners detect `##[command]` anywhere, and `::command::` after spaces; Octavo's own commands begin a line. */
function withoutCommands(text: string): string {
  return text.replace(/##(?=\w*\[)/g, '#\\u{23}').replace(/^([^\S\n]+):(?=:)/gm, '$1\\u{3a}');
}

function* ownCommands(pieces: Iterable<string>): Generator<string> {
  for (const piece of pieces) yield withoutCommands(piece);
}

function isPipeline({ CI, GITHUB_ACTIONS, TF_BUILD }: World['env']): boolean {
  return [CI, GITHUB_ACTIONS, TF_BUILD].some(isSet);
}

function wantsColor(stream: OutputStream, { color, env }: OutputOptions): boolean {
  if (color !== undefined) return color;
  if (isSet(env.NO_COLOR)) return false;
  if (isSet(env.FORCE_COLOR)) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && env.TERM !== 'dumb';
}
