/**
 * A copy of a store that lags behind it, for services whose lists do. What the store commits is repeated in the copy when
 * it is old enough, by the clock that is handed in.
 */
import { rowKinds } from './rows.ts';
import { indexSpace } from './search.ts';
import { Store, type StoreChange } from './store.ts';

/** Follows a store until it is closed. */
export class Replica {
  readonly #copy = new Store(':memory:');
  readonly #pending: { readonly at: number; readonly changes: readonly StoreChange[] }[] = [];
  readonly #store: Store;
  readonly #lag: number;

  /** Starts with all that the store holds. `lag` is in milliseconds. */
  constructor(store: Store, lag: number, now: () => Date) {
    this.#store = store;
    this.#lag = lag;
    this.#copy.write(() => {
      for (const kind of rowKinds) for (const row of store.every(kind)) this.#copy.put(kind, row);
      for (const space of store.every('space')) indexSpace(this.#copy, space);
      this.#copy.setMeta('secret', store.secret);
    });
    store.onCommit((changes) => this.#pending.push({ at: now().getTime(), changes }));
  }

  /** The copy as the store was `lag` before that time. */
  at(now: Date): Store {
    while (this.#pending[0] !== undefined && this.#pending[0].at + this.#lag <= now.getTime()) {
      for (const change of this.#pending.shift()?.changes ?? []) change(this.#copy);
    }
    return this.#copy;
  }

  /** Forgets the copy. */
  close(): void {
    this.#store.onCommit(undefined);
    this.#copy.close();
  }
}
