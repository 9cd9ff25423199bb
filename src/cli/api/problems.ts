import type { z } from 'zod';
import { describeSchema } from '../../contract/describe-schema.ts';
import { knownValues } from '../../contract/index.ts';
import { describeIssue } from '../../manifest/build/issue-text.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { isRecord } from '../../util/json.ts';
import { nearest } from '../../util/nearest.ts';
import { alternatives, child } from './body.ts';

type Issue = z.core.$ZodIssue;

export function schemaProblems(
  place: 'query' | 'body',
  schema: z.ZodObject,
  value: unknown,
): readonly Diagnostic[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).flatMap((issue) => {
    const forms = issue.path.reduce<readonly z.ZodType[]>(
      (inner, key) => inner.flatMap((one) => child(one, key)),
      [schema],
    );
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => unknownKey(nameAt(place, issue.path), key, keysOf(forms)));
    }
    return [problemOf(nameAt(place, issue.path), issue, { value, forms })];
  });
}

/** Values that the contract allows but does not list: one sentence each, without final period. */
export function unknownValues(name: string, forms: readonly z.ZodType[], value: unknown): readonly string[] {
  const inner = (key: PropertyKey) => forms.flatMap((form) => child(form, key));
  if (Array.isArray(value)) {
    return value.flatMap((one, at) => unknownValues(`${name}[${at}]`, inner(at), one));
  }
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([key, one]) => unknownValues(`${name}.${key}`, inner(key), one));
  }
  const known = forms.flatMap(alternatives).flatMap(knownValues);
  if (typeof value !== 'string' || known.length === 0 || known.includes(value)) return [];
  const meant = nearest(value, known);
  const advice = meant === undefined ? '' : `; did you mean ${meant}?`;
  return [`${name} is ${shown(value)}, which is none of ${known.join(', ')}${advice}`];
}

interface Finding {
  readonly value: unknown;
  readonly forms: readonly z.ZodType[];
}

function problemOf(name: string, issue: Issue, { value, forms }: Finding): Diagnostic {
  const found = valueAt(value, issue.path);
  const right = forms.map((form) => describeSchema(form).replaceAll('`', '')).join(' or ');
  if (found === undefined && issue.path.length > 0)
    return diagnostic(`${name} is missing`, `expected: ${right}`);
  if (issue.code === 'invalid_value') {
    const meant = typeof found === 'string' ? nearest(found, issue.values.map(String)) : undefined;
    const advice = meant === undefined ? '' : `did you mean ${meant}? `;
    return diagnostic(
      `${name} cannot be ${shown(found)}`,
      `${advice}It is one of ${issue.values.map(String).join(', ')}`,
    );
  }
  // The name already contains the issue's path.
  const { message } = describeIssue(name, { ...issue, path: [] }, found);
  return diagnostic(message, right === '' ? undefined : `expected: ${right}`);
}

function unknownKey(name: string, key: string, known: readonly string[]): Diagnostic {
  const meant = nearest(key, known);
  const all = known.length === 0 ? 'it takes no fields' : `known are ${known.join(', ')}`;
  return diagnostic(`${name} has no ${key}`, meant === undefined ? all : `did you mean ${meant}? ${all}`);
}

function keysOf(forms: readonly z.ZodType[]): readonly string[] {
  const shapes = forms
    .flatMap(alternatives)
    .flatMap((form) => ('shape' in form ? [form.shape as object] : []));
  return [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
}

/** For example `body.sections[2].title`. */
function nameAt(place: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    place,
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function diagnostic(message: string, suggestion: string | undefined): Diagnostic {
  return {
    severity: 'error',
    code: 'api-input',
    message,
    ...defined({ suggestion }),
  };
}
