/** APIs that behave as real ones do on a bad day, around the one of a harness. */
import { type Api, ApiError } from '../../src/contract/api.ts';
import { type OperationId, operations } from '../../src/contract/index.ts';
import { isRecord } from '../../src/util/json.ts';

/** Lists whose order means nothing. */
const unordered: ReadonlySet<OperationId> = new Set<OperationId>([
  'teams.list',
  'teams.listMembers',
  'members.list',
  'customFields.list',
  'saml.list',
  'collections.list',
  'openapi.list',
  'translations.list',
  'sites.list',
  'shareLinks.list',
  'spaces.list',
]);

/** Picks a number below the given one. */
export type Choose = (count: number) => number;

/** The items in an order that is chosen. */
export function shuffled<T>(items: readonly T[], choose: Choose): readonly T[] {
  return items
    .map((item) => ({ item, key: choose(1000) }))
    .sort((left, right) => left.key - right.key)
    .map(({ item }) => item);
}

/** Answers lists whose order means nothing in any order. */
export function answeringInAnyOrder(api: Api, choose: Choose): Api {
  return {
    send: (operation, input) => api.send(operation, input),
    all: async (operation, input) => {
      const items = await api.all(operation, input);
      return unordered.has(operation) ? shuffled(items, choose) : items;
    },
  };
}

/** Lets some writes through, then breaks each: before it is sent, or after it took effect and the answer is lost. */
export function breakingOff(api: Api, last: number, took: boolean): Api {
  let writes = 0;
  const broken = (operation: OperationId) =>
    new ApiError('the connection broke', {
      type: 'connection',
      operation,
      method: operations[operation].method,
      path: operations[operation].path,
      attempt: 1,
      mayHaveHappened: took,
    });
  return {
    all: (operation, input) =>
      writes > last ? Promise.reject(broken(operation)) : api.all(operation, input),
    send: async (operation, input) => {
      writes += 1;
      if (writes <= last) return api.send(operation, input);
      if (writes === last + 1 && took) await api.send(operation, input);
      throw broken(operation);
    },
  };
}

/** The error of a call that the service answers with a status. */
export function refusal(operation: OperationId, status = 400): ApiError {
  return new ApiError(`${operation} failed with status ${status}`, {
    type: 'status',
    operation,
    method: operations[operation].method,
    path: operations[operation].path,
    status,
    attempt: 1,
    mayHaveHappened: false,
  });
}

/** Lists show what was written only after some more reads of any list, as lists of real services do for a moment. */
export function lagging(api: Api, reads: number): Api {
  const shown = new Map<string, { readonly stale: readonly unknown[]; left: number }>();
  const current = new Map<string, readonly unknown[]>();
  const keyOf = (operation: OperationId, input: unknown) => JSON.stringify([operation, input]);
  return {
    send: async (operation, input) => {
      if (operations[operation].method !== 'GET')
        for (const [key, stale] of current) shown.set(key, { stale, left: reads });
      return api.send(operation, input);
    },
    all: async (operation, input) => {
      const key = keyOf(operation, input);
      const known = shown.get(key);
      if (known !== undefined && known.left > 0) {
        known.left -= 1;
        return known.stale;
      }
      const items = await api.all(operation, input);
      current.set(key, items);
      return items;
    },
  };
}

/** The error of a call whose response was lost. */
export function lost(operation: OperationId): ApiError {
  return new ApiError('the connection broke', {
    type: 'connection',
    operation,
    method: operations[operation].method,
    path: operations[operation].path,
    attempt: 1,
    mayHaveHappened: true,
  });
}

/** Shows nothing of some objects: `reader`, who does not administer the organization, or an administrator whom single reads refuse. */
export function hiding(api: Api, isHidden: (id: string) => boolean, who: 'reader' | 'admin'): Api {
  const isOut = (item: unknown): boolean =>
    isRecord(item) &&
    ((typeof item.id === 'string' && isHidden(item.id)) || isOut(item.user) || isOut(item.team));
  /** Responses show nothing of hidden objects that they refer to. */
  const without = (item: unknown): unknown =>
    isRecord(item) ? Object.fromEntries(Object.entries(item).filter(([, value]) => !isOut(value))) : item;
  return {
    all: async (operation, input) => {
      const items = await api.all(operation, input);
      if (who === 'admin' || operation === 'orgs.list') return items;
      return items.filter((item) => !isOut(item)).map(without);
    },
    send: async (operation, input) => {
      const { method, params } = operations[operation];
      const own = params.at(-1);
      const id = own === undefined ? undefined : input.params?.[own];
      if (method === 'GET' && operation !== 'orgs.get' && id !== undefined && isHidden(id))
        throw refusal(operation, who === 'reader' ? 404 : 403);
      const answer = await api.send(operation, input);
      return operation === 'orgs.get' && who === 'reader' && isRecord(answer)
        ? { ...answer, permissions: { view: true, admin: false } }
        : answer;
    },
  } as Api;
}
