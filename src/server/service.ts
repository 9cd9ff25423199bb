/**
 * Handles requests: finds the caller and the operation, validates the input, then runs the handler in one transaction. Knows nothing of
 * sockets.
 */
import { type OperationId, operationOf } from '../contract/index.ts';
import { purge } from './content.ts';
import { Context } from './context.ts';
import { errorBody, isUniqueViolation, ServiceError } from './errors.ts';
import type { FetchRules } from './fetching.ts';
import { handlers } from './handlers/index.ts';
import { prefetch } from './prefetch.ts';
import { type Route, route } from './router.ts';
import { tokenId } from './seed.ts';
import type { Store } from './store.ts';
import { checkedBody, checkedQuery } from './validate.ts';

/** A request as it came, with its body read. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

/** A response; `body` is null where there is no content. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The operation that was found; absent where none was. */
  readonly operation?: OperationId;
}

/** What handling requests needs. */
export interface ServiceDeps {
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

/** Handles a request. Never throws: a failure becomes an error response. */
export async function respond(deps: ServiceDeps, request: ServiceRequest): Promise<ServiceResponse> {
  try {
    return await respondOrThrow(deps, request);
  } catch (error) {
    return errorResponse(deps, error);
  }
}

function errorResponse(deps: ServiceDeps, error: unknown): ServiceResponse {
  if (error instanceof ServiceError) {
    const headers: Record<string, string> = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
    return json(error.status, errorBody(error.status, error.message), headers);
  }
  if (isUniqueViolation(error))
    return json(409, errorBody(409, 'an object with the same unique value already exists'));
  deps.report(error);
  return json(500, errorBody(500, 'internal error'));
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): ServiceResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

async function respondOrThrow(deps: ServiceDeps, request: ServiceRequest): Promise<ServiceResponse> {
  const user = userOf(deps.store, request.authorization);
  const [path = '', search = ''] = request.target.split(/\?(.*)/s);
  const found = route(request.method, path);
  if (found.type !== 'operation') return noOperation(found, request.method);
  const operation = operationOf(found.id);
  const query = checkedQuery(operation, new URLSearchParams(search));
  const body = checkedBody(operation, request.body, request.contentType);
  const { store, random, base } = deps;
  const shared = { store, random, base, user, operation: found.id };
  const before = new Context({ ...shared, now: deps.now(), fetched: undefined });
  const fetched = await prefetch(before, found.id, deps.fetching, { params: found.params, body });
  const now = deps.now();
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

function noOperation(found: Exclude<Route, { type: 'operation' }>, method: string): ServiceResponse {
  if (found.type === 'unknown') throw new ServiceError(404, 'path not found');
  const allow = found.methods.join(', ');
  return json(405, errorBody(405, `method ${method} is not allowed`), { allow });
}

function userOf(store: Store, authorization: string | undefined): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new ServiceError(401, 'a bearer token is required');
  const row = store.get('token', tokenId(token));
  if (row === undefined) throw new ServiceError(401, 'unknown token');
  return row.user;
}
