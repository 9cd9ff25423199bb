/** Forms in which the service is known to store values, from former runs and this one. */
import type { Payload } from '../../kinds/parts/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { sameJson } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';

interface ValuePair<T> {
  readonly wanted: T;
  readonly live: Payload | undefined;
}

/** A new object has no id. */
export function inStoredForm<T extends Payload>(
  context: PlanContext,
  desired: DesiredNode,
  name: string,
  { wanted, live }: ValuePair<T>,
): T | undefined {
  const { absent } = context.kindOf(desired).fields[name] ?? {};
  const { address, additive } = desired;
  const isDefault = additive?.includes(name) !== true && sameJson(wanted, absent);
  const one = { address, name, id: context.liveOf(address)?.id, isDefault };
  return context.asStored(one, wanted, sameJson(live, absent) ? undefined : live) as T | undefined;
}
