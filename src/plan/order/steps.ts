/** Turns changes into steps with their calls. Order and dependencies come afterwards. */
import type { Creation, Unsupported } from '../../kinds/kind.ts';
import type { Call, Payload } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { unreachable } from '../../util/unreachable.ts';
import type { PlanContext } from '../context.ts';
import type { Change } from '../diff/change.ts';
import type { Diff } from '../diff/diff.ts';
import { describeCreated, describeFields, fieldsToChange } from '../diff/field-changes.ts';
import { LosersOfReferences } from '../diff/referrers.ts';
import { creationRisks, moveRisks } from '../diff/risk.ts';
import type { Cause, FieldChange, Phase } from '../plan.ts';
import { stepId } from '../step-id.ts';
import { titleOf } from '../title-of.ts';
import { dereferenced, findCall, isUnsupported, trimCall } from './calls.ts';
import { type DraftStep, PlanDraft } from './draft.ts';
import { beside, creationText, deletedText, moveText, withAdopted, withParentText } from './step-texts.ts';

/** The steps of all changes, and the problems of what the API cannot do. */
export interface Drafted {
  readonly draft: PlanDraft;
  readonly problems: readonly Diagnostic[];
}

/** Makes the steps of all changes. */
export function toSteps(context: PlanContext, difference: Diff): Drafted {
  const drafter = new StepDrafter(context, difference);
  for (const change of difference.changes) drafter.add(change);
  return drafter;
}

type OfType<T extends Change['type']> = Extract<Change, { type: T }>;

/** What a step has beside what follows from its object. */
type StepParts = Pick<DraftStep, 'reason'> &
  Partial<Pick<DraftStep, 'fields' | 'risks' | 'sets' | 'dereferences' | 'cause' | 'impossible'>> & {
    readonly calls: readonly Call[];
  };

class StepDrafter implements Drafted {
  readonly draft = new PlanDraft();
  readonly problems: Diagnostic[] = [];
  readonly #context: PlanContext;
  readonly #cascades: Diff['cascades'];
  readonly #losers: LosersOfReferences;
  /** Objects that the create call of their parent makes, by address. */
  readonly #alsoCreated = new Map<string, NonNullable<Creation['alsoCreates']>>();
  /** Objects that the create call of their container adopts. */
  readonly #adopted = new Set<string>();

  constructor(context: PlanContext, { cascades }: Diff) {
    this.#context = context;
    this.#cascades = cascades;
    this.#losers = new LosersOfReferences(context);
  }

  add(change: Change): void {
    switch (change.type) {
      case 'create':
        this.#create(change, creationText(this.#context, change.desired));
        break;
      case 'replace':
        this.#replace(change);
        break;
      case 'restore':
        this.#restore(change);
        break;
      case 'detach':
        this.#detach(change);
        break;
      case 'attach':
        this.#attach(change);
        break;
      case 'update':
        this.#update(change);
        break;
      case 'move':
        this.#move(change);
        break;
      case 'delete':
        this.#delete(change);
        break;
      default:
        unreachable(change);
    }
  }

  /** Creates the object, or finds it where its parent's create made it; then sets what creation cannot set. */
  #create(change: OfType<'create' | 'replace'>, reason: string): void {
    const { desired, cause } = change;
    const kind = this.#context.kindOf(desired);
    const parent = this.#alsoCreated.get(desired.address);
    const creation =
      parent === undefined
        ? kind.calls.create(this.#context.callContext(desired))
        : { call: findCall(this.#context, desired, parent.find), fields: parent.fields, adoptsChildren: [] };
    if (isUnsupported(creation)) {
      this.#refuse(desired, creation, { phase: 'create', cause });
      return;
    }
    this.#noteCreation(creation);
    const fields = describeCreated(this.#context, desired, creation.fields);
    this.#add(desired, 'create', {
      calls: [creation.call],
      reason:
        parent === undefined
          ? withAdopted(this.#context, reason, creation.adoptsChildren)
          : withParentText(this.#context, desired),
      fields,
      risks: [...fields.flatMap(({ risk }) => risk ?? []), ...creationRisks(this.#context, desired)],
      sets: creation.fields,
      cause,
    });
    if (change.type === 'replace') {
      this.draft.setAction(desired.address, 'replace');
      this.#delete({ ...change, type: 'delete', reason: 'replaced by a new one' });
    }
    if (kind.createdOutside === true) this.#attach({ ...change, type: 'attach' });
    this.#setTheRest(desired, creation.fields);
  }

  #replace(change: OfType<'replace'>): void {
    this.#create(change, `${change.fields.join(', ')} cannot be changed; a new one takes its place`);
  }

  #noteCreation({ alsoCreates, adoptsChildren = [] }: Creation): void {
    if (alsoCreates !== undefined) this.#alsoCreated.set(alsoCreates.address, alsoCreates);
    for (const address of adoptsChildren) this.#adopted.add(address);
  }

  /** Example: a section is created with its title; path, icon and condition follow as one update. */
  #setTheRest(desired: DesiredNode, before: Readonly<Record<string, Payload>>): void {
    const names = fieldsToChange(this.#context, desired, before);
    if (names.length === 0) return;
    const fields = describeFields(this.#context, desired, { names, before });
    this.#patch(desired, { before, fields, reason: 'fields that create cannot set' });
  }

  #restore({ desired, cause }: OfType<'restore'>): void {
    const { restore } = this.#context.kindOf(desired).calls;
    if (restore === undefined) return;
    const calls = [restore(this.#context.callContext(desired))];
    const { isRecorded, live } = this.#context.lastKnown(desired);
    const reason = deletedText(live, this.#context.kindOf(desired), { isRecorded });
    this.#add(desired, 'restore', { calls, reason, cause });
  }

  #detach({ live, address, desired, reason, cause }: OfType<'detach'>): void {
    const from =
      desired === undefined
        ? this.#context.callContextOfLive(live, address)
        : this.#context.callContext(desired);
    const call = this.#context.kindOf(live).calls.detach?.(from, live.container);
    if (call === undefined) return;
    if (desired !== undefined)
      this.#add(desired, 'detach', { calls: [call], reason: moveText(this.#context, desired), cause });
    else this.#addOfLive(live, address, { phase: 'detach', parts: { calls: [call], reason, cause } });
  }

  #attach({ desired, placement, cause }: OfType<'attach'>): void {
    if (this.#isAdopted(desired)) return;
    const { calls } = this.#context.kindOf(desired);
    const live = this.#context.liveOf(desired.address);
    const placed = calls.attachAnchored === true ? placement : undefined;
    const call = calls.attach?.(this.#context.callContext(desired), placed?.anchor);
    if (call === undefined) return;
    this.#add(desired, 'attach', {
      calls: [call],
      reason: `${moveText(this.#context, desired)}${placed?.next === undefined ? '' : `, ${beside(placed)}`}`,
      risks: live === undefined ? [] : moveRisks(this.#context, desired, live),
      cause,
    });
  }

  /** True when the container is new and adopts the object with its own create call. */
  #isAdopted(desired: DesiredNode): boolean {
    const { parent } = desired;
    return parent !== undefined && this.#context.fresh.has(parent) && this.#adopted.has(desired.address);
  }

  #update({ desired, live, fields }: OfType<'update'>): void {
    const before = this.#context.liveFields(live);
    this.#patch(desired, { before, fields, reason: '' });
  }

  #patch(
    desired: DesiredNode,
    {
      before,
      fields,
      reason,
    }: {
      readonly before: Readonly<Record<string, Payload>>;
      readonly fields: readonly FieldChange[];
      readonly reason: string;
    },
  ): void {
    const kind = this.#context.kindOf(desired);
    const names = fields.map(({ field }) => field);
    const calls = kind.calls.update?.(this.#context.callContext(desired, before), names) ?? {
      unsupported: `${names.join(', ')} of a ${kind.noun} cannot be changed`,
      suggestion: 'remove the line',
    };
    if (isUnsupported(calls)) {
      this.#refuse(desired, calls, { phase: 'update', field: names[0], cause: fields[0]?.cause });
      return;
    }
    const payload = this.#context.payloadOf(desired);
    this.#add(desired, 'update', {
      calls,
      reason,
      fields,
      risks: fields.flatMap(({ risk }) => risk ?? []),
      sets: Object.fromEntries(names.map((name) => [name, payload[name] ?? null])),
      dereferences: names.flatMap((name) => dereferenced(kind, name, before[name])),
    });
  }

  #move({ desired, placement, cause }: OfType<'move'>): void {
    const { move, attachAnchored } = this.#context.kindOf(desired).calls;
    const isAttached = this.draft.get(desired.address, 'attach') !== undefined;
    if (move === undefined || (isAttached && attachAnchored === true)) return;
    const from = this.#context.callContext(desired);
    const call = move(from, placement.anchor);
    const unlessPlaced = { container: from.container, ...placement.anchor };
    const calls = [placement.mayBeThere === true ? { ...call, unlessPlaced } : call];
    this.#add(desired, 'move', { calls, reason: beside(placement), cause });
  }

  #delete({ live, address, lost, reason, cause }: OfType<'delete'>): void {
    const kind = this.#context.kindOf(live);
    if (kind.calls.delete === undefined) return;
    this.#addOfLive(live, address, {
      phase: 'delete',
      parts: {
        calls: [kind.calls.delete(this.#context.callContextOfLive(live, address))],
        reason,
        cause,
        fields: lost,
        risks: this.#losers.costsOf(live),
        dereferences: Object.keys(live.fields).flatMap((name) => dereferenced(kind, name, live.fields[name])),
      },
    });
  }

  #add(desired: DesiredNode, phase: Phase, { calls, ...parts }: StepParts): void {
    this.draft.add({
      address: desired.address,
      kind: desired.kind,
      noun: this.#context.kindOf(desired).noun,
      liveId: this.#context.liveOf(desired.address)?.id,
      phase,
      ...noParts,
      ...parts,
      calls: calls.map(trimCall),
    });
  }

  /** A step on a live object that no manifest declares, or that goes. */
  #addOfLive(
    live: LiveNode,
    address: string,
    { phase, parts }: { readonly phase: Phase; readonly parts: StepParts },
  ): void {
    const isDeclared = this.#context.desired.get(address) !== undefined;
    const { calls, ...rest } = parts;
    this.draft.add({
      address,
      kind: live.kind,
      noun: this.#context.kindOf(live).noun,
      liveId: live.id,
      title: isDeclared ? undefined : titleOf(this.#context, live),
      phase,
      ...noParts,
      ...rest,
      calls: calls.map(trimCall),
      cascade: this.#cascades.get(stepId(address, phase)),
    });
  }

  /** Where only something is missing, a guard refuses the step, so that all else can be planned; else it is a problem. */
  #refuse(desired: DesiredNode, impossible: Unsupported, step: ImpossibleStep): void {
    if (impossible.missing !== undefined) {
      const reason = this.#context.isGone(desired) ? 'deleted in the app' : 'not possible';
      const { phase, cause } = step;
      this.#add(desired, phase, { calls: [], reason, cause, impossible });
      return;
    }
    this.problems.push(impossibleProblem(this.#context, desired, { ...step, impossible }));
  }
}

const noParts = { fields: [], risks: [], sets: {}, dereferences: [] } as const;

/** A step that cannot be made. */
interface ImpossibleStep {
  readonly phase: 'create' | 'update';
  /** The field that cannot be changed. */
  readonly field?: string | undefined;
  readonly cause: Cause | undefined;
}

/** The problem of a step that no request could make, whatever is live. */
function impossibleProblem(
  context: PlanContext,
  desired: DesiredNode,
  { phase, field, impossible }: ImpossibleStep & { readonly impossible: Unsupported },
): Diagnostic {
  return {
    severity: 'error',
    code: phase === 'create' ? 'cannot-create' : 'cannot-change',
    message: `${context.kindOf(desired).noun} ${desired.key}: ${impossible.unsupported}`,
    address: desired.address,
    at: (field === undefined ? undefined : desired.fieldAt[field]) ?? desired.at,
    suggestion: impossible.suggestion,
  };
}
