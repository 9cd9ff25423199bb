/** Distinguishes objects that share a name by their other names. */
import type { Identity, Kind } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { push } from '../../util/group.ts';
import type { ClaimContext } from './differences.ts';

export interface Group {
  readonly desiredNodes: readonly DesiredNode[];
  readonly lives: readonly LiveNode[];
}

/**
 * Pairs in which all names agree and that are unique, among objects that share a name.
 *
 * Example: two sites "Docs", with the basenames docs and help.
 */
export function wholePairs(
  kind: Kind,
  { desiredNodes, lives }: Group,
  read: ClaimContext['desiredIdentityOf'],
): readonly (readonly [DesiredNode, LiveNode])[] {
  if (desiredNodes.length === 1 && lives.length === 1) return [];
  const { by } = kind.identity;
  const wholeName = (values: readonly (string | undefined)[]) =>
    values.includes(undefined) ? undefined : JSON.stringify(values);
  const named = byIdentity(lives, (live) => wholeName(by.map((one) => identityValue(live.fields, one))));
  const wanted = byIdentity(desiredNodes, (desired) => wholeName(by.map((one) => read(kind, desired, one))));
  return [...wanted].flatMap(([name, [desired, ...others]]) => {
    const [live, ...more] = named.get(name) ?? [];
    return desired === undefined || live === undefined || others.length + more.length > 0
      ? []
      : [[desired, live]];
  });
}

/** Keeps objects whose stronger identities agree, or all objects if none would remain on one side. */
export function agreeing(
  stronger: readonly Identity[],
  all: Group,
  read: (desired: DesiredNode, identity: Identity) => string | undefined,
): Group {
  const agree = (desired: DesiredNode, live: LiveNode) =>
    stronger.every((identity) => {
      const value = read(desired, identity);
      const present = identityValue(live.fields, identity);
      return value === undefined || present === undefined || value === present;
    });
  const desiredNodes = all.desiredNodes.filter((desired) => all.lives.some((live) => agree(desired, live)));
  const lives = all.lives.filter((live) => all.desiredNodes.some((desired) => agree(desired, live)));
  return desiredNodes.length === 0 || lives.length === 0 ? all : { desiredNodes, lives };
}

/**
 * Reads a text that is equal for objects that are the same by one identity; undefined if a value is missing. If the identity is
 * `unlessReplaced`, another value of an immutable field means another object.
 */
export function identityReader(kind: Kind, identity: Identity) {
  const isFixed = ({ field }: Identity) => kind.fields[field]?.change === 'replace';
  const fixed = identity.unlessReplaced === true ? kind.identity.by.filter(isFixed) : [];
  return (read: (one: Identity) => string | undefined, container: string | undefined) => {
    const value = container === undefined ? undefined : read(identity);
    if (value === undefined) return undefined;
    return JSON.stringify([container, value, ...fixed.map((other) => read(other) ?? null)]);
  };
}

export function byIdentity<T>(
  items: readonly T[],
  read: (item: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const lists = new Map<string, T[]>();
  for (const item of items) {
    const identity = read(item);
    if (identity !== undefined) push(lists, identity, item);
  }
  return lists;
}
