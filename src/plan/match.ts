/**
 * Which live object is which wanted one: by pinned id, natural identity (strongest first, in its own container before
 * anywhere in its scope) and former name. Each live object is claimed once; nothing is guessed.
 */

import { declaredCollections } from '../graph/declared.ts';
import { formerNames, identityValue, namesOf, pinnedId, wantedIdentity } from '../graph/identity.ts';
import { type LiveNode, type LiveTree, liveKey } from '../graph/live.ts';
import { resolveReference } from '../graph/references.ts';
import { rootAddress, type WantNode, type WantTree } from '../graph/want.ts';
import type { Identity, Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import { push } from '../util/group.ts';
import { claimsByBase } from './base-claims.ts';
import { ambiguous, pinNotFound, pinnedElsewhere, pinnedTwice, swapOrSwapped } from './match-problems.ts';
import type { Base, Matching } from './matching.ts';
import { inMatchingOrder } from './matching-order.ts';
import { unknowable } from './unknowable.ts';

/**
 * Matches a wanted tree with a live one. With a base, an address is what it was there, whatever its names are now.
 * Pure; the order of neither tree's siblings matters.
 */
export function match(tree: WantTree, live: LiveTree, registry: Registry, base?: Base): Matching {
  const matcher = new Matcher(tree, live, registry, base);
  matcher.claimRoot();
  for (const kind of inMatchingOrder(registry)) matcher.matchKind(kind);
  return matcher;
}

interface Group {
  readonly wants: WantNode[];
  readonly lives: LiveNode[];
}

class Matcher implements Matching {
  readonly liveOf = new Map<string, LiveNode>();
  readonly addressOf = new Map<string, string>();
  readonly problems: Diagnostic[] = [];
  readonly notes: Diagnostic[] = [];
  readonly #tree: WantTree;
  readonly #live: LiveTree;
  readonly #registry: Registry;
  /** Wanted objects with a problem; they take no further part. */
  readonly #failed = new Set<string>();
  readonly #livesByScope = new Map<string, LiveNode[]>();
  readonly #base: Base | undefined;

  constructor(tree: WantTree, live: LiveTree, registry: Registry, base: Base | undefined) {
    this.#base = base;
    this.#tree = tree;
    this.#live = live;
    this.#registry = registry;
    for (const node of [...live.nodes.values()].sort((left, right) => (left.id < right.id ? -1 : 1))) {
      const slot = `${node.kind} ${liveKey(node.scope.kind, node.scope.id)}`;
      const list = this.#livesByScope.get(slot) ?? [];
      list.push(node);
      this.#livesByScope.set(slot, list);
    }
  }

  claimRoot(): void {
    const root = this.#live.nodes.get(liveKey(this.#registry.root.name, this.#live.organizationId));
    const want = this.#tree.nodes.get(rootAddress);
    if (root !== undefined && want !== undefined) this.#claim(want, root);
  }

  matchKind(kind: Kind): void {
    const groups = new Map<string, Group>();
    const unscoped: WantNode[] = [];
    for (const want of this.#tree.nodes.values()) {
      if (want.kind !== kind.name) continue;
      const scope = this.#scopeOf(kind, want);
      if (scope === undefined) {
        unscoped.push(want);
        continue;
      }
      const slot = liveKey(scope.kind, scope.id);
      const group = groups.get(slot) ?? {
        wants: [],
        lives: this.#livesByScope.get(`${kind.name} ${slot}`) ?? [],
      };
      group.wants.push(want);
      groups.set(slot, group);
    }
    for (const group of groups.values()) this.#matchGroup(kind, group);
    for (const want of unscoped) {
      const pin = pinnedId(kind, want);
      if (pin !== undefined) this.#fail(want, pinNotFound(kind, want, pin));
    }
    const all = [...[...groups.values()].flatMap(({ wants }) => wants), ...unscoped];
    for (const { want, problem } of unknowable(
      kind,
      all.filter(({ address }) => !this.#failed.has(address)),
      this.liveOf,
    )) {
      this.#fail(want, problem);
    }
  }

  #matchGroup(kind: Kind, group: Group): void {
    this.#claimPinned(kind, group);
    this.#claimByBase(kind, group);
    if (kind.identities.length === 0 && kind.key?.is !== 'id') {
      for (const want of group.wants) {
        const only = group.lives.find((live) => !this.#isClaimed(live));
        if (only !== undefined) this.#claim(want, only);
      }
    }
    // A container that is found by a former name lets what stands in it be found: go on until nothing more is claimed.
    for (let claimed = -1; claimed !== this.liveOf.size; ) {
      claimed = this.liveOf.size;
      kind.identities.forEach((_identity, index) => {
        this.#claimByIdentity(kind, group, index, 'container');
        this.#claimByIdentity(kind, group, index, 'scope');
      });
      this.#claimFormer(kind, group);
    }
  }

  #claimByBase(kind: Kind, group: Group): void {
    if (this.#base === undefined) return;
    const { claims, doubtful } = claimsByBase({
      tree: this.#tree,
      live: this.#live,
      registry: this.#registry,
      base: this.#base,
      kind,
      wants: this.#open(group.wants),
      lives: group.lives,
      isClaimed: (live) => this.#isClaimed(live),
      wantedValue: (of, want, identity) => this.#wantedValue(of, want, identity),
    });
    for (const [want, live] of claims) this.#claim(want, live);
    this.notes.push(...doubtful.map((want) => swapOrSwapped(kind, want)));
  }

  #claimFormer(kind: Kind, group: Group): void {
    const renamed = this.#open(group.wants).filter(({ was }) => was.length > 0);
    if (renamed.length === 0) return;
    const byName = new Map<string, LiveNode[]>();
    for (const live of this.#openLives(group)) {
      for (const name of namesOf(kind, live.fields)) push(byName, name, live);
    }
    for (const want of renamed) {
      const named = formerNames(want.was).flatMap((name) => byName.get(name) ?? []);
      const [former, ...others] = [...new Set(named)].filter((live) => !this.#isClaimed(live));
      if (former === undefined) continue;
      if (others.length > 0) this.#fail(want, ambiguous(kind, [want], [former, ...others], 'was'));
      else this.#claim(want, former);
    }
  }

  #claimPinned(kind: Kind, group: Group): void {
    for (const want of group.wants) {
      const pin = pinnedId(kind, want);
      if (pin === undefined) continue;
      const live = this.#live.nodes.get(liveKey(kind.name, pin));
      if (live === undefined) {
        // An object whose key is its id is refused when its creation is planned, with what its kind has to say.
        if (kind.key?.is !== 'id') this.#fail(want, pinNotFound(kind, want, pin));
      } else if (!group.lives.includes(live)) this.#fail(want, pinnedElsewhere(kind, want, pin));
      else if (this.#isClaimed(live)) {
        this.#fail(want, pinnedTwice(kind, want, pin, this.addressOf.get(liveKey(kind.name, pin)) ?? ''));
      } else this.#claim(want, live);
    }
  }

  #claimByIdentity(kind: Kind, group: Group, index: number, reach: 'container' | 'scope'): void {
    const identity = kind.identities[index];
    if (identity === undefined) return;
    const lives = new Map<string, LiveNode[]>();
    for (const live of this.#openLives(group)) {
      const value = identityValue(live.fields, identity);
      if (value === undefined || (reach === 'scope' && !this.#isWithinReach(kind, live))) continue;
      const fixed = fixedValues(kind, identity, (other) => identityValue(live.fields, other));
      push(
        lives,
        reach === 'container' ? `${live.container.id} ${fixed} ${value}` : `${fixed} ${value}`,
        live,
      );
    }
    const wants = new Map<string, WantNode[]>();
    for (const want of this.#open(group.wants)) {
      const value = this.#wantedValue(kind, want, identity);
      if (value === undefined) continue;
      const fixed = fixedValues(kind, identity, (other) => this.#wantedValue(kind, want, other));
      if (reach === 'scope') push(wants, `${fixed} ${value}`, want);
      else {
        const container = this.liveOf.get(want.parent ?? '');
        if (container !== undefined) push(wants, `${container.id} ${fixed} ${value}`, want);
      }
    }
    for (const [value, claimants] of wants) {
      const candidates = lives.get(value);
      if (candidates !== undefined) this.#settle(kind, claimants, candidates, index);
    }
  }

  /** Claims where there is one pair; where there are more, the one pair whose stronger identities do not disagree. */
  #settle(kind: Kind, wants: readonly WantNode[], lives: readonly LiveNode[], index: number): void {
    const agree = (want: WantNode, live: LiveNode) =>
      kind.identities.slice(0, index).every((stronger) => {
        const wanted = this.#wantedValue(kind, want, stronger);
        const present = identityValue(live.fields, stronger);
        return wanted === undefined || present === undefined || wanted === present;
      });
    let claimants = wants;
    let candidates = lives;
    if (wants.length > 1 || lives.length > 1) {
      claimants = wants.filter((want) => lives.some((live) => agree(want, live)));
      candidates = lives.filter((live) => wants.some((want) => agree(want, live)));
      if (claimants.length === 0 || candidates.length === 0) [claimants, candidates] = [wants, lives];
    }
    const [want] = claimants;
    const [live] = candidates;
    if (want === undefined || live === undefined) return;
    if (claimants.length === 1 && candidates.length === 1) this.#claim(want, live);
    else {
      const field = kind.identities[index]?.field ?? 'id';
      for (const each of claimants) this.#fail(each, ambiguous(kind, claimants, candidates, field, each));
    }
  }

  /**
   * Objects of an organization-wide kind are taken only from places that the manifests speak of; a like-named object
   * elsewhere is somebody else's. Kinds that can be searched for are found anywhere.
   */
  #isWithinReach(kind: Kind, live: LiveNode): boolean {
    if (kind.scope !== this.#registry.root.name || kind.reads.search !== undefined) return true;
    const address = this.addressOf.get(liveKey(live.container.kind, live.container.id));
    const container = address === undefined ? undefined : this.#tree.nodes.get(address);
    return (
      container !== undefined &&
      declaredCollections(this.#registry, container).some((key) =>
        this.#registry.at(container.kind, key).some((one) => one.kind === kind),
      )
    );
  }

  #wantedValue(kind: Kind, want: WantNode, identity: Identity): string | undefined {
    const reference = kind.fields[identity.field]?.reference;
    const value = want.fields[identity.field];
    if (reference === undefined || value === undefined || value === null)
      return wantedIdentity(want.fields, identity);
    const target = resolveReference(this.#tree, want, reference, value);
    if (target.type === 'id') return target.id;
    return target.type === 'node' ? this.liveOf.get(target.address)?.id : undefined;
  }

  #scopeOf(kind: Kind, want: WantNode): LiveNode | undefined {
    let ancestor = want.parent === undefined ? undefined : this.#tree.nodes.get(want.parent);
    if (kind.scope !== 'parent') {
      while (ancestor !== undefined && ancestor.kind !== kind.scope) {
        ancestor = ancestor.parent === undefined ? undefined : this.#tree.nodes.get(ancestor.parent);
      }
    }
    return ancestor === undefined ? undefined : this.liveOf.get(ancestor.address);
  }

  #claim(want: WantNode, live: LiveNode): void {
    this.liveOf.set(want.address, live);
    this.addressOf.set(liveKey(live.kind, live.id), want.address);
  }

  #fail(want: WantNode, problem: Diagnostic): void {
    this.#failed.add(want.address);
    this.problems.push(problem);
  }

  #isClaimed(live: LiveNode): boolean {
    return this.addressOf.has(liveKey(live.kind, live.id));
  }

  #open(wants: readonly WantNode[]): readonly WantNode[] {
    return wants.filter((want) => !this.liveOf.has(want.address) && !this.#failed.has(want.address));
  }

  #openLives(group: Group): readonly LiveNode[] {
    return group.lives.filter((live) => !this.#isClaimed(live) && live.deleted !== true);
  }
}

/** The values of the identities that cannot be changed, where the identity asks for them to agree. */
function fixedValues(kind: Kind, identity: Identity, read: (other: Identity) => string | undefined): string {
  if (identity.unlessReplaced !== true) return '';
  const fixed = kind.identities.filter((other) => kind.fields[other.field]?.change === 'replace');
  return JSON.stringify(fixed.map((other) => read(other) ?? null));
}
