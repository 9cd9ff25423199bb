/** Minimum number of characters; the last chunk may be shorter. */
const chunkLength = 65_536;

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
