/** Shows results in every format that was asked for, from the table of its views: one on stdout, others in files. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { inAscii } from '../report/ascii.ts';
import type { TextOptions } from '../report/plan-text.ts';
import { writeWhole } from '../run/write-file.ts';
import { reasonOf, userError } from '../util/user-error.ts';
import { formatsIn } from './formats.ts';
import type { Invocation } from './invocation.ts';
import { pathInRepository, reportContext } from './report-context.ts';
import type { Views } from './views.ts';
import type { OutputStream, World } from './world.ts';

/** How a command wants text laid out on stdout. */
export function textOptions({ flags, output, env, cwd, world }: Invocation): TextOptions {
  const { showUnmanaged, showUnchanged, full } = flags;
  const pace = output.measuredPace;
  const context = reportContext(env, world.clock.now());
  const github = { stop: randomUUID(), pathOf: (file: string) => pathInRepository(file, { env, cwd }) };
  const { color, width } = output;
  return { color, width, pace, showUnmanaged, showUnchanged, full, context, github };
}

/** Columns of text in files. */
const fileWidth = 120;

/** Renders a result, given the view of a format; undefined where the format does not show it. */
type Render<V> = (view: V, options: TextOptions) => string | Generator<string> | undefined;

/** The views that a command was asked for. */
export interface ChosenViews<V> {
  /** What stdout shows. */
  readonly stdout: V;
  /** Writes a result to stdout. */
  readonly show: (render: Render<V>) => void;
  /** Writes a result to the files that were asked for. Throws a DiagnosticError where one cannot be written. */
  readonly write: (render: Render<V>) => void;
  /** True where there are files to write. */
  readonly hasFiles: boolean;
  /** Does both. */
  readonly all: (render: Render<V>) => void;
}

/** Loads the views; the first of the table for stdout where nothing else is said. Parsing lets no other format pass than those of the table. */
export async function chosenViews<V>(invocation: Invocation, views: Views<V>): Promise<ChosenViews<V>> {
  const { stdout = Object.keys(views)[0] ?? '', files } = formatsIn(invocation.flags);
  const shown = await viewOf(views, stdout);
  const isText = ['text', 'compact'].includes(stdout);
  const written = await Promise.all(
    files.map(async ({ format, file }) => ({ file, view: await viewOf(views, format) })),
  );
  const show = (render: Render<V>) => {
    const text = render(shown, textOptions(invocation));
    if (text === undefined) return;
    const isPlain = isText && isAsciiTerminal(invocation.world.stdout, invocation.env);
    invocation.output.result(isPlain ? inAscii(typeof text === 'string' ? [text] : text) : text);
  };
  const write = (render: Render<V>) => {
    const options = {
      ...textOptions(invocation),
      color: false,
      width: fileWidth,
      isFile: true,
      pace: undefined,
    };
    for (const { file, view } of written) {
      const text = render(view, options);
      if (text !== undefined) writeResult(invocation, file, text);
    }
  };
  return {
    stdout: shown,
    hasFiles: written.length > 0,
    show,
    write,
    all: (render) => {
      write(render);
      show(render);
    },
  };
}

async function viewOf<V>(views: Views<V>, format: string): Promise<V> {
  const load = Object.hasOwn(views, format) ? views[format] : undefined;
  if (load !== undefined) return load();
  throw new Error(`no view for the format ${format}`);
}

function writeResult({ cwd }: Invocation, file: string, text: string | Generator<string>): void {
  try {
    writeWhole(path.resolve(cwd, file), text);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = missing ? 'its folder does not exist' : reasonOf(error);
    throw userError('format-file', `cannot write ${file}: ${reason}`, 'name another file with --format');
  }
}

/** True for a terminal that is known to show ASCII alone. What is written to files and pipes is UTF-8. */
export function isAsciiTerminal({ isTTY }: OutputStream, env: World['env']): boolean {
  if (isTTY !== true) return false;
  // The console of Linux has a font of 256 characters.
  if (env.TERM === 'linux') return true;
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => (value ?? '') !== '');
  return locale !== undefined && !/utf-?8/i.test(locale);
}
