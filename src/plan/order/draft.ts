/** Steps while they are being made: they gain their dependencies one rule after the other, and are then frozen. */
import type { Call, Payload } from '../../kinds/payload.ts';
import type { Action, CascadedDelete, Cause, FieldChange, Phase, Step } from '../plan.ts';

/** A step in the making. */
export interface DraftStep {
  readonly id: string;
  readonly address: string;
  readonly kind: string;
  readonly noun: string;
  readonly liveId: string | undefined;
  readonly title?: string;
  readonly phase: Phase;
  readonly cause?: Cause | undefined;
  reason: string;
  fields: readonly FieldChange[];
  risks: readonly string[];
  calls: readonly Call[];
  cascade?: CascadedDelete[];
  readonly needs: Set<string>;
  readonly after: Set<string>;
  /** Field values that the object has once the step ran. */
  readonly gives: Readonly<Record<string, Payload>>;
  /** Live objects, as kind and id, that the step stops referring to. */
  readonly releases: readonly string[];
}

/** All steps in the making, by id and by address. */
export class PlanDraft {
  readonly steps = new Map<string, DraftStep>();
  readonly #byAddress = new Map<string, DraftStep[]>();
  readonly #actions = new Map<string, Action>();

  /** Adds a step; its id follows from its address and phase. */
  add(step: Omit<DraftStep, 'id' | 'needs' | 'after'>): DraftStep {
    const full: DraftStep = {
      ...step,
      id: stepId(step.address, step.phase),
      needs: new Set(),
      after: new Set(),
    };
    this.steps.set(full.id, full);
    const list = this.#byAddress.get(step.address) ?? [];
    list.push(full);
    this.#byAddress.set(step.address, list);
    return full;
  }

  get(address: string, phase: Phase): DraftStep | undefined {
    return this.steps.get(stepId(address, phase));
  }

  /** Takes steps out, as if nobody had asked for them. */
  drop(ids: Iterable<string>): void {
    for (const id of ids) {
      const step = this.steps.get(id);
      if (step === undefined) continue;
      this.steps.delete(id);
      this.#byAddress.set(
        step.address,
        this.at(step.address).filter((other) => other !== step),
      );
    }
  }

  /** The steps of one object, in the order in which they were added. */
  at(address: string): readonly DraftStep[] {
    return this.#byAddress.get(address) ?? [];
  }

  /** Says what happens to an object as a whole, where its phases alone do not tell. */
  setAction(address: string, action: Action): void {
    this.#actions.set(address, action);
  }

  /** What happens to an object as a whole. */
  actionOf(address: string): Action {
    const said = this.#actions.get(address);
    if (said !== undefined) return said;
    const phases = new Set(this.at(address).map(({ phase }) => phase));
    if (phases.has('restore')) return 'restore';
    if (phases.has('create')) return 'create';
    if (phases.has('delete')) return 'delete';
    return phases.has('update') ? 'update' : 'move';
  }

  /** Records that one step must have succeeded before the other; a step never needs itself. */
  need(step: DraftStep | undefined, needed: DraftStep | undefined): void {
    if (step !== undefined && needed !== undefined && step !== needed) step.needs.add(needed.id);
  }

  /** Records that one step must have ended before the other starts. */
  follow(step: DraftStep | undefined, earlier: DraftStep | undefined): void {
    if (step !== undefined && earlier !== undefined && step !== earlier) step.after.add(earlier.id);
  }
}

/** The id of a step. */
export function stepId(address: string, phase: Phase): string {
  return `${address}#${phase}`;
}

/** The finished form of a step. */
export function freeze(step: DraftStep, action: Action, after: readonly string[]): Step {
  return {
    id: step.id,
    address: step.address,
    kind: step.kind,
    noun: step.noun,
    ...(step.liveId === undefined ? {} : { liveId: step.liveId }),
    ...(step.title === undefined ? {} : { title: step.title }),
    action,
    phase: step.phase,
    ...(step.cause === undefined ? {} : { cause: step.cause }),
    reason: step.reason,
    fields: step.fields,
    risks: step.risks,
    calls: step.calls,
    ...(step.cascade === undefined ? {} : { cascade: step.cascade }),
    needs: [...step.needs].sort(),
    after: [...after].sort(),
  };
}
