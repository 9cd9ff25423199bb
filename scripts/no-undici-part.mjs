/**
 * In place of parts of undici that are never used and would be loaded at every start: its HTTP/2, and bodies as `fetch` has
 * them. Ours are text, over HTTP/1.1.
 */
export function extractBody() {
  throw new Error('a body must be text');
}
