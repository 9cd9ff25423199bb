/** The embedded service without sockets, behind a real client. */
import { createClient } from '../../src/client/client.ts';
import type { Clock } from '../../src/client/pacing.ts';
import type { Exchanges } from '../../src/client/transport.ts';
import type { Api, ServiceRequest, ServiceResponse } from '../../src/contract/api.ts';
import type { Form } from '../../src/contract/form.ts';
import { listsOf, type Service } from '../../src/server/index.ts';
import { loadSeed } from '../../src/server/seed/seed.ts';
import type { Seed } from '../../src/server/seed/seed-file.ts';
import { respond } from '../../src/server/service.ts';
import { Store } from '../../src/server/store/store.ts';
import { variantsWith } from '../../src/server/variants.ts';
import { defined } from '../../src/util/defined.ts';

export interface MemoryOptions {
  /** Form of a new service. */
  readonly form?: Form;
  /** Current time. Unit: milliseconds since 1970. */
  readonly now?: () => number;
  readonly sleep?: Clock['sleep'];
  readonly onRequest?: (request: { readonly method: string; readonly operation: string }) => void;
}

/** A service in memory. */
export interface MemoryService extends Omit<Service, 'url' | 'seeded'> {
  readonly api: Api;
  /** In place of sockets. */
  readonly exchange: Exchanges['exchange'];
  /** A client with the token of another member. */
  readonly clientOf: (token: string) => Api;
  /** The body of a plain request of the owner; undefined if it fails. */
  readonly get: (path: string) => Promise<unknown>;
  /** Method and path of each request. */
  readonly requests: string[];
  /** Returns a response that replaces that of the service, if any. */
  instead: ((request: ServiceRequest) => ServiceResponse | undefined) | undefined;
}

const token = 'octavo-memory-token';

/** Numbers between 0 and 1 for ids: distinct but deterministic. */
export function plainSequence(): () => number {
  let counter = 1;
  return () => {
    counter = (counter * 48271) % 2147483647;
    return counter / 2147483647;
  };
}

/** Starts a service with a live state. */
export function memoryService(
  seed: Seed = { organizations: [] },
  { now = () => Date.parse('2026-01-01'), sleep, onRequest, form = 'document' }: MemoryOptions = {},
): MemoryService {
  const random = plainSequence();
  const date = () => new Date(now());
  const store = new Store(':memory:');
  const load = (state: Seed) => loadSeed(state, { store, now: date(), random, token });
  load(seed);
  let lists = listsOf(store, variantsWith(), date);
  const requests: string[] = [];
  const deps = {
    store,
    now: date,
    random,
    base: 'http://localhost',
    variants: variantsWith(),
    form,
    lists: () => lists.read(),
    fetching: { allowed: [], loopback: true, timeoutMs: 1000 },
    report: (error: unknown) => {
      throw error;
    },
  };
  const exchange: Exchanges['exchange'] = async ({ method, target, headers, body = '' }) => {
    const { authorization, 'content-type': contentType } = headers;
    const request = { method, target, authorization, contentType, body: Buffer.from(body) };
    requests.push(`${method} ${target}`);
    const response = service.instead?.(request) ?? (await respond(deps, request));
    const text = response.body ?? '';
    const header = (name: string) => response.headers[name.toLowerCase()];
    return { status: response.status, header, body: text, bytes: Buffer.byteLength(text) };
  };
  const clientWith = (
    own: string,
    more: Pick<MemoryOptions, 'onRequest'> = {},
    close = (): undefined => undefined,
  ) =>
    createClient({
      baseUrl: 'http://localhost',
      token: own,
      userAgent: 'octavo-test',
      clock: { now: Date.now, random: plainSequence(), sleep: sleep ?? (() => Promise.resolve()) },
      ...more,
      transport: { exchange, close: async () => close() },
    });
  const client = clientWith(token, defined({ onRequest }), () => {
    lists.close();
    store.close();
  });
  const service: MemoryService = {
    api: client,
    exchange,
    clientOf: (own) => clientWith(own),
    get: async (path) => {
      const request = { method: 'GET', target: `/v1/${path}`, authorization: `Bearer ${token}` };
      const response = await respond(deps, { ...request, contentType: undefined, body: Buffer.alloc(0) });
      return response.status === 200 ? (JSON.parse(response.body ?? '') as unknown) : undefined;
    },
    token,
    store,
    requests,
    instead: undefined,
    get variants() {
      return deps.variants;
    },
    get form() {
      return deps.form;
    },
    reset: (state, variants, own = form) => {
      store.clear();
      load(state);
      lists.close();
      deps.variants = variantsWith(variants);
      deps.form = own;
      lists = listsOf(store, deps.variants, date);
      requests.length = 0;
    },
    close: () => client.close(),
  };
  return service;
}
