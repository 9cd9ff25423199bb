/** Injected faults, for tests. Off unless rules are given. */
import * as z from 'zod';
import { type OperationId, operationOf } from '../contract/index.ts';

/** The first rule that matches a request applies. */
const faultRule = z.strictObject({
  type: z.enum(['latency', 'status', 'lost-response', 'reset', 'truncate', 'stale-lists']),
  /** Names of operations, with `*` for any part: `sites.*`. Defaults to all. */
  operations: z.array(z.string()).optional(),
  only: z.enum(['reads', 'writes']).optional(),
  /** Probability for each request; defaults to 1. */
  probability: z.number().min(0).max(1).optional(),
  skip: z.number().int().min(0).optional(),
  times: z.number().int().min(0).optional(),
  /** Used by `latency` and `stale-lists`. */
  milliseconds: z.number().min(0).max(600_000).optional(),
  /** Used by `status`; defaults to 503. The request has no effect. */
  status: z.number().int().min(202).max(599).optional(),
  /** Used by `status`: the Retry-After header, in one of its two forms. */
  retryAfter: z.strictObject({ form: z.enum(['seconds', 'date']), seconds: z.number().min(0) }).optional(),
  /** Used by `status`: headers of an exhausted rate limit, with the end of its window in seconds. */
  rateLimit: z.strictObject({ limit: z.number().int().min(1), seconds: z.number().min(0) }).optional(),
  /** Used by `status`: responds with HTML like a proxy. */
  html: z.boolean().optional(),
});

export type FaultRule = z.output<typeof faultRule>;

export const faultsFile = z.strictObject({ faults: z.array(faultRule) });

export class Faults {
  readonly #rules: { readonly rule: FaultRule; seen: number; hit: number }[];
  readonly #random: () => number;

  constructor(rules: readonly FaultRule[], random: () => number) {
    this.#rules = rules.map((rule) => ({ rule, seen: 0, hit: 0 }));
    this.#random = random;
  }

  get none(): boolean {
    return this.#rules.length === 0;
  }

  next(id: OperationId): FaultRule | undefined {
    for (const entry of this.#rules) {
      const { rule } = entry;
      if (!concerns(rule, id)) continue;
      entry.seen += 1;
      if (entry.seen <= (rule.skip ?? 0)) continue;
      if (rule.times !== undefined && entry.hit >= rule.times) continue;
      if (this.#random() >= (rule.probability ?? 1)) continue;
      entry.hit += 1;
      return rule;
    }
    return undefined;
  }
}

function concerns(rule: FaultRule, id: OperationId): boolean {
  const reads = operationOf(id).method === 'GET';
  if (rule.type === 'stale-lists' && !operationOf(id).paged) return false;
  if (rule.only !== undefined && reads !== (rule.only === 'reads')) return false;
  const matches = (pattern: string) => {
    const source = pattern.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'));
    return new RegExp(`^${source.join('.*')}$`).test(id);
  };
  return rule.operations === undefined || rule.operations.some(matches);
}
