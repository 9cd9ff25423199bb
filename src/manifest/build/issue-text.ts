/** Messages for values that a schema rejects. */
import type { z } from 'zod';
import { Secret } from '../../util/secret.ts';
import { unreachable } from '../../util/unreachable.ts';
import { describeValue } from '../../yaml/located.ts';

export interface IssueText {
  readonly message: string;
  readonly suggestion?: string;
}

type SchemaIssue = z.core.$ZodIssue;
type IssueOf<C extends SchemaIssue['code']> = Extract<SchemaIssue, { code: C }>;

export function describeIssue(name: string, issue: SchemaIssue, value: unknown): IssueText {
  const found = valueAt(value, issue.path);
  const path = [name, ...issue.path.map(String)].filter((part) => part !== '').join('.');
  const where = path === '' ? 'the document' : path;
  switch (issue.code) {
    case 'too_small':
    case 'too_big':
      return describeSize(where, issue, found);
    case 'invalid_type':
      return describeType(where, issue, found);
    case 'invalid_union':
      return describeUnion(where, issue, found);
    case 'invalid_format':
      return describeFormat(where, issue, found);
    case 'invalid_value':
      return describeChoice(where, issue, found);
    case 'custom':
      return { message: `${where} ${issue.message}, is ${describeValue(found)}` };
    case 'unrecognized_keys':
      return { message: `${where} has no ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}` };
    case 'not_multiple_of':
      return { message: `${where} must be a multiple of ${issue.divisor}` };
    case 'invalid_key':
    case 'invalid_element':
      return { message: `${where} has an entry that is not valid` };
    default:
      return unreachable(issue);
  }
}

function describeType(where: string, issue: IssueOf<'invalid_type'>, found: unknown): IssueText {
  if (found === undefined) return { message: `${where} is missing` };
  const expected = typeTexts[issue.expected] ?? issue.expected;
  return {
    message: `${where} must be ${expected}, is ${describeValue(found)}`,
    ...suggestionFor(issue.expected, found),
  };
}

function describeFormat(where: string, issue: IssueOf<'invalid_format'>, found: unknown): IssueText {
  if (!isDefault(issue)) return { message: `${where} must be ${issue.message}, is ${describeValue(found)}` };
  if (issue.format === 'url') {
    return { message: `${where} must be a URL such as https://acme.dev/x, is ${describeValue(found)}` };
  }
  if (issue.format === 'regex' && issue.pattern !== undefined) {
    return { message: `${where} ${JSON.stringify(found)} does not match ${issue.pattern}` };
  }
  return { message: `${where} is not a valid ${issue.format}: ${describeValue(found)}` };
}

function describeChoice(where: string, issue: IssueOf<'invalid_value'>, found: unknown): IssueText {
  if (!isDefault(issue)) return { message: `${where}: ${issue.message}` };
  return {
    message: `${where} must be one of ${issue.values.map(String).join(', ')}, is ${describeValue(found)}`,
  };
}

function isDefault({ message }: SchemaIssue): boolean {
  return message.startsWith('Invalid');
}

/** Lists the types of a union, unless one form has the type and fails inside. */
function describeUnion(where: string, issue: IssueOf<'invalid_union'>, found: unknown): IssueText {
  const expected = new Set<string>();
  for (const [first, ...more] of issue.errors) {
    if (first?.code === 'invalid_type' && first.path.length === 0 && more.length === 0) {
      expected.add(typeTexts[first.expected] ?? first.expected);
    } else if (first !== undefined) return describeIssue(where, first, found);
  }
  const forms = [...expected];
  const listed = forms.length < 2 ? forms.join('') : `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`;
  return { message: `${where} must be ${listed}, is ${describeValue(found)}` };
}

function describeSize(where: string, issue: IssueOf<'too_small' | 'too_big'>, found: unknown): IssueText {
  const bound = Number(issue.code === 'too_small' ? issue.minimum : issue.maximum);
  const limit = `${issue.code === 'too_small' ? 'at least' : 'at most'} ${bound}`;
  const characters = bound === 1 ? 'character' : 'characters';
  if (found instanceof Secret) return { message: `${where}, a secret, must be ${limit} ${characters}` };
  if (found === '' && bound === 1) return { message: `${where} cannot be empty` };
  if (typeof found === 'string') {
    return { message: `${where} must be ${limit} ${characters}, is ${found.length}` };
  }
  if (issue.origin === 'string') return { message: `${where} must be ${limit} ${characters}` };
  if (Array.isArray(found)) {
    const entries = bound === 1 ? 'entry' : 'entries';
    return { message: `${where} must have ${limit} ${entries}, has ${found.length}` };
  }
  if (typeof found === 'number') return { message: `${where} must be ${limit}, is ${found}` };
  return { message: `${where} must be ${limit}` };
}

const typeTexts: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

const booleans: Readonly<Record<string, boolean | undefined>> = {
  true: true,
  yes: true,
  on: true,
  false: false,
  no: false,
  off: false,
};

function suggestionFor(expected: string, found: unknown): { readonly suggestion?: string } {
  if (expected === 'string' && (typeof found === 'number' || typeof found === 'boolean')) {
    return { suggestion: `quote it: "${String(found)}"` };
  }
  if (expected === 'boolean') {
    const meant = typeof found === 'string' ? booleans[found.toLowerCase()] : undefined;
    return { suggestion: meant === undefined ? 'write true or false' : `write ${meant}, without quotes` };
  }
  if (expected === 'number' && typeof found === 'string' && /^-?\d+(\.\d+)?$/.test(found)) {
    return { suggestion: `write ${found}, without quotes` };
  }
  if (expected === 'array' && typeof found === 'string') {
    const isList = /^\s*\[/.test(found);
    return {
      suggestion: isList ? 'write the list here, with a variable for each entry' : `write a list: [${found}]`,
    };
  }
  return {};
}

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

/** Examples: `a team`, `an OpenAPI spec`. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
