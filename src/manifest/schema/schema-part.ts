/** The schema of a part of a value, inside wrappers. */
import * as z from 'zod';
import { unwrapped } from '../../util/data-schema.ts';

export function entrySchema(schema: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  const inner = unwrapped(schema);
  let entry: unknown;
  if (inner instanceof z.ZodRecord) entry = inner.valueType;
  else if (inner instanceof z.ZodArray) entry = inner.element;
  else if (inner instanceof z.ZodObject && Object.hasOwn(inner.shape, key)) entry = inner.shape[String(key)];
  return entry instanceof z.ZodType ? entry : undefined;
}

export function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  return path.reduce<z.ZodType | undefined>(
    (part, key) => (part === undefined ? undefined : entrySchema(part, key)),
    schema,
  );
}

export function metaOf(schema: z.ZodType | undefined, name: string): string | undefined {
  for (let part = schema; part !== undefined; ) {
    const found = part.meta()?.[name];
    if (typeof found === 'string') return found;
    const inner: unknown = 'unwrap' in part && typeof part.unwrap === 'function' ? part.unwrap() : undefined;
    part = inner instanceof z.ZodType ? inner : undefined;
  }
  return undefined;
}
