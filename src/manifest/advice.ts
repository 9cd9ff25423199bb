/** What would be right in place of a value that a field's schema refuses. */
import { z } from 'zod';
import { knownValues } from '../contract/values.ts';
import type { Field } from '../kinds/kind.ts';
import { nearest } from '../util/nearest.ts';
import { type Located, plainOf } from './located.ts';
import { repaired } from './repair.ts';

/** A refused value of a field. */
export interface Refused {
  readonly name: string;
  readonly field: Field;
  readonly issue: z.core.$ZodIssue;
  /** The part that is wrong. */
  readonly part: Located;
  /** What the wording of the issue advises. */
  readonly worded: string | undefined;
}

/** The best advice there is; undefined where none is known. */
export function adviceOn({ name, field, issue, part, worded }: Refused): string | undefined {
  const schema = schemaAt(field.schema, issue.path);
  if (issue.code === 'unrecognized_keys' && schema instanceof z.ZodObject) {
    const known = Object.keys(schema.shape);
    const near = nearest(issue.keys[0] ?? '', known);
    return near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`;
  }
  const known = schema === undefined ? [] : knownValues(schema);
  if (known.length > 0) return `known are ${known.join(', ')}`;
  if (part.type === 'scalar' && issue.code === 'invalid_type' && issue.expected === 'string') {
    if (part.written !== undefined) return `put it in quotes: "${part.written}"`;
  }
  if (worded !== undefined) return worded;
  const plain = plainOf(part);
  const near = typeof plain === 'string' && schema !== undefined ? repaired(schema, plain) : undefined;
  if (near !== undefined) return `did you mean ${near}?`;
  if (field.reference?.of === 'value') return 'give the key of the object, its address, or { id: … }';
  return exampleOf(name, field);
}

/** A line with the field's example. */
export function exampleOf(name: string, field: Field): string | undefined {
  return field.example === undefined ? undefined : `for example ${name}: ${inYaml(field.example)}`;
}

/** A value on one line, as a manifest would write it. */
export function inYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => `${inYaml(key)}: ${inYaml(inner)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  if (typeof value !== 'string') return String(value);
  const isPlain = /^[\p{L}\p{S}\p{N}](?:[\p{L}\p{S}\p{N}\p{M} ._@/:+-]*[\p{L}\p{S}\p{N}])?$/u.test(value);
  const isOther = /^(?:true|false|null|[\d.+-].*|.*: .*)$/i.test(value);
  return isPlain && !isOther ? value : JSON.stringify(value);
}

/** The schema of the part at a path, where it can be told. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let part: unknown = schema;
  for (const step of path) {
    if (part instanceof z.ZodRecord) part = part.valueType;
    else if (part instanceof z.ZodArray) part = part.element;
    else if (part instanceof z.ZodObject && Object.hasOwn(part.shape, step)) part = part.shape[String(step)];
    else return undefined;
  }
  return part instanceof z.ZodType ? part : undefined;
}
