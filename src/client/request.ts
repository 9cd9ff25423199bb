/** Builds and validates the request of an operation. Must not send it. */
import type { z } from 'zod';
import { ApiError, type ApiInput, type StepLabel, type Unlisted, unlisted } from '../contract/api.ts';
import { encodeQuery, type Operation, type OperationId } from '../contract/index.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';

export interface PreparedRequest {
  readonly id: string;
  readonly operation: Operation;
  /** Path with encoded ids, without the query; used in messages. */
  readonly path: string;
  readonly target: string;
  /** JSON text. Absent if the operation takes no body. */
  readonly body?: string;
  /** True if sending the request twice has the same effect as sending it once. */
  readonly repeatable: boolean;
  readonly step?: StepLabel;
}

/**
 * Fills in the path, and encodes the query and the body.
 *
 * @throws ApiError of type `input` if the input does not fit an operation of the contract; no request was sent then.
 */
export function prepareRequest(named: OperationId | Unlisted, input: ApiInput): PreparedRequest {
  const { id, operation } = unlisted(named);
  const fail = (problem: string) =>
    new ApiError(`${id} was not sent: ${problem}`, {
      type: 'input',
      operation: id,
      method: operation.method,
      path: operation.path,
      attempt: 0,
      mayHaveHappened: false,
    });
  const params = input.params ?? {};
  const isListed = typeof named === 'string';
  const problem = isListed ? inputProblem(operation, input) : undefined;
  if (problem !== undefined) throw fail(problem);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const search = encodeQuery(input.query ?? {}).toString();
  return {
    id,
    operation,
    path,
    target: search === '' ? path : `${path}?${search}`,
    repeatable: isRepeatable(operation),
    ...defined({ step: input.step }),
    ...((isListed ? operation.body === null : input.body === undefined)
      ? {}
      : { body: JSON.stringify(input.body ?? {}) }),
  };
}

/** True for reads, and for writes that set a value. A PUT that returns 201 creates another object each time. */
function isRepeatable({ method, success }: Operation): boolean {
  return method !== 'POST' && !(method === 'PUT' && success === 201);
}

function inputProblem(operation: Operation, { params = {}, query, body }: ApiInput): string | undefined {
  return (
    paramProblem(operation, params) ??
    partProblem('query', operation.query, query) ??
    partProblem('body', operation.newer?.body ?? operation.body, body)
  );
}

function paramProblem(operation: Operation, params: Readonly<Record<string, string>>): string | undefined {
  for (const name of operation.params) {
    const value = params[name];
    if (typeof value !== 'string' || value === '') return `missing path parameter ${name}`;
    if (value === '.' || value === '..')
      return `${name} is ${JSON.stringify(value)}, which is not a valid id`;
    if (/\p{Surrogate}/u.test(value)) return `${name} contains a lone surrogate`;
  }
  const extra = Object.keys(params).find((name) => !operation.params.includes(name));
  return extra === undefined ? undefined : `unknown path parameter ${extra}`;
}

function partProblem(part: string, schema: z.ZodObject | null, value: unknown): string | undefined {
  if (schema === null) {
    const empty = value === undefined || (isRecord(value) && Object.keys(value).length === 0);
    return empty ? undefined : `the operation takes no ${part}`;
  }
  const parsed = schema.safeParse(value ?? {});
  const issue = parsed.error?.issues[0];
  return issue === undefined ? undefined : `${issuePlace(part, issue.path)}: ${lowerFirst(issue.message)}`;
}

/** Example: `body.sections[2].title`. */
export function issuePlace(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, root);
}

/** Turns a Zod message into the end of another sentence. */
export function lowerFirst(text: string): string {
  return text.replace(/^Invalid input: /, '').replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
