/**
 * Replaces parts of undici that are never used but would be loaded at every start: its HTTP/2, and bodies of `fetch`. Octavo's bodies are
 * text, over HTTP/1.1.
 */
export function extractBody() {
  throw new Error('a body must be text');
}
