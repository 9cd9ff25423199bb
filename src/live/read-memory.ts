/**
 * Stores responses to reads of the live state, so that unchanged objects need not be read again, and a plan can be rehearsed on a copy
 * of what it read. The caller decides which reads may be recalled.
 */
import { type Api, type ApiError, type ApiInput, hasStatus, type ServiceRead } from '../contract/api.ts';
import { type OperationId, operations } from '../contract/index.ts';
import { defined } from '../util/defined.ts';

type Answer = { readonly input: ApiInput; readonly operation: OperationId } & (
  | { readonly value: unknown }
  | { readonly missing: ApiError }
);

export class ReadMemory {
  readonly #answers = new Map<string, Answer>();

  /** The last response to each read. */
  get reads(): readonly ServiceRead[] {
    return [...this.#answers.values()].map(({ operation, input: { params = {}, query }, ...answer }) => ({
      ...{ operation, params, ...defined({ query }) },
      ...('value' in answer && { response: answer.value }),
    }));
  }

  /** Forgets all before it: objects may no longer exist. */
  begin(api: Api): Api {
    this.#answers.clear();
    return this.fresh(api);
  }

  fresh(api: Api): Api {
    return {
      send: (operation, input) => this.#keep(operation, input, () => api.send(operation, input)),
      all: async (operation, input) =>
        (await this.#keep(operation, input, () => api.all(operation, input))) as readonly unknown[],
    };
  }

  /** Answers from memory if the same request was sent before; otherwise sends it. */
  recalled(api: Api): Api {
    const fresh = this.fresh(api);
    const recall = <T>(operation: OperationId, input: ApiInput, send: () => Promise<T>): Promise<T> => {
      const answer = this.#answers.get(nameOf(operation, input));
      if (answer === undefined) return send();
      return 'missing' in answer ? Promise.reject(answer.missing) : Promise.resolve(answer.value as T);
    };
    return {
      send: (operation, input) => recall(operation, input, () => fresh.send(operation, input)),
      all: (operation, input) => recall(operation, input, () => fresh.all(operation, input)),
    };
  }

  async #keep<T>(operation: OperationId, input: ApiInput, send: () => Promise<T>): Promise<T> {
    if (operations[operation].method !== 'GET') return send();
    const name = nameOf(operation, input);
    // If the read fails, the former response is no longer valid.
    this.#answers.delete(name);
    try {
      const value = await send();
      this.#answers.set(name, { operation, input, value });
      return value;
    } catch (error) {
      if (hasStatus(error, 404)) this.#answers.set(name, { operation, input, missing: error });
      throw error;
    }
  }
}

function nameOf(operation: OperationId, { params, query }: ApiInput): string {
  return JSON.stringify([operation, params, query]);
}
