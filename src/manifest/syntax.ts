/** Describes YAML syntax errors: the first of each line, at the character that matters. */
import { type Document, visit, type YAMLError } from 'yaml';
import type { Problems } from './problems.ts';
import { placeOf, type SyntaxSource, type SyntaxText } from './syntax-place.ts';
import { syntaxTexts } from './syntax-texts.ts';
import { describeUnclosed } from './syntax-unclosed.ts';

/** More than this many are not typing errors: the file is something else. */
const maxErrors = 10;

/** Adds the errors and warnings of a document; false when it cannot be used. */
export function reportSyntax(document: Document, source: SyntaxSource, problems: Problems): boolean {
  const isTag = ({ code }: YAMLError) => code === 'TAG_RESOLVE_FAILED';
  const errors = [...document.errors, ...document.warnings.filter(isTag)].sort(
    (left, right) => left.pos[0] - right.pos[0],
  );
  // Where a tab indents a line, the parser loses count of the lines that follow.
  const tab = errors.find(({ code }) => code === 'TAB_AS_INDENT');
  const shown = (tab === undefined ? errors : errors.slice(0, errors.indexOf(tab) + 1)).filter(
    // After the first error, these only follow from an earlier one.
    ({ code }, at) => at === 0 || (code !== 'UNEXPECTED_TOKEN' && code !== 'IMPOSSIBLE'),
  );
  reportFirstOfLines(shown, { document, source, problems });
  for (const { code, pos } of document.warnings.filter((warning) => !isTag(warning))) {
    const { message, suggestion } = syntaxTexts[code]({ before: '', rest: '', column: undefined });
    problems.warn('yaml', message, source.range(pos[0], pos[1]), { suggestion });
  }
  return errors.length === 0;
}

/** What the parser finds in the lines after one that is indented wrongly, since it goes on from that one's column. */
const ofIndentation = new Set(['BAD_INDENT', 'BLOCK_AS_IMPLICIT_KEY', 'MULTILINE_IMPLICIT_KEY']);

interface ErrorContext {
  readonly document: Document;
  readonly source: SyntaxSource;
  readonly problems: Problems;
}

function reportFirstOfLines(errors: readonly YAMLError[], context: ErrorContext): void {
  const { document, source, problems } = context;
  const lines = new Set<number>();
  let reported = 0;
  let isMisaligned = false;
  for (const error of errors) {
    if (isMisaligned && ofIndentation.has(error.code)) continue;
    const { line } = source.range(Math.min(error.pos[0], source.end), error.pos[1]);
    if (lines.has(line)) continue;
    const { message, at, ...details } = describeError(error, document, source);
    // A bracket that is not closed because of an error inside is not reported.
    if (lines.has(at.line)) continue;
    lines.add(line).add(at.line);
    isMisaligned ||= error.code === 'BAD_INDENT' || error.code === 'MULTILINE_IMPLICIT_KEY';
    reported += 1;
    if (reported > maxErrors) break;
    problems.error('yaml', message, at, details);
    if (error.code === 'RESOURCE_EXHAUSTION') break;
  }
}

function describeError(error: YAMLError, document: Document, source: SyntaxSource): SyntaxText {
  const special =
    describeUnclosed(error, document, source) ?? describeTag(error, source) ?? describeDeeper(error, source);
  if (special !== undefined) return special;
  const { from, to } = placeOf(error, source);
  return {
    ...syntaxTexts[error.code]({
      before: source.text.slice(0, error.pos[0]),
      rest: source.text.slice(from),
      column: expectedColumn(document, error.pos[0], source),
    }),
    at: source.range(from, to),
  };
}

/** A key with a value, and below it a key that is indented further: nothing can be inside the value. */
function describeDeeper(error: YAMLError, { text, range }: SyntaxSource): SyntaxText | undefined {
  if (error.code !== 'BLOCK_AS_IMPLICIT_KEY' && error.code !== 'MULTILINE_IMPLICIT_KEY') return undefined;
  const start = text.lastIndexOf('\n', error.pos[0] - 1) + 1;
  const [line = '', ...below] = text.slice(start).split('\n');
  const own = /^( *)(?:- )?[^\s#][^:]*:(?: |$)/.exec(line)?.[1];
  if (own === undefined) return undefined;
  let offset = start + line.length + 1;
  for (const next of below) {
    const [, indent, key] = /^( *)([^\s#].*?):(?:\s|$)/.exec(next) ?? [];
    if (indent !== undefined && key !== undefined) {
      if (indent.length <= own.length) return undefined;
      const at = range(offset + indent.length, offset + indent.length + key.length);
      return {
        message: `this line is indented deeper than its siblings, which start in column ${own.length + 1}`,
        at,
        suggestion: `indent it with ${own.length} spaces, or indent the lines above like it`,
      };
    }
    if (next.trim() !== '' && !next.trim().startsWith('#')) return undefined;
    offset += next.length + 1;
  }
  return undefined;
}

/** The column of the innermost mapping or list, written without brackets, that an offset is in. */
function expectedColumn(document: Document, offset: number, source: SyntaxSource): number | undefined {
  let start: number | undefined;
  visit(document, {
    Collection: (_key, node) => {
      const [from, , end] = node.range ?? [0, 0, -1];
      if (node.flow !== true && from < offset && offset <= end) start = from;
    },
  });
  return start === undefined ? undefined : source.range(start, start).column;
}

function describeTag(error: YAMLError, source: SyntaxSource): SyntaxText | undefined {
  if (error.code !== 'TAG_RESOLVE_FAILED') return undefined;
  const { from, to } = placeOf(error, source);
  const tag = /^!\S*/.exec(source.text.slice(from))?.[0] ?? '';
  return {
    message: `unknown tag ${tag}`,
    at: source.range(from, to),
    suggestion: 'remove the tag; quote text that starts with !',
  };
}
