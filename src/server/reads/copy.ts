/**
 * A copy of a service in memory, made from what was read of it: the same objects with the same ids, in the same order. It
 * speaks to nobody: no sockets, nothing is fetched.
 */
import { randomSecret } from '../context.ts';
import { tokenId } from '../seed.ts';
import { respond, type ServiceRequest, type ServiceResponse } from '../service.ts';
import { Store } from '../store.ts';
import { variantsWith } from '../variants.ts';
import { assumeNamed } from './assumptions.ts';
import { loadContent } from './content.ts';
import { callerId, Loader } from './loader.ts';
import { loadPeople } from './people.ts';
import { type Assumption, type IntendedCall, type ServiceRead, ServiceReads } from './read.ts';
import { loadSettings } from './settings.ts';
import { loadSites } from './sites.ts';

/** What a copy is made from. */
export interface CopySource {
  readonly reads: readonly ServiceRead[];
  /** The requests that the copy has to take. */
  readonly calls: readonly IntendedCall[];
  readonly now: () => Date;
  /** Source of ids, between 0 and 1. */
  readonly random: () => number;
  /** The error to throw where the store cannot be opened; a plain one by default. */
  readonly refuse?: (reason: string) => Error;
}

/** A running copy. */
export interface ServiceCopy {
  /** The only token that it knows. */
  readonly token: string;
  /** What it takes to be there without having seen it. */
  readonly assumptions: readonly Assumption[];
  /** Answers a request. Throws what is no answer: a fault of the copy itself. */
  respond(request: ServiceRequest): Promise<ServiceResponse>;
  close(): void;
}

/** Makes a copy. Where the API document leaves something open, it takes what most services take. */
export function copyService({ reads, calls, now, random, refuse }: CopySource): ServiceCopy {
  const store = openStore(refuse);
  const token = randomSecret('rehearsal');
  const loader = new Loader(store, new ServiceReads(reads), now());
  const assumptions = store.write(() => {
    store.put('user', { id: callerId, org: '', email: callerId, displayName: '', order: 0 });
    store.put('token', { id: tokenId(token), org: '', user: callerId, order: 0 });
    loadPeople(loader);
    loadSettings(loader);
    loadContent(loader);
    loadSites(loader);
    return assumeNamed(loader, calls);
  });
  let fault: unknown;
  const deps = {
    store,
    now,
    random,
    base: 'http://localhost',
    // What a service accepts somewhere is no reason to call a plan impossible.
    variants: variantsWith({ 'sso-without-provider': '200' }),
    lists: () => store,
    fetching: { allowed: [], loopback: false, timeoutMs: 0 },
    report: (error: unknown) => {
      fault = error;
    },
  };
  return {
    token,
    assumptions,
    respond: async (request) => {
      const response = await respond(deps, request);
      if (fault !== undefined) throw fault;
      return response;
    },
    close: () => store.close(),
  };
}

function openStore(refuse: CopySource['refuse'] = (reason) => new Error(reason)): Store {
  try {
    return new Store(':memory:');
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
}
