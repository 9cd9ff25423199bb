/** The embedded service: the whole documented API on this machine, over real HTTP, stored in SQLite or in memory. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Form, formOf } from '../contract/form.ts';
import { indexSpace } from './content/search.ts';
import { randomSecret } from './context.ts';
import type { FaultRule } from './faults.ts';
import { makeServer } from './http.ts';
import { sampleSeed } from './seed/sample.ts';
import { loadSeed, tokenId } from './seed/seed.ts';
import type { Seed } from './seed/seed-file.ts';
import type { ServiceDeps } from './service.ts';
import { rowKinds } from './store/rows.ts';
import { Store, type StoreChange } from './store/store.ts';
import { type Variants, variantsWith } from './variants.ts';

export { type FaultRule, faultsFile } from './faults.ts';
export { copyService } from './reads/copy.ts';
export { sampleInvite, sampleSeed } from './seed/sample.ts';
export type { Seed } from './seed/seed-file.ts';
export { readSeed } from './seed/seed-file.ts';

export interface ServiceOptions {
  /** A file path, or `:memory:`. */
  readonly data: string;
  /** Defaults to 0, which uses any free port. */
  readonly port?: number;
  /** Defaults to `127.0.0.1`. */
  readonly host?: string;
  readonly public?: boolean;
  readonly token?: string;
  /** Used for an empty store; an existing file keeps its content. */
  readonly seed?: Seed;
  readonly now?: () => Date;
  /** Source of ids, between 0 and 1. */
  readonly random?: () => number;
  readonly log?: (line: string) => void;
  readonly report?: (error: unknown) => void;
  readonly faults?: readonly FaultRule[];
  readonly allowFetch?: readonly string[];
  readonly fetchTimeoutMs?: number;
  /** Time limit for receiving a request, in milliseconds; defaults to a minute. */
  readonly requestTimeoutMs?: number;
  /** Behavior that the API document does not define; missing switches have their defaults. */
  readonly variants?: Partial<Variants>;
  readonly form?: Form;
}

export interface Service {
  /** Example: `http://127.0.0.1:4000`, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly seeded: boolean;
  readonly store: Store;
  /** Replaces all content by another seed; then has the initial variants, or the given ones. */
  reset(seed: Seed, variants?: Partial<Variants>, form?: Form): void;
  readonly variants: Variants;
  readonly form: Form;
  close(): Promise<void>;
}

/** Used if no token is given; only for this machine. */
export const defaultToken = 'octavo-local-token';

const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

/** Throws if the file is in use, the port is taken, or the host is not loopback. */
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
  // An existing file keeps the version that it was last served with.
  let form = options.form ?? formOf({ profile: store.meta('profile') ?? 'document' });
  const seeded = store.every('org').length === 0;
  let base = '';
  let variants = variantsWith(options.variants);
  let lists: ReturnType<typeof listsOf>;
  const deps = (): ServiceDeps => ({
    store,
    now,
    random,
    base,
    variants,
    form,
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
  try {
    store.setMeta('profile', form);
    if (seeded) load(options.seed ?? { organizations: [] });
    else useToken(store, token);
    lists = listsOf(store, variants, now);
    server.listen(options.port ?? 0, host);
    await once(server, 'listening');
  } catch (error) {
    store.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  base = `http://${host === '::1' ? '[::1]' : host}:${port}`;
  return {
    url: base,
    token,
    seeded,
    store,
    reset: (seed, others = options.variants, own = form) => {
      form = own;
      store.clear();
      load(seed);
      variants = variantsWith(others);
      lists.close();
      lists = listsOf(store, variants, now);
    },
    get variants() {
      return variants;
    },
    get form() {
      return form;
    },
    close: async () => {
      await stop(server);
      lists.close();
      store.close();
    },
  };
}

/** Source for reading lists: a copy that is so many milliseconds behind, if lists lag. */
export function listsOf(store: Store, variants: Variants, now: () => Date) {
  const lag = Number(variants['list-lag']);
  if (lag === 0) return { read: () => store, close: () => undefined };
  const copy = new Store(':memory:');
  const pending: { readonly at: number; readonly changes: readonly StoreChange[] }[] = [];
  copy.write(() => {
    for (const kind of rowKinds) for (const row of store.every(kind)) copy.put(kind, row);
    for (const space of store.every('space')) indexSpace(copy, space);
    copy.setMeta('secret', store.secret);
  });
  store.onCommit((changes) => pending.push({ at: now().getTime(), changes }));
  return {
    read: () => {
      while (pending[0] !== undefined && pending[0].at + lag <= now().getTime())
        for (const change of pending.shift()?.changes ?? []) change(copy);
      return copy;
    },
    close: () => {
      store.onCommit(undefined);
      copy.close();
    },
  };
}

function withoutTokens(seed: Seed): Seed {
  const organizations = seed.organizations.map((organization) => ({
    ...organization,
    members: (organization.members ?? []).map(({ token: _token, ...member }) => member),
  }));
  return { ...seed, organizations };
}

/** Sets the owner's token; former start tokens become invalid. */
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
