/** Describes YAML syntax errors: the first of each line, at the character that matters. */
import {
  type Document,
  type ErrorCode,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  type Node,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { SourceRange } from '../util/diagnostic.ts';
import { maxDepth } from './nesting.ts';
import type { ProblemDetails, Problems } from './problems.ts';

/** More than this many are not typing errors: the file is something else. */
const maxErrors = 10;

/** A text, and the ranges of its offsets. */
export interface SyntaxSource {
  readonly text: string;
  /** Where the text ends, without trailing whitespace: what is missing is missing there. */
  readonly end: number;
  readonly range: (from: number, to: number) => SourceRange;
}

interface SyntaxText extends ProblemDetails {
  readonly message: string;
  readonly at: SourceRange;
}

/** Adds the errors and warnings of a document; false when it cannot be used. */
export function reportSyntax(document: Document, source: SyntaxSource, problems: Problems): boolean {
  const isTag = ({ code }: YAMLError) => code === 'TAG_RESOLVE_FAILED';
  const errors = [...document.errors, ...document.warnings.filter(isTag)].sort(
    (left, right) => left.pos[0] - right.pos[0],
  );
  const shown = errors.filter(
    // After the first error, these only follow from an earlier one.
    ({ code }, at) => at === 0 || (code !== 'UNEXPECTED_TOKEN' && code !== 'IMPOSSIBLE'),
  );
  reportFirstOfLines(shown, { document, source, problems });
  for (const { message, pos } of document.warnings.filter((warning) => !isTag(warning))) {
    problems.warn('yaml', lowerFirst(message), source.range(pos[0], pos[1]));
  }
  return errors.length === 0;
}

interface ErrorContext {
  readonly document: Document;
  readonly source: SyntaxSource;
  readonly problems: Problems;
}

function reportFirstOfLines(errors: readonly YAMLError[], context: ErrorContext): void {
  const { document, source, problems } = context;
  const lines = new Set<number>();
  let reported = 0;
  for (const error of errors) {
    const { line } = source.range(Math.min(error.pos[0], source.end), error.pos[1]);
    if (lines.has(line)) continue;
    const { message, at, ...details } = describeError(error, document, source);
    // A bracket that is not closed because of an error inside is not reported.
    if (lines.has(at.line)) continue;
    lines.add(line).add(at.line);
    reported += 1;
    if (reported > maxErrors) break;
    problems.error('yaml', message, at, details);
    if (error.code === 'RESOURCE_EXHAUSTION') break;
  }
}

function describeError(error: YAMLError, document: Document, source: SyntaxSource): SyntaxText {
  const special = describeUnclosed(error, document, source) ?? describeTag(error, source);
  if (special !== undefined) return special;
  const { from, to } = placeOf(error, source);
  const known = texts[error.code]?.({
    before: source.text.slice(0, error.pos[0]),
    rest: source.text.slice(from),
    column: expectedColumn(document, error.pos[0], source),
  });
  return {
    message: known?.message ?? lowerFirst(error.message),
    at: source.range(from, to),
    suggestion: known?.suggestion ?? 'check indentation, quotes and brackets here',
  };
}

/** The text around an error. */
interface SyntaxSurroundings {
  readonly before: string;
  readonly rest: string;
  /** Where the mapping or list around begins. */
  readonly column: number | undefined;
}

interface KnownText {
  readonly message?: string;
  readonly suggestion: string;
}

/** By the parser's error codes; some depend on the text around. */
const texts: Readonly<Partial<Record<ErrorCode, (around: SyntaxSurroundings) => KnownText>>> = {
  RESOURCE_EXHAUSTION: () => ({
    message: `nested more than ${maxDepth} levels deep`,
    suggestion: 'check that this file is a manifest',
  }),
  TAB_AS_INDENT: () => ({ message: 'tab used as indentation', suggestion: 'indent with spaces' }),
  BAD_INDENT: ({ column }) => ({
    message: `inconsistent indentation${column === undefined ? '' : `: expected column ${column}`}`,
    suggestion: 'align keys of the same mapping, and dashes of the same list',
  }),
  BLOCK_AS_IMPLICIT_KEY: () => ({
    message: 'unquoted value contains ": "',
    suggestion: 'quote it, or write the mapping inside on lines of its own',
  }),
  MULTILINE_IMPLICIT_KEY: () => ({
    message: 'key and colon must be on the same line',
    suggestion: 'add the missing colon, or fix the indentation of the line above',
  }),
  BAD_DQ_ESCAPE: () => ({ suggestion: 'write \\\\ for a backslash, or use single quotes' }),
  BAD_SCALAR_START: ({ rest }) =>
    /^[|>]/.test(rest)
      ? {
          message: 'text of several lines inside { } or [ ]',
          suggestion: 'write the mapping or list around it on lines of its own, without brackets',
        }
      : { message: `unquoted value starts with ${rest.slice(0, 1)}`, suggestion: 'quote it' },
  BLOCK_IN_FLOW: () => ({
    message: 'unquoted value contains ": " inside { } or [ ]',
    suggestion: 'quote it; write lists inside as [a, b]',
  }),
  UNEXPECTED_TOKEN: ({ before }) =>
    /(?:^|[:\n])\s*$/.test(before)
      ? { suggestion: 'check indentation, quotes and brackets here' }
      : {
          message: 'unexpected text after the value',
          suggestion: 'add a comma or a line break before it, or quote the whole value',
        },
  MISSING_CHAR: missingCharacter,
};

function missingCharacter({ before, rest }: SyntaxSurroundings): KnownText {
  if (rest.startsWith('#')) {
    return {
      message: 'comment without a space before #',
      suggestion: 'add a space before #, or quote the value',
    };
  }
  if (before.endsWith(':'))
    return { message: 'colon without a space after it', suggestion: 'add a space after the colon' };
  if (isInBrackets(before))
    return { message: 'entries without a comma between them', suggestion: 'add a comma between the entries' };
  return { message: 'key without a colon', suggestion: 'write key: value; quote a text of several lines' };
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

/** True where more brackets are opened than closed on the line and those before it. */
function isInBrackets(before: string): boolean {
  const count = (pattern: RegExp) => before.match(pattern)?.length ?? 0;
  return count(/[{[]/g) > count(/[}\]]/g);
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

/** A quote or bracket that is not closed, where the error is about one: shown where it is opened. */
function describeUnclosed(
  error: YAMLError,
  document: Document,
  source: SyntaxSource,
): SyntaxText | undefined {
  if (error.code !== 'MISSING_CHAR' && error.code !== 'BAD_INDENT') return undefined;
  const { from } = placeOf(error, source);
  const quoted = lastNode(document, error.pos[0], source, (node) => isUnclosedQuote(node, source.text));
  if (quoted !== undefined) return unclosedQuote(from, quoted, source);
  const opened = lastNode(
    document,
    error.pos[0],
    source,
    (node) => isCollection(node) && node.flow === true && !isClosed(node, source.text),
  );
  return opened === undefined ? undefined : unclosedBracket(from, opened, source);
}

function isUnclosedQuote(node: Node, text: string): boolean {
  if (!isScalar(node) || (node.type !== 'QUOTE_DOUBLE' && node.type !== 'QUOTE_SINGLE')) return false;
  const [start, end] = node.range ?? [0, 0];
  return end - start < 2 || text[end - 1] !== text[start];
}

/** The place of an error: leading spaces skipped, and the end of the text moved back to its last character. */
function placeOf(
  error: YAMLError,
  { text, end }: SyntaxSource,
): { readonly from: number; readonly to: number } {
  let from = Math.min(error.pos[0], end);
  const to = error.pos[1];
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  if (error.code !== 'TAB_AS_INDENT' && text.slice(lineStart, from).trim() === '') {
    const spaces = /^ */.exec(text.slice(from))?.[0].length ?? 0;
    if (/\S/.test(text[from + spaces] ?? '')) from += spaces;
  }
  return { from, to: Math.max(to, from + 1) };
}

function unclosedQuote(offset: number, opened: Node, source: SyntaxSource): SyntaxText {
  const start = opened.range?.[0] ?? offset;
  const lineEnd = source.text.indexOf('\n', start);
  const end = Math.min(offset, lineEnd < 0 ? source.text.length : lineEnd);
  return {
    message: 'unclosed quote',
    at: source.range(start, Math.max(start + 1, end)),
    suggestion: 'close it; write a quote inside the value in quotes of the other kind',
  };
}

function unclosedBracket(offset: number, opened: Node, source: SyntaxSource): SyntaxText {
  const start = opened.range?.[0] ?? offset;
  const [opening, closing] = isMap(opened) ? ['{', '}'] : ['[', ']'];
  return {
    message: `unclosed ${opening}`,
    at: source.range(start, start + 1),
    suggestion: `add ${closing}, or indent what belongs inside further than the line with ${opening}`,
    related: [{ message: `${closing} expected here or before`, at: source.range(offset, offset + 1) }],
  };
}

/** True when the last character of a bracketed node is its own bracket, not that of its last entry. */
function isClosed(node: YAMLMap | YAMLSeq, text: string): boolean {
  const [start, end] = node.range ?? [0, 0];
  const last: unknown = node.items.at(-1);
  const inner = isPair(last) ? (last.value ?? last.key) : last;
  const innerEnd = isNode(inner) ? (inner.range?.[1] ?? 0) : start + 1;
  return innerEnd < end && text[end - 1] === (isMap(node) ? '}' : ']');
}

/** The innermost, last node that ends at an offset, whitespace aside, and meets a condition. */
function lastNode(
  document: Document,
  offset: number,
  { text }: SyntaxSource,
  condition: (node: Node) => boolean,
): Node | undefined {
  let least = Math.min(offset, text.length);
  while (least > 0 && /\s/.test(text[least - 1] ?? '')) least -= 1;
  let found: Node | undefined;
  visit(document, {
    Node: (_key, node) => {
      const end = node.range?.[1] ?? -1;
      if (end >= least && end <= offset && condition(node)) found = node;
    },
  });
  return found;
}

function lowerFirst(message: string): string {
  const first = (message.split('\n')[0] ?? message).replace(/[.:]$/, '');
  return /^[A-Z][a-z]/.test(first) ? `${first[0]?.toLowerCase()}${first.slice(1)}` : first;
}
