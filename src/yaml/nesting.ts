/** Finds nesting that is too deep to parse, before a parser recurses into it. */
import { CST, Lexer } from 'yaml';
import { maxDepth } from './located.ts';

export function tooDeepAt(text: string): number | undefined {
  return mayBeTooDeep(text) ? exactly(text) : undefined;
}

/** Fast, but also counts brackets inside scalars and comments. */
function mayBeTooDeep(text: string): boolean {
  let depth = 0;
  let indicators = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
    else if (character === '\n') indicators = 0;
    else if (character === '-' || character === '?' || character === ':') indicators += 1;
    if (depth > maxDepth || indicators > maxDepth) return true;
  }
  return false;
}

/** Uses tokens, which distinguish brackets from scalars. */
function exactly(text: string): number | undefined {
  const depths = new Depths();
  let offset = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (isMarker(token)) {
      isScalar = token === CST.SCALAR;
      // Among the marks, only a byte-order mark takes space in the text.
      if (token === CST.BOM) offset += token.length;
      continue;
    }
    if (!isScalar && depths.isTooDeepAfter(token)) return offset;
    isScalar = false;
    offset += token.length;
  }
  return undefined;
}

function isMarker(token: string): boolean {
  return token === CST.BOM || token === CST.DOCUMENT || token === CST.FLOW_END || token === CST.SCALAR;
}

class Depths {
  #brackets = 0;
  #indicators = 0;

  isTooDeepAfter(token: string): boolean {
    if (token === '[' || token === '{') this.#brackets += 1;
    else if (token === ']' || token === '}') this.#brackets = Math.max(0, this.#brackets - 1);
    else if (token.includes('\n')) this.#indicators = 0;
    else if (this.#brackets === 0 && /^[-?:]$/.test(token)) this.#indicators += 1;
    return this.#brackets > maxDepth || this.#indicators > maxDepth;
  }
}
