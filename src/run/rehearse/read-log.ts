/** Keeps the reads of a plan, so that it can be rehearsed on a copy of the service. Makes no extra requests. */
import { type Api, type ApiInput, hasStatus, type ServiceRead } from '../../contract/api.ts';
import { type OperationId, operations } from '../../contract/index.ts';
import { defined } from '../../util/defined.ts';

export class ReadLog {
  #reads: ServiceRead[] = [];

  get reads(): readonly ServiceRead[] {
    return this.#reads;
  }

  begin(api: Api): Api {
    const reads: ServiceRead[] = [];
    this.#reads = reads;
    const keep = async <T>(
      operation: OperationId,
      { params = {}, query }: ApiInput,
      read: () => Promise<T>,
    ): Promise<T> => {
      if (operations[operation].method !== 'GET') return read();
      const request = { operation, params, ...defined({ query }) };
      try {
        const response = await read();
        reads.push({ ...request, response });
        return response;
      } catch (error) {
        if (hasStatus(error, 404)) reads.push(request);
        throw error;
      }
    };
    return {
      send: (operation, input) => keep(operation, input, () => api.send(operation, input)),
      all: (operation, input) => keep(operation, input, () => api.all(operation, input)),
    };
  }
}
