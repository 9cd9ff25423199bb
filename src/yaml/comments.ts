/** Tokens of a YAML text with their places, and its comments: `#` inside a scalar does not start one. */
import { CST, Lexer } from 'yaml';

export interface YamlComment {
  /** Counted from the start of the text, including a byte-order mark. */
  readonly offset: number;
  /** Starts with `#`; has no trailing spaces. */
  readonly text: string;
}

export function commentsIn(text: string): readonly YamlComment[] {
  return [...tokensIn(text)].flatMap(commentOf);
}

export function commentOf({ token, offset, isSyntax }: YamlToken): readonly YamlComment[] {
  return isSyntax && token.startsWith('#') ? [{ offset, text: token.trimEnd() }] : [];
}

interface YamlToken {
  readonly token: string;
  readonly offset: number;
  /** False for scalars, and for the marks of the lexer, which are not in the text. */
  readonly isSyntax: boolean;
}

export function* tokensIn(text: string): Generator<YamlToken> {
  let offset = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    const isMark = token === CST.SCALAR || token === CST.DOCUMENT || token === CST.FLOW_END;
    yield { token, offset, isSyntax: !isMark && !isScalar };
    isScalar = token === CST.SCALAR;
    if (!isMark) offset += token.length;
  }
}
