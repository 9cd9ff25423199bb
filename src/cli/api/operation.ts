/** Finds an operation by its name, or by method and path, which the contract need not know. Pure. */
import * as z from 'zod';
import type { Unlisted } from '../../contract/api.ts';
import {
  isOperationId,
  type Method,
  type Operation,
  type OperationId,
  operationIds,
  operationOf,
} from '../../contract/index.ts';
import { defined } from '../../util/defined.ts';
import { decoded } from '../../util/href.ts';
import { nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';

export interface NamedOperation {
  readonly call: OperationId | Unlisted;
  /** Method and path as typed, for calls that are not fully in the contract; absent for a name. */
  readonly typed?: Unlisted;
  /** URL-decoded values. */
  readonly params: Readonly<Record<string, string>>;
  readonly search: URLSearchParams;
  readonly rest: readonly string[];
}

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function findOperation(words: readonly string[]): NamedOperation {
  const [first, second, ...rest] = words;
  if (first === undefined) {
    throw userError('operation', 'which operation?', 'run octavo api --list to see all of them');
  }
  if (isOperationId(first)) {
    return { call: first, params: {}, search: new URLSearchParams(), rest: words.slice(1) };
  }
  const method = methods.find((one) => one === first.toUpperCase());
  if (method !== undefined) {
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

function atPath(method: Method, written: string): Omit<NamedOperation, 'rest'> {
  if (/^https?:/i.test(written)) {
    throw userError(
      'operation',
      `${written} is a URL`,
      'pass the path alone; the host is that of --base-url',
    );
  }
  const [path = '', query = ''] = written.split(/\?(.*)/s);
  const bad = segmentsOf(path).find((segment) => /^\.{0,2}$|\p{Surrogate}/u.test(decoded(segment)));
  if (bad !== undefined || !path.startsWith('/'))
    throw userError('operation', `${path} is not a valid path`, 'write a path such as /v1/orgs');
  const found = operationIds
    .filter((id) => operationOf(id).method === method)
    .map((id) => ({ id, params: paramsOf(operationOf(id).path, path) }))
    .filter((match) => match.params !== undefined)
    // A literal segment takes precedence over a placeholder.
    .sort((a, b) => Object.keys(a.params ?? {}).length - Object.keys(b.params ?? {}).length)[0];
  const typed = unlistedAt(method, path, found && operationOf(found.id));
  return {
    call: found?.id ?? typed,
    typed,
    params: found?.params ?? {},
    search: new URLSearchParams(query),
  };
}

function unlistedAt(method: Method, typed: string, known: Operation | undefined): Unlisted {
  // The path may have been typed unencoded.
  const path = encodeURI(typed)
    .replaceAll('#', '%23')
    .replace(/%25(?=[\da-f]{2})/gi, '%');
  return {
    id: `${method} ${path}`,
    operation: {
      ...{ method, path, summary: '', section: '', params: [], query: null, body: null },
      paged: known?.paged ?? method === 'GET',
      // A PUT that the contract does not know may create an object.
      success: known?.success ?? (method === 'PUT' ? 201 : 200),
      response: z.unknown(),
      ...defined({ mayPend: known?.mayPend }),
    },
  };
}

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

/** Example: `unknown operation GET /v1/org (did you mean orgs.list: GET /v1/orgs?)`. */
export function unknownText({ id: typed, operation: { path } }: Unlisted): string {
  const lines = new Map(operationIds.map((id) => [lineOf(id), id]));
  const other = operationIds.find((id) => paramsOf(operationOf(id).path, path) !== undefined);
  const near = other ?? lines.get(nearest(typed, lines.keys(), 4) ?? '');
  return `unknown operation ${typed}${near === undefined ? '' : ` (did you mean ${near}: ${lineOf(near)}?)`}`;
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
