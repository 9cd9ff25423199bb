/** Puts rows into an empty store that shall look like another service. A second row under a unique value is left out. */
import { columns, type RowKind, type Rows } from '../rows.ts';
import type { Store } from '../store.ts';
import type { ServiceReads } from './read.ts';

/** Who calls the copy: an administrator whom no list of members shows. */
export const callerId = 'user_rehearsal';

/** Optional fields of a response: absent where the response has null or nothing. */
type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** What the parts of loading share. */
export class Loader {
  readonly store: Store;
  readonly reads: ServiceReads;
  /** For what has no time of its own, ISO 8601. */
  readonly at: string;
  readonly #organizations = new Set<string>();

  constructor(store: Store, reads: ServiceReads, now: Date) {
    this.store = store;
    this.reads = reads;
    this.at = now.toISOString();
  }

  /** Puts a row; what has no order comes after all that was put before. */
  readonly put = <K extends RowKind>(
    kind: K,
    row: Omit<Rows[K], 'order'> & { readonly order?: number },
  ): void => {
    const whole = { ...row, order: row.order ?? this.store.next() } as Rows[K];
    const { scope, key } = columns[kind](whole);
    const other = scope === undefined || key === undefined ? undefined : this.store.find(kind, scope, key);
    if (other === undefined || other.id === row.id) this.store.put(kind, whole);
    if (row.org !== '') this.#meet(row.org);
  };

  /** Lets the caller into an organization: what was read, they may see, and what the plan wants, they may try. */
  #meet(org: string): void {
    if (this.#organizations.has(org)) return;
    this.#organizations.add(org);
    this.store.put('member', {
      id: `${org}/${callerId}`,
      // Filed under no organization, no list has them and they are nobody's last admin.
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

  /** The organizations that were met. */
  get organizations(): readonly string[] {
    return [...this.#organizations];
  }
}

/** The fields of a response that have a value, under the same names. */
export function present<T extends object, K extends keyof T>(
  remote: T,
  names: readonly K[],
): Present<Pick<T, K>> {
  const entries = names.flatMap((name) => {
    const value = remote[name];
    return value === null || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries) as Present<Pick<T, K>>;
}
