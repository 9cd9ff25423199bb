/** Example: `1 space`, `3 spaces`, `2 entries`. */
export function countOf(number: number, noun: string): string {
  if (number === 1) return `1 ${noun}`;
  const plural = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${number} ${plural}`;
}
