/**
 * Shorthands for schemas of plain data that is written, read back and never changed: their types are readonly, and a
 * key that may be missing is missing (never undefined).
 */
import { z } from 'zod';

/** An object with these keys; others are left out when data is read. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).readonly();
}

/** An object with these keys and no others. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).readonly();
}

/** A list of items. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

/** A list whose only item people may write without brackets: the readers of YAML files make a list of it. */
export function oneOrMore<Item extends z.ZodType>(item: Item) {
  return z.array(item).meta({ oneOrMore: true }).readonly();
}

/** True for lists made by `oneOrMore`. */
export function isOneOrMore(schema: z.ZodType): boolean {
  return schema.meta()?.oneOrMore === true;
}

/** Values by name. */
export function byName<Item extends z.ZodType>(item: Item) {
  return z.record(z.string(), item).readonly();
}

/** A value that only the compiler knows the form of; any JSON value when data is read. */
export function typed<T>() {
  return z.custom<T>(() => true);
}

/** The schema without what wraps it: optional, nullable, default, readonly. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  let inner: unknown = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodExactOptional ||
    inner instanceof z.ZodNullable ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodReadonly
  ) {
    inner = inner.unwrap();
  }
  return inner instanceof z.ZodType ? inner : schema;
}

/** The JSON Schema of such data as it is written, open for keys of later versions. */
export function dataJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
      delete jsonSchema.oneOrMore;
      delete jsonSchema.help;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
}
