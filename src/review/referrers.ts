/** Live objects that refer to another one in undeclared fields: a delete loses these references. */

import type { PlanContext } from '../plan/context.ts';
import type { LiveNode } from '../tree/live.ts';
import { RefLists } from '../tree/refs.ts';
import { countOf } from '../util/count.ts';
import { isRecord } from '../util/json.ts';

export interface Referrer {
  readonly live: LiveNode;
  readonly field: string;
}

export function undeclaredReferrers(context: PlanContext): RefLists<Referrer> {
  const referrers = new RefLists<Referrer>();
  for (const live of context.live.nodes()) {
    const address = context.matching.addressOf(live);
    const desired = address === undefined ? undefined : context.desired.get(address);
    for (const [name, field] of Object.entries(context.kindOf(live).fields)) {
      const id = live.fields[name];
      if (field.type !== 'reference' || field.within === 'descendants' || typeof id !== 'string') continue;
      if (desired?.fields[name] !== undefined) continue;
      for (const kind of field.kinds) referrers.push({ kind, id }, { live, field: name });
    }
  }
  return referrers;
}

/** Live objects by the objects that their values are named after. */
function valueHolders(context: PlanContext): RefLists<LiveNode> {
  const holders = new RefLists<LiveNode>();
  for (const live of context.live.nodes()) {
    for (const [name, field] of Object.entries(context.kindOf(live).fields)) {
      const value = live.fields[name];
      if (field.type !== 'map' || !isRecord(value)) continue;
      for (const id of Object.keys(value)) holders.push({ kind: field.keysOf, id }, live);
    }
  }
  return holders;
}

export class ReferenceLosses {
  readonly #context: PlanContext;
  #referrers: RefLists<Referrer> | undefined;
  #holders: RefLists<LiveNode> | undefined;

  constructor(context: PlanContext) {
    this.#context = context;
  }

  costsOf(live: LiveNode): readonly string[] {
    const { cost } = this.#context.kindOf(live).deletion;
    const values = this.#valuesOf(live);
    return [...(cost === undefined ? [] : [`${cost}${values}`]), ...this.#of(live)];
  }

  /** Known objects with a value named after this one, for example ` (3 spaces or more)`. */
  #valuesOf(live: LiveNode): string {
    this.#holders ??= valueHolders(this.#context);
    const holders = this.#holders.get(live);
    const [first] = holders;
    return first === undefined
      ? ''
      : ` (${countOf(holders.length, this.#context.kindOf(first).noun)} or more)`;
  }

  /** Example: `samlProviders/okta loses its defaultTeam`. */
  #of(live: LiveNode): readonly string[] {
    this.#referrers ??= undeclaredReferrers(this.#context);
    return this.#referrers.get(live).flatMap(({ live: other, field }) => {
      const address = this.#context.matching.addressOf(other);
      return address === undefined || this.#context.toCreate.has(address)
        ? []
        : [`${address} loses its ${field}`];
    });
  }
}
