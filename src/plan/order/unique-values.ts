/**
 * Values that must be unique (paths, slugs, names): a step that gives a value up runs before the step that takes it,
 * and a ring of such steps is opened by giving one object a temporary value first.
 *
 * Example: guides has the path "a" and is to have "b"; api has "b" and is to have "a".
 *   api#vacate      path b → b-swap      takes a temporary path first
 *   guides#update   path a → b           needs api#vacate
 *   api#update      path b-swap → a      needs guides#update
 */
import type { Kind } from '../../kinds/kind.ts';
import type { Value } from '../../kinds/parts/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isSameObject, RefMap } from '../../tree/refs.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { PlanContext } from '../context.ts';
import { problemOf } from '../problem.ts';
import type { Deletion } from '../removals.ts';
import type { Drafted, DraftStep, PlanDraft } from './draft.ts';

interface Taking {
  readonly step: DraftStep;
  readonly desired: DesiredNode;
  readonly field: string;
  /** Equal for values that must differ. */
  readonly slot: string;
}

export function connectUniqueValues(drafted: Drafted): readonly Diagnostic[] {
  const connector = new UniqueValues(drafted);
  connector.connect();
  return connector.problems;
}

class UniqueValues {
  readonly problems: Diagnostic[] = [];
  readonly #context: PlanContext;
  readonly #draft: PlanDraft;
  readonly #deletions = new RefMap<Deletion>();
  readonly #waits = new Map<DraftStep, { readonly taking: Taking; readonly release: DraftStep }>();

  constructor({ context, draft, deletions }: Drafted) {
    this.#context = context;
    this.#draft = draft;
    for (const deletion of deletions) this.#deletions.set(deletion.live, deletion);
  }

  connect(): void {
    const takings = this.#takings();
    if (takings.length === 0) return;
    const holders = this.#holders();
    for (const taking of takings) {
      const holder = holders.get(taking.slot);
      const own = this.#context.liveOf(taking.desired.address);
      if (holder === undefined || (own !== undefined && isSameObject(own, holder))) continue;
      const release = this.#releaseOf(holder, taking.field);
      if (release === undefined) this.problems.push(this.#stillTaken(taking, holder));
      else if (release !== 'cascaded') this.#waits.set(taking.step, { taking, release });
    }
    this.#openRings();
    for (const [step, { release }] of this.#waits) this.#draft.need(step, release);
  }

  #holders(): ReadonlyMap<string, LiveNode> {
    const holders = new Map<string, LiveNode>();
    for (const live of this.#context.live.nodes()) {
      for (const { field, within } of this.#context.kindOf(live).identity.unique ?? []) {
        const value = live.fields[field];
        if (typeof value === 'string')
          holders.set(JSON.stringify([live.kind, field, this.#withinLive(live, within), value]), live);
      }
    }
    return holders;
  }

  #withinLive(live: LiveNode, within: string): string {
    if (within === 'parent') return live.container.id;
    return live.params[this.#context.registry.byName(within).identity.idParam ?? ''] ?? '';
  }

  #takings(): readonly Taking[] {
    const takings = new Map<string, Taking>();
    for (const step of this.#draft.steps.values()) {
      for (const taking of this.#takingsOf(step)) {
        const rival = takings.get(taking.slot);
        if (rival === undefined) takings.set(taking.slot, taking);
        else if (rival.desired !== taking.desired) this.problems.push(desiredTwice(taking, rival));
      }
    }
    return [...takings.values()];
  }

  #takingsOf(step: DraftStep): readonly Taking[] {
    const desired = this.#context.desired.get(step.address);
    if (desired === undefined || step.phase === 'delete') return [];
    return (this.#context.kindOf(desired).identity.unique ?? []).flatMap(({ field, within }) => {
      const value = step.sets[field];
      if (typeof value !== 'string') return [];
      return {
        step,
        desired,
        field,
        slot: JSON.stringify([desired.kind, field, this.#withinDesired(desired, within), value]),
      };
    });
  }

  #withinDesired(desired: DesiredNode, within: string): string {
    const scope = this.#context.desired.closest(desired, within);
    if (scope === undefined) return '';
    const id = this.#context.idOf(scope.address);
    return typeof id === 'string' ? id : id.$id;
  }

  #releaseOf(holder: LiveNode, field: string): DraftStep | 'cascaded' | undefined {
    const deletion = this.#deletions.get(holder);
    if (deletion !== undefined)
      return deletion.isCascaded ? 'cascaded' : this.#draft.get(deletion.address, 'delete');
    const address = this.#context.matching.addressOf(holder);
    if (address === undefined) return undefined;
    if (this.#context.replaced.has(address)) return this.#draft.get(address, 'delete');
    const update = this.#draft.get(address, 'update');
    return update !== undefined && field in update.sets ? update : undefined;
  }

  /** In each ring, the object with the least address takes a temporary value. */
  #openRings(): void {
    const settled = new Set<DraftStep>();
    for (const start of [...this.#waits.keys()]) {
      const path: DraftStep[] = [];
      let step: DraftStep | undefined = start;
      while (step !== undefined && !settled.has(step) && !path.includes(step)) {
        path.push(step);
        step = this.#waits.get(step)?.release;
      }
      if (step !== undefined && path.includes(step)) this.#openRing(path.slice(path.indexOf(step)));
      for (const each of path) settled.add(each);
    }
  }

  #openRing(ring: readonly DraftStep[]): void {
    const [aside] = [...ring].sort((left, right) => (left.id < right.id ? -1 : 1));
    const wait = aside && this.#waits.get(aside);
    const vacate = wait && this.#vacate(wait.taking);
    if (vacate === undefined) return;
    // Steps that wait for this object's value then wait for the temporary one.
    for (const other of ring) {
      const theirs = this.#waits.get(other);
      if (theirs !== undefined && theirs.release === aside)
        this.#waits.set(other, { taking: theirs.taking, release: vacate });
    }
  }

  #vacate({ desired, field }: Taking): DraftStep | undefined {
    const kind = this.#context.kindOf(desired);
    const live = this.#context.liveOf(desired.address);
    const before = live?.fields[field] ?? null;
    const value = this.#temporaryValue(kind, { field, value: String(before ?? 'value') });
    const context = this.#context.callContext(desired);
    const calls = kind.calls.update?.({ ...context, fields: { ...context.fields, [field]: value } }, [field]);
    if (calls === undefined || 'unsupported' in calls) return undefined;
    return this.#draft.add({
      address: desired.address,
      kind: desired.kind,
      noun: kind.noun,
      liveId: live?.id,
      phase: 'vacate',
      reason: `takes a temporary ${field} first: it is swapped with that of another ${kind.noun}`,
      fields: [{ field, before, after: value }],
      calls,
      sets: { [field]: value },
    });
  }

  #temporaryValue(kind: Kind, { field, value }: { readonly field: string; readonly value: string }): string {
    const used = new Set<Value | undefined>([
      ...this.#context.live.ofKind(kind.name).map(({ fields }) => fields[field]),
      ...this.#context.desired.ofKind(kind.name).map(({ fields }) => fields[field]),
    ]);
    for (let number = 1; ; number += 1) {
      const candidate = `${value.slice(0, 80)}-swap${number === 1 ? '' : number}`;
      if (!used.has(candidate)) return candidate;
    }
  }

  #stillTaken(taking: Taking, holder: LiveNode): Diagnostic {
    const { desired, field } = taking;
    const address = this.#context.matching.addressOf(holder);
    const { noun } = this.#context.kindOf(desired);
    const isSilent = address !== undefined && this.#context.desired.get(address)?.fields[field] === undefined;
    const message = `${takenValue(taking)} is already used by ${address ?? `the ${noun} ${holder.id}, which no manifest lists`}`;
    const suggestion =
      address === undefined
        ? `choose another ${field}, or list that ${noun} in the manifests (id: ${holder.id})`
        : isSilent
          ? `declare the ${field} of ${address}: otherwise it keeps its current one`
          : `give ${address} another ${field} in the manifests, or choose another one here`;
    return problemOf(desired, { code: 'value-taken', message, suggestion }, field);
  }
}

function desiredTwice(taking: Taking, rival: Taking): Diagnostic {
  const { desired, field } = taking;
  const message = `${takenValue(taking)} is already used by ${rival.desired.address}`;
  const suggestion = `choose another ${field} for one of the two`;
  const related = [{ message: 'the other one', at: rival.desired.fieldAt[rival.field] ?? rival.desired.at }];
  return problemOf(desired, { code: 'value-wanted-twice', message, suggestion, related }, field);
}

function takenValue({ step, field }: Taking): string {
  return `${field} ${JSON.stringify(step.sets[field])}`;
}
