/** Where words go: results to stdout, everything else to stderr; colour and spinners only on terminals. */
import type { Ora } from 'ora';
import { chunksOf } from '../util/chunks.ts';
import { LineBatch } from './line-batch.ts';
import type { OutputStream, World } from './world.ts';

type Streams = Pick<World, 'stdout' | 'stderr'>;

/** What decides about looks. */
export interface OutputOptions {
  readonly color?: boolean | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly env: World['env'];
}

/** Something that takes a while; shown only on terminals. */
export interface ProgressLine {
  update(text: string): void;
  /** Writes a line that stays. */
  line(text: string): void;
  stop(): void;
}

/** Milliseconds between the lines that show where there is no terminal that something is under way. */
const lineInterval = 10_000;
/** Milliseconds between two looks at what a spinner says. */
const spinnerInterval = 100;

/** Writes for people and for pipes. */
export class Output {
  readonly #streams: Streams;
  readonly #options: OutputOptions;
  /** Colour on stdout. */
  readonly color: boolean;
  /** Colour on stderr. */
  readonly errorColor: boolean;
  #closed = false;
  #status: () => string | undefined = () => undefined;
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

  /** From now on progress says this as well, for example that the service asked to slow down. */
  follow(status: () => string | undefined): void {
    this.#status = status;
  }

  /** Shows that something is under way: all the time on terminals, elsewhere with a line every ten seconds. */
  async progress(text: string): Promise<ProgressLine> {
    const { quiet, verbose, env } = this.#options;
    const { stderr } = this.#streams;
    // A terminal that does not know its width makes a spinner clear lines for ever.
    const terminal = stderr.isTTY === true && (stderr.columns ?? 0) > 0 && env.TERM !== 'dumb';
    const lively = terminal && !quiet && !verbose && !isSet(env.CI);
    if (!lively) return this.#lines(text);
    const { default: ora } = await import('ora');
    const spinner = ora({ text, stream: stderr, discardStdin: false }).start();
    return spinning(spinner, {
      text,
      batch: (write) => this.#gather(write),
      note: (lines) => this.#write(lines),
      whole: (plain) => this.#withStatus(plain),
    });
  }

  #lines(text: string): ProgressLine {
    let latest = text;
    const timer = setInterval(() => this.note(this.#withStatus(latest)), lineInterval);
    // Waiting to say something is no reason to go on.
    timer.unref();
    const batch = this.#gather((lines) => this.#write(lines));
    return {
      update: (plain) => {
        latest = plain;
      },
      line: (line) => {
        if (!this.#options.quiet) batch.add(line);
      },
      stop: () => {
        clearInterval(timer);
        batch.flush();
      },
    };
  }

  #gather(write: (lines: string) => void): LineBatch {
    this.flush();
    this.#batch = new LineBatch(write);
    return this.#batch;
  }

  #withStatus(text: string): string {
    const status = this.#status();
    return status === undefined ? text : `${text} (${status})`;
  }
}

interface Spinning {
  readonly text: string;
  readonly batch: (write: (lines: string) => void) => LineBatch;
  readonly note: (lines: string) => void;
  /** The text with what else is to be said. */
  readonly whole: (text: string) => string;
}

function spinning(spinner: Ora, { text, batch: gather, note, whole }: Spinning): ProgressLine {
  let latest = text;
  // What is waited for changes while nothing else does; and looks at every change would take longer than the changes.
  const timer = setInterval(() => {
    spinner.text = whole(latest);
  }, spinnerInterval);
  timer.unref();
  const batch = gather((lines) => {
    spinner.clear();
    note(lines);
    spinner.render();
  });
  return {
    update: (plain) => {
      latest = plain;
    },
    line: (line) => batch.add(line),
    stop: () => {
      clearInterval(timer);
      batch.flush();
      spinner.stop();
    },
  };
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
