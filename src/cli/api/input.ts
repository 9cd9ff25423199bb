/** Makes the input of an operation from the command line and checks it against the contract; reports all problems together. */
import * as z from 'zod';
import { unlisted } from '../../contract/api.ts';
import { describeSchema } from '../../contract/describe-schema.ts';
import { decodeQuery, knownValues, type Operation } from '../../contract/index.ts';
import { describeIssue } from '../../manifest/build/issue-text.ts';
import { schemaAt } from '../../manifest/schema/schema-part.ts';
import { readText } from '../../run/read-file.ts';
import { unwrapped } from '../../util/data-schema.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { isRecord } from '../../util/json.ts';
import { append } from '../../util/lists.ts';
import { nearest } from '../../util/nearest.ts';
import { messageOf, userError } from '../../util/user-error.ts';
import { type NamedOperation, unknownText } from './operation.ts';

export interface GivenInput {
  readonly cwd: string;
  readonly fields: readonly string[];
  readonly json: string | undefined;
}

/** A call by name rejects all invalid input; a call by method and path, only input that cannot be sent. */
interface Found {
  readonly errors: Diagnostic[];
  readonly unknown: Diagnostic[];
}

/** `unknown`: invalid parts of a call that the contract does not know; they are sent as typed. */
export function readInput(named: NamedOperation, given: GivenInput) {
  const { call, typed } = named;
  const { operation } = unlisted(call);
  const errors: Diagnostic[] = [];
  const found = { errors, unknown: typed === undefined ? errors : [] };
  const { params, search } = readWords(named, operation, found);
  for (const name of operation.params) {
    if (params[name] === undefined || params[name] === '')
      errors.push(problem(`missing path parameter ${name}`, `add ${name}=…`));
  }
  const body = readBody(named, given, found);
  if (errors.length > 0) throw new DiagnosticError(errors);
  const query = decodeQuery(operation.query, search);
  const unknown =
    typeof call === 'string' ? found.unknown.map(({ message }) => message) : [unknownText(call)];
  return {
    call: unknown.length === 0 ? call : (typed ?? call),
    input: {
      ...(unknown.length === 0 && { params }),
      ...(search.size > 0 && { query }),
      ...defined({ body }),
    },
    ...(unknown.length > 0 && { unknown: unknown.join('; ') }),
  };
}

function readWords(named: NamedOperation, operation: Operation, { errors, unknown }: Found) {
  const params: Record<string, string> = { ...named.params };
  const search = new URLSearchParams(named.search);
  const inQuery = Object.keys(operation.query?.shape ?? {});
  for (const word of named.rest) {
    const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (name === undefined)
      errors.push(problem(`${JSON.stringify(word)} is not a parameter`, 'write name=value'));
    else if (operation.params.includes(name)) {
      if (params[name] !== undefined) errors.push(problem(`${name} is set twice`));
      params[name] = value;
    } else search.append(name, value);
  }
  const known = new URLSearchParams(search);
  for (const name of new Set(search.keys())) {
    if (inQuery.includes(name)) continue;
    unknown.push(problem(`unknown parameter ${name}`, adviceFor(name, operation)));
    known.delete(name);
  }
  if (operation.query !== null)
    append(unknown, schemaProblems('query', operation.query, decodeQuery(operation.query, known)));
  return { params, search };
}

function adviceFor(name: string, { params, query, body }: Operation): string {
  if (body !== null && Object.hasOwn(body.shape, name)) return `it is a field of the body: -F ${name}=…`;
  return knownAdvice(name, [...params, ...Object.keys(query?.shape ?? {})]);
}

function knownAdvice(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  if (meant !== undefined) return `did you mean ${meant}?`;
  return known.length === 0 ? 'leave it out: there are none' : `use one of ${known.join(', ')}`;
}

function readBody(named: NamedOperation, given: GivenInput, { errors, unknown }: Found): unknown {
  const { fields, json, cwd } = given;
  const { id, operation } = unlisted(named.call);
  const { body: schema, method, query } = operation;
  if (fields.length > 0 && json !== undefined)
    throw userError('body', 'the body is set by both -F and --input', 'pass one of the two');
  if (schema === null) {
    if (fields.length === 0 && json === undefined) return undefined;
    const advice = query === null ? undefined : 'write parameters without -F: name=value';
    (method === 'GET' ? errors : unknown).push(problem('the operation takes no body', advice));
  }
  const body = json === undefined ? bodyFromFields(schema, fields, cwd) : parseJson(json);
  if (schema === null) return body;
  const found = schemaProblems('body', schema, body);
  append(unknown, found);
  if (found.length === 0 && method === 'PATCH' && isRecord(body) && Object.keys(body).length === 0) {
    const help = `octavo api ${id} --describe lists the fields`;
    errors.push(problem('the body is empty: at least one field is needed', help));
  }
  return body;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw userError('body', `--input is not JSON: ${messageOf(error)}`);
  }
}

/**
 * Dots name nested fields, a repeated field makes a list, `@file` inserts the text of a file, and `@@` is a literal at sign.
 * Values that do not fit are passed on for the schema to reject.
 */
function bodyFromFields(schema: z.ZodObject | null, fields: readonly string[], cwd: string): unknown {
  const texts = new Map<string, string[]>();
  for (const field of fields) {
    const [, name, text = ''] = /^([^=]+)=(.*)$/s.exec(field) ?? [];
    if (name === undefined)
      throw userError(
        'field',
        `-F ${JSON.stringify(field)} has no value`,
        'write -F field=value, or -F field=@file',
      );
    const value =
      text.startsWith('@') && !text.startsWith('@@')
        ? readText(cwd, text.slice(1))
        : text.replace(/^@@/, '@');
    texts.set(name, [...(texts.get(name) ?? []), value]);
  }
  const body = emptyRecord();
  for (const [name, values] of texts) {
    const path = name.split('.');
    put(body, path, fieldValue(schema === null ? undefined : schemaAt(schema, path), values));
  }
  return body;
}

function fieldValue(schema: z.ZodType | undefined, texts: readonly string[]): unknown {
  const [text = '', ...more] = texts;
  const literals = texts.map(literalOf);
  const [literal] = literals;
  const form = schema && unwrapped(schema);
  const words =
    form instanceof z.ZodUnion ? form.options.flatMap((one) => knownValues(one as z.ZodType)) : [];
  // A text for either a known word or a list.
  const isEntry = more.length > 0 || (words.length > 0 && !words.includes(text));
  const readings = isEntry ? [literals, texts] : [literal, text, literals, texts];
  const fitting = readings.find((one) => schema?.safeParse(one).success === true);
  if (fitting !== undefined) return fitting;
  if (more.length > 0) return texts;
  return form instanceof z.ZodString ? text : literal;
}

/** Parses null, booleans, numbers, lists and objects in JSON; keeps other texts unchanged. */
function literalOf(text: string): unknown {
  if (!/^\s*(?:null|true|false|-?\d|[[{])/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function put(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let inner = body;
  for (const [at, key] of path.entries()) {
    const isLast = at === path.length - 1;
    const next = isLast ? value : (inner[key] ?? emptyRecord());
    if ((isLast && key in inner) || (!isLast && !isRecord(next)))
      throw userError('field', `${path.slice(0, at + 1).join('.')} is set as a value and as an object`);
    inner[key] = next;
    if (isRecord(next)) inner = next;
  }
}

/** The record has no prototype, so no key has a special meaning. */
function emptyRecord(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function schemaProblems(place: string, schema: z.ZodObject, value: unknown): readonly Diagnostic[] {
  return (schema.safeParse(value).error?.issues ?? []).map((issue) => {
    const part = schemaAt(schema, issue.path);
    const { message, suggestion } = describeIssue(place, issue, value);
    if (issue.code === 'unrecognized_keys') {
      const inner = part && unwrapped(part);
      const known = inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
      return problem(message, knownAdvice(issue.keys[0] ?? '', known));
    }
    const expected = part && `write ${describeSchema(part).replaceAll('`', '')}`;
    return problem(message, suggestion ?? expected);
  });
}

function problem(message: string, suggestion?: string): Diagnostic {
  return { severity: 'error', code: 'api-input', message, ...defined({ suggestion }) };
}
