/**
 * Handles requests: finds the caller and the operation, validates the input, then runs the handler in one transaction. Independent of
 * sockets.
 */
import type { ServiceRequest, ServiceResponse } from '../contract/api.ts';
import { type Form, isLacking } from '../contract/form.ts';
import { type Operation, type OperationId, operationIds, operationOf } from '../contract/index.ts';
import { grouped } from '../util/group.ts';
import { compareTexts } from '../util/lists.ts';
import { rememberedIn } from '../util/remembered.ts';
import { purge } from './content/content.ts';
import type { FetchRules } from './content/importing.ts';
import { Context } from './context.ts';
import { diskError, errorBody, invalid, ServiceError } from './errors.ts';
import type { Handlers } from './handler.ts';
import { accessHandlers } from './handlers/access.ts';
import { auditHandlers, organizationIn, recordChange } from './handlers/audit.ts';
import { changeRequestHandlers } from './handlers/change-requests.ts';
import { collectionHandlers } from './handlers/collections.ts';
import { commentHandlers } from './handlers/comments.ts';
import { changeRequestContentHandlers, spaceContentHandlers } from './handlers/content.ts';
import { customFieldHandlers, translationHandlers } from './handlers/custom-fields.ts';
import { customizationHandlers } from './handlers/customization.ts';
import { memberHandlers, ssoHandlers } from './handlers/members.ts';
import { openapiHandlers } from './handlers/openapi.ts';
import { organizationHandlers } from './handlers/organizations.ts';
import { redirectHandlers } from './handlers/redirects.ts';
import {
  sectionGroupHandlers,
  sectionHandlers,
  siteSpaceHandlers,
  structureHandlers,
} from './handlers/site-structure.ts';
import { shareLinkHandlers, siteHandlers } from './handlers/sites.ts';
import { spaceHandlers } from './handlers/spaces.ts';
import { teamHandlers } from './handlers/teams.ts';
import { prepare } from './preparing.ts';
import { tokenId } from './seed/seed.ts';
import type { Store } from './store/store.ts';
import { checkedBody, checkedQuery } from './validate.ts';
import { decorated, storedText } from './variant-text.ts';
import type { Variants } from './variants.ts';

export interface ServiceDeps {
  readonly store: Store;
  readonly now: () => Date;
  readonly random: () => number;
  readonly base: string;
  readonly fetching: FetchRules;
  readonly variants: Variants;
  readonly form: Form;
  readonly lists: () => Store;
  readonly report: (error: unknown) => void;
}

export function operationOfRequest(method: string, target: string): OperationId | undefined {
  try {
    const found = route(method, target.replace(/[?#].*$/s, ''));
    return found.type === 'operation' ? found.id : undefined;
  } catch {
    return undefined;
  }
}

export async function respond(deps: ServiceDeps, request: ServiceRequest): Promise<ServiceResponse> {
  try {
    return await respondOrThrow(deps, request);
  } catch (error) {
    if (error instanceof ServiceError) {
      const headers: Record<string, string> = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
      const status = error.status === 409 ? Number(deps.variants['conflict-status']) : error.status;
      return json(status, errorBody(status, error.message), headers);
    }
    deps.report(error);
    const { status, message } = diskError(error) ?? new ServiceError(500, 'internal error');
    return json(status, errorBody(status, message));
  }
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): ServiceResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

/** Reads a list from a lagging copy; empty if its parent is newer than the copy. */
function listed(list: (store: Store) => unknown, { store, lists }: ServiceDeps): unknown {
  try {
    return list(lists());
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    list(store);
    return { items: [], count: 0 };
  }
}

/** Returns true if the delete of a missing object counts as a success. */
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
  if (found.type === 'unknown') throw new ServiceError(404, 'path not found');
  if (found.type !== 'operation') {
    const allow = found.methods.join(', ');
    return json(405, errorBody(405, `method ${request.method} is not allowed`), { allow });
  }
  const { store, random, base, variants, form } = deps;
  const operation = operationUnder(form, found.id);
  const query = checkedQuery(operation, new URLSearchParams(search), variants['unknown-query']);
  const body = checkedBody(operation, request, (given) => storedText(given, variants));
  const shared = { store, random, base, variants, form, user, operation: found.id };
  const before = new Context({ ...shared, now: deps.now(), prepared: { type: 'nothing' } });
  const prepared = await prepare(before, found.id, deps.fetching, { params: found.params, body });
  const now = deps.now();
  const context = new Context({ ...shared, now, prepared });
  const handler = handlers[found.id] as (context: Context, input: unknown) => unknown;
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
        const { params } = found;
        const org = organizationIn(context, params);
        const made = handler(context, input);
        if (form === '2026') recordChange(context, { path: operation.path, params }, org, made);
        return made;
      });
    });
    if (gone) return { status: 204, headers: {}, body: null, operation: found.id };
  }
  const status = context.status ?? operation.success;
  if (operation.response === null) return { status, headers: {}, body: null, operation: found.id };
  const made =
    context.location === undefined ? createdAt(status, path, result) : { location: context.location };
  return { ...json(status, decorated(result, variants), made), operation: found.id };
}

/** A missing operation returns the same 404 as an unknown path. */
function operationUnder(form: Form, id: OperationId): Operation {
  const operation = operationOf(id);
  const { needs, newer } = operation;
  if (isLacking(form, needs)) throw new ServiceError(404, 'path not found');
  return newer !== undefined && !isLacking(form, newer.needs)
    ? { ...operation, body: newer.body }
    : operation;
}

function createdAt(status: number, path: string, result: unknown): Record<string, string> {
  if (status !== 201) return {};
  const { id, urls } = result as { id?: string; urls?: { location?: string } };
  if (urls?.location !== undefined) return { location: urls.location };
  return id === undefined ? {} : { location: `${path}/${encodeURIComponent(id)}` };
}

/** Hashes of recently used tokens: each request has a token, and hashing is slow. */
const tokenIds = new Map<string, string>();
const tokenIdsAtMost = 100;

function userOf(store: Store, authorization: string | undefined): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new ServiceError(401, 'a bearer token is required');
  if (tokenIds.size >= tokenIdsAtMost) tokenIds.clear();
  const row = store.get(
    'token',
    rememberedIn(tokenIds, token, () => tokenId(token)),
  );
  if (row === undefined) throw new ServiceError(401, 'unknown token');
  return row.user;
}

const handlers: Handlers = {
  ...collectionHandlers,
  ...spaceHandlers,
  ...spaceContentHandlers,
  ...changeRequestHandlers,
  ...changeRequestContentHandlers,
  ...commentHandlers,
  ...organizationHandlers,
  ...memberHandlers,
  ...teamHandlers,
  ...siteHandlers,
  ...sectionHandlers,
  ...sectionGroupHandlers,
  ...structureHandlers,
  ...siteSpaceHandlers,
  ...shareLinkHandlers,
  ...redirectHandlers,
  ...customizationHandlers,
  ...accessHandlers,
  ...customFieldHandlers,
  ...ssoHandlers,
  ...openapiHandlers,
  ...translationHandlers,
  ...auditHandlers,
};

type Route =
  | { readonly type: 'operation'; readonly id: OperationId; readonly params: Record<string, string> }
  | { readonly type: 'wrong-method'; readonly methods: readonly string[] }
  | { readonly type: 'unknown' };

const placeholder = '{}';

/** Operations by path. Sorted, so that literal segments come before placeholders: `latest` is never an id. */
const paths = [...grouped(operationIds, (id) => operationOf(id).path.replace(/\{\w+\}/g, placeholder))]
  .sort(([one], [other]) => compareTexts(one, other))
  .map(([path, ids]) => ({ segments: path.slice(1).split('/'), ids }));

function route(method: string, path: string): Route {
  const given = path.slice(1).split('/');
  const fits = (segment: string, at: number) =>
    segment === given[at] || (segment === placeholder && given[at] !== '');
  const found = paths.find(({ segments }) => segments.length === given.length && segments.every(fits));
  if (found === undefined) return { type: 'unknown' };
  const { segments, ids } = found;
  const id = ids.find((one) => operationOf(one).method === method);
  if (id === undefined) return { type: 'wrong-method', methods: ids.map((one) => operationOf(one).method) };
  const values = given.filter((_, at) => segments[at] === placeholder).map(decode);
  const params = Object.fromEntries(operationOf(id).params.map((name, at) => [name, values[at] ?? '']));
  return { type: 'operation', id, params };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalid(`the path segment "${segment}" is not valid percent-encoding`);
  }
}
