/** Says in words what a schema found wrong with a value. */
import type { z } from 'zod';
import { Secret } from '../util/secret.ts';

/** A message without final period, and what would be right where the schema tells. */
export interface Wording {
  readonly message: string;
  readonly suggestion?: string;
}

type Issue = z.core.$ZodIssue;

/** Puts an issue into words. `name`: the field, as the manifest spells it. */
export function wordIssue(name: string, issue: Issue, value: unknown): Wording {
  const found = valueAt(value, issue.path);
  const where = issue.path.length === 0 ? name : `${name}.${issue.path.map(String).join('.')}`;
  if (issue.code === 'too_small' || issue.code === 'too_big') return wordSize(where, issue, found);
  if (issue.code === 'invalid_type') {
    const expected = typeWords[issue.expected] ?? issue.expected;
    return {
      message: `${where} must be ${expected}, is ${typeOf(found)}`,
      ...adviceFor(issue.expected, found),
    };
  }
  if (issue.code === 'unrecognized_keys') return { message: `${where} has no ${issue.keys.join(', ')}` };
  if (issue.code === 'invalid_union')
    return { message: `${where} has the wrong form: it is ${typeOf(found)}` };
  if (issue.code === 'invalid_format') {
    if (!issue.message.startsWith('Invalid')) {
      return { message: `${where} must be ${issue.message}, is ${JSON.stringify(found)}` };
    }
    if (issue.format === 'url') return { message: `${where} must be an address such as https://acme.dev/x` };
    if (issue.format === 'regex' && issue.pattern !== undefined) {
      return { message: `${where} ${JSON.stringify(found)} does not fit ${issue.pattern}` };
    }
    return { message: `${where} is not a valid ${issue.format}` };
  }
  return { message: `${where}: ${issue.message}` };
}

function wordSize(
  where: string,
  issue: Extract<Issue, { code: 'too_small' | 'too_big' }>,
  found: unknown,
): Wording {
  const bound = Number(issue.code === 'too_small' ? issue.minimum : issue.maximum);
  const limit = `${issue.code === 'too_small' ? 'at least' : 'at most'} ${bound}`;
  if (found instanceof Secret) {
    return { message: `${where}, a secret, must be ${limit} ${bound === 1 ? 'character' : 'characters'}` };
  }
  if (typeof found === 'string')
    return {
      message: `${where} must be ${limit} ${bound === 1 ? 'character' : 'characters'}, is ${found.length}`,
    };
  if (Array.isArray(found))
    return {
      message: `${where} must have ${limit} ${bound === 1 ? 'entry' : 'entries'}, has ${found.length}`,
    };
  return { message: `${where} must be ${limit}` };
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'missing';
  if (value instanceof Secret) return 'a secret';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string') return `text (${JSON.stringify(value.slice(0, 40))})`;
  return `${typeof value === 'number' ? 'a number' : 'a truth value'} (${String(value)})`;
}

function adviceFor(expected: string, found: unknown): { readonly suggestion?: string } {
  if (expected === 'string' && (typeof found === 'number' || typeof found === 'boolean')) {
    return { suggestion: `put it in quotes: "${String(found)}"` };
  }
  if (expected === 'array' && typeof found === 'string') return { suggestion: `write a list: [${found}]` };
  return {};
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

/** The noun with its article: `a team`, `an OpenAPI spec`. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
