/** Proves that the contract holds exactly the documented operations, parameters, statuses and limits. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Operation, operationOf } from '../../src/contract/index.ts';
import { type FieldFact, readOperationFacts } from './api-tables.ts';
import { documentedIds } from './documented.ts';

const facts = readOperationFacts();
const byRoute = new Map(documentedIds.map((id) => [routeOf(operationOf(id)), operationOf(id)]));

function routeOf(row: { method: string; path: string }): string {
  return `${row.method} ${row.path}`;
}

test('contains each of the 130 documented operations', () => {
  expect(facts).toHaveLength(130);
  expect(documentedIds).toHaveLength(130);
  expect([...byRoute.keys()].sort()).toEqual(facts.map(routeOf).sort());
});

describe.each(facts)('$method $path', (fact) => {
  const operation = byRoute.get(routeOf(fact));
  test('has the documented section, status and input', () => {
    if (operation === undefined) throw new Error('no such operation');
    expect(operation.section).toBe(fact.section);
    expect(operation.success).toBe(fact.success);
    expect(operation.response === null).toBe(fact.success === 204 || fact.success === 205);
    expect(describeFields(operation.query)).toEqual(sorted(fact.query));
    expect(describeFields(operation.body)).toEqual(sorted(fact.body));
    expect(operation.params).toEqual([...fact.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  });
});

const roles = ['admin', 'create', 'review', 'edit', 'comment', 'read'];

/** The facts in the form that `describeFields` returns, by name. */
function sorted(fields: readonly FieldFact[]): FieldFact[] {
  return fields.map(plain).sort((a, b) => a.name.localeCompare(b.name));
}

function plain(fact: FieldFact): FieldFact {
  if (fact.type === 'role') return { ...fact, type: 'enum', values: roles };
  if (fact.type === 'level') return { ...fact, type: 'enum', values: [...roles, 'inherit'], nullable: true };
  return fact;
}

/** Constraints of the fields of a schema, read from its JSON Schema. */
function describeFields(schema: Operation['query']): FieldFact[] {
  if (schema === null) return [];
  const json = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  expect(json.additionalProperties).toBe(false);
  return Object.entries(json.properties ?? {})
    .map(([name, property]) => describeField(name, property, !(json.required ?? []).includes(name)))
    .sort((a, b) => a.name.localeCompare(b.name));
}

interface JsonSchema {
  type?: string | string[];
  format?: string;
  enum?: string[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maximum?: number;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: unknown;
  required?: string[];
  knownValues?: string[];
}

function describeField(name: string, property: JsonSchema, optional: boolean): FieldFact {
  const all = (property.anyOf ?? [property]).flatMap(eachType);
  const options = all.filter((option) => option.type !== 'null');
  const nullable = options.length < all.length;
  const only = options.length === 1 ? (options[0] ?? {}) : {};
  return {
    name,
    optional,
    type: options.length === 1 ? typeOf(only) : 'any',
    bounds: boundsOf(only),
    pattern: only.format === undefined && only.pattern !== undefined ? only.pattern : '',
    values: only.enum ?? [],
    nullable,
  };
}

function eachType(json: JsonSchema): JsonSchema[] {
  return Array.isArray(json.type) ? json.type.map((type) => ({ ...json, type })) : [json];
}

function typeOf(json: JsonSchema): string {
  if (json.enum !== undefined) return 'enum';
  if (json.knownValues !== undefined) return 'enum*';
  if (json.format === 'uri') return 'uri';
  if (json.type === 'integer') return 'number';
  if (json.type === 'array') return 'list';
  if (json.type === 'object') return json.properties === undefined ? 'map' : 'object';
  return String(json.type ?? 'any');
}

function boundsOf(json: JsonSchema): string {
  if (json.knownValues !== undefined) return '';
  const min = json.minLength ?? json.minItems ?? '';
  const max = json.maxLength ?? json.maxItems ?? (json.type === 'integer' ? json.maximum : '') ?? '';
  return min === '' && max === '' ? '' : `${min}-${max}`;
}
