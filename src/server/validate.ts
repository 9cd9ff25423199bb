/**
 * Validates requests against the contract: JSON, query and body. Stricter than the schemas in one point: unknown values of open
 * enumerations are refused.
 */

import * as z from 'zod';
import type { ServiceRequest } from '../contract/api.ts';
import { decodeQuery, knownValues, type Operation } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { invalid, ServiceError } from './errors.ts';
import type { Variants } from './variants.ts';

const maxDepth = 64;
/** Created on first use: the first check of a schema compiles it. */
const nothing = once(() => z.strictObject({}));

export function checkedQuery(
  operation: Operation,
  search: URLSearchParams,
  unknown: Variants['unknown-query'],
): unknown {
  if (operation.query === null && search.size === 0) return {};
  const schema = operation.query ?? nothing();
  const given = new URLSearchParams(
    [...search].filter(([name]) => unknown === 'rejected' || name in schema.shape),
  );
  return checked(schema, decodeQuery(operation.query, given), 'query');
}

export function checkedBody(
  operation: Operation,
  { body: bytes, contentType }: Pick<ServiceRequest, 'body' | 'contentType'>,
  stored: (body: unknown) => unknown,
): unknown {
  if (operation.method === 'GET' || operation.method === 'DELETE') return undefined;
  const given = bytes.length === 0 ? {} : stored(parseJson(bytes, contentType));
  const body = checked(operation.body ?? nothing(), given, 'body');
  if (operation.method === 'PATCH' && Object.keys(body as object).length === 0) {
    throw invalid('body: at least one field is required');
  }
  return operation.body === null ? undefined : body;
}

function parseJson(bytes: Uint8Array, contentType: string | undefined): unknown {
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) {
    throw new ServiceError(415, 'the content type must be application/json');
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid('the body is not JSON in UTF-8');
  }
  inspect(value, 'body', 0);
  return value;
}

/** Refuses input that no schema covers: unbounded depth, NUL, lone surrogates, `__proto__`. */
function inspect(value: unknown, path: string, depth: number): void {
  if (depth > maxDepth) throw invalid(`${path.slice(0, 100)}: nested deeper than ${maxDepth} levels`);
  if (typeof value === 'string') inspectText(value, path);
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalid(`${path}: not a finite number`);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === '__proto__') throw invalid(`${path}: __proto__ is not allowed`);
    inspectText(key, path);
    inspect(child, `${path}.${key.slice(0, 40)}`, depth + 1);
  }
}

function inspectText(text: string, path: string): void {
  if (text.includes('\0') || /\p{Surrogate}/u.test(text))
    throw invalid(`${path}: text contains NUL or a lone surrogate`);
}

function checked(schema: z.ZodObject, value: unknown, place: string): unknown {
  const result = schema.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw invalid(`${[place, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'invalid'}`);
  }
  const unknown = unknownValue(schema, value, place);
  if (unknown !== null) throw invalid(unknown);
  return result.data;
}

function unknownValue(schema: z.ZodType, value: unknown, path: string): string | null {
  if (value === undefined || value === null) return null;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return unknownValue(schema.unwrap() as z.ZodType, value, path);
  }
  if (schema instanceof z.ZodUnion) {
    const wrong = schema.options
      .filter((option) => (option as z.ZodType).safeParse(value).success)
      .map((option) => unknownValue(option as z.ZodType, value, path));
    return wrong.length === 0 || wrong.includes(null) ? null : (wrong[0] ?? null);
  }
  if (schema instanceof z.ZodObject) {
    const given = value as Record<string, unknown>;
    const wrong = Object.entries(schema.shape).map(([name, field]) =>
      unknownValue(field as z.ZodType, given[name], `${path}.${name}`),
    );
    return wrong.find((text) => text !== null) ?? null;
  }
  const known = knownValues(schema);
  return known.length === 0 || known.includes(String(value))
    ? null
    : `${path}: "${String(value).slice(0, 60)}" is not one of ${known.join(', ')}`;
}
