/** Steps under construction: rules add dependencies one after the other, and then the steps are frozen. */
import type { Unsupported } from '../../kinds/kind.ts';
import type { Call, Payload } from '../../kinds/parts/payload.ts';
import { covers } from '../../tree/addressing.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import { push } from '../../util/group.ts';
import type { PlanContext } from '../context.ts';
import type { Action, CascadedDelete, Cause, FieldChange, Phase, Step } from '../plan.ts';
import type { Deletion } from '../removals.ts';
import { stepId } from '../step-id.ts';
import { trimCall } from './calls.ts';

export interface DraftStep {
  readonly id: string;
  readonly address: string;
  readonly kind: string;
  readonly noun: string;
  readonly liveId: string | undefined;
  readonly title?: string | undefined;
  readonly phase: Phase;
  readonly cause?: Cause | undefined;
  readonly reason: string;
  readonly fields: readonly FieldChange[];
  readonly calls: readonly Call[];
  readonly cascade?: readonly CascadedDelete[] | undefined;
  readonly until?: string | undefined;
  /** The reason why the API cannot do it. Such a step has no calls and is always refused. */
  readonly impossible?: Unsupported | undefined;
  readonly needs: Set<string>;
  readonly after: Set<string>;
  readonly sets: Readonly<Record<string, Payload>>;
  readonly dereferences: readonly ObjectRef[];
}

/** A draft, and what it deletes. */
export interface Drafted {
  readonly context: PlanContext;
  readonly draft: PlanDraft;
  readonly deletions: readonly Deletion[];
}

type Optional = 'fields' | 'sets' | 'dereferences';

export type NewStep = Omit<DraftStep, 'id' | 'needs' | 'after' | Optional> &
  Partial<Pick<DraftStep, Optional>>;

export class PlanDraft {
  readonly steps = new Map<string, DraftStep>();
  readonly #byAddress = new Map<string, DraftStep[]>();
  readonly #replaced = new Set<string>();

  add(step: NewStep): DraftStep {
    const full: DraftStep = {
      ...{ fields: [], sets: {}, dereferences: [] },
      ...step,
      calls: step.calls.map(trimCall),
      id: stepId(step.address, step.phase),
      needs: new Set(),
      after: new Set(),
    };
    this.#insert(full);
    return full;
  }

  get(address: string, phase: Phase): DraftStep | undefined {
    return this.steps.get(stepId(address, phase));
  }

  without(ids: ReadonlySet<string>): PlanDraft {
    const rest = new PlanDraft();
    for (const step of this.steps.values()) if (!ids.has(step.id)) rest.#insert(step);
    for (const address of this.#replaced) rest.setReplaced(address);
    return rest;
  }

  at(address: string): readonly DraftStep[] {
    return this.#byAddress.get(address) ?? [];
  }

  inside(address: string): readonly DraftStep[] {
    const isInside = covers([address]);
    return [...this.#byAddress].flatMap(([at, steps]) => (isInside(at) ? steps : []));
  }

  setReplaced(address: string): void {
    this.#replaced.add(address);
  }

  actionOf(address: string): Action {
    if (this.#replaced.has(address)) return 'replace';
    const phases = new Set(this.at(address).map(({ phase }) => phase));
    if (phases.has('restore')) return 'restore';
    if (phases.has('create')) return 'create';
    if (phases.has('delete')) return 'delete';
    return phases.has('update') ? 'update' : 'move';
  }

  /** Requires that `needed` succeeded before `step` starts; a step never needs itself. */
  need(step: DraftStep | undefined, needed: DraftStep | undefined): void {
    if (step !== undefined && needed !== undefined && step !== needed) step.needs.add(needed.id);
  }

  reaches(from: DraftStep, to: DraftStep): boolean {
    const seen = new Set<string>();
    const open = [from];
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      for (const id of step.needs) {
        if (id === to.id) return true;
        const next = this.steps.get(id);
        if (next === undefined || seen.has(id)) continue;
        seen.add(id);
        open.push(next);
      }
    }
    return false;
  }

  /** Requires that `earlier` ended before `step` starts. */
  follow(step: DraftStep | undefined, earlier: DraftStep | undefined): void {
    if (step !== undefined && earlier !== undefined && step !== earlier) step.after.add(earlier.id);
  }

  #insert(step: DraftStep): void {
    this.steps.set(step.id, step);
    push(this.#byAddress, step.address, step);
  }
}

export function freeze(draft: DraftStep, action: Action, after: readonly string[]): Step {
  const { sets: _sets, dereferences: _ids, impossible: _why, ...step } = draft;
  return { ...defined(step), action, needs: [...step.needs].sort(), after: [...after].sort() };
}
