/** Helpers for the kinds' tables of fields. Limits come from the contract, so they are defined only there. */
import * as z from 'zod';
import { type OperationId, operations } from '../../contract/index.ts';
import { once } from '../../contract/once.ts';
import type { Operation } from '../../contract/operation.ts';
import { closedEnum } from '../../contract/values.ts';
import type { FieldInBody, ReferenceField } from './field.ts';
import type { Fields, Payload, Value } from './payload.ts';

/** The schema of a body field of an operation, neither optional nor nullable; built on first use. */
export function bodyField(operation: OperationId, name: string): () => z.ZodType {
  return once(() => bodyFieldOf(operation, name));
}

function bodyFieldOf(operation: OperationId, name: string): z.ZodType {
  const { body: documented, newer }: Operation = operations[operation];
  let schema: unknown = (newer?.body ?? documented)?.shape[name];
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) schema = schema.unwrap();
  if (schema instanceof z.ZodEnum) return closedEnum(schema.options.map(String));
  if (schema instanceof z.ZodType) return schema;
  throw new Error(`The contract's ${operation} has no body field ${name}`);
}

/** A manifest value that names an object: its key, its address, or `{ id }` for an undeclared one. */
export const referenceValue = once(() =>
  z.union([z.string().min(1), undeclared('id', 'Id of an object that no manifest declares.')]),
);

/** For objects of the whole organization, also `{ title }`. */
const titledReferenceValue = once(() =>
  z.union([
    ...referenceValue().options,
    undeclared('title', 'Title of an object that no manifest declares; no other one may have it.'),
  ]),
);

function undeclared<K extends 'id' | 'title'>(name: K, description: string) {
  const value = z.string().min(1).meta({ description });
  return z.strictObject({ [name]: value } as Record<K, typeof value>).meta({ title: `{ ${name} }` });
}

/** A field with one value. */
export function valueField(
  description: string,
  example: unknown,
  more: Omit<FieldInBody, 'description' | 'example'> = {},
): FieldInBody {
  return { description, example, ...more };
}

/** A field that names one object. */
export function referenceField(
  description: string,
  more: Omit<ReferenceField, 'type' | 'schema' | 'description'>,
): ReferenceField {
  const schema = more.within === 'organization' ? titledReferenceValue : referenceValue;
  return { type: 'reference', schema, description, ...more };
}

/** The present values with the given names of a response, unchanged. */
export function pick<T extends object>(remote: T, names: readonly (keyof T & string)[]): Fields {
  return present(remote as Readonly<Record<string, Value | undefined>>, names);
}

/** The present desired values with the given names, for a request's body. */
export function body(
  fields: Readonly<Record<string, Payload>>,
  names: readonly string[],
): Record<string, Payload> {
  return present(fields, names);
}

function present<T>(
  from: Readonly<Record<string, T | undefined>>,
  names: readonly string[],
): Record<string, T> {
  const chosen: Record<string, T> = {};
  for (const name of names) {
    const value = from[name];
    if (value !== undefined) chosen[name] = value;
  }
  return chosen;
}

/** Returns undefined for any other type: services omit empty values, or send null. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
