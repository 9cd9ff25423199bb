/** Compares desired and live objects before they are matched: fields and contents. */

import type { Identity, Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { isAdditive, withAdded } from '../../tree/additive.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { isEqual, sameField } from '../../tree/difference.ts';
import { desiredIdentity, identityValue, pinnedId } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import { resolveField } from '../../tree/references.ts';
import { type Base, formerAddresses } from '../matching.ts';

export interface ClaimContext {
  readonly tree: DesiredTree;
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly base: Base;
  readonly kind: Kind;
  readonly desiredNodes: readonly DesiredNode[];
  readonly lives: readonly LiveNode[];
  readonly liveOf: (address: string) => LiveNode | undefined;
  readonly isClaimed: (live: LiveNode) => boolean;
  readonly desiredIdentityOf: (kind: Kind, desired: DesiredNode, identity: Identity) => string | undefined;
}

export class Differences {
  readonly #context: ClaimContext;

  constructor(context: ClaimContext) {
    this.#context = context;
  }

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

  isUnchanged(desired: DesiredNode, name: string): boolean {
    const { tree } = this.#context.base;
    if (name.includes('/')) return tree.get(name) !== undefined;
    const was = tree.get(desired.address)?.fields[name];
    return was !== undefined && isEqual(was, desired.fields[name]);
  }

  isAsBase(desired: DesiredNode, live: LiveNode): boolean {
    const { base, kind } = this.#context;
    const was = [desired.address, ...formerAddresses(desired, this.#context.tree)].flatMap(
      (address) => base.tree.get(address) ?? [],
    )[0];
    if (was === undefined) return true;
    // A base reference to an object that is not live counts as equal.
    const valueIn = ({ field: name, ...identity }: Identity) => {
      const target = resolveField(base.tree, was, { field: kind.fields[name], value: was.fields[name] });
      if (target === undefined) return desiredIdentity(was.fields, { field: name, ...identity });
      if (target.type === 'id') return target.id;
      const meant = target.type === 'node' ? base.matching.liveOf(target.address)?.id : undefined;
      return meant ?? identityValue(live.fields, { field: name });
    };
    return Object.keys(was.fields).every((name) => this.#isSame(was, name, { live, valueIn }));
  }

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
      // Contents of the object are matched only after the object itself.
      return field.within === 'descendants' || valueIn({ field: name }) === live.fields[name];
    }
    const identity = kind.identity.by.find((one) => one.field === name);
    if (identity !== undefined) return valueIn(identity) === identityValue(live.fields, identity);
    const present = live.fields[name] ?? field.absent;
    return sameField(field, isAdditive(desired, name) ? withAdded(present, value) : value, present);
  }

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
    if (kind.identity.by.length === 0) return true;
    return kind.identity.by.some((identity) => {
      const value = this.#context.desiredIdentityOf(kind, child, identity);
      return value !== undefined && value === identityValue(live.fields, identity);
    });
  }
}
