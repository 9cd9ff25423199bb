/**
 * Answers requests: who calls, which operation, is it valid, then its handler in one transaction. Knows nothing of sockets.
 */
import { type OperationId, operationOf } from '../contract/index.ts';
import { purge } from './content.ts';
import { Context } from './context.ts';
import { errorBody, ServiceError } from './errors.ts';
import type { FetchRules } from './fetching.ts';
import { handlers } from './handlers/index.ts';
import { prefetch } from './prefetch.ts';
import { type Route, route } from './router.ts';
import { tokenId } from './seed.ts';
import type { Store } from './store.ts';
import { checkedBody, checkedQuery } from './validate.ts';

/** A request as it came, with its body read. */
export interface Request {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

/** An answer; `body` is null where there is no content. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The operation that answered, where one was found. */
  readonly operation?: OperationId;
}

/** What answering needs. */
export interface Machine {
  readonly store: Store;
  readonly now: () => Date;
  readonly random: () => number;
  readonly base: string;
  readonly fetching: FetchRules;
  readonly report: (error: unknown) => void;
}

/** The operation that a request names; undefined where it names none. */
export function operationOfRequest(method: string, target: string): OperationId | undefined {
  try {
    const found = route(method, target.replace(/[?#].*$/s, ''));
    return found.type === 'operation' ? found.id : undefined;
  } catch {
    return undefined;
  }
}

/** Answers a request. Never throws: what goes wrong is answered as an error. */
export async function answer(machine: Machine, request: Request): Promise<Answer> {
  try {
    return await answerOrThrow(machine, request);
  } catch (error) {
    return errorAnswer(machine, error);
  }
}

function errorAnswer(machine: Machine, error: unknown): Answer {
  if (error instanceof ServiceError) {
    const headers: Record<string, string> = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
    return json(error.status, errorBody(error.status, error.message), headers);
  }
  const message = error instanceof Error ? error.message : String(error);
  if (/UNIQUE constraint failed/.test(message))
    return json(409, errorBody(409, 'something like it exists already'));
  machine.report(error);
  return json(500, errorBody(500, 'internal error'));
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

async function answerOrThrow(machine: Machine, request: Request): Promise<Answer> {
  const user = userOf(machine.store, request.authorization);
  const [path = '', search = ''] = request.target.split(/\?(.*)/s);
  const found = route(request.method, path);
  if (found.type !== 'operation') return noOperation(found, request.method);
  const operation = operationOf(found.id);
  const query = checkedQuery(operation, new URLSearchParams(search));
  const body = checkedBody(operation, request.body, request.contentType);
  const { store, random, base } = machine;
  const shared = { store, random, base, user, operation: found.id };
  const before = new Context({ ...shared, now: machine.now(), fetched: undefined });
  const fetched = await prefetch(before, found.id, machine.fetching, { params: found.params, body });
  const now = machine.now();
  const context = new Context({ ...shared, now, fetched });
  const handler = handlers[found.id] as (context: Context, input: unknown) => unknown;
  const input = { params: found.params, query, body };
  const run = () => {
    purge(store, now);
    return handler(context, input);
  };
  const result = operation.method === 'GET' ? handler(context, input) : store.write(run);
  if (operation.response === null) {
    return { status: operation.success, headers: {}, body: null, operation: found.id };
  }
  const status = context.status ?? operation.success;
  const made =
    context.location === undefined ? createdAt(status, path, result) : { location: context.location };
  return { ...json(status, result, made), operation: found.id };
}

/** Where a created thing can be read. */
function createdAt(status: number, path: string, result: unknown): Record<string, string> {
  if (status !== 201) return {};
  const { id, urls } = result as { id?: string; urls?: { location?: string } };
  if (urls?.location !== undefined) return { location: urls.location };
  return id === undefined ? {} : { location: `${path}/${encodeURIComponent(id)}` };
}

function noOperation(found: Exclude<Route, { type: 'operation' }>, method: string): Answer {
  if (found.type === 'unknown') throw new ServiceError(404, 'there is no such path');
  const allow = found.methods.join(', ');
  return json(405, errorBody(405, `${method} is not possible here`), { allow });
}

function userOf(store: Store, authorization: string | undefined): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new ServiceError(401, 'a bearer token is needed');
  const row = store.get('token', tokenId(token));
  if (row === undefined) throw new ServiceError(401, 'the token is not known');
  return row.user;
}
