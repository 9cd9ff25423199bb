/** What the parser's errors are called, and what to do about them: the parser's own English is never shown. */
import type { ErrorCode } from 'yaml';
import { maxDepth } from './depth-limit.ts';

/** The text around an error. */
export interface SyntaxSurroundings {
  readonly before: string;
  readonly rest: string;
  /** Where the mapping or list around begins. */
  readonly column: number | undefined;
}

/** A message, and what to do. */
export interface KnownText {
  readonly message: string;
  readonly suggestion: string;
}

/** By the parser's error codes; some depend on the text around. */
export const syntaxTexts: Readonly<Record<ErrorCode, (around: SyntaxSurroundings) => KnownText>> = {
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
  BAD_DQ_ESCAPE: () => ({
    message: 'unknown escape in a text in double quotes',
    suggestion: 'write \\\\ for a backslash, or use single quotes',
  }),
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
      ? { message: 'unexpected text', suggestion: 'check indentation, quotes and brackets here' }
      : {
          message: 'unexpected text after the value',
          suggestion: 'add a comma or a line break before it, or quote the whole value',
        },
  MISSING_CHAR: missingCharacter,
  ALIAS_PROPS: () => ({
    message: 'anchor or tag on an alias',
    suggestion: 'remove it, or write the value out',
  }),
  BAD_ALIAS: () => ({
    message: 'invalid name of an anchor or alias',
    suggestion: 'use letters, digits and dashes, or quote text that starts with & or *',
  }),
  BAD_DIRECTIVE: () => ({ message: 'invalid directive', suggestion: 'remove the line that starts with %' }),
  BAD_PROP_ORDER: () => ({
    message: 'anchor or tag in the wrong place',
    suggestion: 'write it right before the value',
  }),
  DUPLICATE_KEY: () => ({ message: 'duplicate key', suggestion: 'keep one of the two' }),
  IMPOSSIBLE: () => ({
    message: 'cannot be read',
    suggestion: 'check indentation, quotes and brackets here',
  }),
  KEY_OVER_1024_CHARS: () => ({
    message: 'no colon within 1024 characters of the key',
    suggestion: 'add the colon, or quote the text',
  }),
  MULTIPLE_ANCHORS: () => ({ message: 'several anchors on one value', suggestion: 'keep one of them' }),
  MULTIPLE_DOCS: () => ({ message: 'several documents', suggestion: 'remove the line ---' }),
  MULTIPLE_TAGS: () => ({ message: 'several tags on one value', suggestion: 'keep one of them' }),
  NON_STRING_KEY: () => ({ message: 'a key must be text', suggestion: 'quote the key' }),
  TAG_RESOLVE_FAILED: () => ({
    message: 'unknown tag',
    suggestion: 'remove the tag; quote text that starts with !',
  }),
  BAD_COLLECTION_TYPE: () => ({ message: 'tag does not fit the value', suggestion: 'remove the tag' }),
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

/** True where more brackets are opened than closed on the line and those before it. */
function isInBrackets(before: string): boolean {
  const count = (pattern: RegExp) => before.match(pattern)?.length ?? 0;
  return count(/[{[]/g) > count(/[}\]]/g);
}
