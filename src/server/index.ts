/** The embedded service: the whole documented API on this machine, over real HTTP, kept in SQLite or in memory. */
import type { AddressInfo } from 'node:net';
import { randomSecret } from './context.ts';
import type { FaultRule } from './faults.ts';
import { makeServer } from './http.ts';
import { brokenInvariants } from './invariants.ts';
import { Replica } from './replica.ts';
import { sampleSeed } from './sample.ts';
import { loadSeed, type Seed, tokenId } from './seed.ts';
import type { ServiceDeps } from './service.ts';
import { Store } from './store.ts';
import { type Variants, variantsWith } from './variants.ts';

export { type FaultRule, faultsFile } from './faults.ts';
export { copyService } from './reads/copy.ts';
export { sampleInvite, sampleSeed } from './sample.ts';
export type { Seed } from './seed.ts';
export { readSeed } from './seed-file.ts';

/** How the service is started. */
export interface ServiceOptions {
  /** A file, or `:memory:`. */
  readonly data: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Allows a host that others can reach. */
  readonly public?: boolean;
  /** The token of the seed's owner, an admin of every seeded organization. */
  readonly token?: string;
  /** Put into an empty store; an existing file keeps what it holds. */
  readonly seed?: Seed;
  readonly now?: () => Date;
  /** Source of ids, between 0 and 1. */
  readonly random?: () => number;
  /** Called with one line per request. */
  readonly log?: (line: string) => void;
  /** Called with internal errors. */
  readonly report?: (error: unknown) => void;
  readonly faults?: readonly FaultRule[];
  /** Hosts beside loopback that imports and specifications may be read from. */
  readonly allowFetch?: readonly string[];
  readonly fetchTimeoutMs?: number;
  /** How long a request may take to arrive; default: a minute. */
  readonly requestTimeoutMs?: number;
  /** What the service does where the API document is silent; a switch that is left out has its default. */
  readonly variants?: Partial<Variants>;
}

/** A running service. */
export interface Service {
  /** For example `http://127.0.0.1:4000`, without a slash at the end. */
  readonly url: string;
  /** The token of the seed's owner. */
  readonly token: string;
  /** True when the seed was put in; false when the file held something already. */
  readonly seeded: boolean;
  /** The store, for tests. */
  readonly store: Store;
  /** Forgets everything and puts in another seed; then has the variants that it was started with, or others. */
  reset(seed: Seed, variants?: Partial<Variants>): void;
  /** What is inconsistent in the store; nothing, ever. */
  problems(): string[];
  /** Finishes what is in flight and gives the file back. */
  close(): Promise<void>;
}

/** The token that is known when none is given, for this machine only. */
export const defaultToken = 'octavo-local-token';

const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

/** Starts the service. Throws when the file is in use, the port is taken, or the host is not loopback. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const host = options.host ?? '127.0.0.1';
  const isLocal = loopback.has(host);
  if (!isLocal && options.public !== true) {
    throw new Error(
      `${host} can be reached from other machines; the embedded service is not made for production`,
    );
  }
  const token = options.token ?? (isLocal ? defaultToken : randomSecret('octavo'));
  const now = options.now ?? (() => new Date());
  const random = options.random ?? Math.random;
  const store = new Store(options.data);
  const load = (seed: Seed) => {
    const known = isLocal || seed !== sampleSeed ? seed : withoutTokens(seed);
    loadSeed(known, { store, now: now(), random, token });
    store.checkpoint();
  };
  const seeded = store.every('org').length === 0;
  const closing = closingOnError(store);
  await closing(() => (seeded ? load(options.seed ?? { organizations: [] }) : useToken(store, token)));
  let base = '';
  let variants = variantsWith(options.variants);
  let lists = listsOf(store, variants, now);
  const deps = (): ServiceDeps => ({
    store,
    now,
    random,
    base,
    variants,
    lists: lists.read,
    fetching: {
      allowed: options.allowFetch ?? [],
      loopback: isLocal,
      timeoutMs: options.fetchTimeoutMs ?? 10_000,
    },
    report: options.report ?? (() => undefined),
  });
  const server = makeServer({
    deps,
    faults: options.faults ?? [],
    log: options.log,
    requestTimeoutMs: options.requestTimeoutMs ?? 60_000,
  });
  await closing(() => listening(server, options.port ?? 0, host));
  const { port } = server.address() as AddressInfo;
  base = `http://${host === '::1' ? '[::1]' : host}:${port}`;
  return {
    url: base,
    token,
    seeded,
    store,
    reset: (seed, others = options.variants) => {
      store.clear();
      load(seed);
      variants = variantsWith(others);
      lists.close();
      lists = listsOf(store, variants, now);
    },
    problems: () => brokenInvariants(store, variants),
    close: async () => {
      await stop(server);
      lists.close();
      store.close();
    },
  };
}

/** Runs steps of the start; gives the file back where one of them fails. */
function closingOnError(store: Store) {
  return async (step: () => void | Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      store.close();
      throw error;
    }
  };
}

/** Where lists are read: the store, or a copy of it that is made now and lags behind what is written from now on. */
function listsOf(store: Store, variants: Variants, now: () => Date) {
  const lag = Number(variants['list-lag']);
  if (lag === 0) return { read: () => store, close: () => undefined };
  const replica = new Replica(store, lag, now);
  return { read: () => replica.at(now()), close: () => replica.close() };
}

/** The seed without the tokens of its people: those of the sample are known to everybody. */
function withoutTokens(seed: Seed): Seed {
  const organizations = seed.organizations.map((organization) => ({
    ...organization,
    members: (organization.members ?? []).map(({ token: _token, ...member }) => member),
  }));
  return { ...seed, organizations };
}

/** Makes a token the owner's in a store that may know others: those that it was started with before are good no longer. */
function useToken(store: Store, token: string): void {
  const owner = store.meta('owner');
  if (owner === undefined) return;
  const own = { id: tokenId(token), org: '', user: owner, isStart: true, order: store.next() };
  store.write(() => {
    for (const former of store.children('token', owner)) {
      if (former.isStart === true) store.remove('token', former.id);
    }
    store.put('token', own);
  });
}

/** Waits for requests in flight; closes connections as soon as they are idle, and all of them after five seconds. */
async function stop(server: ReturnType<typeof makeServer>): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const patience = setTimeout(() => server.closeAllConnections(), 5000);
  await new Promise<void>((done) => {
    server.close(() => done());
    server.closeIdleConnections();
  });
  clearInterval(idle);
  clearTimeout(patience);
}

function listening(server: ReturnType<typeof makeServer>, port: number, host: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      done();
    });
  });
}
