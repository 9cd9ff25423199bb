/**
 * Shorthands for schemas of plain data that is written, read back and never changed: their types are readonly, a key
 * that may be missing is missing (never undefined), and keys that are not in the schema are left out when data is read.
 */
import { z } from 'zod';

/** An object with these keys. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).readonly();
}

/** A list of items. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

/** Values by name. */
export function byName<Item extends z.ZodType>(item: Item) {
  return z.record(z.string(), item).readonly();
}

/** A value that only the compiler knows the form of; any JSON value when data is read. */
export function typed<T>() {
  return z.custom<T>(() => true);
}

/** The JSON Schema of such data, open for keys of later versions. */
export function dataJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
    },
  });
}
