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

/** Names of the fields that differ, and addresses of the contents that are missing. */
export function differing(context: ClaimContext, desired: DesiredNode, live: LiveNode): readonly string[] {
  const { kind, tree, desiredIdentityOf } = context;
  const valueIn = (identity: Identity) => desiredIdentityOf(kind, desired, identity);
  const fields = Object.keys(desired.fields).filter(
    (name) => !isSame(kind, desired, name, { live, valueIn }),
  );
  const inside = context.live.childrenOf(live);
  const missing = tree
    .childrenOf(desired.address)
    .filter((child) => !inside.some((one) => one.kind === child.kind && mayBe(context, child, one)));
  return [...fields, ...missing.map(({ address }) => address)];
}

export function isUnchanged({ base }: ClaimContext, desired: DesiredNode, name: string): boolean {
  if (name.includes('/')) return base.tree.get(name) !== undefined;
  const was = base.tree.get(desired.address)?.fields[name];
  return was !== undefined && isEqual(was, desired.fields[name]);
}

export function isAsBase({ base, kind, tree }: ClaimContext, desired: DesiredNode, live: LiveNode): boolean {
  const [was] = [desired.address, ...formerAddresses(desired, tree)].flatMap(
    (address) => base.tree.get(address) ?? [],
  );
  if (was === undefined) return true;
  // A base reference to an object that is not live counts as equal.
  const valueIn = ({ field: name, ...identity }: Identity) => {
    const target = resolveField(base.tree, was, { field: kind.fields[name], value: was.fields[name] });
    if (target === undefined) return desiredIdentity(was.fields, { field: name, ...identity });
    if (target.type === 'id') return target.id;
    const meant = target.type === 'node' ? base.matching.liveOf(target.address)?.id : undefined;
    return meant ?? identityValue(live.fields, { field: name });
  };
  return Object.keys(was.fields).every((name) => isSame(kind, was, name, { live, valueIn }));
}

interface Compared {
  readonly live: LiveNode;
  readonly valueIn: (identity: Identity) => string | undefined;
}

function isSame(kind: Kind, desired: DesiredNode, name: string, { live, valueIn }: Compared): boolean {
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

function mayBe({ registry, desiredIdentityOf }: ClaimContext, child: DesiredNode, live: LiveNode): boolean {
  const kind = registry.byName(child.kind);
  const pin = pinnedId(kind, child);
  if (pin !== undefined) return live.id === pin;
  const { by } = kind.identity;
  return (
    by.length === 0 ||
    by.some((identity) => {
      const value = desiredIdentityOf(kind, child, identity);
      return value !== undefined && value === identityValue(live.fields, identity);
    })
  );
}
