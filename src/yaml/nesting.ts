/** Finds nesting that is too deep to parse, before a parser recurses into it. */
import { tokensIn } from './comments.ts';
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
  let brackets = 0;
  let indicators = 0;
  for (const { token, offset, isSyntax } of tokensIn(text)) {
    if (!isSyntax) continue;
    if (token === '[' || token === '{') brackets += 1;
    else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1);
    else if (token.includes('\n')) indicators = 0;
    else if (brackets === 0 && /^[-?:]$/.test(token)) indicators += 1;
    if (brackets > maxDepth || indicators > maxDepth) return offset;
  }
  return undefined;
}
