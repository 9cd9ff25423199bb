/** Normalizes URLs: `https://ACME.dev` and `https://acme.dev/` are the same. */
import { mapInside } from './json.ts';

/** Returns a text that is not percent-encoded unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns any other text unchanged. */
export function href(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text;
}

/** Normalizes values of `url` keys, at any depth. */
export function withHrefs(value: unknown, isUrl = false): unknown {
  if (typeof value === 'string') return isUrl ? href(value) : value;
  return mapInside(value, (inner, key) => withHrefs(inner, key === 'url'));
}
