/** Which steps of a plan were asked for: targets with what they need, without what is excluded and what needs that. */
import type { AddressMatcher } from '../util/glob.ts';
import type { Step } from './plan.ts';

/** What limits a plan to a part. */
export interface StepSelection {
  /** Only these addresses, and what they need. */
  readonly target?: AddressMatcher;
  /** Not these addresses, nor what needs them. */
  readonly exclude?: (address: string) => boolean;
  /** Leaves alone what only the live state changed; needs a base. */
  readonly ignoreDrift?: boolean;
}

/** Known changes that were not selected, as numbers of objects. */
export interface NotSelected {
  /** Left out since only the live state changed. */
  readonly drift: number;
  /** Left out by targets and exclusions. */
  readonly changes: number;
}

/** Counts what was not selected, each object once. */
export function countNotSelected(
  steps: readonly Step[],
  selected: ReadonlySet<Step>,
  { ignoreDrift }: StepSelection,
): NotSelected {
  const rest = steps.filter((step) => !selected.has(step));
  const isDrift = (step: Step) => ignoreDrift === true && step.cause === 'drift';
  const drift = new Set(rest.filter(isDrift).map(({ address }) => address));
  const changes = new Set(rest.filter((step) => !isDrift(step)).map(({ address }) => address));
  return { drift: drift.size, changes: changes.size };
}

/** The selected steps, in their order. */
export function selectSteps(steps: readonly Step[], selection: StepSelection): readonly Step[] {
  const { target, exclude, ignoreDrift } = selection;
  if (target === undefined && exclude === undefined && ignoreDrift !== true) return steps;
  const out = leftOut(steps, selection);
  const chosen = new Set<string>();
  for (const step of [...steps].reverse()) {
    const isAsked = target === undefined || target(step.address) || chosen.has(step.id);
    if (!isAsked || out.has(step.id)) continue;
    chosen.add(step.id);
    for (const id of step.needs) chosen.add(id);
  }
  return steps.filter(({ id }) => chosen.has(id));
}

function leftOut(steps: readonly Step[], { exclude, ignoreDrift }: StepSelection): ReadonlySet<string> {
  const out = new Set<string>();
  for (const step of steps) {
    const isDrift = ignoreDrift === true && step.cause === 'drift';
    if (isDrift || exclude?.(step.address) === true || step.needs.some((id) => out.has(id))) out.add(step.id);
  }
  return out;
}
