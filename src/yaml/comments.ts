/** Finds comments of a YAML text by its tokens: `#` inside a scalar does not start one. */
import { CST, Lexer } from 'yaml';

export interface YamlComment {
  /** Counted from the start of the text, including a byte-order mark. */
  readonly offset: number;
  /** Starts with `#`; has no trailing spaces. */
  readonly text: string;
}

export function commentsIn(text: string): readonly YamlComment[] {
  const reader = new CommentReader();
  for (const token of new Lexer().lex(text)) reader.take(token);
  return reader.found;
}

/** Call `take` with each token of a text, in order. */
export class CommentReader {
  readonly found: YamlComment[] = [];
  #offset = 0;
  #isScalar = false;

  take(token: string): void {
    if (token === CST.SCALAR || token === CST.DOCUMENT || token === CST.FLOW_END) {
      this.#isScalar = token === CST.SCALAR;
      return;
    }
    if (!this.#isScalar && token.startsWith('#'))
      this.found.push({ offset: this.#offset, text: token.trimEnd() });
    this.#isScalar = false;
    this.#offset += token.length;
  }
}
