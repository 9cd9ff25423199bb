/** Finds an operation by its name, or by method and path. Pure. */
import {
  isOperationId,
  type Method,
  type OperationId,
  operationIds,
  operationOf,
} from '../../contract/index.ts';
import { mostAlike, nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';

export interface NamedOperation {
  readonly id: OperationId;
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly search: URLSearchParams;
  readonly rest: readonly string[];
}

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[];

/** Throws a DiagnosticError that suggests the nearest names. */
export function findOperation(words: readonly string[]): NamedOperation {
  const [first, second, ...rest] = words;
  if (first === undefined) {
    throw userError('operation', 'which operation?', 'run octavo api --list to see all of them');
  }
  if (isOperationId(first)) {
    return { id: first, params: {}, search: new URLSearchParams(), rest: words.slice(1) };
  }
  const method = first.toUpperCase();
  if (methods.includes(method)) {
    if (second === undefined) {
      throw userError('operation', `${method} needs a path`, `add one, for example ${method} /v1/orgs`);
    }
    return { ...atPath(method, second), rest };
  }
  if (first.startsWith('/')) return { ...atPath('GET', first), rest: words.slice(1) };
  throw unknownName(first);
}

function unknownName(name: string): Error {
  const word = name.toLowerCase();
  const action = /\..+/.exec(word)?.[0];
  const meant = nearest(name, operationIds);
  const near = new Set([
    ...operationIds.filter((id) => id === meant),
    ...operationIds.filter((id) => id.toLowerCase().includes(word)),
    ...operationIds.filter(
      (id) => action !== undefined && id.toLowerCase().endsWith(action) && id[0] === word[0],
    ),
  ]);
  return userError('operation', `unknown operation ${JSON.stringify(name)}`, adviceOf([...near]));
}

function atPath(method: string, written: string): Omit<NamedOperation, 'rest'> {
  if (/^https?:/i.test(written)) {
    throw userError(
      'operation',
      `${written} is a URL`,
      'pass the path alone; the host is that of --base-url',
    );
  }
  const [path = '', query = ''] = written.split(/\?(.*)/s);
  const found = operationIds
    .filter((id) => operationOf(id).method === method)
    .map((id) => ({ id, params: paramsOf(operationOf(id).path, path) }))
    .filter((match) => match.params !== undefined)
    // A literal segment takes precedence over a placeholder.
    .sort((a, b) => Object.keys(a.params ?? {}).length - Object.keys(b.params ?? {}).length)[0];
  if (found?.params === undefined) throw unknownPath(method, path);
  return { id: found.id, params: found.params, search: new URLSearchParams(query) };
}

/** Undefined if the path does not match. */
function paramsOf(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const [expected, given] = [segmentsOf(template), segmentsOf(path)];
  if (expected.length !== given.length) return undefined;
  const params: [string, string][] = [];
  for (const [at, segment] of expected.entries()) {
    const value = decoded(given[at] ?? '');
    if (segment.startsWith('{')) params.push([segment.slice(1, -1), value]);
    else if (segment !== value) return undefined;
  }
  return Object.fromEntries(params);
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/^\/|\/$/g, '').split('/');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function unknownPath(method: string, path: string): Error {
  const others = operationIds.filter((id) => paramsOf(operationOf(id).path, path) !== undefined);
  if (others.length > 0) {
    return userError('operation', `${path} does not support ${method}`, adviceOf(others));
  }
  const near = mostAlike(operationIds, lineOf, { words: [`${method} ${path}`], count: 3 });
  return userError('operation', `unknown operation ${method} ${path}`, adviceOf(near));
}

function lineOf(id: OperationId): string {
  const { method, path } = operationOf(id);
  return `${method} ${path}`;
}

function adviceOf(ids: readonly OperationId[]): string {
  if (ids.length === 0) return 'run octavo api --list to see all of them';
  const lines = ids.slice(0, 4).map((id) => `  ${id}: ${lineOf(id)}`);
  return `did you mean\n${lines.join('\n')}`;
}
