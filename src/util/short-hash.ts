/** A few characters that usually differ for different texts; not for security. */

/** FNV-1a over UTF-16 units, 32 bits, in base 36: at most 7 characters. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
