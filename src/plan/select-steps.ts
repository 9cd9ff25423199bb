/** The requested steps of a plan: targets with their dependencies, without exclusions and their dependents. */
import type { AddressMatcher } from '../util/glob.ts';
import type { PendingChange } from './pending.ts';
import type { Step } from './plan.ts';

export interface StepSelection {
  readonly target?: AddressMatcher;
  readonly exclude?: (address: string) => boolean;
  /** Leaves alone differences that only the live state made; needs a base. */
  readonly ignoreDrift?: boolean;
  /** The service accepted them before: they are not sent again. */
  readonly pending?: readonly PendingChange[];
}

export interface NotSelected {
  readonly drift: number;
  readonly changes: number;
}

export function countNotSelected(
  steps: readonly Step[],
  selected: ReadonlySet<Step>,
  { ignoreDrift, pending }: StepSelection,
): NotSelected {
  const rest = steps.filter((step) => !selected.has(step) && !isPending(step, pending));
  const isDrift = (step: Step) => ignoreDrift === true && isOnlyDrift(step);
  const drift = new Set(rest.filter(isDrift).map(({ address }) => address));
  const changes = new Set(rest.filter((step) => !isDrift(step)).map(({ address }) => address));
  return { drift: drift.size, changes: changes.size };
}

/** What completes a new object is an update of its fields, each with a cause of its own. */
export function isOnlyDrift({ cause, fields }: Step): boolean {
  return cause === 'drift' || (fields.length > 0 && fields.every((field) => field.cause === 'drift'));
}

export function selectSteps(steps: readonly Step[], selection: StepSelection): readonly Step[] {
  const { target, exclude, ignoreDrift, pending } = selection;
  const isWhole = target === undefined && exclude === undefined && pending === undefined;
  if (isWhole && ignoreDrift !== true) return steps;
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

function leftOut(
  steps: readonly Step[],
  { exclude, ignoreDrift, pending }: StepSelection,
): ReadonlySet<string> {
  const out = new Set<string>();
  for (const step of steps) {
    const isDrift = ignoreDrift === true && step.cause === 'drift';
    const isExcluded = exclude?.(step.address) === true || isPending(step, pending);
    if (isDrift || isExcluded || step.needs.some((id) => out.has(id))) out.add(step.id);
  }
  return out;
}

function isPending({ phase, kind, liveId, address }: Step, pending: StepSelection['pending'] = []): boolean {
  if (phase === 'create') return pending.some((one) => one.id === undefined && one.address === address);
  return (
    phase === 'delete' &&
    pending.some((one) => one.field === undefined && one.kind === kind && one.id === liveId)
  );
}
