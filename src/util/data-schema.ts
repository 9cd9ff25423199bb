/**
 * Shorthands for schemas of plain data that is written, read back and never changed: their types are readonly, and a
 * key that may be missing is missing (never undefined). Metadata for the reader of YAML files: `help` (what to do about
 * a wrong value), `entry` (what a key of the mapping is called, such as `setting`) and `oneOrMore`.
 */
import * as z from 'zod';

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

/** Removes what schemas say to Octavo's own readers from a JSON Schema. */
export function removeOwnMetadata(schema: Record<string, unknown>): void {
  for (const key of ['readOnly', 'knownValues', 'closed', 'help', 'entry', 'oneOrMore']) delete schema[key];
}

/** The JSON Schema of such data as it is written, open for keys of later versions. */
export function dataJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      removeOwnMetadata(jsonSchema);
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
}
