/** Suggests a value in place of one that its schema refuses. */
import type { z } from 'zod';
import { knownValues } from '../contract/values.ts';
import type { Kind } from '../kinds/kind.ts';
import { countOf } from '../util/count.ts';
import { unwrapped } from '../util/data-schema.ts';
import { nearest } from '../util/nearest.ts';
import { type Located, plainOf, scalarText } from './located.ts';
import { repaired } from './repair.ts';
import { metaOf, schemaAt } from './schema-part.ts';

/** A refused value, or a part of one. */
export interface RefusedValue {
  readonly schema: z.ZodType;
  readonly issue: z.core.$ZodIssue;
  /** The part that is wrong. */
  readonly part: Located;
  /** What the text of the issue suggests. */
  readonly described: string | undefined;
  /** What to suggest where nothing better is known. */
  readonly fallback: string | undefined;
}

/** The best suggestion there is; undefined where none is known. */
export function suggestValue(refused: RefusedValue): string | undefined {
  const { issue, part } = refused;
  const schema = schemaAt(refused.schema, issue.path);
  const known = schema === undefined ? [] : knownValues(unwrapped(schema));
  if (known.length > 0) return `use one of ${known.join(', ')}`;
  const text = scalarText(part);
  if (issue.code === 'too_big' && text !== undefined) {
    const over = text.length - Number(issue.maximum);
    return `shorten it by ${countOf(over, 'character')}`;
  }
  return (
    nearestChoice(issue, part) ??
    metaOf(schema, 'help') ??
    quoted(issue, part) ??
    refused.described ??
    repair(schema, part) ??
    refused.fallback
  );
}

function nearestChoice(issue: z.core.$ZodIssue, part: Located): string | undefined {
  const plain = plainOf(part);
  if (issue.code !== 'invalid_value' || typeof plain !== 'string') return undefined;
  const near = nearest(plain, issue.values.map(String));
  return near === undefined ? undefined : `did you mean ${near}?`;
}

function quoted(issue: z.core.$ZodIssue, part: Located): string | undefined {
  if (part.type !== 'scalar' || issue.code !== 'invalid_type' || issue.expected !== 'string')
    return undefined;
  return part.written === undefined ? undefined : `quote it: "${part.written}"`;
}

function repair(schema: z.ZodType | undefined, part: Located): string | undefined {
  const plain = plainOf(part);
  const near = typeof plain === 'string' && schema !== undefined ? repaired(schema, plain) : undefined;
  return near === undefined ? undefined : `did you mean ${near}?`;
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

/** A suggestion where a text looks like a key and a value without the space between them. */
export function suggestSpace(value: Located): string | undefined {
  const [, key, rest] = /^([\w-]+):(\S.*)$/.exec(scalarText(value) ?? '') ?? [];
  return key === undefined ? undefined : `add a space after the colon: ${key}: ${rest}`;
}

/** The first field of a kind, as a manifest would write it. */
export function exampleField(kind: Kind): string {
  const [name, field] = Object.entries(kind.fields)[0] ?? [];
  return name === undefined ? '…' : `${name}: ${inYaml(field?.example)}`;
}
