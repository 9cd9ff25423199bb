import { userError } from '../util/user-error.ts';

export interface ServiceIdentity {
  /** Identical for the same service. */
  readonly service: string;
  /** Name in the checkout, if the checkout chose a service on this machine. */
  readonly embedded?: string;
}

/**
 * True unless the names prove different services: an embedded service is only named by its file, and may be served on this machine
 * at any port.
 *
 *   local:x.db, http://127.0.0.1:4801              may be one
 *   local:stage.db, local:prod.db                  two
 *   http://127.0.0.1:4801, http://127.0.0.1:4802   two
 */
export function mayBeSameService(one: string | undefined, other: string | undefined): boolean {
  if (one === other) return true;
  const isServed = (name = '') => /^https?:\/\/(?:127\.[\d.]+|localhost|\[::1\])(?:[:/]|$)/.test(name);
  const isFile = (name = '') => name.startsWith('local');
  return (isFile(one) && isServed(other)) || (isServed(one) && isFile(other));
}

/** Equal ids and values do not prove that services are the same. */
export function requireSameService(
  what: string,
  service: string | undefined,
  { here, wayOut }: { readonly here: Partial<ServiceIdentity> | undefined; readonly wayOut: string },
): void {
  if (here === undefined || mayBeSameService(service, here.service)) return;
  const name = (one = 'no service') => JSON.stringify(one);
  const message = `${what} is of ${name(service)}, and this run is against ${name(here.service)}`;
  throw userError('other-service', message, wayOut);
}

export const planAgain = 'plan again for this service, or name the other one with --base-url';
