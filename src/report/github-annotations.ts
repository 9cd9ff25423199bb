/**
 * What GitHub shows beside lines and in the log of a run: annotations as workflow commands, and text in which nothing is
 * taken for one. Pure.
 */
import type { Diagnostic, SourceRange } from '../util/diagnostic.ts';
import type { GithubOptions } from './plan-text.ts';
import { safeText } from './safe-text.ts';

/** One annotation. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly at?: SourceRange | undefined;
}

/** Annotations of one level that GitHub shows of a step. */
const shownAtMost = 10;

/** The annotations as workflow commands, the first ones of each level; ends with a line break where there are any. */
export function annotationLines(annotations: readonly Annotation[], options: GithubOptions): string {
  const lines = (['error', 'warning', 'notice'] as const).flatMap((level) => {
    const own = annotations.filter((one) => one.level === level);
    if (own.length <= shownAtMost) return own.map((one) => annotationLine(one, options));
    const shown = own.slice(0, shownAtMost - 1).map((one) => annotationLine(one, options));
    const more = `${own.length - shown.length} more are in the log and the summary of this run`;
    return [...shown, annotationLine({ level, title: 'octavo', message: more }, options)];
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** Text in a group that folds. No line of it is taken for a workflow command. */
export function* folded(title: string, text: Iterable<string>, { stop }: GithubOptions): Generator<string> {
  yield `::group::${data(title)}\n::stop-commands::${stop}\n`;
  yield* text;
  yield `::${stop}::\n::endgroup::\n`;
}

/** A diagnostic as an annotation. */
export function annotationOf({ severity, code, message, suggestion, at, address }: Diagnostic): Annotation {
  const levels = { error: 'error', warning: 'warning', hint: 'notice' } as const;
  const where = address === undefined ? '' : ` (${address})`;
  const help = suggestion === undefined ? '' : `\nhelp: ${suggestion}`;
  return {
    level: levels[severity],
    title: `octavo: ${code}`,
    message: `${message}${where}${help}`,
    at,
  };
}

function annotationLine({ level, title, message, at }: Annotation, { pathOf }: GithubOptions): string {
  const place =
    at === undefined
      ? []
      : [
          ['file', pathOf(at.file)],
          ['line', at.line],
          ['endLine', at.endLine],
          ['col', at.column],
          ...(at.endLine === at.line ? [['endColumn', at.endColumn]] : []),
        ];
  const properties = [...place, ['title', title]].map(
    ([name, value]) => `${name}=${property(String(value))}`,
  );
  return `::${level} ${properties.join(',')}::${data(message)}`;
}

/** As the runner reads the text of a command. */
function data(text: string): string {
  const lines = text.split('\n').map(safeText).join('\n');
  return lines.replace(/%/g, '%25').replace(/\n/g, '%0A');
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
