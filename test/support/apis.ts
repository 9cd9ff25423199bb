/** Wrappers of a harness's API with the faults of real services. */
import { type Api, ApiError } from '../../src/contract/api.ts';
import { type OperationId, operations } from '../../src/contract/index.ts';
import { isRecord } from '../../src/util/json.ts';

/** Lists without a meaningful order. */
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

/** Returns a number below the given one. */
export type Choose = (count: number) => number;

/** The items in a chosen order. */
export function shuffled<T>(items: readonly T[], choose: Choose): readonly T[] {
  return items
    .map((item) => ({ item, key: choose(1000) }))
    .sort((left, right) => left.key - right.key)
    .map(({ item }) => item);
}

/** Returns lists without a meaningful order in any order. */
export function answeringInAnyOrder(api: Api, choose: Choose): Api {
  return {
    send: (operation, input) => api.send(operation, input),
    all: async (operation, input) => {
      const items = await api.all(operation, input);
      return unordered.has(operation) ? shuffled(items, choose) : items;
    },
  };
}

/** Passes some writes, then fails each one before it is sent, or loses its response after it took effect. */
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

/** The error of a request that the service answers with a status. */
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

/** Lists show a write only after a number of list reads, as real services do for a moment. */
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

/** The error of a request whose response was lost. */
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

/** Hides objects from `reader`, who does not administer the organization, or from an administrator whose single reads are refused. */
export function hiding(api: Api, isHidden: (id: string) => boolean, who: 'reader' | 'admin'): Api {
  const isOut = (item: unknown): boolean =>
    isRecord(item) &&
    ((typeof item.id === 'string' && isHidden(item.id)) || isOut(item.user) || isOut(item.team));
  /** Removes references to hidden objects from responses. */
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
