/** Says in words what the YAML parser found wrong: the first thing of each line, at the character that matters. */
import {
  type Document,
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

/** More than this many are no slips: the file is something else. */
const maxErrors = 10;

/** A text and how its offsets are told. */
export interface SyntaxSource {
  readonly text: string;
  /** Where the text ends, blanks after it aside: what is missing is missing there. */
  readonly end: number;
  readonly range: (from: number, to: number) => SourceRange;
}

interface Wording extends ProblemDetails {
  readonly message: string;
  readonly at: SourceRange;
}

/** Adds the errors and warnings of a document; false when it cannot be used. */
export function reportSyntax(document: Document, source: SyntaxSource, problems: Problems): boolean {
  const errors = [
    ...document.errors,
    ...document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED'),
  ];
  const lines = new Set<number>();
  let told = 0;
  for (const error of errors.sort((left, right) => left.pos[0] - right.pos[0])) {
    // What the parser makes of the rest after a slip is no problem of its own.
    if (told > 0 && (error.code === 'UNEXPECTED_TOKEN' || error.code === 'IMPOSSIBLE')) continue;
    const { line } = source.range(Math.min(error.pos[0], source.end), error.pos[1]);
    if (lines.has(line)) continue;
    const { message, at, ...details } = inWords(error, document, source);
    // What is not closed because of a slip inside is no slip of its own.
    if (lines.has(at.line)) continue;
    lines.add(line).add(at.line);
    told += 1;
    if (told > maxErrors) break;
    problems.error('yaml', message, at, details);
    if (error.code === 'RESOURCE_EXHAUSTION') break;
  }
  for (const { message, pos, code } of document.warnings) {
    if (code !== 'TAG_RESOLVE_FAILED') problems.warn('yaml', lowered(message), source.range(pos[0], pos[1]));
  }
  return errors.length === 0;
}

function inWords(error: YAMLError, document: Document, source: SyntaxSource): Wording {
  const { code, message } = error;
  const { from, to } = placeOf(error, source);
  const at = source.range(from, to);
  if (/^Missing closing ["']quote$/.test(message)) return unclosedQuote(from, document, source);
  if (/ end with a [}\]]$/.test(message)) return unclosedBracket(error, document, source);
  if (code === 'RESOURCE_EXHAUSTION') {
    return {
      message: `nested more than ${maxDepth} levels deep`,
      at,
      suggestion: 'this does not look like a manifest',
    };
  }
  if (code === 'TAG_RESOLVE_FAILED') {
    const tag = /^Unresolved tag: (.*)$/.exec(message)?.[1];
    return {
      message: tag === undefined ? lowered(message) : `the tag ${tag} means nothing here`,
      at,
      suggestion: 'take the tag out; text that starts with ! goes in quotes',
    };
  }
  const known = wordings.find(({ match }) => match.test(message));
  return {
    message: known?.message ?? lowered(message),
    at,
    suggestion: known?.suggestion ?? 'check indentation, quotes and brackets here',
  };
}

const wordings: readonly {
  readonly match: RegExp;
  readonly message?: string;
  readonly suggestion: string;
}[] = [
  { match: /^Tabs? /, message: 'a tab cannot indent', suggestion: 'indent with spaces' },
  {
    match: /^All (mapping|sequence) items must start/,
    message: 'this is indented unlike what it stands beside',
    suggestion: 'let the keys of one mapping, and the dashes of one list, start in one column',
  },
  {
    match: /^Nested mappings are not allowed/,
    message: 'a text without quotes cannot hold a colon followed by a blank',
    suggestion: 'put the text in quotes, or what belongs inside on lines of its own',
  },
  {
    match: /^Implicit map keys need to be followed/,
    message: 'a key without a colon',
    suggestion: 'write key: value; a text of several lines goes in quotes',
  },
  {
    match: /^Implicit keys (of flow sequence pairs )?need to be on a single line/,
    message: 'a key must stand on one line, with its colon',
    suggestion: 'is a colon missing, or a line above not indented as it should be?',
  },
  { match: /^Invalid escape sequence/, suggestion: 'write \\\\ for a backslash, or use single quotes' },
  {
    match: /^Plain value cannot start with block scalar indicator/,
    message: 'a text of several lines cannot stand inside { } or [ ]',
    suggestion: 'write the mapping or list around it on lines of its own, without brackets',
  },
  { match: /^Plain value cannot start with/, suggestion: 'put the text in quotes' },
  { match: /^Missing , /, suggestion: 'put a comma between the entries' },
  { match: /^Missing space after :/, suggestion: 'put a blank after the colon' },
  { match: /^Comments must be separated/, suggestion: 'put a blank before the #, or the text in quotes' },
  {
    match: /at node end$/,
    message: 'something is missing before this',
    suggestion: 'is it a comma, a line break, or quotes around the whole text?',
  },
  {
    match: /^Block collections are not allowed within flow/,
    message: 'inside { } and [ ] a text without quotes cannot hold a colon followed by a blank',
    suggestion: 'put the text in quotes; lists inside are written as [a, b]',
  },
];

/** The place of an error: blanks before it skipped, the end of the text brought back to what is written. */
function placeOf(
  error: YAMLError,
  { text, end }: SyntaxSource,
): { readonly from: number; readonly to: number } {
  let from = Math.min(error.pos[0], end);
  const to = error.pos[1];
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  if (error.code !== 'TAB_AS_INDENT' && text.slice(lineStart, from).trim() === '') {
    const blanks = /^ */.exec(text.slice(from))?.[0].length ?? 0;
    if (/\S/.test(text[from + blanks] ?? '')) from += blanks;
  }
  return { from, to: Math.max(to, from + 1) };
}

function unclosedQuote(offset: number, document: Document, source: SyntaxSource): Wording {
  const opened = lastNode(document, offset, source, (node) => isScalar(node) && isQuoted(node.type));
  const start = opened?.range?.[0] ?? offset;
  const lineEnd = source.text.indexOf('\n', start);
  const end = Math.min(offset, lineEnd < 0 ? source.text.length : lineEnd);
  return {
    message: 'a quote is opened here and never closed',
    at: source.range(start, Math.max(start + 1, end)),
    suggestion: 'close it; a quote inside a text goes in quotes of the other sort',
  };
}

function unclosedBracket(error: YAMLError, document: Document, source: SyntaxSource): Wording {
  const { from } = placeOf(error, source);
  const opened = lastNode(
    document,
    error.pos[0],
    source,
    (node) => isCollection(node) && node.flow === true && !isClosed(node, source.text),
  );
  const start = opened?.range?.[0];
  const closing = error.message.slice(-1);
  const at = source.range(start ?? from, (start ?? from) + 1);
  if (start === undefined)
    return { message: `a ${closing} is missing`, at, suggestion: `add the ${closing}` };
  return {
    message: `a ${closing === '}' ? '{' : '['} is opened here and not closed`,
    at,
    suggestion: `add the ${closing}, or indent what belongs inside further than the line that opens it`,
    related: [{ message: `the ${closing} is missing here at the latest`, at: source.range(from, from + 1) }],
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

function isQuoted(type: unknown): boolean {
  return type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
}

/** The innermost, last node that ends at an offset, blanks aside, and meets a condition. */
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

function lowered(message: string): string {
  const first = (message.split('\n')[0] ?? message).replace(/[.:]$/, '');
  return /^[A-Z][a-z]/.test(first) ? `${first[0]?.toLowerCase()}${first.slice(1)}` : first;
}
