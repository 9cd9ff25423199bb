/** The embedded service without sockets, behind a real client: hundreds of live states are looked at in the time of a few. */
import { createClient } from '../../src/client/client.ts';
import { type Abilities, presets } from '../../src/contract/abilities.ts';
import type { Api } from '../../src/contract/api.ts';
import { loadSeed } from '../../src/server/seed.ts';
import type { Seed } from '../../src/server/seed-file.ts';
import { respond, type ServiceRequest, type ServiceResponse } from '../../src/server/service.ts';
import { Store } from '../../src/server/store.ts';
import { type Variants, variantsWith } from '../../src/server/variants.ts';

/** A service in memory. */
export interface MemoryService {
  readonly api: Api;
  readonly store: Store;
  /** Method and path of each request. */
  readonly requests: string[];
  /** Answers in place of the service, where it answers at all. */
  instead: ((request: ServiceRequest) => ServiceResponse | undefined) | undefined;
  /** Puts another live state in place of the one that there is. */
  reset(seed: Seed, variants?: Partial<Variants>, abilities?: Abilities): void;
  close(): Promise<void>;
}

const token = 'octavo-memory-token';

/** Starts a service with a live state. */
export function memoryService(seed: Seed = { organizations: [] }): MemoryService {
  let counter = 1;
  const random = () => {
    counter = (counter * 48271) % 2147483647;
    return counter / 2147483647;
  };
  const now = () => new Date('2026-01-01T00:00:00Z');
  const store = new Store(':memory:');
  const load = (state: Seed) => loadSeed(state, { store, now: now(), random, token });
  load(seed);
  const requests: string[] = [];
  const deps = {
    store,
    now,
    random,
    base: 'http://localhost',
    variants: variantsWith(),
    abilities: presets.document as Abilities,
    lists: () => store,
    fetching: { allowed: [], loopback: true, timeoutMs: 1000 },
    report: (error: unknown) => {
      throw error;
    },
  };
  const client = createClient({
    baseUrl: 'http://localhost',
    token,
    userAgent: 'octavo-test',
    clock: { now: Date.now, random, sleep: () => Promise.resolve() },
    transport: {
      exchange: async ({ method, target, headers, body = '' }) => {
        const { authorization, 'content-type': contentType } = headers;
        const request = { method, target, authorization, contentType, body: Buffer.from(body) };
        requests.push(`${method} ${target}`);
        const response = service.instead?.(request) ?? (await respond(deps, request));
        const text = response.body ?? '';
        const header = (name: string) => response.headers[name.toLowerCase()];
        return { status: response.status, header, body: text, bytes: Buffer.byteLength(text) };
      },
      close: async () => store.close(),
    },
  });
  const service: MemoryService = {
    api: client,
    store,
    requests,
    instead: undefined,
    reset: (state, variants, abilities = presets.document) => {
      store.clear();
      load(state);
      deps.variants = variantsWith(variants);
      deps.abilities = abilities;
      requests.length = 0;
    },
    close: () => client.close(),
  };
  return service;
}
