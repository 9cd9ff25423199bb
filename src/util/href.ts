/** URLs in the one spelling that all of theirs have: `https://ACME.dev` and `https://acme.dev/` are one address. */
import { isRecord } from './json.ts';

/** Any other text as it is. */
export function href(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text;
}

/** Inside of a value, what has the key `url`. */
export function withHrefs(value: unknown, isUrl = false): unknown {
  if (typeof value === 'string') return isUrl ? href(value) : value;
  if (Array.isArray(value)) return value.map((item) => withHrefs(item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withHrefs(inner, key === 'url')]),
  );
}
