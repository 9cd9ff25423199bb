/** What live objects are like, as a plan may hold it: without secrets. */
import type { Fields } from '../kinds/payload.ts';
import type { LiveNode } from '../tree/live.ts';
import type { PlanContext } from './context.ts';
import { baseNodeOf } from './diff/cause.ts';
import { holdsSecret } from './diff/field-changes.ts';
import type { OrganizationPlan, Step } from './plan.ts';

/** The live fields without those that the manifests, or the base, have a secret for. */
export function plainFields(context: PlanContext, live: LiveNode): Fields {
  const address = context.matching.addressOf(live);
  const said = [...(address === undefined ? [] : [context.desired.get(address)]), baseNodeOf(context, live)];
  const plain = Object.entries(live.fields).filter(
    ([name, value]) => !holdsSecret(value) && !said.some((node) => holdsSecret(node?.fields[name])),
  );
  return Object.fromEntries(plain);
}

/** The live fields of all declared objects that steps change. */
export function seenFields(context: PlanContext, steps: readonly Step[]): OrganizationPlan['seen'] {
  const seen: Record<string, Fields> = {};
  for (const { address } of steps) {
    const live = context.desired.get(address) === undefined ? undefined : context.liveOf(address);
    if (live !== undefined) seen[address] = plainFields(context, live);
  }
  return seen;
}
