/**
 * Values that a manifest could have, for examples and skeletons: taken from the kinds' own examples and schemas, so that
 * they are accepted wherever the kind is. Pure.
 */
import * as z from 'zod';
import { knownValues } from '../contract/values.ts';
import type { Field } from './field.ts';
import type { Kind } from './kind.ts';

/** The parts of JSON Schema that a sample is made from. */
interface SampleShape {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly items?: SampleShape;
  readonly anyOf?: readonly SampleShape[];
  readonly properties?: Readonly<Record<string, SampleShape>>;
  readonly required?: readonly string[];
  readonly knownValues?: readonly string[];
}

/** A value of a field as a manifest has it: its example, or one that its schema accepts. */
export function sampleValue(name: string, field: Field): unknown {
  if (field.example !== undefined) return field.example;
  const schema = field.schema();
  const [known] = knownValues(schema);
  if (known !== undefined) return known;
  if (field.type === 'reference') return sampleKey(field.kinds[0] ?? name);
  return sampleOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SampleShape, name);
}

/** A key of an object of a kind: a name, or what the key stands for. */
export function sampleKeyOf(kind: Kind): string {
  const { key, fields } = kind;
  if (key?.is === 'field') {
    const field = fields[key.field];
    return field === undefined ? sampleKey(kind.name) : String(sampleValue(key.field, field));
  }
  return key?.is === 'id' ? `${dashed(kind.name)}-id` : sampleKey(kind.name);
}

/** For example `my-site-space`. */
function sampleKey(kind: string): string {
  return `my-${dashed(kind)}`;
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function sampleOf(shape: SampleShape, name: string): unknown {
  const { enum: values, knownValues: known, anyOf } = shape;
  const [first] = [...(values ?? []), ...(known ?? [])];
  if (first !== undefined) return first;
  if (shape.const !== undefined) return shape.const;
  const [option] = anyOf ?? [];
  if (option !== undefined) return sampleOf(option, name);
  switch (shape.type) {
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return shape.minimum ?? 1;
    case 'array':
      return [sampleOf(shape.items ?? {}, name)];
    case 'object':
      return Object.fromEntries(
        Object.entries(shape.properties ?? {})
          .filter(([key]) => shape.required?.includes(key) === true)
          .map(([key, inner]) => [key, sampleOf(inner, key)]),
      );
    default:
      return shape.format === 'uri' ? 'https://acme.dev' : dashed(name);
  }
}
