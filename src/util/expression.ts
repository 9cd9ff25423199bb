/** JMESPath expressions: what is wrong with one, and where. */
import { compile, type JSONValue, search } from '@jmespath-community/jmespath';

export interface ExpressionFlaw {
  /** For example `it ends too early`. */
  readonly problem: string;
  /** From 1. */
  readonly column: number;
}

export function flawOf(text: string): ExpressionFlaw | undefined {
  const failure = failureOf(text);
  if (failure === undefined) return undefined;
  const column = columnOf(text);
  return { problem: isCut(failure) ? 'it ends too early' : `unexpected "${text.slice(column - 1)}"`, column };
}

/** Throws an Error of the library if a function does not fit the value. */
export function evaluate(value: unknown, text: string): unknown {
  return search(value as JSONValue, text);
}

/** The parser's message; undefined if the text is an expression. */
function failureOf(text: string): string | undefined {
  try {
    compile(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isCut(failure: string): boolean {
  return /EOF|end of JSON/.test(failure);
}

/**
 * The parser does not report the column. It is the first one where the text is no longer the beginning of an expression:
 * `items[].a ` can be continued, `items[].a b` cannot, so the column is 11.
 */
function columnOf(text: string): number {
  const isWrong = (length: number) => {
    const failure = failureOf(text.slice(0, length));
    return failure !== undefined && !isCut(failure);
  };
  if (!isWrong(text.length)) return text.length + 1;
  let column = text.length;
  while (column > 1 && isWrong(column - 1)) column -= 1;
  return column;
}
