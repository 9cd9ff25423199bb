import type { ServiceRead } from '../../contract/api.ts';
import type { OperationId, OperationOutput } from '../../contract/index.ts';
import { push } from '../../util/group.ts';
import type { RowKind, Rows } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** An object that no read returned, but that must exist for the requests. */
export interface Assumption {
  readonly what: string;
  readonly reason: string;
}

/** The response to an operation, or an object in it. */
type ReadObject<Id extends OperationId> = Id extends OperationId ? ObjectIn<OperationOutput<Id>> : never;
type ObjectIn<T> = T extends { items: readonly (infer Item)[] } | readonly (infer Item)[] ? Item : T;

export class ServiceReads {
  readonly #byOperation = new Map<OperationId, ServiceRead[]>();

  constructor(reads: readonly ServiceRead[]) {
    for (const read of reads) push(this.#byOperation, read.operation, read);
  }

  of(operation: OperationId): readonly ServiceRead[] {
    return (this.#byOperation.get(operation) ?? []).filter(({ response }) => response !== undefined);
  }

  objects<Id extends OperationId>(...operations: readonly Id[]) {
    const found = operations.flatMap((operation) => this.of(operation));
    return found.flatMap(({ params, response }) => {
      const remotes = (Array.isArray(response) ? response : [response]) as readonly ReadObject<Id>[];
      return remotes.map((remote, rank) => ({ params, org: params.organizationId ?? '', remote, rank }));
    });
  }

  /** True if the list was read completely: missing objects do not exist. */
  hasWhole(operation: OperationId, params: Readonly<Record<string, string>>): boolean {
    return this.of(operation).some(
      (read) =>
        Object.keys(read.query ?? {}).length === 0 &&
        Object.entries(params).every(([name, value]) => read.params[name] === value),
    );
  }

  isAbsent(operation: OperationId, param: string, id: string): boolean {
    const reads = this.#byOperation.get(operation) ?? [];
    return reads.some(({ params, response }) => response === undefined && params[param] === id);
  }
}

export const callerId = 'user_rehearsal';

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

export class Loader {
  readonly store: Store;
  readonly reads: ServiceReads;
  /** Time for objects that do not have one, as ISO 8601. */
  readonly at: string;
  readonly #organizations = new Set<string>();

  constructor(store: Store, reads: ServiceReads, now: Date) {
    this.store = store;
    this.reads = reads;
    this.at = now.toISOString();
  }

  /** A row without an order is sorted after all earlier rows. */
  readonly put = <K extends RowKind>(
    kind: K,
    row: Omit<Rows[K], 'order'> & { readonly order?: number },
  ): void => {
    const whole = { ...row, order: row.order ?? this.store.next() } as Rows[K];
    if (this.store.rival(kind, whole) === undefined) this.store.put(kind, whole);
    if (row.org !== '') this.#meet(row.org);
  };

  #meet(org: string): void {
    if (this.#organizations.has(org)) return;
    this.#organizations.add(org);
    this.store.put('member', {
      id: `${org}/${callerId}`,
      // The empty organization keeps them out of lists and out of the check for the last admin.
      org: '',
      user: callerId,
      role: 'admin',
      displayName: '',
      email: '',
      disabled: false,
      joinedAt: this.at,
      sso: true,
      teams: 0,
      order: 0,
    });
  }

  get organizations(): readonly string[] {
    return [...this.#organizations];
  }
}

export function present<T extends object, K extends keyof T>(remote: T, names: readonly K[]) {
  const entries = names.flatMap((name) => {
    const value = remote[name];
    return value === null || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries) as Present<Pick<T, K>>;
}
