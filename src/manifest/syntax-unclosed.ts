/** Quotes and brackets that are opened and never closed: shown where they are opened. */
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
import { placeOf, type SyntaxSource, type SyntaxText } from './syntax-place.ts';

/** A quote or bracket that is not closed, where the error is about one: shown where it is opened. */
export function describeUnclosed(
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
