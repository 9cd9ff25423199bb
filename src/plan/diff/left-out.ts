/** What differs and is left alone on purpose: known differences that a plan must count, or it would say too little. */
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { PlanContext } from '../context.ts';
import { ignoredFields } from './field-changes.ts';

/** Fields that differ and are left alone. */
export interface IgnoredFields {
  /** By `ignoreDrift`. */
  readonly drift: number;
  /** By `lifecycle.ignore`. */
  readonly lifecycle: number;
}

/** Counts the fields of kept objects that differ and are left alone. */
export function countIgnoredFields(context: PlanContext): IgnoredFields {
  let [drift, lifecycle] = [0, 0];
  for (const desired of context.desired.nodes.values()) {
    if (!mayLeaveAlone(context, desired)) continue;
    const live = context.liveOf(desired.address);
    if (live === undefined || context.isReleased(desired.address)) continue;
    if (desired.address === rootAddress && Object.keys(desired.fields).length === 0) continue;
    for (const why of ignoredFields(context, desired, context.liveFields(live))) {
      if (why === 'drift') drift += 1;
      else lifecycle += 1;
    }
  }
  return { drift, lifecycle };
}

function mayLeaveAlone({ base }: PlanContext, { lifecycle }: DesiredNode): boolean {
  return base?.ignoreDrift === true || lifecycle.ignore.length > 0;
}
