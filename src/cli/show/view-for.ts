/** Shows results in every requested format: one on stdout, others in files. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { once } from '../../contract/once.ts';
import type { TextOptions } from '../../report/view.ts';
import { defined } from '../../util/defined.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';
import type { WatchedRun } from '../observe/observer.ts';
import { formatsIn } from './formats.ts';
import { pathInRepository, reportContext } from './report-context.ts';
import type { Views } from './views.ts';

export function textOptions({ flags, output, env, cwd, world }: Invocation): TextOptions {
  const { show = [] } = flags;
  const context = reportContext(env, world.clock.now());
  const github = {
    // A getter, because a small plan otherwise does not need node:crypto.
    get stop() {
      return randomUUID();
    },
    pathOf: (file: string) => pathInRepository(file, { env, cwd }),
  };
  const { color, width } = output;
  return {
    color,
    width,
    showUnmanaged: show.includes('unmanaged'),
    showUnchanged: show.includes('unchanged'),
    full: show.includes('all'),
    context,
    github,
  };
}

const fileWidth = 120;

type Render<V> = (view: NonNullable<V>, options: TextOptions) => string | Generator<string> | undefined;

export interface ChosenViews<V> {
  /** Undefined if the format is written when the run ends. */
  readonly stdout: V;
  readonly show: (render: Render<V>) => void;
  readonly write: (render: Render<V>) => void;
  /** Of stdout and of files. */
  readonly chosen: readonly V[];
  readonly all: (render: Render<V>) => void;
}

/** The default is stdout with the first view of the table. The parser accepts only formats of the table. */
export async function chosenViews<V>(invocation: Invocation, views: Views<V>): Promise<ChosenViews<V>> {
  const { stdout = Object.keys(views)[0] ?? '', files } = formatsIn(invocation.flags);
  const shown = await viewOf(views, stdout);
  const written = await Promise.all(
    files.map(async (one) => ({ ...one, view: await viewOf(views, one.format) })),
  );
  // Computed once, because an apply shows a line for each step.
  const options = once(() => textOptions(invocation));
  const show = (render: Render<V>) => {
    const text = shown ? render(shown, options()) : undefined;
    if (text === undefined) return;
    // The text output of an export is a manifest.
    const isReport = invocation.commandName !== 'export' && ['text', 'markdown', 'github'].includes(stdout);
    invocation.output[isReport ? 'report' : 'result'](text);
  };
  const write = (render: Render<V>) => {
    const options = {
      ...textOptions(invocation),
      color: false,
      width: fileWidth,
      isFile: true,
    };
    for (const { format, file, view } of written) {
      const text = view ? render(view, options) : undefined;
      // Forges limit the length of Markdown.
      if (text !== undefined)
        writeResult(invocation, file, format === 'markdown' ? [...text].join('') : text);
    }
  };
  return {
    stdout: shown,
    chosen: [shown, ...written.map(({ view }) => view)],
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

/**
 * Runs before anything is sent or changed.
 *
 * @throws DiagnosticError (`format-file`) for a file of `--format` that cannot be written.
 */
export function requireFormatFiles({ world: { cwd }, folder, flags: { format, out } }: WatchedRun): void {
  const other = out === undefined ? undefined : path.resolve(cwd, out);
  for (const { file } of formatsIn(defined({ format })).files)
    withFile(file, () => {
      const full = path.resolve(cwd, file);
      if (full === other) throw new Error('another flag names the same file');
      folder.requireWritable(full);
    });
}

export function writeResult(
  { world: { cwd }, folder, output }: Pick<Invocation, 'world' | 'folder' | 'output'>,
  file: string,
  text: string | Generator<string>,
): void {
  withFile(file, () => folder.put(path.resolve(cwd, file), text));
  if (typeof text === 'string') output.texts.set(file, text);
}

function withFile(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const message = `cannot write ${file}: ${reasonOf(error)}`;
    throw userError('format-file', message, 'name another file with --format');
  }
}
