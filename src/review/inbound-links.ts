/**
 * Links in other spaces to spaces that a plan deletes, or whose URLs on a site it changes or removes: those that the service lists in
 * spaces that the plan has read. A space whose links were not read may have more.
 */
import { isLacking } from '../contract/form.ts';
import { operationOf } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import type { PlanContext } from '../plan/context.ts';
import type { Step } from '../plan/plan.ts';
import { Removals } from '../plan/removals.ts';
import { titleOf } from '../plan/title-of.ts';
import type { LiveNode } from '../tree/live.ts';
import type { Read } from '../tree/reads.ts';
import { deletedBy, RefLists, RefSet } from '../tree/refs.ts';
import { pathField } from '../tree/site-paths.ts';
import { defined } from '../util/defined.ts';
import { compareTexts } from '../util/lists.ts';
import { declaredPath, livePath } from './former-links.ts';
import type { LinkedObject } from './reviewed-plan.ts';

const spacesAtMost = 40;

export type { InboundLinks };

export function inboundLinks(context: PlanContext, removals: Removals = new Removals(context)): InboundLinks {
  return new InboundLinks(context, removals);
}

class InboundLinks {
  readonly #context: PlanContext;
  readonly #removals: Removals;
  /** Kind of the objects that contain links. */
  readonly #kind: string;
  readonly #isListed: boolean;

  constructor(context: PlanContext, removals: Removals) {
    this.#context = context;
    this.#removals = removals;
    const { kinds, form = 'document' } = context.registry;
    const { name = '', reads } = kinds.find((one) => one.reads.links !== undefined) ?? {};
    this.#kind = name;
    this.#isListed = reads?.links !== undefined && !isLacking(form, operationOf(reads.links.operation).needs);
  }

  /** `steps`: those that change URLs; default to all that the manifests ask for. */
  reads(steps?: readonly Step[]): readonly Read[] {
    const changed = steps === undefined ? [...this.#targets().keys()] : this.#changedBy(steps);
    const wanted = new Set(changed.flatMap((one) => this.#targets().get(one) ?? []));
    const sources = this.#isListed ? this.#sources().slice(0, spacesAtMost) : [];
    const useful = sources.filter((one) => wanted.size > (wanted.has(one) ? 1 : 0));
    return useful.map(({ kind, id }) => ({ type: 'links', of: { kind, id } }));
  }

  /** Empty at services that list no links: otherwise, each of their plans would tell so. */
  found(steps: readonly Step[]): readonly LinkedObject[] {
    return this.#isListed ? this.#changedBy(steps).flatMap((live) => this.to(live) ?? []) : [];
  }

  /** Undefined if the object keeps its URLs, or if everything was read and no link found. */
  to(live: LiveNode): LinkedObject | undefined {
    const targets = this.#targets().get(live);
    if (targets === undefined) return undefined;
    const sources = this.#sources().filter((one) => targets.some((target) => target !== one));
    const counted = sources.map((one) => {
      const counts = targets.map((target) => (target === one ? 0 : (one.links?.[target.id] ?? 0)));
      return { ...this.#named(one), links: counts.reduce((sum, count) => sum + count, 0) };
    });
    const from = counted.filter(({ links }) => links > 0).sort((left, right) => right.links - left.links);
    const unread = sources.filter(({ links }) => links === undefined).length;
    const to = live.kind === this.#kind ? undefined : this.#sorted(targets).map((one) => this.#named(one));
    if (from.length + unread === 0) return undefined;
    return { ...this.#named(live), ...defined({ to }), from, unread };
  }

  #changedBy(steps: readonly Step[]): readonly LiveNode[] {
    const changed = new RefSet(steps.flatMap(deletedBy));
    return this.#sorted([...this.#targets().keys()].filter((one) => changed.has(one)));
  }

  /** The linked spaces, by the object that changes: a deleted space, or the outermost object on a site with another path or none. */
  readonly #targets = once((): ReadonlyMap<LiveNode, readonly LiveNode[]> => {
    const { live } = this.#context;
    const shown = this.#shown();
    const gone = live.ofKind(this.#kind).filter((one) => one.deleted !== true && this.#removals.deletes(one));
    const targets = new Map<LiveNode, readonly LiveNode[]>(gone.map((one) => [one, [one]]));
    const isWith = (one: LiveNode) => this.#losesPath(one) || this.#removals.deletes(one);
    for (const node of live.nodes().filter((one) => this.#losesPath(one))) {
      const top = live.ancestorsOf(node).findLast(isWith) ?? node;
      const kept = [...new Set(shown.get(top))].filter((one) => !this.#removals.deletes(one));
      if (kept.length > 0) targets.set(top, kept);
    }
    return targets;
  });

  #losesPath(node: LiveNode): boolean {
    if (pathField(this.#context.registry, node) === undefined) return false;
    const desired = this.#context.desired.get(this.#context.matching.addressOf(node) ?? '');
    const [before, after] = [livePath(this.#context, node), desired && declaredPath(this.#context, desired)];
    return this.#removals.deletes(node) || (before !== undefined && after !== undefined && before !== after);
  }

  /** Spaces that an object on a site shows, including those of its contents. */
  #shown(): RefLists<LiveNode> {
    const { live, registry } = this.#context;
    const shown = new RefLists<LiveNode>();
    for (const node of live.nodes().filter((one) => pathField(registry, one) !== undefined)) {
      for (const [name, field] of Object.entries(registry.byName(node.kind).fields)) {
        const space = live.get({ kind: this.#kind, id: String(node.fields[name]) });
        if (field.type !== 'reference' || !field.kinds.includes(this.#kind) || space === undefined) continue;
        for (const one of [node, ...live.ancestorsOf(node)]) shown.push(one, space);
      }
    }
    return shown;
  }

  /** Spaces that the plan keeps. */
  readonly #sources = once((): readonly LiveNode[] => {
    const all = this.#context.live.ofKind(this.#kind);
    return this.#sorted(all.filter((one) => one.deleted !== true && !this.#removals.deletes(one)));
  });

  /** The live tree has objects in the order of responses. */
  #sorted(nodes: readonly LiveNode[]): readonly LiveNode[] {
    const keyOf = (one: LiveNode) => this.#context.matching.addressOf(one) ?? one.id;
    return [...nodes].sort((left, right) => compareTexts(keyOf(left), keyOf(right)));
  }

  #named(live: LiveNode): Pick<LinkedObject, 'kind' | 'title' | 'address'> {
    const { matching } = this.#context;
    const address = matching.addressOf(live) ?? this.#context.baseNodeOf(live)?.address;
    const { noun: kind } = this.#context.kindOf(live);
    return { kind, title: titleOf(this.#context, live), ...defined({ address }) };
  }
}
