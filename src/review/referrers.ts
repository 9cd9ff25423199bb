/** Live objects that refer to another one in undeclared fields: a delete loses these references. */

import { once } from '../contract/once.ts';
import type { PlanContext } from '../plan/context.ts';
import type { LiveNode } from '../tree/live.ts';
import { RefLists } from '../tree/refs.ts';
import { countOf } from '../util/count.ts';
import { isRecord } from '../util/json.ts';

interface Referrer {
  readonly live: LiveNode;
  readonly field: string;
}

function undeclaredReferrers(context: PlanContext): RefLists<Referrer> {
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

/** Costs of a delete: values named after the object, and references to it. */
export function deletionCosts(context: PlanContext): (live: LiveNode) => readonly string[] {
  const holders = once(() => valueHolders(context));
  const referrers = once(() => undeclaredReferrers(context));
  return (live) => {
    const { cost } = context.kindOf(live).deletion;
    const known = holders().get(live);
    const [first] = known;
    // Example: ` (3 spaces or more)`, since others may not be known.
    const values = first && ` (${countOf(known.length, context.kindOf(first).noun)} or more)`;
    // Example: `samlProviders/okta loses its defaultTeam`.
    const losses = referrers()
      .get(live)
      .flatMap(({ live: other, field }) => {
        const address = context.matching.addressOf(other);
        return address === undefined || context.toCreate.has(address)
          ? []
          : [`${address} loses its ${field}`];
      });
    return [...(cost === undefined ? [] : [`${cost}${values ?? ''}`]), ...losses];
  };
}
