/** Texts in XML and HTML: nothing of them becomes markup, and characters that no document may hold are shown as escapes. Pure. */
import { safeText } from '../safe-text.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text as content or as the value of an attribute. */
export function xmlText(text: string): string {
  return safeText(text)
    .replace(/[\uFFFE\uFFFF]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
