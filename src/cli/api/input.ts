/** Makes the input of an operation from the command line and checks it against the contract; reports all problems together. */
import type { ApiInput } from '../../contract/api.ts';
import { describeSchema } from '../../contract/describe-schema.ts';
import { decodeQuery, type Operation, operationOf } from '../../contract/index.ts';
import { readText } from '../../run/read-file.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { isRecord } from '../../util/json.ts';
import { append } from '../../util/lists.ts';
import { nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';
import { bodyFromFields } from './body.ts';
import type { NamedOperation } from './operation.ts';
import { schemaProblems, unknownValues } from './problems.ts';

export interface GivenInput {
  readonly cwd: string;
  readonly fields: readonly string[];
  readonly json: string | undefined;
}

export interface ReadInput {
  readonly input: ApiInput;
  /** Allowed, but maybe a mistake: sentences without final period. */
  readonly doubts: readonly string[];
}

/** Throws a DiagnosticError with all problems. */
export function readInput(named: NamedOperation, given: GivenInput): ReadInput {
  const operation = operationOf(named.id);
  const problems: Diagnostic[] = [];
  const { params, search } = readWords(named, operation, problems);
  for (const name of operation.params) {
    if (params[name] === undefined || params[name] === '') {
      problems.push(problem(`missing path parameter ${name}`, `add ${name}=…`));
    }
  }
  const query = decodeQuery(operation.query, search);
  if (operation.query !== null) append(problems, schemaProblems('query', operation.query, query));
  const body = readBody(operation, given, problems);
  if (problems.length > 0) throw new DiagnosticError(problems);
  const doubts = [
    ...(operation.query === null ? [] : unknownValues('query', [operation.query], query)),
    ...(operation.body === null ? [] : unknownValues('body', [operation.body], body)),
  ];
  const input = {
    params,
    ...(search.size === 0 ? {} : { query }),
    ...(operation.body === null ? {} : { body }),
  };
  return { input, doubts };
}

function readWords(named: NamedOperation, operation: Operation, problems: Diagnostic[]) {
  const params: Record<string, string> = { ...named.params };
  const search = new URLSearchParams(named.search);
  const inQuery = Object.keys(operation.query?.shape ?? {});
  for (const word of named.rest) {
    const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (name === undefined)
      problems.push(problem(`${JSON.stringify(word)} is not a parameter`, 'write name=value'));
    else if (operation.params.includes(name)) {
      if (params[name] !== undefined) problems.push(problem(`${name} is set twice`));
      params[name] = value;
    } else search.append(name, value);
  }
  for (const name of new Set(search.keys())) {
    if (inQuery.includes(name)) continue;
    problems.push(problem(`unknown parameter ${name}`, adviceFor(name, operation)));
    search.delete(name);
  }
  return { params, search };
}

function adviceFor(name: string, { params, query, body }: Operation): string {
  if (body !== null && Object.hasOwn(body.shape, name)) return `it is a field of the body: -F ${name}=…`;
  const known = [...params, ...Object.keys(query?.shape ?? {})];
  const meant = nearest(name, known);
  if (meant !== undefined) return `did you mean ${meant}?`;
  return known.length === 0 ? 'the operation takes no parameters' : `known are ${known.join(', ')}`;
}

function readBody(operation: Operation, given: GivenInput, problems: Diagnostic[]): unknown {
  const { fields, json, cwd } = given;
  const { body: schema, method, query } = operation;
  if (fields.length > 0 && json !== undefined) {
    throw userError('body', 'the body is set by both -F and --input', 'pass one of the two');
  }
  if (schema === null) {
    if (fields.length === 0 && json === undefined) return undefined;
    const advice = query === null ? undefined : 'parameters are written without -F: name=value';
    problems.push(problem('the operation takes no body', advice));
    return undefined;
  }
  const body =
    json === undefined ? bodyFromFields(schema, fields, (file) => readText(cwd, file)) : parseJson(json);
  const found = schemaProblems('body', schema, body);
  append(problems, found);
  if (found.length === 0 && method === 'PATCH' && isRecord(body) && Object.keys(body).length === 0) {
    const known = Object.entries(schema.shape).map(
      ([name, field]) => `  -F ${name}=…  ${describeSchema(field).replaceAll('`', '')}`,
    );
    problems.push(problem('the body is empty: at least one field is needed', known.join('\n')));
  }
  return body;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw userError('body', `--input is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function problem(message: string, suggestion?: string): Diagnostic {
  return {
    severity: 'error',
    code: 'api-input',
    message,
    ...defined({ suggestion }),
  };
}
