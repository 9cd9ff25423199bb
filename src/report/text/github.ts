/** Output for GitHub Actions: annotations as workflow commands, and text that cannot contain a command. Pure. */
import { defined } from '../../util/defined.ts';
import type { Diagnostic, SourceRange } from '../../util/diagnostic.ts';
import { otherText } from '../../util/places.ts';
import type { GithubOptions, TextOptions } from '../view.ts';
import { safeText } from './safe-text.ts';

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly at?: SourceRange | undefined;
}

/** Defaults for an unknown run: paths are unchanged. */
const noGithub: GithubOptions = { stop: 'octavo-plan-text', pathOf: (file) => file };

/** Maximum of annotations of one level that GitHub shows for a step. */
const shownAtMost = 10;

/** Workflow commands for the first annotations of each level; ends with a line break unless empty. */
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

/** Text in a folded group, none of whose lines can be a workflow command, and annotations. */
export function* githubLog(
  title: string,
  text: Iterable<string>,
  annotations: readonly Annotation[],
  { github = noGithub }: Pick<TextOptions, 'github'>,
): Generator<string> {
  // Each read makes a new token.
  const { stop } = github;
  yield `::group::${data(title)}\n::stop-commands::${stop}\n`;
  yield* text;
  yield `::${stop}::\n::endgroup::\n`;
  yield annotationLines(annotations, github);
}

export function annotationOf(diagnostic: Diagnostic): Annotation {
  const { severity, code, at } = diagnostic;
  const levels = { error: 'error', warning: 'warning', hint: 'notice' } as const;
  return { level: levels[severity], title: `octavo: ${code}`, message: wholeMessage(diagnostic), at };
}

/** Includes the address and the help, for programs that show one text. */
export function wholeMessage({ message, address, suggestion }: Diagnostic): string {
  const where = address === undefined ? '' : ` (${address})`;
  return `${message}${where}${suggestion === undefined ? '' : `\nhelp: ${suggestion}`}`;
}

function annotationLine({ level, title, message, at }: Annotation, { pathOf }: GithubOptions): string {
  const place = at && { file: pathOf(at.file), line: at.line, endLine: at.endLine, col: at.column };
  const end = at?.endLine === at?.line ? at?.endColumn : undefined;
  const properties = Object.entries(defined({ ...place, endColumn: end, title })).map(
    ([name, value]) => `${name}=${data(String(value)).replace(/:/g, '%3A').replace(/,/g, '%2C')}`,
  );
  return `::${level} ${properties.join(',')}::${data(`${message}${at === undefined ? '' : otherText(at).replace(', ', '\n')}`)}`;
}

/** Escaped for the runner. */
function data(text: string): string {
  const lines = text.split('\n').map(safeText).join('\n');
  return lines.replace(/%/g, '%25').replace(/\n/g, '%0A');
}
