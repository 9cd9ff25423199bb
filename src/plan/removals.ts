/**
 * Decides the fate of unlisted live objects. Only this module decides on deletes: for the deletes themselves, for
 * guards and for the reads before them.
 *
 * The first matching line decides. "Ours" means that the base declared the object, or that the manifests declare the
 * list that contains it. Matching ignores objects that the base cannot mean: see `match/matcher.ts`.
 *
 *   its parent is deleted, and its kind cascades       cascaded
 *   matched, or already deleted                        kept
 *   an unfinished run created its successor            deleted ("replaced"), under the address of the successor
 *   its parent is kept and is not ours                 kept, unless the base had it elsewhere
 *   the base declared it, and released it              kept
 *   the base declared its list, the manifests do not   kept: released
 *   the base declared it, prune is not never           deleted ("removed")
 *   the plan undoes a run                              kept: objects in neither tree are not that run's work
 *   it was seen only outside its list                  kept
 *   its list is declared, prune is unlisted            deleted ("unlisted")
 *   its list is declared                               unmanaged
 *   all other objects                                  kept
 */

import type { Field } from '../kinds/parts/field.ts';
import { inside, unlistedKey } from '../tree/addressing.ts';
import { declaresKind } from '../tree/declared-collections.ts';
import { type DesiredNode, rootAddress } from '../tree/desired.ts';
import type { LiveNode } from '../tree/live.ts';
import type { Read } from '../tree/reads.ts';
import { RefMap } from '../tree/refs.ts';
import { pruneOf } from '../tree/settings.ts';
import type { PlanContext } from './context.ts';
import { begunIn } from './own/begun.ts';
import { stepId } from './step-id.ts';

export type Disposition =
  | { readonly type: 'kept' }
  | { readonly type: 'unmanaged'; readonly address: string }
  | {
      readonly type: 'deleted';
      readonly address: string;
      readonly because: 'removed' | 'unlisted' | 'replaced' | 'begun';
    }
  | { readonly type: 'cascaded'; readonly address: string };

export interface Deletion {
  readonly live: LiveNode;
  readonly address: string;
  readonly isCascaded: boolean;
  /** Id of the step that deletes it, or whose delete includes it. Absent if no call deletes it. */
  readonly by?: string;
}

interface ContainerState {
  readonly container: LiveNode;
  readonly address: string | undefined;
  readonly isDeleted: boolean;
  readonly isDeclared: boolean;
}

const kept: Disposition = { type: 'kept' };

export class Removals {
  readonly #context: PlanContext;
  readonly #decided = new RefMap<Disposition>();

  constructor(context: PlanContext) {
    this.#context = context;
  }

  of(live: LiveNode): Disposition {
    const known = this.#decided.get(live);
    if (known !== undefined) return known;
    // Breaks cycles of containers.
    this.#decided.set(live, kept);
    const disposition = this.#decide(live);
    this.#decided.set(live, disposition);
    return disposition;
  }

  deletes(live: LiveNode): boolean {
    if (this.#context.isReplaced(live)) return true;
    const { type } = this.of(live);
    return type === 'deleted' || type === 'cascaded';
  }

  deletingStep(live: LiveNode): string | undefined {
    for (const above of this.#context.live.ancestorsOf(live)) {
      const address = this.#context.matching.addressOf(above);
      if (address !== undefined && this.#context.replaced.has(address)) return stepId(address, 'delete');
      const disposition = this.of(above);
      if (disposition.type === 'deleted') return stepId(disposition.address, 'delete');
    }
    return undefined;
  }

  #decide(live: LiveNode): Disposition {
    const container = this.#containerOf(live);
    if (container === undefined) return kept;
    const cascaded = this.#cascaded(live, container);
    if (cascaded !== undefined) return cascaded;
    if (this.#context.matching.addressOf(live) !== undefined || live.deleted === true) return kept;
    const successor = this.#context.successorOf(live);
    if (successor !== undefined) return { type: 'deleted', address: successor, because: 'replaced' };
    if (begunIn(this.#context).has(live))
      return { type: 'deleted', address: this.#addressBelow(container, live), because: 'begun' };
    const former = this.#context.baseNodeOf(live);
    if (this.#isForeign(container, former) || isReleased(this.#context, former)) return kept;
    if (former !== undefined && pruneOf(this.#context.desired.settings, live.kind) !== 'never')
      return { type: 'deleted', address: this.#addressOfFormer(live, former), because: 'removed' };
    return this.#unlisted(live, container);
  }

  #containerOf(live: LiveNode): ContainerState | undefined {
    const { matching } = this.#context;
    const container = this.#context.live.parentOf(live);
    if (container === undefined) return undefined;
    const address = matching.addressOf(container);
    const above = address === undefined ? this.of(container) : kept;
    return {
      container,
      address: address ?? (above.type === 'kept' ? undefined : above.address),
      isDeleted: this.deletes(container),
      isDeclared: address !== undefined,
    };
  }

  #cascaded(live: LiveNode, container: ContainerState): Disposition | undefined {
    if (!container.isDeleted || !this.#cascadesTo(container.container, live.kind)) return undefined;
    const own = this.#context.matching.addressOf(live);
    return { type: 'cascaded', address: own ?? this.#addressBelow(container, live) };
  }

  #cascadesTo(container: LiveNode, kind: string): boolean {
    for (const node of [container, ...this.#context.live.ancestorsOf(container)]) {
      if (!this.deletes(node)) return false;
      if (this.#context.kindOf(node).deletion.cascadesTo?.includes(kind) === true) return true;
    }
    return false;
  }

  /** Contents of a kept object that is not ours are not ours either, unless they were moved there since the base. */
  #isForeign({ container, isDeclared, isDeleted }: ContainerState, former: DesiredNode | undefined): boolean {
    if (isDeclared || isDeleted) return false;
    if (former === undefined) return true;
    const parent = this.#context.base?.matching.liveOf(former.parent ?? '');
    return parent?.id === container.id;
  }

  #addressOfFormer(live: LiveNode, former: DesiredNode): string {
    if (this.#context.desired.get(former.address) === undefined) return former.address;
    return inside(former.parent ?? rootAddress, former.collection, unlistedKey(live));
  }

  #unlisted(live: LiveNode, container: ContainerState): Disposition {
    if (this.#context.base?.undoes !== undefined) return kept;
    if (live.seenInPassing === true || container.address === undefined) return kept;
    const { desired, registry } = this.#context;
    const parent = container.isDeclared ? desired.get(container.address) : undefined;
    if (container.isDeclared && !(parent && declaresKind(registry, parent, live.kind))) return kept;
    const address = this.#addressBelow(container, live);
    return pruneOf(desired.settings, live.kind) === 'unlisted'
      ? { type: 'deleted', address, because: 'unlisted' }
      : { type: 'unmanaged', address };
  }

  #addressBelow({ address = '', container }: ContainerState, live: LiveNode): string {
    const place = this.#context.kindOf(live).manifest.places.find(({ parent }) => parent === container.kind);
    return inside(address, place?.key ?? live.kind, unlistedKey(live));
  }
}

/** True if the base released the object, or if the manifests no longer declare the list that contained it. */
function isReleased(context: PlanContext, former: DesiredNode | undefined): boolean {
  if (former === undefined) return false;
  if (former.lifecycle.release === true) return true;
  // An undo deletes the objects that its run created, even if their list is no longer declared.
  if (context.base?.undoes !== undefined) return false;
  const { base, now } = holderOf(context, former);
  return now === undefined ? isReleased(context, base) : !declaresKind(context.registry, now, former.kind);
}

export function holderOf(
  { base, desired, matching }: PlanContext,
  { parent }: DesiredNode,
): { readonly base?: DesiredNode | undefined; readonly now?: DesiredNode | undefined } {
  if (parent === undefined) return {};
  const live = base?.matching.liveOf(parent);
  const address = live === undefined ? parent : matching.addressOf(live);
  return { base: base?.tree.get(parent), now: address === undefined ? undefined : desired.get(address) };
}

export function removalReads(context: PlanContext, removals: Removals): readonly Read[] {
  return context.live
    .nodes()
    .filter((live) => removals.deletes(live))
    .flatMap((live) => [...listsInside(context, live), ...memberReads(context, live)]);
}

function listsInside(context: PlanContext, live: LiveNode): readonly Read[] {
  const container = context.live.get(live.scope);
  return context.registry.kinds.flatMap((kind): readonly Read[] => {
    const isSingle = kind.manifest.places.some(
      ({ parent, shape }) => parent === live.kind && shape === 'single',
    );
    if (isSingle && kind.reads.get !== undefined)
      return [{ type: 'single', kind: kind.name, of: { kind: live.kind, id: live.id } }];
    const per = kind.reads.list?.per;
    const isInside = kind.manifest.places.some(({ parent }) => parent === live.kind);
    const of = per === live.kind ? live : isInside && per === container?.kind ? container : undefined;
    return of === undefined ? [] : [{ type: 'list', kind: kind.name, of: { kind: of.kind, id: of.id } }];
  });
}

/** `wanted`: selects among the fields with people or teams. */
export function memberReads(
  { registry, live }: PlanContext,
  { kind, id, deleted }: LiveNode,
  wanted: (field: Field) => boolean = () => true,
): readonly Read[] {
  if (deleted === true) return [];
  const organization = { kind: registry.root.name, id: live.organizationId };
  return Object.entries(registry.byName(kind).fields).flatMap(([field, rule]): readonly Read[] => {
    if (rule.type !== 'members' || rule.detail === undefined || !wanted(rule)) return [];
    const isById = registry.byName(rule.of).manifest.key === undefined;
    return [
      { type: 'field', of: { kind, id }, field },
      ...(isById ? [{ type: 'list', kind: rule.of, of: organization, partial: true } as const] : []),
    ];
  });
}
