/** Text that comes in pieces, in chunks that are worth a write. */

/** Characters of a chunk, at least; the last one may be shorter. */
const chunkLength = 65_536;

/** The same text in larger parts; a string is one. */
export function* chunksOf(text: string | Generator<string>): Generator<string> {
  if (typeof text === 'string') return yield text;
  let chunk = '';
  for (const piece of text) {
    chunk += piece;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
