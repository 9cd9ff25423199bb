/** The part of what a plan was made from that it needs when it is applied: what its steps touch, and what that needs. */
import type { Registry } from '../../kinds/registry.ts';
import { narrow } from '../../plan/narrow.ts';
import type { AddressMatcher } from '../../util/glob.ts';
import type { PlanInputs, PlanRun } from '../planning.ts';

/** The inputs without objects that the steps have nothing to do with; planned again, they give the same steps. */
export function neededInputs({ plan, inputs }: PlanRun, registry: Registry): PlanInputs {
  const parts = inputs.trees.map((desired) => {
    const steps = plan.organizations.find(({ label }) => label === desired.label)?.steps ?? [];
    const target = exactly(new Set(steps.map(({ address }) => address)));
    return narrow({ desired, base: inputs.bases?.get(desired.label) }, { registry, target });
  });
  const bases = parts.flatMap(({ desired, base }) =>
    base === undefined ? [] : [[desired.label, base] as const],
  );
  return {
    ...inputs,
    trees: parts.map(({ desired }) => desired),
    bases: inputs.bases === undefined ? undefined : new Map(bases),
  };
}

/** Means these addresses and no others. */
function exactly(addresses: ReadonlySet<string>): AddressMatcher {
  return Object.assign((address: string) => addresses.has(address), {
    reaches: (parent: string) => [...addresses].some((address) => address.startsWith(`${parent}/`)),
  });
}
