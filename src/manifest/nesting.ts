/** Finds nesting that no parser should be asked to follow, before one recurses into it. */
import { CST, Lexer } from 'yaml';

/** Nesting beyond this is no manifest. */
export const maxDepth = 200;

/** The offset at which brackets or indicators nest too deep; undefined for every ordinary text. */
export function tooDeepAt(text: string): number | undefined {
  return mayBeTooDeep(text) ? exactly(text) : undefined;
}

/** Cheap, and wrong only towards caution: brackets inside texts and comments count as well. */
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

/** The same by the tokens of the text, which tell brackets from texts. */
function exactly(text: string): number | undefined {
  let offset = 0;
  let depth = 0;
  let indicators = 0;
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    if (token === CST.BOM || token === CST.DOCUMENT || token === CST.FLOW_END || token === CST.SCALAR) {
      isText = token === CST.SCALAR;
      // Marks have no place in the text, but for a byte-order mark.
      if (token === CST.BOM) offset += token.length;
      continue;
    }
    if (!isText) {
      if (token === '[' || token === '{') depth += 1;
      else if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
      else if (token.includes('\n')) indicators = 0;
      else if (depth === 0 && (token === '-' || token === '?' || token === ':')) indicators += 1;
      if (depth > maxDepth || indicators > maxDepth) return offset;
    }
    isText = false;
    offset += token.length;
  }
  return undefined;
}
