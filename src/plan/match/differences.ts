/**
 * What differs between desired and live objects before it is known which is which: in fields, and in what they contain.
 */

import type { Identity, Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity, identityValue, pinnedId } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import { resolveField } from '../../tree/references.ts';
import { sameField } from '../../tree/same-field.ts';
import { sameJson } from '../../util/json.ts';
import { revealSecrets } from '../../util/secret.ts';
import type { Base } from '../matching.ts';
import { formerAddresses } from './former-addresses.ts';

/** The situation in which objects of one kind and scope are claimed. */
export interface ClaimContext {
  readonly tree: DesiredTree;
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly base: Base;
  readonly kind: Kind;
  readonly desiredNodes: readonly DesiredNode[];
  readonly lives: readonly LiveNode[];
  /** The live object of an address that is matched already. */
  readonly liveOf: (address: string) => LiveNode | undefined;
  readonly isClaimed: (live: LiveNode) => boolean;
  readonly desiredIdentityOf: (kind: Kind, desired: DesiredNode, identity: Identity) => string | undefined;
}

/** Compares desired with live objects of one kind and scope. */
export class Differences {
  readonly #context: ClaimContext;

  constructor(context: ClaimContext) {
    this.#context = context;
  }

  /** Names of fields that differ, and addresses of children that are not there. */
  between(desired: DesiredNode, live: LiveNode): readonly string[] {
    const { kind, desiredIdentityOf } = this.#context;
    const fields = Object.keys(desired.fields).filter(
      (name) =>
        !this.#isSame(desired, name, {
          live,
          valueIn: (identity) => desiredIdentityOf(kind, desired, identity),
        }),
    );
    return [...fields, ...this.#missing(desired, live)];
  }

  /** True when the base wishes for the same field, or the same child. */
  isUnchanged(desired: DesiredNode, name: string): boolean {
    const { tree } = this.#context.base;
    if (name.includes('/')) return tree.get(name) !== undefined;
    const was = tree.get(desired.address)?.fields[name];
    return was !== undefined && sameJson(revealSecrets(was), revealSecrets(desired.fields[name]));
  }

  /** True when the live object has all that the base wishes for this address. */
  isAsBase(desired: DesiredNode, live: LiveNode): boolean {
    const { base, kind } = this.#context;
    const was = [desired.address, ...formerAddresses(desired)].flatMap(
      (address) => base.tree.get(address) ?? [],
    )[0];
    if (was === undefined) return true;
    // What the base refers to, and is not live, says nothing against this one.
    const valueIn = ({ field: name, ...identity }: Identity) => {
      const target = resolveField(base.tree, was, { field: kind.fields[name], value: was.fields[name] });
      if (target === undefined) return desiredIdentity(was.fields, { field: name, ...identity });
      if (target.type === 'id') return target.id;
      const meant = target.type === 'node' ? base.matching.liveOf(target.address)?.id : undefined;
      return meant ?? identityValue(live.fields, { field: name });
    };
    return Object.keys(was.fields).every((name) => this.#isSame(was, name, { live, valueIn }));
  }

  /** `valueIn`: the comparable value that the desired object has of a field. */
  #isSame(
    desired: DesiredNode,
    name: string,
    {
      live,
      valueIn,
    }: { readonly live: LiveNode; readonly valueIn: (identity: Identity) => string | undefined },
  ): boolean {
    const { kind } = this.#context;
    const field = kind.fields[name];
    const value = desired.fields[name];
    if (field === undefined || value === undefined || desired.lifecycle.ignore.includes(name)) return true;
    if (field.change === 'create') return true;
    if (field.type === 'reference' && value !== null) {
      // What is inside the object is found only once the object is.
      return field.within === 'descendants' || valueIn({ field: name }) === live.fields[name];
    }
    const identity = kind.identities.find((one) => one.field === name);
    if (identity !== undefined) return valueIn(identity) === identityValue(live.fields, identity);
    return sameField(field, value, live.fields[name] ?? field.absent);
  }

  /** Addresses of desired children that the live object does not have. */
  #missing(desired: DesiredNode, live: LiveNode): readonly string[] {
    const inside = this.#context.live.childrenOf(live);
    return this.#context.tree
      .childrenOf(desired.address)
      .filter((child) => !inside.some((one) => one.kind === child.kind && this.#mayBe(child, one)))
      .map(({ address }) => address);
  }

  #mayBe(child: DesiredNode, live: LiveNode): boolean {
    const kind = this.#context.registry.byName(child.kind);
    const pin = pinnedId(kind, child);
    if (pin !== undefined) return live.id === pin;
    if (kind.identities.length === 0) return true;
    return kind.identities.some((identity) => {
      const value = this.#context.desiredIdentityOf(kind, child, identity);
      return value !== undefined && value === identityValue(live.fields, identity);
    });
  }
}
