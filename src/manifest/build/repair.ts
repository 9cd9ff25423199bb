/** Guesses the intended form of an invalid text: lower case, dashes for spaces, a URL without its scheme. */
import type { z } from 'zod';

const repairs: readonly ((text: string) => string)[] = [
  (text) => text.trim(),
  (text) => text.toLowerCase(),
  (text) => slug(text, '-'),
  (text) => slug(text, '_'),
  (text) => text.replace(/^[a-z]+:\/\//i, '').replace(/\/+$/, ''),
  (text) => (text.includes('.') ? `https://${text.replace(/^[a-z]{2,6}:?\/{2,}/i, '')}` : text),
];

export function repaired(schema: z.ZodType, text: string): string | undefined {
  if (text.length > 200) return undefined;
  return repairs
    .map((repair) => repair(text))
    .find((candidate) => candidate !== text && candidate !== '' && schema.safeParse(candidate).success);
}

function slug(text: string, separator: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, separator)
    .replace(/^[-_]+|[-_]+$/g, '');
}
