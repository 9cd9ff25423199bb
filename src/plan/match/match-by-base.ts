/** Which live objects the desired ones were by the base, as far as that still holds. */

import type { Identity, Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode, DesiredTree } from '../../tree/desired.ts';
import { desiredIdentity, identityValue, pinnedId } from '../../tree/identity.ts';
import { type LiveNode, type LiveTree, liveKey } from '../../tree/live.ts';
import { resolveReference } from '../../tree/references.ts';
import { sameField } from '../../tree/same-field.ts';
import { grouped } from '../../util/group.ts';
import { sameJson } from '../../util/json.ts';
import { revealSecrets } from '../../util/secret.ts';
import type { Base } from './matching.ts';
import { outdatedClaims } from './outdated-base.ts';

/** The situation in which objects of one kind and scope are claimed. */
export interface ClaimContext {
  readonly tree: DesiredTree;
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly base: Base;
  readonly kind: Kind;
  readonly desiredNodes: readonly DesiredNode[];
  readonly lives: readonly LiveNode[];
  readonly isClaimed: (live: LiveNode) => boolean;
  readonly desiredIdentityOf: (kind: Kind, desired: DesiredNode, identity: Identity) => string | undefined;
}

/** What the base says, and of what it cannot tell whether it was done already. */
export interface BaseClaims {
  readonly claims: ReadonlyMap<DesiredNode, LiveNode>;
  readonly doubtful: readonly DesiredNode[];
}

/** An address is the object that it was in the base; so is one that says which address it was. */
export function claimsByBase(context: ClaimContext): BaseClaims {
  const claims = new Map<DesiredNode, LiveNode>();
  const taken = new Set<LiveNode>();
  const known = new Set(context.lives);
  for (const addressesOf of [(desired: DesiredNode) => [desired.address], formerAddresses]) {
    for (const desired of context.desiredNodes) {
      if (claims.has(desired)) continue;
      for (const address of addressesOf(desired)) {
        const live = context.base.matching.liveOf.get(address);
        if (live === undefined || !known.has(live) || taken.has(live) || context.isClaimed(live)) continue;
        claims.set(desired, live);
        taken.add(live);
        break;
      }
    }
  }
  const differ = new Differences(context);
  const outdated = outdatedClaims({
    kind: context.kind,
    desiredNodes: context.desiredNodes,
    lives: context.lives.filter((live) => !context.isClaimed(live) && live.deleted !== true),
    claims,
    desiredIdentityOf: (desired, identity) => context.desiredIdentityOf(context.kind, desired, identity),
    differences: (desired, live) => differ.between(desired, live),
    isUnchanged: (desired, name) => differ.isUnchanged(desired, name),
    isAsBase: (desired, live) => differ.isAsBase(desired, live),
  });
  for (const desired of outdated.claims) claims.delete(desired);
  return { claims, doubtful: outdated.doubtful };
}

/** The addresses that `was` may mean: as written, or beside the object. */
function formerAddresses(desired: DesiredNode): readonly string[] {
  const beside = desired.address.slice(0, desired.address.length - desired.key.length);
  return desired.was.flatMap((name) => [name, `${beside}${name}`]);
}

/** Compares wanted with live objects before it is known which is which. */
class Differences {
  readonly #context: ClaimContext;
  #children: ReadonlyMap<string, readonly DesiredNode[]> | undefined;
  #contents: ReadonlyMap<string, readonly LiveNode[]> | undefined;

  constructor(context: ClaimContext) {
    this.#context = context;
  }

  /** Names of fields that differ, and addresses of children that are not there. */
  between(desired: DesiredNode, live: LiveNode): readonly string[] {
    const { kind, desiredIdentityOf } = this.#context;
    const fields = Object.keys(desired.fields).filter(
      (name) => !this.#isSame(desired, name, live, (identity) => desiredIdentityOf(kind, desired, identity)),
    );
    return [...fields, ...this.#missing(desired, live)];
  }

  /** True when the base wishes for the same field, or the same child. */
  isUnchanged(desired: DesiredNode, name: string): boolean {
    const { nodes } = this.#context.base.tree;
    if (name.includes('/')) return nodes.has(name);
    const was = nodes.get(desired.address)?.fields[name];
    return was !== undefined && sameJson(revealSecrets(was), revealSecrets(desired.fields[name]));
  }

  /** True when the live object has all that the base wishes for this address. */
  isAsBase(desired: DesiredNode, live: LiveNode): boolean {
    const { base, kind } = this.#context;
    const was = [desired.address, ...formerAddresses(desired)].flatMap(
      (address) => base.tree.nodes.get(address) ?? [],
    )[0];
    if (was === undefined) return true;
    // What the base refers to, and is not live, says nothing against this one.
    const valueIn = ({ field: name, ...identity }: Identity) => {
      const value = was.fields[name];
      const { reference } = kind.fields[name] ?? {};
      if (reference === undefined || value === undefined || value === null)
        return desiredIdentity(was.fields, { field: name, ...identity });
      const target = resolveReference(base.tree, was, reference, value);
      if (target.type === 'id') return target.id;
      const meant = target.type === 'node' ? base.matching.liveOf.get(target.address)?.id : undefined;
      return meant ?? identityValue(live.fields, { field: name });
    };
    return Object.keys(was.fields).every((name) => this.#isSame(was, name, live, valueIn));
  }

  /** `valueIn`: the comparable value that the desired object has of a field. */
  #isSame(
    desired: DesiredNode,
    name: string,
    live: LiveNode,
    valueIn: (identity: Identity) => string | undefined,
  ): boolean {
    const { kind } = this.#context;
    const field = kind.fields[name];
    const value = desired.fields[name];
    if (field === undefined || value === undefined || desired.lifecycle.ignore.includes(name)) return true;
    if (field.change === 'create') return true;
    if (field.reference?.of === 'value' && value !== null) {
      // What stands inside the object is found only once the object is.
      return field.reference.within === 'descendants' || valueIn({ field: name }) === live.fields[name];
    }
    const identity = kind.identities.find((one) => one.field === name);
    if (identity !== undefined) return valueIn(identity) === identityValue(live.fields, identity);
    return sameField(field, value, live.fields[name] ?? field.absent);
  }

  #missing(desired: DesiredNode, live: LiveNode): readonly string[] {
    const inside = this.#livesIn(live);
    return this.#desiredIn(desired).flatMap((child) => {
      const kind = this.#context.registry.byName(child.kind);
      const pin = pinnedId(kind, child);
      const isThere = inside.some(
        (one) =>
          one.kind === child.kind &&
          (pin !== undefined
            ? one.id === pin
            : kind.identities.length === 0 ||
              kind.identities.some((identity) => {
                const desiredValue = this.#context.desiredIdentityOf(kind, child, identity);
                return desiredValue !== undefined && desiredValue === identityValue(one.fields, identity);
              })),
      );
      return isThere ? [] : [child.address];
    });
  }

  #desiredIn(desired: DesiredNode): readonly DesiredNode[] {
    this.#children ??= grouped(this.#context.tree.nodes.values(), (node) => node.parent ?? '');
    return this.#children.get(desired.address) ?? [];
  }

  #livesIn(live: LiveNode): readonly LiveNode[] {
    this.#contents ??= grouped(this.#context.live.nodes.values(), ({ container }) =>
      liveKey(container.kind, container.id),
    );
    return this.#contents.get(liveKey(live.kind, live.id)) ?? [];
  }
}
