/** Limits of a plan: the part of the trees that it needs, and the selection of its steps. */
import type { Registry } from '../../kinds/registry.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import { pinnedId } from '../../tree/identity.ts';
import type { AddressMatcher } from '../../util/glob.ts';
import type { Past } from '../past.ts';
import type { Step } from '../plan.ts';
import { dependenciesOf } from '../step-id.ts';
import { type Changed, changedSince } from './changed.ts';
import { narrow, type Trees } from './narrow.ts';

export interface ScopeChoices {
  /** Selects these objects and their dependencies. */
  readonly target?: AddressMatcher;
  /** Excludes these objects and their dependents. */
  readonly exclude?: (address: string) => boolean;
  /** Ignores differences that only the live state made. Needs a base. */
  readonly ignoreDrift?: boolean;
  /** Limits the plan to changes of the manifests since the base. Drift elsewhere is not detected. */
  readonly changed?: boolean;
}

interface ScopeSource extends ScopeChoices {
  readonly registry: Registry;
  readonly past?: Past | undefined;
  /** For a finished plan: known objects of collections that are not targeted are needed alone. */
  readonly structural?: ReadonlySet<string>;
}

export class Scope {
  readonly #whole: Trees;
  readonly #source: ScopeSource;
  readonly #changed: Changed | undefined;
  readonly #target: AddressMatcher | undefined;
  /** Addresses of objects that no longer exist under their ids. Lists must show what replaced them. */
  readonly #lost = new Set<string>();
  #trees: Trees;

  /** The trees must be canonical if `changed` is set. */
  constructor(whole: Trees, source: ScopeSource) {
    const { desired, base } = whole;
    const { registry, past = {} } = source;
    this.#whole = whole;
    this.#source = source;
    if (source.changed === true && base)
      this.#changed = changedSince({ desired, base, registry, wasApplied: past.wasApplied });
    this.#target = this.#changed?.target ?? source.target;
    this.#trees = this.#narrowed();
  }

  get trees(): Trees {
    return this.#trees;
  }

  widen(isLive: (address: string) => boolean): boolean {
    if (this.#changed === undefined) return false;
    const { ids } = this.#source.past ?? {};
    const isLost = (address: string) =>
      ids?.has(address) === true && !this.#lost.has(address) && !isLive(address);
    const lost = [...this.#trees.desired.nodes.keys()].filter(isLost);
    for (const address of lost) this.#lost.add(address);
    if (lost.length > 0) this.#trees = this.#narrowed();
    return lost.length > 0;
  }

  has(address: string): boolean {
    return this.#target?.(address) !== false && this.#source.exclude?.(address) !== true;
  }

  select(steps: readonly Step[]): ReadonlySet<Step> {
    const out = new Set<string>();
    for (const step of steps) {
      const isDrift = this.#source.ignoreDrift === true && step.cause === 'drift';
      const isExcluded = this.#source.exclude?.(step.address) === true || this.#isPending(step);
      if (isDrift || isExcluded || dependenciesOf(step).some((id) => out.has(id))) out.add(step.id);
    }
    const chosen = new Set<string>();
    for (const step of [...steps].reverse()) {
      const isAsked = this.#target?.(step.address) !== false || chosen.has(step.id);
      if (!isAsked || out.has(step.id)) continue;
      chosen.add(step.id);
      for (const id of step.needs) chosen.add(id);
    }
    return new Set(steps.filter(({ id }) => chosen.has(id)));
  }

  /** Counts omitted objects. Untargeted objects without a step count as `objects`. */
  leftOut(
    steps: readonly Step[],
    selected: ReadonlySet<Step>,
    planned: readonly Step[],
  ): Record<'objects' | 'changes' | 'drift', number> {
    const rest = steps.filter((step) => !selected.has(step) && !this.#isPending(step));
    const isDrift = (step: Step) => this.#source.ignoreDrift === true && isOnlyDrift(step);
    const addressesOf = (some: readonly Step[]) => new Set(some.map(({ address }) => address));
    const known = addressesOf(planned).add(rootAddress);
    const isOut = (address: string) => this.#target?.(address) === false && !known.has(address);
    return {
      objects: [...this.#whole.desired.nodes.keys()].filter(isOut).length,
      changes: addressesOf(rest.filter((step) => !isDrift(step))).size,
      drift: addressesOf(rest.filter(isDrift)).size,
    };
  }

  #narrowed(): Trees {
    const { registry, past } = this.#source;
    if (this.#target === undefined) return this.#whole;
    const isKnown = (node: DesiredNode) => {
      const kind = registry.byName(node.kind);
      const isReadable = kind.reads.get !== undefined && kind.identity.scope === registry.root.name;
      const id = pinnedId(kind, node) ?? past?.ids?.get(node.address);
      return isReadable && id !== undefined && !this.#lost.has(node.address);
    };
    const structural = this.#changed?.structural ?? this.#source.structural;
    const known = structural && { structural, isKnown };
    return narrow(this.#whole, { registry, target: this.#target, known });
  }

  #isPending({ phase, kind, liveId, address }: Step): boolean {
    return (this.#source.past?.pending ?? []).some((one) =>
      phase === 'create'
        ? one.id === undefined && one.lost !== true && one.address === address
        : phase === 'delete' && one.field === undefined && one.kind === kind && one.id === liveId,
    );
  }
}

/** An update that completes a new object is judged by its fields, each with its own cause. */
export function isOnlyDrift({ cause, fields }: Step): boolean {
  return cause === 'drift' || (fields.length > 0 && fields.every((field) => field.cause === 'drift'));
}
