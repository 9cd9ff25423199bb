/** Which live objects the wanted ones were by the base, as far as that still holds. */

import { identityValue, pinnedId, wantedIdentity } from '../graph/identity.ts';
import { type LiveNode, type LiveTree, liveKey } from '../graph/live.ts';
import { resolveReference } from '../graph/references.ts';
import type { WantNode, WantTree } from '../graph/want.ts';
import type { Identity, Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { grouped } from '../util/group.ts';
import { sameJson } from '../util/json.ts';
import { revealSecrets } from '../util/secret.ts';
import type { Base } from './matching.ts';
import { sameField } from './same-field.ts';
import { outdatedClaims } from './stale-base.ts';

/** The situation in which objects of one kind and scope are claimed. */
export interface ClaimContext {
  readonly tree: WantTree;
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly base: Base;
  readonly kind: Kind;
  readonly wants: readonly WantNode[];
  readonly lives: readonly LiveNode[];
  readonly isClaimed: (live: LiveNode) => boolean;
  readonly wantedValue: (kind: Kind, want: WantNode, identity: Identity) => string | undefined;
}

/** What the base says, and of what it cannot tell whether it was done already. */
export interface BaseClaims {
  readonly claims: ReadonlyMap<WantNode, LiveNode>;
  readonly doubtful: readonly WantNode[];
}

/** An address is the object that it was in the base; so is one that says which address it was. */
export function claimsByBase(context: ClaimContext): BaseClaims {
  const claims = new Map<WantNode, LiveNode>();
  const taken = new Set<LiveNode>();
  const known = new Set(context.lives);
  for (const addressesOf of [(want: WantNode) => [want.address], formerAddresses]) {
    for (const want of context.wants) {
      if (claims.has(want)) continue;
      for (const address of addressesOf(want)) {
        const live = context.base.matching.liveOf.get(address);
        if (live === undefined || !known.has(live) || taken.has(live) || context.isClaimed(live)) continue;
        claims.set(want, live);
        taken.add(live);
        break;
      }
    }
  }
  const differ = new Differences(context);
  const outdated = outdatedClaims({
    kind: context.kind,
    wants: context.wants,
    lives: context.lives.filter((live) => !context.isClaimed(live) && live.deleted !== true),
    claims,
    wantedValue: (want, identity) => context.wantedValue(context.kind, want, identity),
    differences: (want, live) => differ.between(want, live),
    isUnchanged: (want, name) => differ.isUnchanged(want, name),
    isAsBase: (want, live) => differ.isAsBase(want, live),
  });
  for (const want of outdated.claims) claims.delete(want);
  return { claims, doubtful: outdated.doubtful };
}

/** The addresses that `was` may mean: as written, or beside the object. */
function formerAddresses(want: WantNode): readonly string[] {
  const beside = want.address.slice(0, want.address.length - want.key.length);
  return want.was.flatMap((name) => [name, `${beside}${name}`]);
}

/** Compares wanted with live objects before it is known which is which. */
class Differences {
  readonly #context: ClaimContext;
  #children: ReadonlyMap<string, readonly WantNode[]> | undefined;
  #contents: ReadonlyMap<string, readonly LiveNode[]> | undefined;

  constructor(context: ClaimContext) {
    this.#context = context;
  }

  /** Names of fields that differ, and addresses of children that are not there. */
  between(want: WantNode, live: LiveNode): readonly string[] {
    const { kind, wantedValue } = this.#context;
    const fields = Object.keys(want.fields).filter(
      (name) => !this.#isSame(want, name, live, (identity) => wantedValue(kind, want, identity)),
    );
    return [...fields, ...this.#missing(want, live)];
  }

  /** True when the base wishes for the same field, or the same child. */
  isUnchanged(want: WantNode, name: string): boolean {
    const { nodes } = this.#context.base.tree;
    if (name.includes('/')) return nodes.has(name);
    const was = nodes.get(want.address)?.fields[name];
    return was !== undefined && sameJson(revealSecrets(was), revealSecrets(want.fields[name]));
  }

  /** True when the live object has all that the base wishes for this address. */
  isAsBase(want: WantNode, live: LiveNode): boolean {
    const { base, kind } = this.#context;
    const was = [want.address, ...formerAddresses(want)].flatMap(
      (address) => base.tree.nodes.get(address) ?? [],
    )[0];
    if (was === undefined) return true;
    // What the base refers to, and is not live, says nothing against this one.
    const valueIn = ({ field: name, ...identity }: Identity) => {
      const value = was.fields[name];
      const { reference } = kind.fields[name] ?? {};
      if (reference === undefined || value === undefined || value === null)
        return wantedIdentity(was.fields, { field: name, ...identity });
      const target = resolveReference(base.tree, was, reference, value);
      if (target.type === 'id') return target.id;
      const meant = target.type === 'node' ? base.matching.liveOf.get(target.address)?.id : undefined;
      return meant ?? identityValue(live.fields, { field: name });
    };
    return Object.keys(was.fields).every((name) => this.#isSame(was, name, live, valueIn));
  }

  /** `valueIn`: the comparable value that the wanted object has of a field. */
  #isSame(
    want: WantNode,
    name: string,
    live: LiveNode,
    valueIn: (identity: Identity) => string | undefined,
  ): boolean {
    const { kind } = this.#context;
    const field = kind.fields[name];
    const value = want.fields[name];
    if (field === undefined || value === undefined || want.lifecycle.ignore.includes(name)) return true;
    if (field.change === 'create') return true;
    if (field.reference?.of === 'value' && value !== null) {
      // What stands inside the object is found only once the object is.
      return field.reference.within === 'descendants' || valueIn({ field: name }) === live.fields[name];
    }
    const identity = kind.identities.find((one) => one.field === name);
    if (identity !== undefined) return valueIn(identity) === identityValue(live.fields, identity);
    return sameField(field, value, live.fields[name] ?? field.absent);
  }

  #missing(want: WantNode, live: LiveNode): readonly string[] {
    const inside = this.#livesIn(live);
    return this.#wantsIn(want).flatMap((child) => {
      const kind = this.#context.registry.byName(child.kind);
      const pin = pinnedId(kind, child);
      const isThere = inside.some(
        (one) =>
          one.kind === child.kind &&
          (pin !== undefined
            ? one.id === pin
            : kind.identities.length === 0 ||
              kind.identities.some((identity) => {
                const wanted = this.#context.wantedValue(kind, child, identity);
                return wanted !== undefined && wanted === identityValue(one.fields, identity);
              })),
      );
      return isThere ? [] : [child.address];
    });
  }

  #wantsIn(want: WantNode): readonly WantNode[] {
    this.#children ??= grouped(this.#context.tree.nodes.values(), (node) => node.parent ?? '');
    return this.#children.get(want.address) ?? [];
  }

  #livesIn(live: LiveNode): readonly LiveNode[] {
    this.#contents ??= grouped(this.#context.live.nodes.values(), ({ container }) =>
      liveKey(container.kind, container.id),
    );
    return this.#contents.get(liveKey(live.kind, live.id)) ?? [];
  }
}
