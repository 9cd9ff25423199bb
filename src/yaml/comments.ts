/** Comments of a YAML text, by its tokens: `#` inside a scalar does not start one. */
import { CST, Lexer } from 'yaml';

export interface YamlComment {
  /** From the start of the text; a byte-order mark counts. */
  readonly offset: number;
  /** From `#`, without trailing spaces. */
  readonly text: string;
}

export function commentsIn(text: string): readonly YamlComment[] {
  const reader = new CommentReader();
  for (const token of new Lexer().lex(text)) reader.take(token);
  return reader.found;
}

/** Takes the tokens of a text one after the other. */
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
