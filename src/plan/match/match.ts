/**
 * Matches live objects with the desired ones and with those of the base, by pinned id, known id, base, natural
 * identity (strongest first, in its own container before anywhere in its scope) and former name.
 *
 * Both trees are matched together, containers first: the base by its names, the manifests with the help of the base, and
 * then the base follows the matches of the manifests.
 */

import type { Kind } from '../../kinds/kind.ts';
import { referenceOf } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode } from '../../tree/live.ts';
import { OwnObjects } from '../../tree/own-work.ts';
import type { Base, Matching } from '../matching.ts';
import { Matcher, type MatcherOptions } from './matcher.ts';
import { follow } from './pairs.ts';

interface MatchOptions extends Omit<MatcherOptions, 'base' | 'isGone'> {
  readonly base: Omit<Base, 'matching'> | undefined;
}

export function match(
  tree: DesiredTree,
  options: MatchOptions,
): { readonly matching: Matching; readonly base: Base | undefined } {
  const { live, registry, pastIds, recordedIds } = options;
  const isGone = (address: string) => !tree.nodes.has(address);
  const left = [...pastIds].filter(([address]) => isGone(address));
  const ids = new Map([...left, ...recordedIds]);
  const known = { live, registry, base: undefined, pastIds: ids, recordedIds: ids, isGone };
  // Only certain matches of the base count, and its problems are not reported.
  const then = options.base && new Matcher(options.base.tree, { ...known, own: new OwnObjects() });
  const base = then && { ...options.base, tree: then.tree, matching: then };
  const recorded = recordedIds.size === 0 ? pastIds : recordedIds;
  const now = new Matcher(tree, { ...options, base, recordedIds: recorded, isGone: () => false });
  const isRecorded = (address: string, { id }: LiveNode) => recordedIds.get(address) === id;
  then?.claimRoot();
  now.claimRoot();
  for (const kind of inMatchingOrder(registry)) {
    then?.matchKind(kind);
    now.matchKind(kind);
    if (then !== undefined) follow(kind, then, now, isRecorded);
  }
  return { matching: now, base };
}

/** Orders kinds after the kinds that their identities refer to and the kinds that contain them. */
function inMatchingOrder(registry: Registry): readonly Kind[] {
  const done = new Set<Kind>();
  const visit = (kind: Kind, from: readonly Kind[]) => {
    if (done.has(kind) || from.includes(kind)) return;
    const names = [
      ...kind.manifest.places.map(({ parent }) => parent),
      ...kind.identity.by.flatMap(({ field }) => referenceOf(kind.fields[field])?.kinds ?? []),
    ];
    for (const name of names) visit(registry.byName(name), [...from, kind]);
    done.add(kind);
  };
  for (const kind of registry.kinds) visit(kind, []);
  return [...done].filter((kind) => kind !== registry.root);
}
