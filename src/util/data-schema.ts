/**
 * Shorthands for schemas of plain data that is written, read back and never changed: their types are readonly, and an optional key is
 * absent, never undefined. Metadata for the reader of YAML files: `help` (how to fix a wrong value), `entry` (the name for a key of the
 * mapping, such as `setting`) and `oneOrMore`.
 */
import * as z from 'zod';

/** Gives several keys of an object the same schema. */
export function each<V, const K extends readonly string[]>(value: V, ...keys: K) {
  return Object.fromEntries(keys.map((key) => [key, value])) as { [P in K[number]]: V };
}

/** Absent, unless it is true. */
export function flag(meaning: string) {
  return z.literal(true).exactOptional().describe(meaning);
}

/** Other keys are dropped when data is read. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).readonly();
}

export function strictObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).readonly();
}

export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

/** A single item may be written without brackets: the readers of YAML files convert it to a list. */
export function oneOrMore<Item extends z.ZodType>(item: Item) {
  return z.array(item).meta({ oneOrMore: true }).readonly();
}

export function isOneOrMore(schema: z.ZodType): boolean {
  return schema instanceof z.ZodArray && schema.meta()?.oneOrMore === true;
}

export function byName<Item extends z.ZodType>(item: Item) {
  return z.record(z.string(), item).readonly();
}

/** A value whose form only the compiler checks; any JSON value is accepted. */
export function typed<T>() {
  return z.custom<T>(() => true);
}

/** Removes optional, nullable, default and readonly. */
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

export function removeOwnMetadata(schema: Record<string, unknown>): void {
  for (const key of ['readOnly', 'knownValues', 'closed', 'help', 'entry', 'oneOrMore']) delete schema[key];
}

/** The JSON Schema of stored data, open for keys of later versions. */
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
