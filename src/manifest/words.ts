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
    if (found === undefined) return { message: `${where} is missing` };
    const expected = typeWords[issue.expected] ?? issue.expected;
    return {
      message: `${where} must be ${expected}, is ${typeOf(found)}`,
      ...adviceFor(issue.expected, found),
    };
  }
  if (issue.code === 'unrecognized_keys') {
    return { message: `${where} has no ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}` };
  }
  if (issue.code === 'invalid_union') return wordUnion(where, issue, found);
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

/** A union takes one of several types: they are listed, unless one of its forms has the type and fails within. */
function wordUnion(where: string, issue: Extract<Issue, { code: 'invalid_union' }>, found: unknown): Wording {
  const expected = new Set<string>();
  for (const [first, ...more] of issue.errors) {
    if (first?.code === 'invalid_type' && first.path.length === 0 && more.length === 0) {
      expected.add(typeWords[first.expected] ?? first.expected);
    } else if (first !== undefined) return wordIssue(where, first, found);
  }
  const forms = [...expected];
  const listed = forms.length < 2 ? forms.join('') : `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`;
  return { message: `${where} must be ${listed}, is ${typeOf(found)}` };
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
  if (issue.origin === 'string') return { message: `${where} must be ${limit} characters` };
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

/** What other notations write for true and false. */
const truths: Readonly<Record<string, boolean | undefined>> = {
  true: true,
  yes: true,
  on: true,
  false: false,
  no: false,
  off: false,
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
  if (expected === 'boolean') {
    const meant = typeof found === 'string' ? truths[found.toLowerCase()] : undefined;
    return { suggestion: meant === undefined ? 'write true or false' : `write ${meant}, without quotes` };
  }
  if (expected === 'number' && typeof found === 'string' && /^-?\d+(\.\d+)?$/.test(found)) {
    return { suggestion: `write ${found}, without quotes` };
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
