/** Reads lists that must not be older than the question. Concurrent questions share one request. */
import type { Api } from '../contract/api.ts';
import { type OperationId, operations } from '../contract/index.ts';
import type { Fields } from '../kinds/parts/payload.ts';
import { defined } from '../util/defined.ts';
import { picked } from '../util/picked.ts';
import { rememberedIn } from '../util/remembered.ts';

export type ListParams = Readonly<Record<string, string>>;

/** Parameters that the list does not take are ignored. */
export interface ListQuestion {
  readonly operation: OperationId;
  readonly params: ListParams;
  readonly query: Fields | undefined;
}

interface SharedList {
  answered: number;
  items: readonly unknown[];
  running?: Promise<readonly unknown[]> | undefined;
  next?: Promise<readonly unknown[]> | undefined;
}

export class FreshLists {
  readonly #api: Api;
  readonly #trustFor: number;
  readonly #lists = new Map<string, SharedList>();

  /** `trustFor`: number of questions that one read of a list, or the plan's, may answer. */
  constructor(api: Api, trustFor = 0) {
    this.#api = api;
    this.#trustFor = trustFor;
  }

  /** Returns the items as they are after this question, or nearly so if trusted. `key`: equal for questions to the same list. */
  read(key: string, { operation, params, query }: ListQuestion): Promise<readonly unknown[]> {
    const shared = rememberedIn<string, SharedList>(this.#lists, key, () => ({ answered: 0, items: [] }));
    shared.answered += 1;
    if (shared.answered <= this.#trustFor) return Promise.resolve(shared.items);
    shared.answered = 1;
    const input = { params: paramsOf(params, operation), ...defined({ query }) };
    const start = () => {
      shared.next = undefined;
      shared.running = this.#api.all(operation, input).finally(() => {
        shared.running = undefined;
      });
      return shared.running.then((items) => {
        shared.items = items;
        return items;
      });
    };
    if (shared.running === undefined) return start();
    // A read in flight may have begun before the question.
    shared.next ??= shared.running.then(start, start);
    return shared.next;
  }
}

export function paramsOf(params: ListParams, operation: OperationId): ListParams {
  const names: readonly string[] = operations[operation].params;
  return defined(picked(params, ...names));
}
