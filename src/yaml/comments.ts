/** Comments of a YAML text, by its tokens: `#` inside a scalar does not start one. */
import { CST, Lexer } from 'yaml';

export interface YamlComment {
  /** From the start of the text; a byte-order mark counts. */
  readonly offset: number;
  /** From `#`, without trailing spaces. */
  readonly text: string;
}

export function commentsIn(text: string): readonly YamlComment[] {
  const found: YamlComment[] = [];
  let [offset, isScalar] = [0, false];
  for (const token of new Lexer().lex(text)) {
    if (token === CST.SCALAR || token === CST.DOCUMENT || token === CST.FLOW_END) {
      isScalar = token === CST.SCALAR;
      continue;
    }
    if (!isScalar && token.startsWith('#')) found.push({ offset, text: token.trimEnd() });
    isScalar = false;
    offset += token.length;
  }
  return found;
}
