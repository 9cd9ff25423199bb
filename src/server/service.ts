/**
 * Handles requests: finds the caller and the operation, validates the input, then runs the handler in one transaction. Knows nothing of
 * sockets.
 */
import { type Operation, type OperationId, operationOf } from '../contract/index.ts';
import { purge } from './content.ts';
import { Context } from './context.ts';
import { diskError, errorBody, ServiceError } from './errors.ts';
import type { FetchRules } from './fetching.ts';
import { handlers } from './handlers/index.ts';
import { prepare } from './preparing.ts';
import { type Route, route } from './router.ts';
import { tokenId } from './seed.ts';
import type { Store } from './store.ts';
import { checkedBody, checkedQuery } from './validate.ts';
import { decorated, storedText } from './variant-text.ts';
import type { Variants } from './variants.ts';

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
  readonly variants: Variants;
  /** What lists are read from: the store, or a copy that lags behind it. */
  readonly lists: () => Store;
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
    const status = error.status === 409 ? Number(deps.variants['conflict-status']) : error.status;
    return json(status, errorBody(status, error.message), headers);
  }
  deps.report(error);
  const failed = diskError(error);
  if (failed !== undefined) return json(failed.status, errorBody(failed.status, failed.message));
  return json(500, errorBody(500, 'internal error'));
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): ServiceResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

type AnyHandler = (context: Context, input: unknown) => unknown;

/** A list as it was a moment ago; empty where what it is a list of is newer than that. */
function listed(list: (store: Store) => unknown, { store, lists }: ServiceDeps): unknown {
  try {
    return list(lists());
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    list(store);
    return { items: [], count: 0 };
  }
}

/** Runs a write. True where it deletes what does not exist and that counts as done. */
function deleting(operation: Operation, variants: Variants, write: () => void): boolean {
  try {
    write();
    return false;
  } catch (error) {
    const missing = error instanceof ServiceError && error.status === 404;
    if (missing && operation.method === 'DELETE' && variants['missing-delete'] === '204') return true;
    throw error;
  }
}

async function respondOrThrow(deps: ServiceDeps, request: ServiceRequest): Promise<ServiceResponse> {
  const user = userOf(deps.store, request.authorization);
  const [path = '', search = ''] = request.target.split(/\?(.*)/s);
  const found = route(request.method, path);
  if (found.type !== 'operation') return noOperation(found, request.method);
  const operation = operationOf(found.id);
  const { store, random, base, variants } = deps;
  const query = checkedQuery(operation, new URLSearchParams(search), variants['unknown-query']);
  const body = checkedBody(operation, {
    bytes: request.body,
    contentType: request.contentType,
    stored: (given) => storedText(given, variants),
  });
  const shared = { store, random, base, variants, user, operation: found.id };
  const before = new Context({ ...shared, now: deps.now(), prepared: { type: 'nothing' } });
  const prepared = await prepare(before, found.id, deps.fetching, { params: found.params, body });
  const now = deps.now();
  const context = new Context({ ...shared, now, prepared });
  const handler = handlers[found.id] as AnyHandler;
  const input = { params: found.params, query, body };
  let result: unknown;
  if (operation.paged && variants['list-lag'] !== '0') {
    result = listed((from) => handler(new Context({ ...shared, store: from, now, prepared }), input), deps);
  } else if (operation.method === 'GET') {
    result = handler(context, input);
  } else {
    const gone = deleting(operation, variants, () => {
      result = store.write(() => {
        purge(store, now);
        return handler(context, input);
      });
    });
    if (gone) return { status: 204, headers: {}, body: null, operation: found.id };
  }
  if (operation.response === null) {
    return { status: operation.success, headers: {}, body: null, operation: found.id };
  }
  const status = context.status ?? operation.success;
  const made =
    context.location === undefined ? createdAt(status, path, result) : { location: context.location };
  return { ...json(status, decorated(result, variants), made), operation: found.id };
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

/** Ids of tokens that were used lately: each request has one, and hashing takes longer than looking it up. */
const tokenIds = new Map<string, string>();
const tokenIdsAtMost = 100;

function idOf(token: string): string {
  const id = tokenIds.get(token) ?? tokenId(token);
  if (tokenIds.size >= tokenIdsAtMost) tokenIds.clear();
  tokenIds.set(token, id);
  return id;
}

function userOf(store: Store, authorization: string | undefined): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new ServiceError(401, 'a bearer token is required');
  const row = store.get('token', idOf(token));
  if (row === undefined) throw new ServiceError(401, 'unknown token');
  return row.user;
}
