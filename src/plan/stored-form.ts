/** Forms in which the service is known to store values, from former runs and this one. */
import type { Payload } from '../kinds/payload.ts';
import type { DesiredNode } from '../tree/desired.ts';
import { sameJson } from '../util/json.ts';
import type { PlanContext } from './context.ts';

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
  return context.asStored(...questionOf(context, desired, name, { wanted, live })) as T | undefined;
}

export function hidesOther(
  context: PlanContext,
  desired: DesiredNode,
  name: string,
  values: ValuePair<Payload>,
): boolean {
  const [one, wanted, live] = questionOf(context, desired, name, values);
  return live === undefined && context.asStored.hidesOther?.(one, wanted) === true;
}

/** A default counts as absent. */
function questionOf(
  context: PlanContext,
  { address, kind }: DesiredNode,
  name: string,
  { wanted, live }: ValuePair<Payload>,
): Parameters<PlanContext['asStored']> {
  const { absent } = context.kindOf({ kind }).fields[name] ?? {};
  const one = { address, name, id: context.liveOf(address)?.id };
  return [one, wanted, sameJson(live, absent) ? undefined : live];
}
