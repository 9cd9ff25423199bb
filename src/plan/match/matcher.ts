/** Matches one desired tree with a live one, kind by kind. Each live object is claimed once; the matcher never guesses. */

import type { Identity, Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { declaresKind } from '../../tree/declared-collections.ts';
import { type DesiredNode, idIn } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity, formerNames, identityValue, namesOf, pinnedId } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import { createdWithContainers } from '../../tree/made-with.ts';
import type { OwnObjects } from '../../tree/own-work.ts';
import { resolveField } from '../../tree/references.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { append, compareTexts } from '../../util/lists.ts';
import { type Base, formerAddresses, type Matching, type UnclearSwap, unseenId } from '../matching.ts';
import type { ClaimContext } from './differences.ts';
import { type BaseClaims, claimsByBase, isReplaced, lateClaims } from './match-by-base.ts';
import {
  ambiguous,
  noIdentity,
  pinNotFound,
  pinnedElsewhere,
  pinnedTwice,
  recordedOtherwise,
  renamedOutside,
} from './match-problems.ts';
import { Pairs } from './pairs.ts';
import { claimsByPastId, wantedInstead } from './past-ids.ts';
import { agreeing, byIdentity, type Group, identityReader, wholePairs } from './same-name.ts';

export interface MatcherOptions {
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly base: Base | undefined;
  /** Ids by address from the record or another run. An id is ignored if its object is not live or belongs to another address. */
  readonly pastIds: ReadonlyMap<string, string>;
  /** `pastIds` without those of unfinished runs, which may have assigned other objects. */
  readonly recordedIds: ReadonlyMap<string, string>;
  readonly own: OwnObjects;
  /** True for an address whose object is to be deleted, wherever the service has moved it since. */
  readonly isGone: (address: string) => boolean;
}

export class Matcher extends Pairs implements Matching {
  readonly problems: Diagnostic[] = [];
  readonly notes: Diagnostic[] = [];
  readonly unclear: UnclearSwap[] = [];
  readonly tree: DesiredTree;
  readonly #known: MatcherOptions;
  readonly #failed = new Set<string>();
  #recorded: ReadonlySet<string> | undefined;

  constructor(tree: DesiredTree, known: MatcherOptions) {
    super();
    this.tree = tree;
    this.#known = known;
  }

  claimRoot(): void {
    const { live, registry } = this.#known;
    const root = live.get({ kind: registry.root.name, id: live.organizationId });
    const desired = this.tree.root;
    if (root !== undefined && desired !== undefined) this.add(desired.address, root);
  }

  matchKind(kind: Kind): void {
    const trees = { tree: this.tree, live: this.#known.live, registry: this.#known.registry };
    for (const [desired, live] of createdWithContainers(kind, trees, this))
      if (this.#open([desired]).length > 0 && !this.#isClaimed(live)) this.add(desired.address, live);
    const inScope = new Map<LiveNode, DesiredNode[]>();
    const all = this.tree.ofKind(kind.name);
    for (const desired of all) {
      const scope = this.#scopeOf(kind, desired);
      if (scope !== undefined) push(inScope, scope, desired);
      else if (this.#mustBeLive(desired)) this.#fail(desired, pinNotFound(kind, desired));
    }
    for (const [scope, desiredNodes] of inScope)
      this.#matchGroup(kind, { desiredNodes, lives: this.#livesIn(scope, kind) });
    for (const desired of all) {
      const isKnown = !this.#failed.has(desired.address) && !this.#isUnseen(desired);
      if (isKnown && isNameless(kind, desired, this.liveOf(desired.address)))
        this.#fail(desired, noIdentity(kind, desired));
    }
  }

  /** Sorts by id, so that the order of responses does not matter. */
  #livesIn(scope: LiveNode, kind: Kind): readonly LiveNode[] {
    const lives = [...this.#known.live.inScope(scope, kind.name)];
    return lives.sort((left, right) => compareTexts(left.id, right.id));
  }

  #matchGroup(kind: Kind, group: Group): void {
    this.#claimPinned(kind, group);
    this.#claimKnown(kind, group);
    this.#claimByBase(kind, group, claimsByBase);
    if (kind.identity.by.length === 0 && kind.manifest.key?.is !== 'id') {
      for (const desired of this.#open(group.desiredNodes)) {
        const only = group.lives.find((live) => !this.#isClaimed(live));
        if (only !== undefined) this.add(desired.address, only);
      }
    }
    // A former name may identify a container, which makes its contents matchable, so this repeats until no claim is added.
    for (let claimed = -1; claimed !== this.size; ) {
      claimed = this.size;
      for (const identity of kind.identity.by) {
        this.#claimByIdentity(kind, group, identity, 'container');
        this.#claimByIdentity(kind, group, identity, 'scope');
      }
      this.#claimFormer(kind, group);
    }
    this.#claimByBase(kind, group, lateClaims);
    this.#claimMade(group);
  }

  #claimKnown(kind: Kind, group: Group): void {
    if (this.#known.pastIds.size === 0) return;
    const desiredNodes = this.#open(group.desiredNodes);
    const ids = desiredNodes.flatMap(({ address }) =>
      this.#known.isGone(address) ? (this.#known.pastIds.get(address) ?? []) : [],
    );
    const moved = ids.flatMap((id) => this.#known.live.get({ kind: kind.name, id }) ?? []);
    const lives = [...new Set([...group.lives, ...moved])].filter((live) => !this.#isClaimed(live));
    const about = { kind, desiredIdentityOf: this.#identityOf, recordedIds: this.#known.recordedIds };
    const claims = claimsByPastId({
      desiredNodes,
      lives,
      tree: this.tree,
      base: this.#known.base?.tree,
      pastIds: this.#known.pastIds,
      recordedIds: this.#known.recordedIds,
    });
    for (const [desired, live] of claims)
      if (!isReplaced(about, desired, live))
        this.add(
          desired.address,
          wantedInstead(about, desired, { live, lives: this.#openLives(group) }) ?? live,
        );
    append(this.notes, this.#exchanged(kind, claims).concat(renamedOutside(kind, claims, this.#identityOf)));
  }

  /** The object that an unfinished run created for the address, even if it would be replaced, as after a revert. */
  #claimMade(group: Group): void {
    for (const desired of this.#open(group.desiredNodes)) {
      const id = this.#known.own.work.ids[desired.address];
      const live = group.lives.find((one) => one.id === id && this.#known.own.made(one));
      if (live !== undefined && !this.#isClaimed(live)) this.add(desired.address, live);
    }
  }

  /** Warns about names that were exchanged outside the manifests: in the app, or by the author of the record. */
  #exchanged(kind: Kind, claims: ReadonlyMap<DesiredNode, LiveNode>): readonly Diagnostic[] {
    const [identity] = kind.identity.by;
    if (identity === undefined || claims.size < 2) return [];
    const nameOf = (desired: DesiredNode) => this.#identityOf(kind, desired, identity);
    const byName = new Map([...claims.values()].map((live) => [identityValue(live.fields, identity), live]));
    return [...claims].flatMap(([desired, live]) => {
      const name = this.#isOwnExchange(desired, nameOf) ? undefined : nameOf(desired);
      const other = name === undefined ? undefined : byName.get(name);
      if (other === undefined || identityValue(live.fields, identity) === name) return [];
      return [
        recordedOtherwise(kind, desired, { recorded: live.id, named: other.id, field: identity.field }),
      ];
    });
  }

  /** True if the commit renamed the object, or if an unfinished run exchanged the names. */
  #isOwnExchange(desired: DesiredNode, nameOf: (desired: DesiredNode) => string | undefined): boolean {
    if (this.#known.own.work.objects.length > 0) return true;
    const base = this.#known.base?.tree;
    if (base === undefined) return false;
    const [was] = [desired.address, ...formerAddresses(desired, this.tree)].flatMap(
      (address) => base.get(address) ?? [],
    );
    return was === undefined || nameOf(was) !== nameOf(desired);
  }

  #claimByBase(kind: Kind, group: Group, claimsBy: (context: ClaimContext) => BaseClaims): void {
    if (this.#known.base === undefined) return;
    const { claims, unclear } = claimsBy({
      tree: this.tree,
      live: this.#known.live,
      registry: this.#known.registry,
      base: this.#known.base,
      kind,
      desiredNodes: this.#open(group.desiredNodes),
      lives: group.lives,
      liveOf: (address) => this.liveOf(address),
      isClaimed: (live) => this.#isClaimed(live),
      desiredIdentityOf: this.#identityOf,
    });
    for (const [desired, live] of claims) this.add(desired.address, live);
    append(this.unclear, unclear);
  }

  #claimFormer(kind: Kind, group: Group): void {
    const desiredNodes = this.#open(group.desiredNodes).filter(({ was }) => was.length > 0);
    if (desiredNodes.length === 0) return;
    const byName = new Map<string, LiveNode[]>();
    for (const live of this.#openLives(group))
      for (const name of namesOf(kind, live.fields)) push(byName, name, live);
    for (const desired of desiredNodes) {
      const lives = [...new Set(formerNames(desired.was).flatMap((name) => byName.get(name) ?? []))];
      const [former, ...others] = lives.filter((live) => !this.#isClaimed(live));
      if (former === undefined) continue;
      if (others.length === 0) this.addUncertain(desired.address, former);
      else this.#fail(desired, ambiguous(kind, desired, { desiredNodes: [desired], lives }, 'was'));
    }
  }

  #claimPinned(kind: Kind, group: Group): void {
    const lives = new Set(group.lives);
    for (const desired of group.desiredNodes) {
      const pin = pinnedId(kind, desired);
      if (pin === undefined) continue;
      const live = this.#known.live.get({ kind: kind.name, id: pin });
      if (live === undefined) {
        // A pin of the manifests is refused when its create is planned, so that all other objects can be planned.
        if (this.#mustBeLive(desired) && !this.#known.own.sent({ kind: kind.name, id: pin }, '#delete'))
          this.#fail(desired, pinNotFound(kind, desired));
      } else if (!lives.has(live) && !this.#known.isGone(desired.address))
        this.#fail(desired, pinnedElsewhere(kind, desired, pin));
      else if (this.#isClaimed(live)) {
        this.#fail(desired, pinnedTwice(kind, desired, pin, this.addressOf(live) ?? ''));
      } else this.add(desired.address, live);
    }
  }

  /** True for a pin by an earlier plan or run, which knew the object. No other object may be used instead. */
  #mustBeLive({ id, knownId }: DesiredNode): boolean {
    return knownId !== undefined || (id !== undefined && this.#known.base?.undoes !== undefined);
  }

  #claimByIdentity(kind: Kind, group: Group, identity: Identity, reach: 'container' | 'scope'): void {
    const open = this.#open(group.desiredNodes);
    if (open.length === 0) return;
    const identityOf = identityReader(kind, identity);
    const lives = byIdentity(this.#openLives(group), (live) => {
      if (reach === 'scope' && !this.#isWithinReach(kind, live)) return undefined;
      const container = reach === 'container' ? live.container.id : '';
      return identityOf((one) => identityValue(live.fields, one), container);
    });
    const desiredNodes = byIdentity(open, (desired) => {
      const read = (one: Identity) => this.#identityOf(kind, desired, one);
      return identityOf(read, reach === 'container' ? this.liveOf(desired.parent ?? '')?.id : '');
    });
    for (const [value, claimants] of desiredNodes) {
      const candidates = lives.get(value);
      if (candidates === undefined) continue;
      // An entry declared as new does not take an object that the record has under another address.
      const known = claimants.filter(({ isNew }) => isNew !== true);
      const strange = claimants.filter(({ isNew }) => isNew === true);
      const own = candidates.filter((live) => !this.#isOfOthers(live));
      for (const [desired, among] of [
        [known, candidates],
        [strange, own],
      ] as const) {
        if (desired.length === 0) continue;
        const all = { desiredNodes: desired, lives: among.filter((live) => !this.#isClaimed(live)) };
        for (const pair of wholePairs(kind, all, this.#identityOf)) this.#claimByName(kind, ...pair);
        this.#settle(kind, identity, {
          desiredNodes: this.#open(desired),
          lives: among.filter((live) => !this.#isClaimed(live)),
        });
      }
    }
  }

  /** True if the record has the object under an address. Otherwise it may be the new object, created by an earlier run. */
  #isOfOthers(live: LiveNode): boolean {
    this.#recorded ??= new Set([...this.#known.recordedIds.values()]);
    return this.#recorded.has(live.id);
  }

  /** Claims a single pair. If there are several, claims the one whose stronger identities agree. */
  #settle(kind: Kind, identity: Identity, all: Group): void {
    const isOnePair = all.desiredNodes.length === 1 && all.lives.length === 1;
    const stronger = kind.identity.by.slice(0, kind.identity.by.indexOf(identity));
    const read = (desired: DesiredNode, one: Identity) => this.#identityOf(kind, desired, one);
    const { desiredNodes, lives } = isOnePair ? all : agreeing(stronger, all, read);
    const [desired] = desiredNodes;
    const [live] = lives;
    if (desired === undefined || live === undefined) return;
    if (desiredNodes.length === 1) {
      // An object that an unfinished run created, such as a copy with the title of its original, belongs to its own entry.
      const [meant, ...more] = lives.length === 1 ? lives : lives.filter((one) => !this.#known.own.made(one));
      if (meant !== undefined && more.length === 0) this.#claimByName(kind, desired, meant);
    }
    if (this.liveOf(desired.address) === undefined)
      for (const each of desiredNodes)
        this.#fail(each, ambiguous(kind, each, { desiredNodes, lives }, identity.field));
  }

  /**
   * Objects of an organization-wide kind match only in places that the manifests declare: an object with the same
   * name elsewhere belongs to someone else, unless the base declared it. Searchable kinds are found anywhere.
   */
  #isWithinReach(kind: Kind, live: LiveNode): boolean {
    if (kind.identity.scope !== this.#known.registry.root.name || kind.reads.search !== undefined)
      return true;
    if (this.#known.base?.matching.addressOf(live) !== undefined) return true;
    const container = this.tree.get(this.addressOf(live.container) ?? '');
    return container !== undefined && declaresKind(this.#known.registry, container, kind.name);
  }

  readonly #identityOf: ClaimContext['desiredIdentityOf'] = (kind, desired, identity) => {
    const field = kind.fields[identity.field];
    const target = resolveField(this.tree, desired, { field, value: desired.fields[identity.field] });
    if (target === undefined) return desiredIdentity(desired.fields, identity);
    if (target.type === 'id') return target.id;
    return target.type === 'node' ? this.liveOf(target.address)?.id : undefined;
  };

  #scopeOf(kind: Kind, desired: DesiredNode): LiveNode | undefined {
    return this.liveOf(this.tree.closest(desired, kind.identity.scope)?.address ?? '');
  }

  #claimByName(kind: Kind, desired: DesiredNode, live: LiveNode): void {
    if (this.#hasCertainName(kind, desired, live)) this.add(desired.address, live);
    else this.addUncertain(desired.address, live);
  }

  /**
   * True if the object is in its declared container and has the strongest declared name, or one that must be unique or cannot
   * change. An object elsewhere, or with a weaker name, may be another one.
   */
  #hasCertainName(kind: Kind, desired: DesiredNode, live: LiveNode): boolean {
    if (this.liveOf(desired.parent ?? '')?.id !== live.container.id) return false;
    const { by, unique = [] } = kind.identity;
    const declared = by.filter((identity) => this.#identityOf(kind, desired, identity) !== undefined);
    return declared.some((identity, index) => {
      const { field } = identity;
      const isOwn =
        index === 0 || kind.fields[field]?.change === 'replace' || unique.some((one) => one.field === field);
      return isOwn && this.#identityOf(kind, desired, identity) === identityValue(live.fields, identity);
    });
  }

  #fail(desired: DesiredNode, problem: Diagnostic): void {
    this.#failed.add(desired.address);
    this.problems.push(problem);
  }

  #isClaimed(live: LiveNode): boolean {
    return this.addressOf(live) !== undefined;
  }

  #open(desiredNodes: readonly DesiredNode[]): readonly DesiredNode[] {
    return desiredNodes.filter(
      (desired) =>
        this.liveOf(desired.address) === undefined &&
        !this.#failed.has(desired.address) &&
        idIn(desired) === undefined &&
        !this.#isUnseen(desired),
    );
  }

  /** True if the recorded object may be invisible to this token. Another object with its name must not match. */
  #isUnseen(desired: DesiredNode): boolean {
    const known = { tree: this.tree, live: this.#known.live, pastIds: this.#known.pastIds };
    return unseenId(this.#known.registry.byName(desired.kind), desired, known) !== undefined;
  }

  #openLives(group: Group): readonly LiveNode[] {
    return group.lives.filter((live) => !this.#isClaimed(live) && live.deleted !== true);
  }
}

/** True if nothing identifies the object, or if it has only empty names: no later run would recognize it. */
function isNameless(kind: Kind, desired: DesiredNode, live: LiveNode | undefined): boolean {
  const { by } = kind.identity;
  const { fields } = desired;
  // A key may be an id, or, for kinds that can be created, another name.
  const isPinned =
    idIn(desired) !== undefined || (live !== undefined && pinnedId(kind, desired) !== undefined);
  if (by.length === 0 || isPinned) return false;
  if (by.some((identity) => desiredIdentity(fields, identity) !== undefined)) return false;
  const declared = by.filter(({ field }) => fields[field] !== undefined);
  if (declared.length === 0) return live === undefined;
  return declared.every(({ field }) => typeof fields[field] === 'string');
}
