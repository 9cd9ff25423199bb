/** What full-text search takes and finds. Pure. */

/** A page that full-text search found. */
export interface FoundPage {
  readonly space: string;
  readonly page: string;
  readonly title: string;
  readonly body: string;
}

/** A full-text query for texts with words that start like all of these. */
export function matching(words: readonly string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(' ');
}
