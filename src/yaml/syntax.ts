/** Describes YAML syntax errors: the first one of each line, at the relevant character. */
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
import { maxDepth } from './located.ts';
import type { ProblemDetails, Problems } from './problems.ts';

/** More errors are not typos: the file is not YAML. */
const maxErrors = 10;

export function reportSyntax(document: Document, source: SyntaxSource, problems: Problems): boolean {
  const isTag = ({ code }: YAMLError) => code === 'TAG_RESOLVE_FAILED';
  const errors = [...document.errors, ...document.warnings.filter(isTag)].sort(
    (left, right) => left.pos[0] - right.pos[0],
  );
  if (errors.length > 0 && reportMergeConflicts(source, problems)) return false;
  // After a line indented with a tab, the parser miscounts lines.
  const tab = errors.find(({ code }) => code === 'TAB_AS_INDENT');
  const shown = (tab === undefined ? errors : errors.slice(0, errors.indexOf(tab) + 1)).filter(
    // After the first error, errors with these codes are consequences of an earlier one.
    ({ code }, at) => at === 0 || (code !== 'UNEXPECTED_TOKEN' && code !== 'IMPOSSIBLE'),
  );
  reportFirstOfLines(shown, document, source, problems);
  for (const { code, pos } of document.warnings.filter((warning) => !isTag(warning))) {
    const { message, suggestion } = adviceOn(code, { before: '', rest: '', column: undefined });
    problems.warn('yaml', message, source.range(pos[0], pos[1]), { suggestion });
  }
  return errors.length === 0;
}

/** Reports conflict markers that git wrote into the file; all other errors follow from them. */
function reportMergeConflicts({ text, range }: SyntaxSource, problems: Problems): boolean {
  if (!/^={7}$/m.test(text) || !/^>{7}(?: |$)/m.test(text)) return false;
  const conflicts = [...text.matchAll(/^<{7}(?: .*)?$/gm)].slice(0, maxErrors);
  for (const { index, 0: marker } of conflicts) {
    problems.error('yaml', 'unresolved merge conflict', range(index, index + marker.trimEnd().length), {
      suggestion:
        'keep what is right, and delete the lines that git added: <<<<<<<, |||||||, ======= and >>>>>>>',
    });
  }
  return conflicts.length > 0;
}

/** Errors in the lines after wrong indentation, because the parser continues from its column. */
const ofIndentation = new Set(['BAD_INDENT', 'BLOCK_AS_IMPLICIT_KEY', 'MULTILINE_IMPLICIT_KEY']);

function reportFirstOfLines(
  errors: readonly YAMLError[],
  document: Document,
  source: SyntaxSource,
  problems: Problems,
): void {
  const lines = new Set<number>();
  let reported = 0;
  let isMisaligned = false;
  for (const error of errors) {
    if (isMisaligned && ofIndentation.has(error.code)) continue;
    const { line } = source.range(Math.min(error.pos[0], source.end), error.pos[1]);
    if (lines.has(line)) continue;
    const { message, at, ...details } = describeError(error, document, source);
    // Skips a bracket that is unclosed because of an error inside it.
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
    ...adviceOn(error.code, {
      before: source.text.slice(0, error.pos[0]),
      rest: source.text.slice(from),
      column: expectedColumn(document, error.pos[0], source),
    }),
    at: source.range(from, to),
  };
}

/** Describes a key that is indented deeper than a key with a value, which cannot have children. */
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
        suggestion:
          own === ''
            ? 'add the key that it belongs below, or remove its indentation'
            : `indent it with ${own.length} spaces, or indent the lines above like it`,
      };
    }
    if (next.trim() !== '' && !next.trim().startsWith('#')) return undefined;
    offset += next.length + 1;
  }
  return undefined;
}

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

interface SyntaxSurroundings {
  readonly before: string;
  readonly rest: string;
  readonly column: number | undefined;
}

type SyntaxAdvice = readonly [message: string, suggestion: string];

/** Keyed by the parser's error codes; some texts depend on the surrounding text. */
const syntaxTexts: Readonly<
  Record<ErrorCode, SyntaxAdvice | ((context: SyntaxSurroundings) => SyntaxAdvice)>
> = {
  RESOURCE_EXHAUSTION: [`nested more than ${maxDepth} levels deep`, 'check that this file is a manifest'],
  TAB_AS_INDENT: ['tab used as indentation', 'indent with spaces'],
  BAD_INDENT: ({ column }) => [
    `inconsistent indentation${column === undefined ? '' : `: expected column ${column}`}`,
    'align keys of the same mapping, and dashes of the same list',
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    'unquoted value contains ": "',
    'quote it, or write the mapping inside on lines of its own',
  ],
  MULTILINE_IMPLICIT_KEY: ({ rest }) => {
    const [, key, value] = /^([\w-]+):([^\s:].*)/.exec(rest) ?? [];
    return key === undefined
      ? [
          'key and colon must be on the same line',
          'add the missing colon, or fix the indentation of the line above',
        ]
      : ['no space after a colon', `write ${key}: ${value}`];
  },
  BAD_DQ_ESCAPE: [
    'unknown escape in a text in double quotes',
    'write \\\\ for a backslash, or use single quotes',
  ],
  BAD_SCALAR_START: ({ rest }) =>
    /^[|>]/.test(rest)
      ? [
          'text of several lines inside { } or [ ]',
          'write the mapping or list around it on lines of its own, without brackets',
        ]
      : [`unquoted value starts with ${rest.slice(0, 1)}`, 'quote it'],
  BLOCK_IN_FLOW: ({ rest }) =>
    rest.startsWith(':')
      ? ['unquoted value starts with a colon', 'quote it']
      : ['unquoted value contains ": " inside { } or [ ]', 'quote it; write lists inside as [a, b]'],
  UNEXPECTED_TOKEN: ({ before }) =>
    /(?:^|[:\n])\s*$/.test(before)
      ? ['unexpected text', 'check indentation, quotes and brackets here']
      : [
          'unexpected text after the value',
          'add a comma or a line break before it, or quote the whole value',
        ],
  MISSING_CHAR: missingCharacter,
  ALIAS_PROPS: ['anchor or tag on an alias', 'remove it, or write the value out'],
  BAD_ALIAS: [
    'invalid name of an anchor or alias',
    'use letters, digits and dashes, or quote text that starts with & or *',
  ],
  BAD_DIRECTIVE: ['invalid directive', 'remove the line that starts with %'],
  BAD_PROP_ORDER: ['anchor or tag in the wrong place', 'write it right before the value'],
  DUPLICATE_KEY: ['duplicate key', 'keep one of the two'],
  IMPOSSIBLE: ['cannot be read', 'check indentation, quotes and brackets here'],
  KEY_OVER_1024_CHARS: ['no colon within 1024 characters of the key', 'add the colon, or quote the text'],
  MULTIPLE_ANCHORS: ['several anchors on one value', 'keep one of them'],
  MULTIPLE_DOCS: ['several documents', 'remove the line ---'],
  MULTIPLE_TAGS: ['several tags on one value', 'keep one of them'],
  NON_STRING_KEY: ['a key must be text', 'quote the key'],
  TAG_RESOLVE_FAILED: ['unknown tag', 'remove the tag; quote text that starts with !'],
  BAD_COLLECTION_TYPE: ['tag does not fit the value', 'remove the tag'],
};

function adviceOn(code: ErrorCode, context: SyntaxSurroundings) {
  const advice = syntaxTexts[code];
  const [message, suggestion] = typeof advice === 'function' ? advice(context) : advice;
  return { message, suggestion };
}

function missingCharacter({ before, rest }: SyntaxSurroundings): SyntaxAdvice {
  if (rest.startsWith('#'))
    return ['comment without a space before #', 'add a space before #, or quote the value'];
  if (before.endsWith(':')) return ['colon without a space after it', 'add a space after the colon'];
  const count = (pattern: RegExp) => before.match(pattern)?.length ?? 0;
  if (count(/[{[]/g) > count(/[}\]]/g))
    return ['entries without a comma between them', 'add a comma between the entries'];
  return ['key without a colon', 'write key: value; quote a text of several lines'];
}

/** Reports the place where the quote or bracket opens. */
function describeUnclosed(
  error: YAMLError,
  document: Document,
  source: SyntaxSource,
): SyntaxText | undefined {
  if (error.code !== 'MISSING_CHAR' && error.code !== 'BAD_INDENT') return undefined;
  const { from } = placeOf(error, source);
  const last = (condition: (node: Node) => boolean) => lastNode(document, error.pos[0], source, condition);
  const quoted = last((node) => isUnclosedQuote(node, source.text));
  if (quoted !== undefined) return unclosedQuote(from, quoted, source);
  const opened = last((node) => isCollection(node) && node.flow === true && !isClosed(node, source.text));
  return opened === undefined ? undefined : unclosedBracket(from, opened, source);
}

function isUnclosedQuote(node: Node, text: string): boolean {
  if (!isScalar(node) || (node.type !== 'QUOTE_DOUBLE' && node.type !== 'QUOTE_SINGLE')) return false;
  const [start, end] = node.range ?? [0, 0];
  return end - start < 2 || text[end - 1] !== text[start];
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
  const line = source.text.slice(start, Math.max(start, offset) + 1).split('\n')[0] ?? '';
  const comment = line.includes(' #')
    ? `the text after " #" is a comment: quote the value that contains it, or add ${closing} before it`
    : undefined;
  return {
    message: `unclosed ${opening}`,
    at: source.range(start, start + 1),
    suggestion:
      comment ?? `add ${closing}, or indent what belongs inside further than the line with ${opening}`,
    related: [{ message: `${closing} expected here or before`, at: source.range(offset, offset + 1) }],
  };
}

/** True if its last character is its own bracket, not that of its last entry. */
function isClosed(node: YAMLMap | YAMLSeq, text: string): boolean {
  const [start, end] = node.range ?? [0, 0];
  const last: unknown = node.items.at(-1);
  const inner = isPair(last) ? (last.value ?? last.key) : last;
  const innerEnd = isNode(inner) ? (inner.range?.[1] ?? 0) : start + 1;
  return innerEnd < end && text[end - 1] === (isMap(node) ? '}' : ']');
}

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

interface SyntaxSource {
  readonly text: string;
  /** End of the text without trailing whitespace, where missing parts are reported. */
  readonly end: number;
  readonly range: (from: number, to: number) => SourceRange;
}

interface SyntaxText extends ProblemDetails {
  readonly message: string;
  readonly at: SourceRange;
}

/** Skips leading spaces, and moves the end of the text back to its last character. */
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
