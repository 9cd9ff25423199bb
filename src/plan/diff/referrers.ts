/** Which live objects refer to another one, in fields that the manifests do not declare: nobody asked what becomes of them. */
import type { LiveNode } from '../../tree/live.ts';
import { RefLists } from '../../tree/refs.ts';
import { countOf } from '../../util/count.ts';
import { isRecord } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';

/** A live object with the field by which it refers to another one. */
export interface Referrer {
  readonly live: LiveNode;
  readonly field: string;
}

/** All such references, by the object that they name. */
export function undeclaredReferrers(context: PlanContext): RefLists<Referrer> {
  const referrers = new RefLists<Referrer>();
  for (const live of context.live.nodes()) {
    const address = context.matching.addressOf(live);
    const desired = address === undefined ? undefined : context.desired.get(address);
    for (const [name, field] of Object.entries(context.kindOf(live).fields)) {
      const id = live.fields[name];
      if (field.type !== 'reference' || field.within !== 'organization' || typeof id !== 'string') continue;
      if (desired?.fields[name] !== undefined) continue;
      for (const kind of field.kinds) referrers.push({ kind, id }, { live, field: name });
    }
  }
  return referrers;
}

/** Says of an object that goes who loses a reference to it. */
export class LosersOfReferences {
  readonly #context: PlanContext;
  #referrers: RefLists<Referrer> | undefined;

  constructor(context: PlanContext) {
    this.#context = context;
  }

  /** For people: what the kind's objects cost, and who loses something with this one. */
  costsOf(live: LiveNode): readonly string[] {
    const { cost } = this.#context.kindOf(live);
    const values = this.#valuesOf(live);
    return [...(cost === undefined ? [] : [`${cost}${values}`]), ...this.#of(live)];
  }

  /** How many objects are known to have a value under this one's name, for example ` (3 spaces or more)`. */
  #valuesOf(live: LiveNode): string {
    const losers = this.#context.live.nodes().filter((node) => {
      const fields = Object.entries(this.#context.kindOf(node).fields);
      return fields.some(([name, field]) => {
        const value = node.fields[name];
        return field.type === 'map' && field.keysOf === live.kind && isRecord(value) && live.id in value;
      });
    });
    const [first] = losers;
    return first === undefined
      ? ''
      : ` (${countOf(losers.length, this.#context.kindOf(first).noun)} or more)`;
  }

  /** For people, for example `samlProviders/okta loses its defaultTeam`. */
  #of(live: LiveNode): readonly string[] {
    this.#referrers ??= undeclaredReferrers(this.#context);
    return this.#referrers.get(live).flatMap(({ live: other, field }) => {
      const address = this.#context.matching.addressOf(other);
      return address === undefined || this.#context.fresh.has(address)
        ? []
        : [`${address} loses its ${field}`];
    });
  }
}
