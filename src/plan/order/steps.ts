/** Turns changes into steps with their calls. Later stages add order and dependencies. */

import { type Creation, isUnsupported, type Kind, type Unsupported } from '../../kinds/kind.ts';
import type { Payload } from '../../kinds/parts/payload.ts';
import { keyOf } from '../../tree/addressing.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import { dayOf, endingsOf } from '../../tree/endings.ts';
import type { LiveNode } from '../../tree/live.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { unreachable } from '../../util/unreachable.ts';
import type { PlanContext } from '../context.ts';
import { causeOf } from '../diff/cause.ts';
import type { Change, Placement } from '../diff/change.ts';
import { fieldsToChange } from '../diff/changed-fields.ts';
import type { Diff } from '../diff/diff.ts';
import type { CascadedDelete, Cause, Phase } from '../plan.ts';
import { problemOf } from '../problem.ts';
import { stepId } from '../step-id.ts';
import { describeObject, namedObject, titleOf } from '../title-of.ts';
import { createdAlong, dereferenced, findCall } from './calls.ts';
import { type NewStep, PlanDraft } from './draft.ts';
import { describeCreated, describeFields, describeLost } from './field-changes.ts';

export function toSteps(context: PlanContext, difference: Diff): Pick<StepDrafter, 'draft' | 'problems'> {
  const drafter = new StepDrafter(context, difference);
  for (const change of difference.changes) drafter.add(change);
  return drafter;
}

type OfType<T extends Change['type']> = Extract<Change, { type: T }> & { readonly cause: Cause | undefined };

type StepParts = Omit<NewStep, 'address' | 'kind' | 'noun' | 'liveId' | 'title' | 'phase' | 'cascade'>;

interface Patch {
  readonly before: Readonly<Record<string, Payload>>;
  readonly names: readonly string[];
  readonly reason: string;
}

class StepDrafter {
  readonly draft = new PlanDraft();
  readonly problems: Diagnostic[] = [];
  readonly #context: PlanContext;
  readonly #cascades = new Map<string, CascadedDelete[]>();
  readonly #alsoCreated = new Map<string, NonNullable<Creation['alsoCreates']>>();
  readonly #adopted = new Set<string>();

  constructor(context: PlanContext, { deletions }: Diff) {
    this.#context = context;
    for (const { live, by, isCascaded } of deletions) {
      // Losing an object that no one ever changed does not matter.
      if (isCascaded && by !== undefined && live.initial !== true)
        push(this.#cascades, by, describeObject(context, live));
    }
  }

  add(difference: Change): void {
    const change = { ...difference, cause: causeOf(this.#context, difference) };
    switch (change.type) {
      case 'create':
        this.#create(change, creationText(this.#context, change.desired));
        break;
      case 'replace':
        this.#create(change, `${change.fields.join(', ')} cannot be changed: a new one replaces it`);
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
        this.#patch(change.desired, {
          before: this.#context.liveFields(change.live),
          names: change.names,
          reason: '',
        });
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

  /** Creates the object, or finds it if its parent's create also created it. Then sets the fields that the create call cannot set. */
  #create(change: OfType<'create' | 'replace'>, reason: string): void {
    const { desired, cause } = change;
    const kind = this.#context.kindOf(desired);
    const along = createdAlong(this.#context, desired);
    const parent = this.#alsoCreated.get(desired.address) ?? (along && { find: along.find, fields: {} });
    const container = along?.container ?? this.#context.desired.parentOf(desired);
    const pinned = this.#context.base?.undoes === undefined ? pinnedToAnother(kind, change) : undefined;
    if (pinned?.missing === 'object') {
      this.#refuse(desired, pinned, { phase: 'create', cause });
      return;
    }
    const creation: Creation | Unsupported =
      parent === undefined
        ? kind.calls.create(this.#context.callContext(desired))
        : { call: findCall(this.#context, desired, parent.find), fields: parent.fields, adoptsChildren: [] };
    if (isUnsupported(creation)) {
      this.#refuse(desired, creation, { phase: 'create', cause });
      return;
    }
    const { alsoCreates, adoptsChildren = [] } = creation;
    if (alsoCreates !== undefined) this.#alsoCreated.set(alsoCreates.address, alsoCreates);
    for (const address of adoptsChildren) this.#adopted.add(address);
    const fields = describeCreated(this.#context, desired, creation.fields);
    this.#add(desired, 'create', {
      calls: [creation.call],
      reason:
        parent === undefined
          ? withAdopted(this.#context, reason, adoptsChildren)
          : `created with its ${container === undefined ? 'parent' : this.#context.kindOf(container).noun}`,
      fields,
      sets: creation.fields,
      cause,
      ...defined({ impossible: pinned, until: untilOf(this.#context, desired) }),
    });
    if (change.type === 'replace') {
      this.draft.setReplaced(desired.address);
      this.#delete({ ...change, type: 'delete', reason: 'replaced by a new one' });
    }
    if (kind.calls.createdOutside === true) this.#attach({ ...change, type: 'attach' });
    // Example: a section is created with its title; path, icon and condition follow as one update.
    const names = fieldsToChange(this.#context, desired, creation.fields);
    const rest = { before: creation.fields, names, reason: 'fields that create cannot set' };
    if (names.length > 0) this.#patch(desired, rest);
  }

  #restore({ desired, cause }: OfType<'restore'>): void {
    const { restore } = this.#context.kindOf(desired).calls;
    if (restore === undefined) return;
    const calls = [restore(this.#context.callContext(desired))];
    const isInApp = this.#context.pastIds.has(desired.address) && !this.#context.isDeletedByRun(desired);
    const live = this.#context.matching.liveOf(desired.address);
    const reason = deletedText(live, this.#context.kindOf(desired), { isInApp });
    this.#add(desired, 'restore', { calls, reason, cause });
  }

  #detach({ live, address, desired, reason, cause }: OfType<'detach'>): void {
    const from =
      desired === undefined
        ? this.#context.callContextOfLive(live, address)
        : this.#context.callContext(desired);
    const call = this.#context.kindOf(live).calls.detach?.(from, live.container);
    if (call === undefined) return;
    const text = desired === undefined ? reason : moveText(this.#context, desired);
    this.#addOfLive(live, address, { phase: 'detach', calls: [call], reason: text, cause });
  }

  #attach({ desired, placement, cause }: OfType<'attach'>): void {
    const isAdopted = this.#context.toCreate.has(desired.parent ?? '') && this.#adopted.has(desired.address);
    if (isAdopted) return;
    const { calls } = this.#context.kindOf(desired);
    const placed = calls.attachAnchored === true ? placement : undefined;
    const call = calls.attach?.(this.#context.callContext(desired), placed?.anchor);
    if (call === undefined) return;
    this.#add(desired, 'attach', {
      calls: [call],
      reason: `${moveText(this.#context, desired)}${placed?.next === undefined ? '' : `, ${positionText(placed)}`}`,
      cause,
    });
  }

  #patch(desired: DesiredNode, { before, names, reason }: Patch): void {
    const late = this.#heldByReplaced(desired, names);
    const early = names.filter((name) => !late.includes(name));
    if (early.length > 0 && late.length > 0) {
      this.#patchNames(desired, 'update', { before, names: early, reason });
      this.#patchNames(desired, 'take', { before, names: late, reason });
    } else this.#patchNames(desired, 'update', { before, names, reason });
  }

  /** Unique values that the replaced object has until it is deleted: all others are set before that. */
  #heldByReplaced(desired: DesiredNode, names: readonly string[]): readonly string[] {
    const { address } = desired;
    const former = [this.#context.replaced.get(address), ...(this.#context.superseded.get(address) ?? [])];
    const unique = this.#context.kindOf(desired).identity.unique ?? [];
    return names.filter((name) => {
      const value = desired.fields[name];
      return (
        unique.some(({ field }) => field === name) && former.some((live) => live?.fields[name] === value)
      );
    });
  }

  #patchNames(desired: DesiredNode, phase: 'update' | 'take', { before, names, reason }: Patch): void {
    const kind = this.#context.kindOf(desired);
    const fields = describeFields(this.#context, desired, { names, before });
    const calls = kind.calls.update?.(this.#context.callContext(desired, before), names) ?? {
      unsupported: `${names.join(', ')} of a ${kind.noun} cannot be changed`,
      suggestion: 'remove the line',
    };
    if (isUnsupported(calls)) {
      this.#refuse(desired, calls, { phase: 'update', field: names[0], cause: fields[0]?.cause });
      return;
    }
    const payload = this.#context.payloadOf(desired);
    this.#add(desired, phase, {
      calls,
      reason,
      fields,
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
    this.#add(desired, 'move', { calls, reason: positionText(placement), cause });
  }

  #delete({ live, address, reason, cause, isReplaced }: OfType<'delete'>): void {
    if (isReplaced === true) this.draft.setReplaced(address);
    const kind = this.#context.kindOf(live);
    if (kind.calls.delete === undefined) return;
    this.#addOfLive(live, address, {
      phase: 'delete',
      calls: [kind.calls.delete(this.#context.callContextOfLive(live, address))],
      reason,
      cause,
      fields: describeLost(this.#context, live, address),
      dereferences: Object.keys(live.fields).flatMap((name) => dereferenced(kind, name, live.fields[name])),
      cascade: this.#cascades.get(stepId(address, 'delete')),
    });
  }

  #add({ address, kind }: DesiredNode, phase: Phase, parts: StepParts): void {
    const { noun } = this.#context.registry.byName(kind);
    this.draft.add({ address, kind, noun, liveId: this.#context.liveOf(address)?.id, phase, ...parts });
  }

  #addOfLive(live: LiveNode, address: string, parts: StepParts & Pick<NewStep, 'phase' | 'cascade'>): void {
    const { kind, id: liveId } = live;
    const isDeclared = this.#context.desired.get(address) !== undefined;
    const title = isDeclared ? undefined : titleOf(this.#context, live);
    this.draft.add({ address, kind, noun: this.#context.kindOf(live).noun, liveId, title, ...parts });
  }

  /** If only an object is missing, a guard refuses the step, so that all other steps can be planned; otherwise it is a problem. */
  #refuse(desired: DesiredNode, impossible: Unsupported, step: ImpossibleStep): void {
    if (impossible.missing !== undefined) {
      const reason = this.#context.isGone(desired) ? 'deleted in the app' : 'not possible';
      const { phase, cause } = step;
      this.#add(desired, phase, { calls: [], reason, cause, impossible });
      return;
    }
    const code = step.phase === 'create' ? 'cannot-create' : 'cannot-change';
    const { noun } = this.#context.kindOf(desired);
    const message = `${noun}${desired.key && ` ${desired.key}`}: ${impossible.unsupported}`;
    const { suggestion } = impossible;
    this.problems.push(problemOf(desired, { code, message, suggestion }, step.field ?? ''));
  }
}

/** Refuses a pinned id for a new object, which gets another id: the pin would then name no object. */
function pinnedToAnother(
  { noun }: Kind,
  change: OfType<'create' | 'replace'>,
): (Unsupported & Required<Pick<Unsupported, 'missing'>>) | undefined {
  const { id } = change.desired;
  if (id === undefined) return undefined;
  if (change.type === 'create') {
    return {
      missing: 'object',
      unsupported: `no ${noun} here has the id ${id}`,
      suggestion: `remove the line id: ${id}, to find it by name or create it; or fix the id; or remove the entry`,
    };
  }
  const fields = change.fields.join(' and ');
  return {
    missing: 'reference',
    unsupported: `${fields} of the ${noun} ${id} cannot be changed, and a new one gets another id`,
    suggestion: `remove the line id: ${id}; or restore its ${fields}`,
  };
}

interface ImpossibleStep {
  readonly phase: 'create' | 'update';
  readonly field?: string | undefined;
  readonly cause: Cause | undefined;
}

/** Example: `deleted in the app on 2026-03-01, restorable until 2026-03-08`. "In the app" is stated only if the object was recorded, and no run deleted it. */
function deletedText(
  live: LiveNode | undefined,
  { deletion: { restorableDays } }: Kind,
  { isInApp }: { readonly isInApp: boolean },
): string {
  const deleted = isInApp ? 'deleted in the app' : 'deleted';
  const at = Date.parse(live?.deletedAt ?? '');
  if (Number.isNaN(at)) return deleted;
  const until =
    restorableDays === undefined ? '' : `, restorable until ${dayOf(at + restorableDays * 86_400_000)}`;
  return `${deleted} on ${dayOf(at)}${until}`;
}

/** Examples: `deleted in the app`, `duplicate of spaces/guide`; empty if being new is reason enough. */
function creationText(context: PlanContext, desired: DesiredNode): string {
  const gone = context.isGone(desired) ? ['deleted in the app'] : [];
  if (context.kindOf(desired).calls.createIsAsync === true) gone.push('invited');
  const sources = Object.entries(context.kindOf(desired).fields).flatMap(([name, field]) => {
    if (field.change !== 'create' || field.type !== 'reference') return [];
    const source = context.targetOf(desired, name);
    return source === undefined ? [] : [`duplicate of ${source}`];
  });
  const until = untilOf(context, desired);
  return [...gone, ...sources, ...(until === undefined ? [] : [`until ${until}`])].join(', ');
}

function untilOf({ desired }: PlanContext, { address }: DesiredNode): string | undefined {
  return endingsOf(desired, address).find(({ field }) => field === undefined)?.until;
}

/** Adds the children that move into the new object. Example: `with help (the top level → more)`. */
function withAdopted(context: PlanContext, reason: string, adopted: readonly string[]): string {
  const texts = adopted.flatMap((address) => {
    const child = context.desired.get(address);
    if (child === undefined || context.liveOf(address) === undefined) return [];
    return [`${child.key} (${moveText(context, child)})`];
  });
  return [reason, ...(texts.length === 0 ? [] : [`with ${texts.join(', ')}`])]
    .filter((text) => text !== '')
    .join(', ');
}

function moveText(context: PlanContext, desired: DesiredNode): string {
  const live = context.liveOf(desired.address);
  const to = containerName(context, desired, context.desired.parentOf(desired)?.address);
  const from = live && context.live.parentOf(live);
  if (from === undefined) return `→ ${to}`;
  const address = context.matching.addressOf(from);
  const name = address === undefined ? namedObject(context, from) : containerName(context, desired, address);
  return `${name} → ${to}`;
}

function containerName(context: PlanContext, desired: DesiredNode, address = rootAddress): string {
  const scope = context.scopeOf(desired)?.address ?? rootAddress;
  if (address === scope || address === rootAddress) return 'the top level';
  return scope === rootAddress ? address : keyOf(address);
}

/** Examples: `before api`, `to the end`. */
function positionText({ anchor, next }: Placement): string {
  if (next === undefined) return 'to the end';
  return `${anchor?.before === undefined ? 'after' : 'before'} ${keyOf(next)}`;
}
