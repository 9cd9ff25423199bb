/** Finds fields of a response that the contract does not describe: its schemas accept unknown fields on purpose. */
import * as z from 'zod';

/** Paths of fields that the schema does not describe. */
export function undocumented(schema: z.ZodType, value: unknown, path = '$'): string[] {
  if (value === undefined || value === null) return [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return undocumented(schema.unwrap() as z.ZodType, value, path);
  }
  if (schema instanceof z.ZodUnion) {
    const found = schema.options
      .filter((option) => (option as z.ZodType).safeParse(value).success)
      .map((option) => undocumented(option as z.ZodType, value, path));
    return found.find((one) => one.length === 0) ?? found[0] ?? [`${path}: matches nothing`];
  }
  if (schema instanceof z.ZodArray) {
    return (value as unknown[]).flatMap((one, at) =>
      undocumented(schema.element as z.ZodType, one, `${path}[${at}]`),
    );
  }
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const field = schema.shape[name] as z.ZodType | undefined;
    return field === undefined ? [`${path}.${name}`] : undocumented(field, child, `${path}.${name}`);
  });
}
