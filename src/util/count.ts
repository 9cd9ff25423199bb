import { grouped } from './group.ts';

/** Example: `1 space`, `3 spaces`, `2 entries`. */
export function countOf(number: number, noun: string): string {
  if (number === 1) return `1 ${noun}`;
  const plural = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${number} ${plural}`;
}

/** In the order of first occurrence. */
export function countsOf(names: Iterable<string>): Readonly<Record<string, number>> {
  const groups = grouped(names, (name) => name);
  return Object.fromEntries([...groups].map(([name, { length }]) => [name, length]));
}

/** Example: `2 teams, 1 space`, in the order of first occurrence. */
export function countEach(nouns: Iterable<string>): string {
  const groups = grouped(nouns, (noun) => noun);
  return [...groups].map(([noun, { length }]) => countOf(length, noun)).join(', ');
}

/** Example: `a, b and 3 more`. */
export function someOf(texts: readonly string[], most: number): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : '';
  return texts.slice(0, most).join(', ') + more;
}
