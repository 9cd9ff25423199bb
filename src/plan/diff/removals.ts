/**
 * What becomes of live objects that no manifest lists. The only place that decides what may be deleted: deletes, guards
 * and the reads before them all ask here.
 *
 * The first line that fits decides. "Ours" means that the base declared the object, or that the manifests declare the
 * list that it is in. What the base may mean and may not, matching leaves out: see `match/matcher.ts`.
 *
 *   its parent goes and takes its kind along           cascaded
 *   matched, or deleted already                        kept
 *   its parent stays and is not ours                   kept, unless the base had it elsewhere
 *   the base declared it, and released it              kept
 *   the base declared it, prune is not never           deleted ("removed")
 *   the plan undoes a run                              kept: what neither tree says is not that run's work
 *   its list is declared, prune is unlisted            deleted ("unlisted")
 *   its list is declared                               unmanaged
 *   anything else                                      kept
 */
import { declaresKind } from '../../tree/declared-collections.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { RefMap } from '../../tree/refs.ts';
import { pruneOf } from '../../tree/settings.ts';
import type { PlanContext } from '../context.ts';
import { stepId } from '../step-id.ts';
import { baseNodeOf } from './cause.ts';

/** What becomes of a live object. */
export type Disposition =
  | { readonly type: 'kept' }
  | { readonly type: 'unmanaged'; readonly address: string }
  | { readonly type: 'deleted'; readonly address: string; readonly because: 'removed' | 'unlisted' }
  /** The delete of something above takes it along. */
  | { readonly type: 'cascaded'; readonly address: string };

/** A live object that will be gone after the plan, replaced ones aside. */
export interface Deletion {
  readonly live: LiveNode;
  readonly address: string;
  /** True when the delete of something above takes it along and no call of its own is made. */
  readonly isCascaded: boolean;
  /** The id of the step that deletes it, or the object that takes it along; absent where no call deletes it. */
  readonly by?: string;
}

/** Where a live object is, seen from the manifests. */
interface Surroundings {
  readonly container: LiveNode;
  /** The address of the container, where it has one. */
  readonly address: string | undefined;
  /** True when the container goes. */
  readonly isGoing: boolean;
  /** True when the container is declared. */
  readonly isDeclared: boolean;
}

const kept: Disposition = { type: 'kept' };

/** Decides about live objects, containers first. To be made anew when more was read. */
export class Removals {
  readonly #context: PlanContext;
  readonly #decided = new RefMap<Disposition>();

  constructor(context: PlanContext) {
    this.#context = context;
  }

  of(live: LiveNode): Disposition {
    const known = this.#decided.get(live);
    if (known !== undefined) return known;
    // Containers that contain each other come to an end here.
    this.#decided.set(live, kept);
    const disposition = this.#decide(live);
    this.#decided.set(live, disposition);
    return disposition;
  }

  /** True when the object will not be there any more: replaced, deleted or taken along. */
  isGoing(live: LiveNode): boolean {
    const address = this.#context.matching.addressOf(live);
    if (address !== undefined) return this.#context.replaced.has(address);
    const { type } = this.of(live);
    return type === 'deleted' || type === 'cascaded';
  }

  /** The step whose delete takes a cascaded object along. */
  takerOf(live: LiveNode): string | undefined {
    for (const above of this.#context.live.ancestorsOf(live)) {
      const address = this.#context.matching.addressOf(above);
      if (address !== undefined && this.#context.replaced.has(address)) return stepId(address, 'delete');
      const disposition = this.of(above);
      if (disposition.type === 'deleted') return stepId(disposition.address, 'delete');
    }
    return undefined;
  }

  #decide(live: LiveNode): Disposition {
    const around = this.#surroundingsOf(live);
    if (around === undefined) return kept;
    const cascaded = this.#cascaded(live, around);
    if (cascaded !== undefined) return cascaded;
    if (this.#context.matching.addressOf(live) !== undefined || live.deleted === true) return kept;
    const former = baseNodeOf(this.#context, live);
    if (this.#isForeign(around, former) || former?.lifecycle.release === true) return kept;
    if (former !== undefined && pruneOf(this.#context.desired.settings, live.kind) !== 'never')
      return { type: 'deleted', address: this.#addressOfFormer(live, former), because: 'removed' };
    return this.#unlisted(live, around);
  }

  #surroundingsOf(live: LiveNode): Surroundings | undefined {
    const { matching } = this.#context;
    const container = this.#context.live.parentOf(live);
    if (container === undefined) return undefined;
    const address = matching.addressOf(container);
    const above = address === undefined ? this.of(container) : kept;
    return {
      container,
      address: address ?? (above.type === 'kept' ? undefined : above.address),
      isGoing: this.isGoing(container),
      isDeclared: address !== undefined,
    };
  }

  #cascaded(live: LiveNode, around: Surroundings): Disposition | undefined {
    if (!around.isGoing || !this.#takesAlong(around.container, live.kind)) return undefined;
    const own = this.#context.matching.addressOf(live);
    return { type: 'cascaded', address: own ?? this.#addressBelow(around, live) };
  }

  /** True when the delete of a container, or of one that goes with all between, takes a kind along. */
  #takesAlong(container: LiveNode, kind: string): boolean {
    for (const node of [container, ...this.#context.live.ancestorsOf(container)]) {
      if (!this.isGoing(node)) return false;
      if (this.#context.kindOf(node).cascadesTo?.includes(kind) === true) return true;
    }
    return false;
  }

  /** What is inside an object that stays and is not ours is not ours either, unless it was put there since the base. */
  #isForeign({ container, isDeclared, isGoing }: Surroundings, former: DesiredNode | undefined): boolean {
    if (isDeclared || isGoing) return false;
    if (former === undefined) return true;
    const parent =
      former.parent === undefined ? undefined : this.#context.base?.matching.liveOf(former.parent);
    return parent?.id === container.id;
  }

  #addressOfFormer(live: LiveNode, former: DesiredNode): string {
    if (this.#context.desired.get(former.address) === undefined) return former.address;
    return `${former.address.slice(0, former.address.length - former.key.length)}id=${live.id}`;
  }

  #unlisted(live: LiveNode, around: Surroundings): Disposition {
    if (this.#context.base?.undoes !== undefined) return kept;
    if (live.incidental === true || around.address === undefined) return kept;
    if (around.isDeclared && !this.#declares(around.address, live)) return kept;
    const address = this.#addressBelow(around, live);
    return pruneOf(this.#context.desired.settings, live.kind) === 'unlisted'
      ? { type: 'deleted', address, because: 'unlisted' }
      : { type: 'unmanaged', address };
  }

  /** True when the manifests declare the list that a live object is in. */
  #declares(address: string, live: LiveNode): boolean {
    const { desired, registry } = this.#context;
    const parent = desired.get(address);
    return parent !== undefined && declaresKind(registry, parent, live.kind);
  }

  #addressBelow({ address = '', container }: Surroundings, live: LiveNode): string {
    const place = this.#context.kindOf(live).places.find(({ parent }) => parent === container.kind);
    const prefix = address === rootAddress ? '' : `${address}/`;
    return `${prefix}${place?.key ?? live.kind}/id=${live.id}`;
  }
}
