/**
 * Query strings as the contract types them: the wire has only strings, the schemas have booleans, numbers and
 * lists. Must not validate values; the schemas do that.
 */
import * as z from 'zod';
import { unwrapped } from '../util/data-schema.ts';

/**
 * Converts a query string to a record that `schema` can parse. `true` and `false` become booleans and decimal numbers
 * become numbers if the schema expects them; a repeated parameter becomes a list if the schema takes one. Other values
 * remain strings, so that the schema rejects them.
 */
export function decodeQuery(schema: z.ZodObject | null, search: URLSearchParams): Record<string, unknown> {
  const record: Record<string, unknown> = Object.create(null);
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const field =
      schema !== null && Object.hasOwn(schema.shape, name)
        ? unwrapped(schema.shape[name] as z.ZodType)
        : null;
    record[name] = decodeValue(field, values);
  }
  return record;
}

/** Appends a typed query to a query string that `decodeQuery` can read. */
export function encodeQuery(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return search;
}

function decodeValue(field: z.ZodType | null, values: readonly string[]): unknown {
  if (field instanceof z.ZodArray) return [...values];
  const [first, ...rest] = values;
  if (first === undefined || rest.length > 0) return [...values];
  if (field instanceof z.ZodBoolean) return first === 'true' ? true : first === 'false' ? false : first;
  if (field instanceof z.ZodNumber) return /^-?\d+(\.\d+)?$/.test(first) ? Number(first) : first;
  return first;
}
