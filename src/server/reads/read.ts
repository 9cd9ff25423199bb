/** What was read of a service, and what somebody wants to send to it: what a copy of its state is made from. */
import type { OperationId } from '../../contract/index.ts';

/** One read with its response. */
export interface ServiceRead {
  readonly operation: OperationId;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  /** The checked body; the items of all pages of a list. Absent where there is no such object. */
  readonly response?: unknown;
}

/** A request that is going to be sent. What is no string is not known yet. */
export interface IntendedCall {
  readonly operation: OperationId;
  readonly params: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Something that no read shows and that the copy takes to be as the requests need it. */
export interface Assumption {
  /** For example `space sp_guide`. */
  readonly what: string;
  readonly reason: string;
}

/** All reads, by operation. */
export class ServiceReads {
  readonly #byOperation = new Map<OperationId, ServiceRead[]>();

  constructor(reads: readonly ServiceRead[]) {
    for (const read of reads) {
      const known = this.#byOperation.get(read.operation);
      if (known === undefined) this.#byOperation.set(read.operation, [read]);
      else known.push(read);
    }
  }

  /** The reads of an operation that found something. */
  of(operation: OperationId): readonly ServiceRead[] {
    return (this.#byOperation.get(operation) ?? []).filter(({ response }) => response !== undefined);
  }

  /** The objects that operations showed, each with the parameters of its read: those of lists, or the one that was asked for. */
  objects<T>(...operations: readonly OperationId[]): readonly Shown<T>[] {
    const found = operations.flatMap((operation) => this.of(operation));
    return found.flatMap(({ params, response }) =>
      (Array.isArray(response) ? response : [response]).map((remote, rank) => ({
        params,
        remote: remote as T,
        rank,
      })),
    );
  }

  /** True when a list was read as a whole: what is not in it is not there. */
  hasWhole(operation: OperationId, params: Readonly<Record<string, string>>): boolean {
    return this.of(operation).some(
      (read) =>
        Object.keys(read.query ?? {}).length === 0 &&
        Object.entries(params).every(([name, value]) => read.params[name] === value),
    );
  }

  /** True when an object was asked for, and there was none. */
  isAbsent(operation: OperationId, param: string, id: string): boolean {
    const reads = this.#byOperation.get(operation) ?? [];
    return reads.some(({ params, response }) => response === undefined && params[param] === id);
  }
}

/** An object as a read showed it; `rank` is its place in the list. */
interface Shown<T> {
  readonly params: Readonly<Record<string, string>>;
  readonly remote: T;
  readonly rank: number;
}
